//! How many assertions a test makes, leaving out those that can never fail.

use super::language::Language;
use super::lex::Source;
use super::scan::{body, is_word, line_end, skip_space, words};
use std::collections::HashSet;
use std::ops::Range;

/// In the body and in the attributes before it. A call of a function that asserts counts, where the function stands
/// in the same file.
pub(super) fn count(
    source: &Source<'_>,
    helpers: &HashSet<&str>,
    marks: Range<usize>,
    body: Range<usize>,
) -> usize {
    let is_helper = |(_, word): &(usize, &str)| helpers.contains(word);
    let by_helpers = words(&source.code[body.clone()]).filter(is_helper).count();
    direct(source, marks) + direct(source, body) + by_helpers
}

fn direct(source: &Source<'_>, range: Range<usize>) -> usize {
    if matches!(source.language, Language::Shell | Language::Bats) {
        return shell(&source.bare[range]);
    }
    let start = range.start;
    let found = words(&source.code[range]).map(|(at, word)| (start + at, word));
    let is_real = |(at, word): &(usize, &str)| {
        is_assertion(source, *at, word) && !is_hollow(source, *at, word)
    };
    found.filter(is_real).count()
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
        (Language::Rust, _) if is_member => return false,
        (Language::Rust, "should_panic") => return true,
        (Language::Python | Language::Ruby, "assert" | "expect" | "refute" | "should") => {
            return true;
        }
        (Language::Java | Language::Kotlin, "expected") => return after == Some('='),
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
    let is_infix = matches!(source.language, Language::Kotlin | Language::Ruby) && !is_called;
    (is_called || is_object || is_infix) && is_asserting_name(&lower)
}

/// `let.` ends like `t.` but is another word.
fn is_follow_on(code: &str, at: usize) -> bool {
    at >= 3 && is_word(code.as_bytes()[at - 3])
}

fn is_asserting_name(lower: &str) -> bool {
    const INSIDE: &[&str] = &["assert", "should", "snapshot", "raises", "is_expected"];
    const FIRST: &[&str] = &["expect", "verify", "refute", "check", "fail", "ensure", "must_"];
    let is_inside = INSIDE.iter().any(|part| lower.contains(part));
    let is_first = FIRST.iter().any(|part| lower.starts_with(part));
    (is_inside || is_first) && !(lower.starts_with("expected") && lower != "expectedexception")
}

/// `assert!(true)`, `assert 1 == 1`, `expect(true).toBe(true)` and their like.
fn is_hollow(source: &Source<'_>, at: usize, word: &str) -> bool {
    // Longer statements say something.
    let reach = source.code.floor_char_boundary(at + 400);
    let (code, bare) =
        (&source.code[..reach], &source.bare[..source.bare.floor_char_boundary(reach)]);
    let mut end = at + word.len();
    while code.as_bytes().get(end).is_some_and(|byte| is_word(*byte) || b".!:".contains(byte)) {
        end += 1;
    }
    let name = &code[at..end];
    if !code[end..].starts_with('(') {
        let expression = &bare[end..line_end(bare, end)];
        return is_always_true(first_part(expression));
    }
    let close = source.closing(end);
    if close > reach || close > bare.len() {
        return false;
    }
    let inside = bare.get(end + 1..close.saturating_sub(1)).unwrap_or_default();
    let mut arguments = arguments(source, end + 1..close.saturating_sub(1));
    if source.language == Language::Go && arguments.first() == Some(&"t") {
        arguments.remove(0);
    }
    let chain_end = code[close..].find([';', '\n']).map_or(code.len(), |offset| close + offset);
    let chain = bare[close..chain_end].trim();
    match arguments.as_slice() {
        [] => false,
        [only] if name.to_ascii_lowercase().contains("expect") => {
            is_literal(only) && repeats(chain, only)
        }
        _ if !chain.is_empty() && source.language == Language::Python && name == "assert" => {
            is_always_true(first_part(&bare[at + word.len()..line_end(bare, at)]))
        }
        [first, second, ..] if is_literal(first) && first == second => true,
        [first, rest @ ..] => {
            let says_false = name.to_ascii_lowercase().contains("false");
            let is_alone = rest.iter().all(|argument| argument.starts_with(['"', '\'']));
            is_alone && (is_always_true(first) || (says_false && is_never_true(first)))
                || is_always_true(inside)
        }
    }
}

/// An expression without the message behind it.
fn first_part(expression: &str) -> &str {
    let expression = expression.split([',', ';', '#']).next().unwrap_or_default();
    expression.trim().trim_start_matches('(').trim_end_matches(')').trim()
}

fn arguments<'a>(source: &'a Source<'_>, range: Range<usize>) -> Vec<&'a str> {
    let code = source.code.as_bytes();
    let mut all = Vec::new();
    let (mut start, mut at) = (range.start, range.start);
    while at < range.end {
        match code[at] {
            b',' => {
                all.push(source.bare[start..at].trim());
                at += 1;
                start = at;
            }
            b'(' | b'[' | b'{' => at = source.closing(at),
            _ => at += 1,
        }
    }
    all.extend(source.bare.get(start..range.end).map(str::trim).filter(|last| !last.is_empty()));
    all
}

fn is_always_true(expression: &str) -> bool {
    let plain: String = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_same = plain.split_once("==").is_some_and(|(left, right)| {
        let right = right.trim_start_matches('=');
        left.trim() == right.trim() && is_literal(left.trim())
    });
    let is_or = ["|| true", "or True", "or true"].iter().any(|end| plain.ends_with(end));
    matches!(plain.as_str(), "true" | "True" | "TRUE" | "1" | "!false" | "not False")
        || is_same
        || is_or
}

fn is_never_true(expression: &str) -> bool {
    matches!(expression, "false" | "False" | "FALSE" | "0")
}

fn is_literal(text: &str) -> bool {
    let is_number =
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b"._-".contains(&b));
    let is_word =
        matches!(text, "true" | "false" | "True" | "False" | "null" | "nil" | "None" | "undefined");
    let is_text =
        text.len() > 1 && text.starts_with(['"', '\'', '`']) && text.ends_with(['"', '\'', '`']);
    is_number || is_word || is_text
}

/// What is expected of a literal is that literal, or that it is true.
fn repeats(chain: &str, literal: &str) -> bool {
    let plain: String = chain.chars().filter(|c| !c.is_whitespace()).collect();
    let is_truth = [
        "toBeTruthy()",
        "to.be.true",
        "be_truthy",
        "toBeTrue()",
        "toBeDefined()",
        "tobetrue",
        "tobe(true)",
    ];
    let expected = plain.rsplit_once('(').map(|(_, last)| last.trim_end_matches([')', ';']));
    expected == Some(literal)
        || plain.ends_with(&format!("eq{literal}"))
        || (is_always_true(literal) && is_truth.iter().any(|end| plain.ends_with(end)))
}

/// A script tells that something is wrong by its exit code: lines that compare or can fail.
fn shell(code: &str) -> usize {
    const MARKS: &[&str] = &[
        "[ ", "[[ ", "test ", "assert", "expect", "grep", "diff ", "cmp ", "run ", "||", "&&",
        "exit 1", "fail",
    ];
    let is_hollow =
        |line: &&str| matches!(*line, "[ 1 -eq 1 ]" | "[ true ]" | "[[ true ]]" | "test 1 -eq 1");
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| MARKS.iter().any(|mark| line.contains(mark)) && !is_hollow(line)).count()
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
    let bare = &source.bare[range.clone()];
    let has_words = words(bare).any(|(_, word)| !NOTHING.contains(&word));
    let is_call = bare.contains('(') && skip_space(bare, 0) < bare.len() && has_words;
    !has_words && !is_call
}
