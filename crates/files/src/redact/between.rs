//! What stands between a name and its value: quotes, blanks and signs.

use super::found::Found;
use super::names::SecretKind;
use super::value::{Separator, ValuePosition, bare, quoted, run};

/// How far a value is looked for.
const SPACES_MAX: usize = 16;

/// Over a closing quote, also one that JSON within JSON has.
pub(super) fn skip_quote(text: &[u8], at: usize) -> (usize, bool) {
    let slashes = run(text, at, |byte| byte == b'\\');
    match text.get(slashes) {
        Some(b'"' | b'\'' | b'`') => (slashes + 1, true),
        _ => (at, false),
    }
}

/// Over `=`, `:`, `=>` or `:=` with blanks around.
pub(super) fn skip_separator(text: &[u8], at: usize) -> Option<(usize, Separator)> {
    let sign = skip_blanks(text, at);
    let first = *text.get(sign)?;
    if !matches!(first, b'=' | b':') {
        return None;
    }
    let second = text.get(sign + 1);
    let is_comparison = second == Some(&b'=') && first == b'=';
    let is_path = second == Some(&b':');
    if is_comparison || is_path {
        return None;
    }
    let is_long = matches!((first, second), (b'=', Some(b'>')) | (b':', Some(b'=')));
    let from = skip_blanks(text, sign + 1 + usize::from(is_long));
    let separator = match first {
        b':' if !is_long => Separator::Colon,
        _ if sign == at && from == sign + 1 => Separator::TightEquals,
        _ => Separator::Equals,
    };
    Some((from, separator))
}

pub(super) fn skip_blanks(text: &[u8], at: usize) -> usize {
    run(text, at, |byte| matches!(byte, b' ' | b'\t')).min(at + SPACES_MAX)
}

/// `value: …` behind a name that stands as a value itself.
pub(super) fn value_of_pair(text: &[u8], at: usize, place: &ValuePosition) -> Option<Found> {
    let opened = skip_quote(text, at).0;
    let end = run(text, opened, |byte| byte.is_ascii_alphabetic());
    let word = &text[opened..end];
    let is_default = place.is_quoted_name && word == b"default";
    if !(word.eq_ignore_ascii_case(b"value") || is_default) {
        return None;
    }
    let (from, separator) = skip_separator(text, skip_quote(text, end).0)?;
    let place = ValuePosition { separator, ..*place };
    let found = quoted(text, from, &place).unwrap_or_else(|| bare(text, from, &place))?;
    // What a parser prints of a token.
    let is_plain =
        place.name.kind == SecretKind::Token && place.name.is_whole && !place.name.is_upper;
    let value = &text[found.hidden_from..found.end];
    let is_telling = value.len() >= 6 && value.iter().any(u8::is_ascii_digit);
    (!is_plain || is_telling).then_some(found)
}

/// Also as JSON writes it.
pub(super) fn is_new_line(text: &[u8], at: usize) -> bool {
    let end = run(text, at, |byte| byte == b'\\');
    match text.get(end) {
        Some(b'n' | b'r') => end > at,
        Some(b'\n' | b'\r') => end == at,
        _ => false,
    }
}
