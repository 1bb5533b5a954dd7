//! Assertions that can never fail: about a constant, about a value and itself, with a way out.

use super::language::Language;
use super::lex::Source;
use super::scan::{is_word, line_end, part};
use std::collections::HashSet;
use std::ops::Range;

/// `assert!(true)`, `assert 1 == 1`, `expect(true).toBe(true)` and their like.
pub(super) fn is_hollow(source: &Source<'_>, at: usize, word: &str) -> bool {
    // Longer statements say something.
    let reach = source.code.floor_char_boundary(at + 400);
    let (code, bare) =
        (&source.code[..reach], part(&source.bare, ..source.bare.floor_char_boundary(reach)));
    let mut end = at + word.len();
    while code.as_bytes().get(end).is_some_and(|byte| is_word(*byte) || b".!:".contains(byte)) {
        end += 1;
    }
    let name = &code[at..end];
    if !code[end..].starts_with('(') {
        let open = end + code[end..].len() - code[end..].trim_start().len();
        if source.language == Language::Python && code[open..].starts_with('(') {
            let close = source.closing(open).min(bare.len());
            let is_all = part(bare, close..line_end(bare, close)).trim().is_empty();
            // A tuple with something in it is true.
            if is_all && arguments(source, open + 1..close.saturating_sub(1)).len() > 1 {
                return true;
            }
        }
        let expression = part(bare, end..line_end(bare, end));
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
    let chain = part(bare, close..chain_end(code, close)).trim();
    let is_first = !code[..at].ends_with(['.', '>', ':']);
    if is_first && matches!(name, "expect" | "Expect" | "assertThat" | "assert_that") {
        let is_unspoken = arguments.len() == 1 && is_unspoken(chain);
        if is_unspoken || throws_itself(inside) {
            return true;
        }
    }
    if raises(name) && (throws_itself(inside) || throws_itself(&code[close..])) {
        return true;
    }
    match arguments.as_slice() {
        [] => matches!(name, "Should" | "should") && is_unspoken(chain),
        [only] if name.to_ascii_lowercase().contains("expect") => {
            is_always_true(only) && is_literal(only) && says_true(chain)
                || has_way_out(only)
                || repeats(chain, only)
        }
        _ if !chain.is_empty() && source.language == Language::Python && name == "assert" => {
            is_always_true(first_part(part(bare, at + word.len()..line_end(bare, at))))
        }
        [first, second, ..] if first == second && !is_name_of_type(name) => true,
        // A tuple with something in it is true.
        [_, _, ..] if source.language == Language::Python && name == "assert" => true,
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
                all.push(part(&source.bare, start..at).trim());
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
    let plain = plain.strip_prefix("() -> ").unwrap_or(&plain);
    let is_same = plain.split_once("==").is_some_and(|(left, right)| {
        let right = right.trim_start_matches('=');
        left.trim() == right.trim() && !left.contains('(')
    });
    const ALWAYS: &[&str] = &["true", "True", "TRUE", "1", "!false", "not False", "!0", "1 == 1"];
    let no_length = ["len(", ".length", ".size", ".len()", ".Count", "count("];
    let is_length = plain.ends_with(">= 0") && no_length.iter().any(|word| plain.contains(word));
    ALWAYS.contains(&plain) || is_same || is_length || has_way_out(plain)
}

/// `… or True`, `x or not x` and their like.
fn has_way_out(expression: &str) -> bool {
    const ENDS: &[&str] = &["|| true", "or True", "or true", "|| 1", "or 1", "|| !false", "||true"];
    const STARTS: &[&str] = &["true ||", "True or", "true or", "1 ||", "1 or"];
    ENDS.iter().any(|end| expression.ends_with(end))
        || STARTS.iter().any(|start| expression.starts_with(start))
        || is_either(expression)
}

/// One of the two holds whatever comes.
fn is_either(expression: &str) -> bool {
    let plain = expression.replace(" or ", "||").replace("not ", "!");
    let bare = |part: &str| {
        let part: String = part.split_whitespace().collect();
        part.replacen("!(", "!", 1).trim_matches(['(', ')']).to_owned()
    };
    let parts: HashSet<String> = plain.split("||").map(bare).collect();
    parts.iter().any(|one| {
        let other = one.replace("==", "!=");
        parts.contains(&format!("!{one}")) || (other != *one && parts.contains(&other))
    })
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

/// What is expected of a value is that very value.
fn repeats(chain: &str, value: &str) -> bool {
    let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (plain, value) = (squeeze(chain), squeeze(value));
    let plain = plain.trim_end_matches(';');
    let by_call = plain.strip_suffix(&format!("({value})"));
    by_call.is_some_and(|head| head.ends_with("toBe") || !head.contains("not."))
        && !plain.contains("not")
        || plain.ends_with(&format!("eq{value}"))
}

fn says_true(chain: &str) -> bool {
    const TRUTH: &[&str] = &[
        "toBeTruthy()",
        "to.be.true",
        "be_truthy",
        "toBeTrue()",
        "toBeDefined()",
        "tobetrue",
        "tobe(true)",
        "toBe(true)",
        "to(betrue)",
        "to.be.ok",
    ];
    let plain: String = chain.chars().filter(|c| !c.is_whitespace()).collect();
    TRUTH.iter().any(|end| plain.trim_end_matches(';').ends_with(end))
}

/// Behind the calls that follow on this one, also on the next lines.
fn chain_end(code: &str, close: usize) -> usize {
    let mut end = close;
    while let Some(offset) = code[end..].find([';', '\n']) {
        end += offset;
        let next = code[end..].trim_start();
        if !next.starts_with(['.', '?']) && !next.starts_with("->") {
            return end;
        }
        end += 1;
    }
    code.len()
}

/// `expect(x)` alone, with words that only lead on, or with a matcher that is named and not called.
fn is_unspoken(chain: &str) -> bool {
    const LEAD_ON: &[&str] = &[
        "to",
        "be",
        "been",
        "is",
        "that",
        "which",
        "and",
        "has",
        "have",
        "with",
        "at",
        "of",
        "same",
        "but",
        "does",
        "still",
        "also",
        "not",
        "deep",
        "nested",
        "own",
        "ordered",
        "any",
        "all",
        "resolves",
        "rejects",
        "eventually",
        "never",
        "Not",
        "as",
        "describedAs",
    ];
    let plain = chain.trim_end_matches([';', ')', ' ', ',']).replace("->", ".");
    let last = plain.rsplit('.').next().unwrap_or_default();
    let is_matcher = last.starts_with("to") && last.chars().nth(2).is_some_and(char::is_uppercase);
    let leads_on = |step: &str| LEAD_ON.contains(&step.split('(').next().unwrap_or_default());
    plain.is_empty()
        || (is_matcher && last.chars().all(char::is_alphanumeric))
        || plain.strip_prefix('.').is_some_and(|steps| steps.split('.').all(leads_on))
}

fn raises(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["throws", "raises", "panics"].iter().any(|end| lower.contains(end))
}

/// `() => { throw new Error() }`: the error that must come is made in the test.
fn throws_itself(arguments: &str) -> bool {
    const STARTS: &[&str] = &["=>", "->", "{", "||", "func()", "function()", "do", ":"];
    const THROWS: &[&str] = &["throw ", "raise ", "panic(", "panic!("];
    let first = STARTS.iter().filter_map(|start| Some((arguments.find(start)?, start))).min();
    first.is_some_and(|(at, start)| {
        let is_first = !arguments[..at].contains(['\n', ';']) || at == 0;
        let body = arguments[at + start.len()..].trim_start_matches(['{', ' ', '\n', '\t', '\r']);
        is_first && THROWS.iter().any(|throw| body.starts_with(throw))
    })
}

/// `assertIsInstance(x, x)` and the like do not compare.
fn is_name_of_type(name: &str) -> bool {
    name.contains("nstance") || name.contains("Not") || name.contains("_ne")
}
