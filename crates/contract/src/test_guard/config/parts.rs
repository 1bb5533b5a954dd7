//! Whether the part of a file that decides about checks is another one now; comments and layout do not count.

use super::{Comments, FILTERS, Kind, Part};
use crate::test_guard::language::Language;
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{skip_space, words};
use serde_json::Value;
use std::collections::BTreeMap;

/// In words, when it is different.
pub(super) fn changed(part: &Part, before: &str, after: Option<&str>) -> Option<(Kind, String)> {
    let decides = |message: Option<String>| message.map(|message| (Kind::GateConfig, message));
    match part {
        Part::All(comments) => {
            let what = if after.is_none() { "deleted" } else { "edited" };
            let message = format!("a file that decides about checks was {what}");
            decides(is_different(before, after, *comments).then_some(message))
        }
        Part::Scripts(named) => scripts(before, after, named),
        Part::Targets(named) => {
            targets(before, after, named).map(|message| (Kind::CheckCommand, message))
        }
        Part::Tables(headers) => decides(tables(before, after, headers)),
        Part::Lines(marks) => decides(lines(before, after, marks)),
        Part::TestBlock => {
            let (before, after) = (test_block(before)?, after.and_then(test_block));
            let message = "the test block of the build was edited".to_owned();
            decides((after.as_ref() != Some(&before)).then_some(message))
        }
    }
}

pub(super) fn is_different(before: &str, after: Option<&str>, comments: Comments) -> bool {
    let Some(after) = after else { return true };
    if let (Ok(before), Ok(after)) = (json(before), json(after)) {
        return before != after;
    }
    normal(before, comments) != normal(after, comments)
}

fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
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

const CHECK_WORDS: &[&str] =
    &["test", "check", "lint", "coverage", "ci", "verify", "typecheck", "e2e"];

fn is_check(name: &str, named: &[String]) -> bool {
    let first = name.split([':', '-', '_']).next().unwrap_or_default();
    let is_hook = matches!(name, "pretest" | "posttest");
    CHECK_WORDS.contains(&first) || is_hook || named.iter().any(|wanted| wanted == name)
}

fn scripts(before: &str, after: Option<&str>, named: &[String]) -> Option<(Kind, String)> {
    const RUNNERS: &[&str] = &["jest", "vitest", "nyc", "c8", "mocha", "ava"];
    let before = json(before).ok()?;
    let after = after.map(|text| json(text).unwrap_or(Value::Null)).unwrap_or(Value::Null);
    let old_scripts = before.get("scripts").and_then(Value::as_object).into_iter().flatten();
    let is_placeholder =
        |script: &Value| script.as_str().is_some_and(|text| text.contains("no test specified"));
    let now = |name: &str| after.get("scripts").and_then(|scripts| scripts.get(name));
    let mut judged =
        old_scripts.filter(|(name, script)| is_check(name, named) && !is_placeholder(script));
    if let Some((name, _)) = judged.find(|(name, script)| now(name) != Some(*script)) {
        return Some((Kind::CheckCommand, format!("the script {name:?} was edited")));
    }
    let runner = RUNNERS
        .iter()
        .find(|name| before.get(**name).is_some() && before.get(**name) != after.get(**name));
    runner.map(|name| (Kind::GateConfig, format!("the settings of {name} were edited")))
}

fn targets(before: &str, after: Option<&str>, named: &[String]) -> Option<String> {
    let (before, after) = (recipes(before), recipes(after.unwrap_or_default()));
    let mut judged = before.iter().filter(|(name, _)| is_check(name, named));
    let (name, _) = judged.find(|(name, recipe)| after.get(*name) != Some(*recipe))?;
    Some(format!("the target {name:?} was edited"))
}

/// Each target with its dependencies and commands.
fn recipes(text: &str) -> BTreeMap<&str, String> {
    let mut all: BTreeMap<&str, String> = BTreeMap::new();
    let mut current: Vec<&str> = Vec::new();
    for line in
        text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
    {
        let head = line.split_once(':').filter(|(_, rest)| !rest.starts_with('='));
        match head {
            Some((names, rest)) if !line.starts_with([' ', '\t']) && !names.starts_with('.') => {
                current =
                    names.split_whitespace().map(|name| name.trim_start_matches('@')).collect();
                current.iter().for_each(|name| all.entry(name).or_default().push_str(rest.trim()));
            }
            _ if line.starts_with([' ', '\t']) => {
                for name in &current {
                    let recipe = all.entry(name).or_default();
                    recipe.push('\n');
                    recipe.push_str(line.trim());
                }
            }
            _ => current.clear(),
        }
    }
    all
}

fn tables(before: &str, after: Option<&str>, headers: &[&str]) -> Option<String> {
    let (old, new) = (tables_of(before, headers), tables_of(after.unwrap_or_default(), headers));
    if let Some((header, _)) = old.iter().find(|(header, lines)| new.get(*header) != Some(*lines)) {
        return Some(format!("the table [{header}] was edited"));
    }
    let mut added = new.iter().filter(|(header, _)| !old.contains_key(*header));
    let (header, _) = added.find(|(_, lines)| {
        lines.iter().any(|line| FILTERS.iter().any(|word| line.contains(word)))
    })?;
    Some(format!("the new table [{header}] leaves tests out"))
}

fn tables_of<'a>(text: &'a str, headers: &[&str]) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = None;
    for line in
        text.lines().map(|line| without_hash_comment(line).trim()).filter(|line| !line.is_empty())
    {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            let header = header.trim_matches(['[', ']']).trim();
            current = headers.iter().any(|start| header.starts_with(start)).then_some(header);
            if let Some(header) = current {
                all.entry(header).or_default();
            }
        } else if let Some(header) = current {
            all.entry(header).or_default().push(line);
        }
    }
    all
}

fn lines(before: &str, after: Option<&str>, marks: &[&str]) -> Option<String> {
    let marked = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines
            .filter(|line| marks.iter().any(|mark| line.contains(mark)) && !line.starts_with('#'))
            .collect()
    };
    let (old, new) = (marked(before), marked(after.unwrap_or_default()));
    let other = new
        .iter()
        .find(|line| !old.contains(line))
        .or_else(|| old.iter().find(|line| !new.contains(line)))?;
    Some(format!(
        "a line that decides which tests run or suffice was edited: {}",
        crate::diagnostic::quote(other)
    ))
}

fn test_block(text: &str) -> Option<String> {
    let source = Source::new(text, Language::JavaScript);
    let code = &source.code;
    let (at, word) = words(code)
        .find(|(at, word)| *word == "test" && code[at + 4..].trim_start().starts_with(':'))?;
    let colon = skip_space(code, at + word.len());
    let open = skip_space(code, colon + 1);
    let block = source.bare[open..source.closing(open)].split_whitespace().collect();
    code[open..].starts_with('{').then_some(block)
}
