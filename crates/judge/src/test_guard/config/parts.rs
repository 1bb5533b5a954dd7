//! Whether the part of a file that decides about checks is another one now; comments and layout do not count.

use super::package::{is_minimum, json};
use super::{Comments, Part, make, package, settings, typescript};
use crate::test_guard::Kind;
use crate::test_guard::language::Language;
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{skip_space, words};
use std::collections::{BTreeMap, HashSet};

/// In words, when it is different.
pub(super) fn changed(part: &Part, before: &str, after: Option<&str>) -> Option<(Kind, String)> {
    let decides = |message: Option<String>| message.map(|message| (Kind::GateConfig, message));
    match part {
        Part::All(comments, words) => decides(all(before, after, *comments, words)),
        Part::Scripts(named) => package::changed(before, after, named),
        Part::Targets(named) => {
            make::changed(before, after, named).map(|message| (Kind::CheckCommand, message))
        }
        Part::Tables(headers, words) => decides(tables(before, after, headers, words)),
        Part::Lines(marks) | Part::Words(marks) => decides(lines(before, after, marks)),
        Part::TestBlock => {
            let after = after.and_then(test_block);
            decides(all(
                &test_block(before)?,
                after.as_deref(),
                Comments::Slashes,
                settings::JAVASCRIPT,
            ))
        }
        Part::TypeScript => decides(typescript::loosened(before, after)),
        Part::Remarks(words) => decides(remarks(before, after.unwrap_or_default(), words)),
    }
}

fn remarks(before: &str, after: &str, words: &[&str]) -> Option<String> {
    let with = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| words.iter().any(|word| line.contains(word)));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let (old, new) = (with(before), with(after));
    let line = new.iter().find(|line| !old.contains(line)).filter(|_| new.len() > old.len())?;
    Some(format!("a linter that a check runs is switched off: {}", crate::quote(line)))
}

/// What a new file says that leaves tests out or makes a failure count for nothing.
pub(super) fn suspicious(part: &Part, text: &str) -> Option<(Kind, String)> {
    let decides = |message: Option<String>| message.map(|message| (Kind::GateConfig, message));
    let all_of = |words: &[&str], comments| {
        let lines = normal_lines(text, comments);
        let line = lines.iter().find(|line| leaves_out(line, words))?;
        Some(format!("the new file decides which tests run: {}", crate::quote(line)))
    };
    match part {
        // A new pipeline takes nothing from the one that is there.
        Part::All(_, words) if words.contains(&"allow_failure") => None,
        Part::All(comments, words) => decides(all_of(words, *comments)),
        Part::Words(marks) => decides(lines("", Some(text), marks)),
        Part::Tables(headers, words) => decides(tables("", Some(text), headers, words)),
        Part::Scripts(_) => package::suspicious(text),
        Part::Targets(_) => make::suspicious(text).map(|message| (Kind::CheckCommand, message)),
        Part::TypeScript => decides(typescript::loosened("{}", Some(text))),
        Part::TestBlock | Part::Lines(_) | Part::Remarks(_) => None,
    }
}

/// Words that every new project uses in an honest way, too; they count where something follows that is not.
fn leaves_out(line: &str, words: &[&str]) -> bool {
    const USUAL: &[&str] = &[
        "include",
        "testMatch",
        "testRegex",
        "spec",
        "setupFiles",
        "rootDir",
        "roots",
        "projects",
        "require",
        "python_files",
        "python_classes",
        "python_functions",
        "exclude",
        "omit",
        "runner",
        "retry",
        "retries",
        "globalSetup",
        "workspace",
        "ignore",
        "IgnorePatterns",
        "norecursedirs",
        "-p ",
        "-m ",
        "resolver",
        "silent",
    ];
    const PLAIN: &[&str] = &[
        "test",
        "spec",
        "node_modules",
        "dist",
        "coverage",
        "build",
        ".git",
        "ts-node",
        "chai",
        "register",
        "process.env.CI",
        "[0-9]",
        "require('",
        "require(\"",
        "tsx",
        "env:",
        "jest-circus",
        "<rootDir>/",
        "not slow",
        "migrations",
        "venv",
    ];
    let found: Vec<&&str> = words.iter().filter(|word| line.contains(**word)).collect();
    found.iter().any(|word| {
        let is_usual = USUAL.contains(word);
        let is_plain = PLAIN.iter().any(|plain| line.replace(**word, "").contains(plain));
        !is_usual || !is_plain
    })
}

/// Additions are harmless unless they leave something out; a person decides about every other change.
fn all(before: &str, after: Option<&str>, comments: Comments, words: &[&str]) -> Option<String> {
    if !is_different(before, after, comments) {
        return None;
    }
    let Some(after) = after else {
        return Some("a file that decides about checks was deleted".to_owned());
    };
    let after = without_new_suites(before, after);
    let (old, new) = (normal_lines(before, comments), normal_lines(&after, comments));
    let found = edited(&old, &new, words)?;
    Some(format!("a file that decides about checks was edited: {}", crate::quote(found.trim())))
}

/// A line that is gone, or a new one that leaves something out; none of them where it only became more.
fn edited<'l>(old: &'l [String], new: &'l [String], words: &[&str]) -> Option<&'l str> {
    let (gone, fresh) = differing(old, new, |was, now| is_more(was, now, words));
    let leaves_out =
        |line: &&&str| words.iter().any(|word| line.contains(word)) && !is_alias(line, old);
    gone.first().or_else(|| fresh.iter().find(leaves_out)).copied()
}

/// The lines that are gone and those that are new, but for those that became more.
fn differing<'l>(
    old: &'l [String],
    new: &'l [String],
    is_more: impl Fn(&str, &str) -> bool,
) -> (Vec<&'l str>, Vec<&'l str>) {
    /// Whoever edits more at once is asked.
    const COMPARED_MAX: usize = 10_000;
    let without = |these: &'l [String], others: &[String]| -> Vec<&'l str> {
        let others: HashSet<&String> = others.iter().collect();
        these.iter().filter(|line| !others.contains(line)).map(String::as_str).collect()
    };
    let (gone, fresh) = (without(old, new), without(new, old));
    if gone.len().saturating_mul(fresh.len()) > COMPARED_MAX {
        return (gone, fresh);
    }
    let lost = gone.iter().filter(|was| !fresh.iter().any(|now| is_more(was, now)));
    let other = fresh.iter().filter(|now| !gone.iter().any(|was| is_more(was, now)));
    (lost.copied().collect(), other.copied().collect())
}

/// Suites of phpunit.xml that are new take nothing from those that are there.
fn without_new_suites(before: &str, after: &str) -> String {
    let mut kept = String::new();
    let mut rest = after;
    while let Some((head, suite)) = rest.split_once("<testsuite ") {
        let (suite, behind) = suite.split_once("</testsuite>").unwrap_or((suite, ""));
        let name = suite.split('>').next().unwrap_or_default();
        kept.push_str(head);
        if before.contains(&format!("<testsuite {name}>")) {
            kept.push_str(&format!("<testsuite {suite}</testsuite>"));
        }
        rest = behind;
    }
    kept + rest
}

/// A short name for a folder, which no line gave a meaning before: `'^@shared/(.*)$': '<rootDir>/shared/$1'`.
fn is_alias(line: &str, old: &[String]) -> bool {
    const DOUBLES: &[&str] = &["stub", "fake", "mock", "test"];
    let quoted: Vec<&str> = line.split(['"', '\'']).skip(1).step_by(2).collect();
    let [pattern, to] = quoted.as_slice() else { return false };
    let name = pattern.strip_prefix('^').and_then(|p| p.strip_suffix("/(.*)$"));
    let is_short = name.is_some_and(|n| n.starts_with(['@', '~', '#']) && !n.contains('/'));
    let is_known = old.iter().any(|line| line.contains(pattern));
    let is_double = DOUBLES.iter().any(|word| to.to_ascii_lowercase().contains(word));
    is_short && !is_known && !is_double && to.starts_with("<rootDir>/") && to.ends_with("/$1")
}

/// The same line with more in its list, with a higher number, or with more attributes.
fn is_more(old: &str, new: &str, words: &[&str]) -> bool {
    /// The longer these lists are, the more is run.
    const GROWS: &[&str] = &[
        "include",
        "testMatch",
        "spec",
        "roots",
        "projects",
        "workspace",
        "python_files",
        "python_classes",
        "python_functions",
    ];
    let key = |line: &str| line.split([':', '=', '[', ' ']).next().unwrap_or_default().to_owned();
    let is_new =
        |word: &&&str| !GROWS.contains(*word) && new.contains(**word) && !old.contains(**word);
    if key(old) != key(new) || words.iter().any(|word| is_new(&word)) {
        return false;
    }
    let (few, many) = (items(old), items(new));
    let marks = words.iter().chain(&["ignore", "skip"]);
    let code: String = old.split(['"', '\'']).step_by(2).collect();
    let leaves_out = marks.into_iter().any(|word| !GROWS.contains(word) && code.contains(word))
        || many.iter().any(|item| item.starts_with(['!', '-']) && !few.contains(item));
    let is_keyed =
        old.starts_with('<') || old[key(old).len()..].trim_start().starts_with([':', '=']);
    let is_longer =
        is_keyed && !few.is_empty() && few.iter().all(|item| many.contains(item)) && !leaves_out;
    is_raised(old, new) || is_newer(old, new) || is_longer
}

fn without_digits(line: &str) -> String {
    line.replace(|c: char| c.is_ascii_digit() || c == '.', "")
}

/// The same line with a greater number as what suffices.
fn is_raised(old: &str, new: &str) -> bool {
    let numbers = |line: &str| -> Vec<f64> {
        line.split(|c: char| !c.is_ascii_digit() && c != '.')
            .filter_map(|n| n.parse().ok())
            .collect()
    };
    let (low, high) = (numbers(old), numbers(new));
    is_minimum(old)
        && without_digits(old) == without_digits(new)
        && low.len() == high.len()
        && low.iter().zip(&high).all(|(low, high)| low <= high)
}

/// A library or an action of a later version, or one that has a least version now.
fn is_newer(old: &str, new: &str) -> bool {
    let version = |line: &str| -> Vec<u64> {
        line.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
    };
    let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || ".,<>=~ ".contains(c));
    let is_required = [">=", "~=", "=="].iter().any(|sign| old.contains(sign))
        || old.trim_start_matches("- ").starts_with("uses: ");
    let is_later =
        is_required && without_digits(old) == without_digits(new) && version(old) <= version(new);
    let bound = new.strip_prefix(old).filter(|b| b.starts_with(">=") || b.starts_with("~="));
    is_later || bound.is_some_and(is_version)
}

/// What is in quotes; where nothing does, the words of a list with commas.
fn items(line: &str) -> Vec<String> {
    let quoted: Vec<String> =
        line.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned).collect();
    let value = line.split_once([':', '=']).map_or("", |(_, value)| value);
    let plain: Vec<String> =
        value.trim().trim_matches(['[', ']']).split(',').map(|i| i.trim().to_owned()).collect();
    let is_list = plain.iter().all(|item| !item.is_empty() && !item.contains(' '));
    if quoted.is_empty() && is_list { plain } else { quoted }
}

fn normal_lines(text: &str, comments: Comments) -> Vec<String> {
    let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = match comments {
        Comments::Hash => normal(text, comments).join("\n"),
        Comments::Slashes => Source::new(text, Language::JavaScript).bare,
        Comments::Xml => normal(text, comments).join(" ").replace('>', ">\n"),
    };
    let lines = plain.lines().scan("", |key, line| {
        // What stands deeper below `key =` belongs to it.
        let is_item = line.starts_with([' ', '\t']) && !key.is_empty();
        if !is_item {
            *key = if line.ends_with('=') { line } else { "" };
        }
        Some(if is_item { format!("{key} {line}") } else { line.to_owned() })
    });
    let lines = lines.map(|line| squeeze(&line)).filter(|line| !line.is_empty());
    joined(lines).iter().map(|line| line.trim_end_matches([',', ';']).to_owned()).collect()
}

/// A list of texts over several lines is one line.
fn joined(lines: impl Iterator<Item = String>) -> Vec<String> {
    const JOINED_BYTES_MAX: usize = 10_000;
    let is_open = |line: &str| {
        let code: String = line.split(['"', '\'']).step_by(2).collect();
        code.matches('[').count() > code.matches(']').count()
    };
    let mut all: Vec<String> = Vec::new();
    for line in lines {
        match all.last_mut() {
            Some(last)
                if is_open(last)
                    && !line.contains(['(', '{'])
                    && last.len() + line.len() < JOINED_BYTES_MAX =>
            {
                last.push(' ');
                last.push_str(&line);
            }
            _ => all.push(line),
        }
    }
    all
}

pub(super) fn is_different(before: &str, after: Option<&str>, comments: Comments) -> bool {
    let Some(after) = after else { return true };
    if let (Ok(before), Ok(after)) = (json(before), json(after)) {
        return before != after;
    }
    normal(before, comments) != normal(after, comments)
}

/// Indentation means something where comments begin with a hash.
fn normal(text: &str, comments: Comments) -> Vec<String> {
    match comments {
        Comments::Hash => {
            let lines =
                text.lines().map(without_hash_comment).filter(|line| !line.trim().is_empty());
            lines.map(str::to_owned).collect()
        }
        Comments::Slashes => {
            let source = Source::new(text, Language::JavaScript);
            vec![source.bare.split_whitespace().collect()]
        }
        Comments::Xml => {
            let mut rest = text;
            let mut kept = String::new();
            while let Some((before, comment)) = rest.split_once("<!--") {
                kept.push_str(before);
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
            }
            kept.push_str(rest);
            kept.split_whitespace().map(str::to_owned).collect()
        }
    }
}

fn without_hash_comment(line: &str) -> &str {
    let line = line.trim_end();
    if line.trim_start().starts_with('#') && !line.starts_with("#!") {
        return "";
    }
    let has_quote_behind = |at: usize| line[at..].contains(['"', '\'']);
    match line.find(" #") {
        Some(at) if !has_quote_behind(at) => line[..at].trim_end(),
        _ => line,
    }
}

fn tables(before: &str, after: Option<&str>, headers: &[&str], words: &[&str]) -> Option<String> {
    let (old, new) = (tables_of(before, headers), tables_of(after.unwrap_or_default(), headers));
    for (header, lines) in &old {
        let now = new.get(header).map(Vec::as_slice).unwrap_or_default();
        if let Some(line) = edited(lines, now, words) {
            let line = crate::quote(line);
            return Some(format!("the table [{header}] was edited: {line}"));
        }
    }
    let mut added = new.iter().filter(|(header, _)| !old.contains_key(*header));
    let (header, _) = added.find(|(_, lines)| lines.iter().any(|line| leaves_out(line, words)))?;
    Some(format!("the new table [{header}] leaves tests out"))
}

fn tables_of(text: &str, headers: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = None;
    for line in normal_lines(text, Comments::Hash) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let header = header.trim_matches(['[', ']']).trim();
            let is_judged = headers.iter().any(|start| header.starts_with(start));
            current = is_judged.then(|| all.entry(header.to_owned()).or_default());
        } else if let Some(lines) = &mut current {
            lines.push(line);
        }
    }
    all
}

fn lines(before: &str, after: Option<&str>, marks: &[&str]) -> Option<String> {
    let marked = |text: &str| -> Vec<String> {
        let mut table = String::new();
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines
            .filter(|line| {
                if line.starts_with('[') {
                    table.clone_from(line);
                }
                // A benchmark brings its own main function.
                table != "[[bench]]" && table != "[[example]]"
            })
            .filter(|line| marks.iter().any(|mark| line.contains(mark)))
            .filter(|line| !line.starts_with('#') && !line.starts_with("//"))
            .collect()
    };
    let (old, new) = (marked(before), marked(after.unwrap_or_default()));
    let (gone, fresh) = differing(&old, &new, |was, now| {
        is_raised(was, now) || (was.starts_with("members") && is_more(was, now, &[]))
    });
    let other = fresh.first().or(gone.first())?;
    Some(format!(
        "a line that decides which tests run, or when they pass, was edited: {}",
        crate::quote(other)
    ))
}

fn test_block(text: &str) -> Option<String> {
    let source = Source::new(text, Language::JavaScript);
    let code = &source.code;
    let (at, word) = words(code)
        .find(|(at, word)| *word == "test" && code[at + 4..].trim_start().starts_with(':'))?;
    let colon = skip_space(code, at + word.len());
    let open = skip_space(code, colon + 1);
    let block = super::super::scan::part(&source.bare, open..source.closing(open));
    code[open..].starts_with('{').then(|| block.to_owned())
}
