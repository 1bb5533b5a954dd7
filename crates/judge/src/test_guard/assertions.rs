//! The assertions of a test, leaving out those that can never fail.

use super::hollow::is_hollow;
use super::language::Language;
use super::lex::Source;
use super::scan::{body, is_word, part, skip_space, words};
use std::collections::HashSet;
use std::ops::Range;

/// Where this range asserts something that can fail. A call of a function of the file that asserts counts too.
pub(super) fn sites(
    source: &Source<'_>,
    helpers: &HashSet<&str>,
    range: Range<usize>,
) -> Vec<usize> {
    let start = range.start;
    let found = words(&source.code[range]).map(|(at, word)| (start + at, word));
    let asserts = |(at, word): &(usize, &str)| {
        let is_real = is_assertion(source, *at, word) && !is_hollow(source, *at, word);
        !is_declared(source, *at)
            && (is_real || (helpers.contains(word) && is_called(source, *at, word)))
    };
    found.filter(asserts).map(|(at, _)| at).collect()
}

fn is_called(source: &Source<'_>, at: usize, word: &str) -> bool {
    let rest = source.code[at + word.len()..].trim_start_matches('!').trim_start();
    rest.starts_with('(') || !source.language.has_braces()
}

/// `def check(…)` asserts nothing by itself.
fn is_declared(source: &Source<'_>, at: usize) -> bool {
    const DECLARES: &[&str] =
        &["def", "fn", "func", "function", "fun", "void", "class", "macro_rules!"];
    let before = source.code[..at].trim_end_matches([' ', '\t']);
    DECLARES.iter().any(|word| before.ends_with(word))
}

/// How many there are in the body and in the attributes before it.
pub(super) fn count(
    source: &Source<'_>,
    helpers: &HashSet<&str>,
    marks: Range<usize>,
    body: Range<usize>,
) -> usize {
    if matches!(source.language, Language::Shell | Language::Bats) {
        return shell(part(&source.bare, body));
    }
    sites(source, &HashSet::new(), marks).len() + sites(source, helpers, body).len()
}

fn direct(source: &Source<'_>, range: Range<usize>) -> usize {
    if matches!(source.language, Language::Shell | Language::Bats) {
        return shell(part(&source.bare, range));
    }
    sites(source, &HashSet::new(), range).len()
}

/// Functions of the file that assert something.
pub(super) fn helpers<'a>(source: &'a Source<'_>) -> HashSet<&'a str> {
    const DECLARES: &[&str] = &["fn", "def", "function", "func", "fun", "void", "const", "let"];
    let code = source.code.as_str();
    let declared = words(code).zip(words(code).skip(1)).filter(|((before, declares), (at, _))| {
        DECLARES.contains(declares) && code[before + declares.len()..*at].trim().is_empty()
    });
    let mut budget = source.text.len();
    let mut helpers = HashSet::new();
    for ((before, _), (at, name)) in declared {
        let from = if source.language.has_braces() { at + name.len() } else { before };
        let body = body(source, from);
        if body.len() > budget {
            break;
        }
        budget -= body.len();
        if direct(source, body) > 0 {
            helpers.insert(name);
        }
    }
    helpers
}

fn is_assertion(source: &Source<'_>, at: usize, word: &str) -> bool {
    let code = &source.code;
    let before = code[..at].chars().next_back();
    let after = code[at + word.len()..].trim_start_matches('!').trim_start().chars().next();
    let is_member = before == Some('.');
    let lower = word.to_ascii_lowercase();
    match (source.language, word) {
        // A command of `assert_cmd` is judged by `.assert()`.
        (Language::Rust, _) if is_member => return word == "assert" && after == Some('('),
        (Language::Rust, "should_panic") => return true,
        (Language::Python | Language::Ruby, "assert" | "expect" | "refute" | "should") => {
            return true;
        }
        (Language::Java | Language::Kotlin, "expected") => return after == Some('='),
        // `await().atMost(…).until(…)` fails when its time is over.
        (Language::Java | Language::Kotlin, _) if is_member && word.starts_with("until") => {
            return code[..at].rsplit([';', '{', '}']).next().is_some_and(|s| s.contains("await"));
        }
        (Language::CSharp, "ExpectedException") => return true,
        (Language::Go, "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow") => {
            return is_member;
        }
        (Language::Go, "require") => return after == Some('.'),
        (Language::Go, "panic") => return after == Some('('),
        _ => {}
    }
    let is_ava = source.language == Language::JavaScript
        && code[..at].ends_with("t.")
        && !is_follow_on(code, at);
    if is_ava {
        return after == Some('(')
            && !matches!(word, "plan" | "end" | "teardown" | "skip" | "log" | "test");
    }
    let is_called = matches!(after, Some('(' | '<'));
    let is_object =
        after == Some('.') && matches!(lower.as_str(), "assert" | "expect" | "should" | "chai");
    // `rescue Minitest::Assertion` names a class.
    let is_infix = matches!(source.language, Language::Kotlin | Language::Ruby)
        && !is_called
        && word.starts_with(|c: char| c.is_lowercase() || c == '_');
    (is_called || is_object || is_infix) && is_asserting_name(&lower)
}

/// `let.` ends like `t.` but is another word.
fn is_follow_on(code: &str, at: usize) -> bool {
    at >= 3 && is_word(code.as_bytes()[at - 3])
}

fn is_asserting_name(lower: &str) -> bool {
    const INSIDE: &[&str] = &["assert", "should", "snapshot", "raises", "is_expected"];
    const FIRST: &[&str] = &["expect", "verify", "refute", "check", "fail", "ensure", "must_"];
    const NAMES: &[&str] = &["error", "errors", "expectations", "assertions"];
    if NAMES.iter().any(|end| lower.ends_with(end)) && lower.starts_with(['a', 'e']) {
        return false;
    }
    let is_inside = INSIDE.iter().any(|part| lower.contains(part));
    let is_first = FIRST.iter().any(|part| lower.starts_with(part));
    (is_inside || is_first) && !(lower.starts_with("expected") && lower != "expectedexception")
}

/// A script tells that something is wrong by its exit code: how many of its lines compare or can fail.
fn shell(code: &str) -> usize {
    shell_lines(code).filter(|line| !only_runs(line)).count()
}

/// `run` of bats keeps the exit code for others to look at; `run !` and `run -1` say which it must be.
fn only_runs(line: &str) -> bool {
    line.strip_prefix("run ").is_some_and(|rest| !rest.starts_with(['!', '-']))
}

/// Those lines.
pub(super) fn shell_lines(code: &str) -> impl Iterator<Item = &str> {
    const MARKS: &[&str] = &[
        "[ ", "[[ ", "test ", "assert", "expect", "grep", "diff ", "cmp ", "run ", "||", "&&",
        "exit 1", "fail",
    ];
    let is_hollow =
        |line: &str| matches!(line, "[ 1 -eq 1 ]" | "[ true ]" | "[[ true ]]" | "test 1 -eq 1");
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(move |line| MARKS.iter().any(|mark| line.contains(mark)) && !is_hollow(line))
}

/// Nothing happens in this body at all.
pub(super) fn is_empty(source: &Source<'_>, range: Range<usize>) -> bool {
    let mut range = range;
    let code = &source.code;
    if source.language == Language::JavaScript {
        let Some(open) = code[range.clone()].find('{') else { return false };
        range = range.start + open..source.closing(range.start + open);
    }
    const NOTHING: &[&str] =
        &["pass", "return", "nil", "null", "undefined", "true", "exit", "0", "set"];
    let bare = part(&source.bare, range.clone());
    let has_words = words(bare).any(|(_, word)| !NOTHING.contains(&word));
    let is_call = bare.contains('(') && skip_space(bare, 0) < bare.len() && has_words;
    !has_words && !is_call
}
