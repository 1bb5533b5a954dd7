//! Tests that an attribute or annotation marks: Rust, Java, Kotlin, C#.

use super::{Block, Found, Listing, Mark};
use crate::test_guard::language::Language;
use crate::test_guard::lex::Source;
use crate::test_guard::scan::{body, is_word, skip_space, word_at, words};
use std::ops::Range;

const RUST_MODIFIERS: &[&str] = &["pub", "async", "const", "unsafe", "extern"];
const JAVA_TESTS: &[&str] =
    &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"];
const CSHARP_TESTS: &[&str] = &[
    "Fact",
    "Theory",
    "Test",
    "TestCase",
    "TestCaseSource",
    "TestMethod",
    "DataTestMethod",
    "SkippableFact",
];

pub(super) fn list(source: &Source<'_>) -> Listing {
    let code = &source.code;
    let mut listing = Listing::default();
    if source.language == Language::Rust && is_off(code.split("#!").nth(1).unwrap_or_default()) {
        listing.blocks.push(Block { range: 0..code.len(), mark: Mark::Skipped });
    }
    if source.language == Language::CSharp {
        listing.blocks.extend(hidden_classes(source));
    }
    let mut at = 0;
    while let Some(start) = next_attribute(source, at).filter(|_| !listing.is_full()) {
        let end = group_end(source, start);
        at = end;
        declared(source, start..end, &mut listing);
    }
    listing
}

/// A class that only its own assembly sees is found by no runner.
fn hidden_classes<'s>(source: &'s Source<'_>) -> impl Iterator<Item = Block> + 's {
    let code = source.code.as_str();
    let hidden = code
        .match_indices("internal ")
        .chain(code.match_indices("private "))
        .chain(code.match_indices("abstract "));
    hidden.filter_map(|(at, word)| {
        let rest = code[at + word.len()..].trim_start();
        let rest = ["sealed ", "static ", "partial "]
            .iter()
            .fold(rest, |rest, m| rest.strip_prefix(m).unwrap_or(rest));
        rest.starts_with("class ").then(|| Block { range: body(source, at), mark: Mark::Skipped })
    })
}

/// Where the next attribute begins that comes before a declaration.
fn next_attribute(source: &Source<'_>, from: usize) -> Option<usize> {
    let (code, bytes) = (&source.code, source.code.as_bytes());
    (from..bytes.len()).find(|at| match source.language {
        Language::Rust => bytes[*at..].starts_with(b"#["),
        Language::CSharp => bytes[*at] == b'[' && begins_line(code, *at),
        _ => {
            let follows_word = *at > 0 && is_word(bytes[*at - 1]);
            bytes[*at] == b'@' && !follows_word && bytes.get(*at + 1).is_some_and(|b| is_word(*b))
        }
    })
}

fn begins_line(code: &str, at: usize) -> bool {
    let before = code[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// As much as a signature may take.
fn start_of(code: &str) -> &str {
    &code[..code.floor_char_boundary(2_000)]
}

/// Behind the last of the attributes that follow each other here.
fn group_end(source: &Source<'_>, start: usize) -> usize {
    let code = &source.code;
    let mut end = start;
    loop {
        let at = skip_space(code, end);
        let rest = &code[at..];
        let next = match source.language {
            Language::Rust if rest.starts_with("#[") => source.closing(at + 1),
            Language::CSharp if rest.starts_with('[') => source.closing(at),
            Language::Java | Language::Kotlin if rest.starts_with('@') => {
                annotation_end(source, at)
            }
            _ => return end,
        };
        if next <= end {
            return end;
        }
        end = next;
    }
}

fn annotation_end(source: &Source<'_>, at: usize) -> usize {
    let code = &source.code;
    let mut end = at + 1;
    while code.as_bytes().get(end).is_some_and(|byte| is_word(*byte) || matches!(byte, b'.' | b':'))
    {
        end += 1;
    }
    let open = skip_space(code, end);
    if code[open..].starts_with('(') { source.closing(open) } else { end }
}

fn declared(source: &Source<'_>, group: Range<usize>, listing: &mut Listing) {
    let attributes = &source.code[group.clone()];
    let is_skipped = skips(source.language, attributes);
    let signature = signature(source, group.end);
    let is_module = source.language == Language::Rust && signature.contains("mod ");
    if is_skipped && (signature.contains("class ") || is_module) {
        let range = body(source, group.end);
        listing.blocks.push(Block { range, mark: Mark::Skipped });
        return;
    }
    if !marks_a_test(source.language, attributes) {
        return;
    }
    let Some((at, name)) = function_name(source, group.end) else { return };
    let body = body(source, at + name.len());
    let head = group.start..body.start;
    listing.tests.push(Found { name, at, head, body, is_skipped });
}

fn signature<'a>(source: &'a Source<'_>, at: usize) -> &'a str {
    let rest = start_of(&source.code[at..]);
    &rest[..rest.find(['{', ';', '(']).unwrap_or(rest.len())]
}

fn marks_a_test(language: Language, attributes: &str) -> bool {
    match language {
        Language::Rust => attributes.split("#[").skip(1).any(|attribute| {
            let path: String = attribute
                .chars()
                .take_while(|c| c.is_alphanumeric() || "_:".contains(*c))
                .collect();
            let last = path.rsplit("::").next().unwrap_or_default();
            last == "test"
                || last == "rstest"
                || last == "test_case"
                || last.ends_with("_test")
                || last == "quickcheck"
        }),
        Language::CSharp => names(attributes, '[', CSHARP_TESTS),
        _ => names(attributes, '@', JAVA_TESTS),
    }
}

/// One of the names right behind the sign, a comma or a path.
fn names(attributes: &str, sign: char, wanted: &[&str]) -> bool {
    words(attributes).any(|(at, word)| {
        let before = attributes[..at].trim_end().chars().next_back();
        let word = word.strip_suffix("Attribute").unwrap_or(word);
        wanted.contains(&word) && before.is_some_and(|c| c == sign || matches!(c, ',' | '.'))
    })
}

fn skips(language: Language, attributes: &str) -> bool {
    let plain = without_space(attributes);
    match language {
        Language::Rust => {
            let is_ignore = |(_, word): (usize, &str)| word == "ignore";
            words(attributes).any(is_ignore) || plain.split("#[").any(is_off)
        }
        Language::CSharp => {
            names(attributes, '[', &["Ignore", "Explicit"])
                || plain.contains("Skip=")
                || plain.contains("Ignore=")
        }
        _ => {
            let is_disabled = words(attributes).any(|(at, word)| {
                let is_annotation =
                    attributes[..at].ends_with('@') || attributes[..at].ends_with('.');
                let conditions = ["Disabled", "Enabled"];
                is_annotation
                    && (conditions.iter().any(|c| word.starts_with(c)) || word == "Ignore")
            });
            is_disabled || plain.contains("enabled=false")
        }
    }
}

/// `cfg` with more than `test` in it: compiled only where something else holds as well.
fn is_off(attribute: &str) -> bool {
    let plain = without_space(attribute);
    let plain = plain.trim_start_matches(['#', '!', '[']);
    let inside =
        plain.strip_prefix("cfg(").and_then(|rest| rest.find(")]").map(|end| &rest[..end]));
    let usual = [
        "test",
        "unix",
        "not(windows)",
        "target_os=",
        "not(miri)",
        "target_pointer_width=",
        "linux",
    ];
    inside.is_some_and(|inside| !usual.contains(&inside))
}

fn without_space(code: &str) -> String {
    code.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The name of the function declared here; None for anything else.
fn function_name(source: &Source<'_>, from: usize) -> Option<(usize, String)> {
    let code = &source.code;
    if source.language == Language::Rust {
        let mut at = skip_space(code, from);
        loop {
            let word = word_at(code, at);
            let next = skip_space(code, at + word.len());
            match word {
                "fn" => return Some((next, word_at(code, next).to_owned())),
                word if RUST_MODIFIERS.contains(&word) => {
                    let is_scoped = code[next..].starts_with('(');
                    at = if is_scoped { skip_space(code, source.closing(next)) } else { next };
                }
                _ => return None,
            }
        }
    }
    let open = from + start_of(&code[from..]).find('(')?;
    let before = code[from..open].trim_end();
    if before.contains(['{', ';', '}']) {
        return None;
    }
    if let Some(quoted) = before.strip_suffix('`') {
        let start = quoted.rfind('`')? + 1;
        return Some((from + start, quoted[start..].to_owned()));
    }
    let name_length = before.bytes().rev().take_while(|byte| is_word(*byte)).count();
    let start = from + before.len() - name_length;
    let name = &code[start..start + name_length];
    (!name.is_empty()).then(|| (start, name.to_owned()))
}
