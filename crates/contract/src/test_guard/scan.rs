//! Small steps over blanked source: words, brackets, blocks.

use super::lex::Source;
use std::ops::Range;

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Every word with its place.
pub(super) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = code.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_word(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        (start < at).then(|| (start, &code[start..at]))
    })
}

pub(super) fn word_at(code: &str, at: usize) -> &str {
    let end = code.as_bytes()[at..].iter().position(|byte| !is_word(*byte));
    &code[at..end.map_or(code.len(), |end| at + end)]
}

pub(super) fn skip_space(code: &str, at: usize) -> usize {
    let rest = &code[at..];
    at + rest.len() - rest.trim_start().len()
}

/// The body of what is declared here: braces, or the lines that stand deeper.
pub(super) fn body(source: &Source<'_>, at: usize) -> Range<usize> {
    if source.language.has_braces() { braces(source, at) } else { indented(source, at) }
}

/// No signature is longer.
const HEAD_BYTES_MAX: usize = 10_000;

/// Up to a semicolon at the same level there is no body.
fn braces(source: &Source<'_>, from: usize) -> Range<usize> {
    let bytes = source.code.as_bytes();
    let mut at = from;
    while at < bytes.len() && at < from + HEAD_BYTES_MAX {
        match bytes[at] {
            b'{' => return at..source.closing(at),
            b'(' | b'[' => at = source.closing(at),
            b';' | b'}' => return at..at,
            _ => at += 1,
        }
    }
    from..from
}

fn indented(source: &Source<'_>, at: usize) -> Range<usize> {
    let code = source.code.as_str();
    let own = indentation(code, at);
    let first_end = head_end(source, at);
    // `def f(): pass` goes on behind its colon.
    let is_one_line =
        first_end > 0 && first_end < code.len() && code.as_bytes()[first_end - 1] != b'\n';
    let mut end = if is_one_line { line_end(code, first_end) } else { first_end };
    for line in code[end..].split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        let depth = line.len() - line.trim_start().len();
        if !is_blank && depth <= own {
            break;
        }
        end += line.len();
    }
    first_end..end
}

/// Behind the line on which the head ends; brackets may take it over several.
fn head_end(source: &Source<'_>, at: usize) -> usize {
    let code = source.code.as_str();
    let bytes = code.as_bytes();
    let mut here = at;
    while here < bytes.len() {
        match bytes[here] {
            b'(' | b'[' | b'{' => here = source.closing(here),
            b'\n' => return here + 1,
            b':' if code[here + 1..].lines().next().is_some_and(|rest| !rest.trim().is_empty()) => {
                return here + 1;
            }
            _ => here += 1,
        }
    }
    code.len()
}

pub(super) fn line_start(code: &str, at: usize) -> usize {
    code[..at].rfind('\n').map_or(0, |line_break| line_break + 1)
}

pub(super) fn line_end(code: &str, at: usize) -> usize {
    code[at..].find('\n').map_or(code.len(), |offset| at + offset)
}

pub(super) fn indentation(code: &str, at: usize) -> usize {
    let line = &code[line_start(code, at)..];
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
