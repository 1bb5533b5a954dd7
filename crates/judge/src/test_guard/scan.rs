//! Small steps over blanked source: words, brackets, blocks.

use super::lex::Source;
use std::ops::{Bound, Range, RangeBounds};

/// A part of a text by places that were found in another form of it. What is blanked there may be a letter of several
/// bytes here, so a place can lie within one; it then counts as the place before the letter.
pub(super) fn part(text: &str, range: impl RangeBounds<usize>) -> &str {
    let start = match range.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(before) => before + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last + 1,
        Bound::Excluded(end) => *end,
        Bound::Unbounded => text.len(),
    };
    let end = text.floor_char_boundary(end);
    &text[text.floor_char_boundary(start).min(end)..end]
}

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
    // `def f(): pass` continues behind its colon.
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

/// Nobody writes longer lines by hand; a text that is one line must not cost its length at each of its words.
const LINE_BYTES_MAX: usize = 2_000;

/// Of a very long line only the part around the place counts.
pub(super) fn line_start(code: &str, at: usize) -> usize {
    let floor = code.floor_char_boundary(at.saturating_sub(LINE_BYTES_MAX));
    code[floor..at].rfind('\n').map_or(floor, |line_break| floor + line_break + 1)
}

pub(super) fn line_end(code: &str, at: usize) -> usize {
    let ceiling = code.floor_char_boundary(at + LINE_BYTES_MAX);
    code[at..ceiling].find('\n').map_or(ceiling, |offset| at + offset)
}

pub(super) fn indentation(code: &str, at: usize) -> usize {
    let line = &code[line_start(code, at)..];
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
