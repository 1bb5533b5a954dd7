//! What comes after a secret name: a value that is hidden, or a type, a call, a reference, a placeholder or a word of a
//! sentence, which stay.

use super::found::{Body, Closing, Found, closing};
use super::names::{self, SecretKind, SecretName};
use super::{REPLACEMENT, is_word};

/// How long a value may be before it is hidden without its end in sight.
pub(super) const VALUE_BYTES_MAX: usize = 512;
const KEY_BYTES_MAX: usize = 32;
const WORDS_MAX: usize = 12;

/// Words that stand where a value would and are none: types, constants, and how a sentence continues.
#[rustfmt::skip]
const NO_VALUES: &[&str] = &[
    "str", "string", "bool", "boolean", "bytes", "int", "integer", "number", "float", "object",
    "any", "unknown", "void", "self", "this", "option", "optional", "vec", "box", "arc", "cow",
    "none", "null", "nil", "undefined", "true", "false", "yes", "no", "on", "off", "ok", "set",
    "unset", "empty", "hidden", "masked", "redacted", "removed", "secret", "required", "missing",
    "invalid", "expired", "incorrect", "wrong", "rejected", "accepted", "valid", "changed", "found",
    "not", "is", "are", "was", "has", "have", "must", "should", "may", "can", "cannot", "could",
    "will", "the", "a", "an", "of", "to", "in", "for", "from", "with", "and", "or", "as", "at",
    "by", "it", "its", "if", "when", "that", "which", "please", "enter", "see", "use", "needs",
    "does", "do", "read", "write", "flag", "argument", "value", "field", "await", "new", "expected",
    "identifier", "function", "impl", "dyn", "match", "fn", "mut", "passed", "failed", "skipped", "too", "line", "all",
];

/// How a message continues that has the name of a field before it.
#[rustfmt::skip]
const MESSAGES: &[&str] = &[
    "is", "must", "should", "cannot", "can't", "needs", "does", "may",
];

/// What makes a value out of a text.
const CONSTRUCTORS: &[&str] = &[
    "from",
    "new",
    "some",
    "byte",
    "bytes",
    "string",
    "str",
    "secret",
    "secretstr",
    "secretstring",
];

/// Names that stand for their own value.
#[rustfmt::skip]
const SHORT_NAMES: &[&str] = &[
    "password", "passwd", "passphrase", "secret", "token", "pass", "pwd",
];

/// What a member is often taken from.
#[rustfmt::skip]
const OWNERS: &[&str] = &[
    "self", "this", "config", "cfg", "conf", "settings", "args", "opts", "options", "env",
    "process", "os", "req", "request", "res", "response", "user", "form", "data", "body", "params",
    "state", "props", "ctx", "var", "local", "secrets", "event", "input", "credentials", "account",
];

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValuePosition {
    pub name: SecretName,
    pub is_quoted_name: bool,
    pub separator: Separator,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Colon,
    Equals,
    /// `=` without blanks.
    TightEquals,
    /// `--name value`.
    Flag,
}

impl ValuePosition {
    /// `NAME=value`, as an environment has it: nothing is a variable there.
    fn is_environment(&self) -> bool {
        self.name.is_upper && self.separator == Separator::TightEquals
    }

    /// The word `token` in a message or in code.
    fn is_plain_token(&self) -> bool {
        self.name.kind == SecretKind::Token && self.name.is_whole && !self.is_quoted_name
    }
}

pub(super) fn hidden(from: usize, end: usize, body: Option<Body>) -> Found {
    Found { hidden_from: from, end, body, mark: REPLACEMENT }
}

/// Up to `VALUE_BYTES_MAX` bytes.
pub(super) fn run(text: &[u8], at: usize, is_in: impl Fn(u8) -> bool) -> usize {
    let length = text[at..].iter().take(VALUE_BYTES_MAX).take_while(|byte| is_in(**byte)).count();
    at + length
}

pub(super) fn is_line_end(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| b"\n\r\\\"'".contains(byte))
}

/// The beginning of a text in quotes: its first byte, the quote, and how many backslashes stand before a quote.
pub(super) fn opening(text: &[u8], at: usize) -> Option<(usize, u8, usize)> {
    // A prefix such as b"…", r"…" or @"…" belongs to the quote.
    let is_prefixed =
        matches!(text.get(at..at + 2), Some([b'b' | b'r' | b'f' | b'@', b'"' | b'\'']));
    let at = at + usize::from(is_prefixed);
    let slashes = run(text, at, |byte| byte == b'\\') - at;
    let quote = *text.get(at + slashes).filter(|byte| b"\"'`".contains(byte))?;
    let from = at + slashes + 1;
    // The end of a text in JSON, not the beginning of a value.
    let is_end = text.get(from).is_none_or(|byte| b",}]:) \t\r\n\\".contains(byte));
    (!is_end).then_some((from, quote, slashes))
}

/// A value in quotes goes whole; `Some(None)` is one that hides nothing.
pub(super) fn quoted(text: &[u8], at: usize, place: &ValuePosition) -> Option<Option<Found>> {
    let (from, quote, slashes) = opening(text, at)?;
    let seen = &text[..text.len().min(from + VALUE_BYTES_MAX)];
    match closing(seen, from, quote, slashes) {
        Closing::At(end) => {
            let is_hidden = end > from && !is_shown_in_quotes(&text[from..end], place);
            Some(is_hidden.then_some(hidden(from, end, None)))
        }
        Closing::Unseen if seen.len() < text.len() => {
            let body = Body::Quoted { quote, slashes };
            Some(Some(hidden(from, body.end(text, from), Some(body))))
        }
        Closing::Unseen | Closing::Broken(_) => Some(bare(text, from, place)),
    }
}

fn is_shown_in_quotes(value: &[u8], place: &ValuePosition) -> bool {
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let has_blank = value.contains(&b' ');
    let is_letters = value.iter().all(u8::is_ascii_alphabetic);
    let has_letter = value.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let first = value.split(|byte| *byte == b' ').next().unwrap_or_default();
    let is_message = has_blank && is_one_of(MESSAGES, first);
    let is_parsed = place.name.kind == SecretKind::Token
        && (!has_letter
            || (place.name.is_parsed && !is_long_token(value))
            || (has_blank && !has_digit));
    let is_keyword = place.is_plain_token() && is_letters && value.len() < 8;
    is_whole_reference(value) || is_blank(value) || is_message || is_parsed || is_keyword
}

/// A value without quotes.
pub(super) fn bare(text: &[u8], from: usize, place: &ValuePosition) -> Option<Found> {
    let first = *text.get(from)?;
    let end = bare_end(text, from);
    if end == from {
        return None;
    }
    if let Some(found) = constructed(text, from, end, place) {
        return Some(found);
    }
    if is_reference(text, from, end, place) {
        return None;
    }
    let is_long = end - from >= VALUE_BYTES_MAX;
    let value = text[from..end.min(from + VALUE_BYTES_MAX)].trim_ascii_end();
    let value = value.strip_suffix(b".").unwrap_or(value);
    let is_call =
        text.get(end).is_some_and(|byte| b"(<".contains(byte)) && !text[end..].starts_with(b"</");
    let is_other_key = place.name.kind == SecretKind::AnyKey && !is_long_key(value, place);
    let is_type =
        place.separator == Separator::Colon && text[end..].starts_with(b" = ") && is_member(value);
    let is_no_value = is_other_key
        || is_type
        || (place.name.is_parsed && !is_long_token(value))
        || (is_call && is_member(value))
        || is_sentence(text, value, end, place)
        || is_shown(value, first, place);
    if !is_long && is_no_value {
        return None;
    }
    let body = is_long.then_some(Body::Assigned);
    Some(hidden(from, if is_long { end } else { phrase_end(text, end, place) }, body))
}

/// The text in `String::from("…")`, `[]byte("…")` and the like.
fn constructed(text: &[u8], from: usize, end: usize, place: &ValuePosition) -> Option<Found> {
    let slices = [b"[]byte(".as_slice(), b"[]string{"];
    if let Some(slice) = slices.iter().find(|slice| text[from..].starts_with(slice)) {
        return quoted(text, from + slice.len(), place)?;
    }
    let callee = text[from..end].rsplit(|byte| b".:".contains(byte)).next().unwrap_or_default();
    let is_constructor = text.get(end) == Some(&b'(') && is_one_of(CONSTRUCTORS, callee);
    if is_constructor { quoted(text, end + 1, place)? } else { None }
}

fn is_long_token(value: &[u8]) -> bool {
    value.len() >= 12 && value.iter().any(u8::is_ascii_digit) && !value.contains(&b' ')
}

fn is_long_key(value: &[u8], place: &ValuePosition) -> bool {
    place.is_environment()
        && value.iter().any(u8::is_ascii_digit)
        && value.split(|byte| b"_-.".contains(byte)).any(|run| run.len() >= 16)
}

/// Words up to a full stop at the end of the line.
fn is_sentence(text: &[u8], first: &[u8], end: usize, place: &ValuePosition) -> bool {
    let is_letters =
        |word: &[u8]| word.iter().all(|byte| byte.is_ascii_alphabetic() || b",'-".contains(byte));
    if place.separator != Separator::Colon || !is_letters(first) {
        return false;
    }
    let stop = run(text, end, |byte| byte.is_ascii_alphabetic() || b" ,'-.".contains(&byte));
    let rest = text[end..stop].trim_ascii();
    is_line_end(text, stop)
        && rest
            .strip_suffix(b".")
            .is_some_and(|words| words.split(|byte| *byte == b' ').all(is_letters))
}

/// Where a value without quotes ends. `;`, `,` and `&` end it where something else begins behind them.
fn bare_end(text: &[u8], from: usize) -> usize {
    let limit = text.len().min(from + VALUE_BYTES_MAX);
    let mut opened = 0;
    for at in from..limit {
        let byte = text[at];
        let next = text.get(at + 1).copied().unwrap_or(b'\n');
        let ends = match byte {
            b'"' | b'\'' | b'\\' | b'`' | b'<' | b'>' => true,
            b'&' | b';' | b',' => next == byte || is_next_value(text, at + 1),
            b'(' if is_member(&text[from..at]) => true,
            b'(' | b'[' | b'{' => {
                opened += 1;
                false
            }
            b')' | b']' | b'}' if opened > 0 => {
                opened -= 1;
                false
            }
            b')' => !is_word(next),
            b']' | b'}' => !(is_word(next) || b"@!#$%^*-+".contains(&next)),
            _ => byte.is_ascii() && !byte.is_ascii_graphic(),
        };
        if ends {
            return at;
        }
    }
    if limit < text.len() { Body::Assigned.end(text, limit) } else { limit }
}

/// Whether another `name=value` begins, or nothing does.
fn is_next_value(text: &[u8], at: usize) -> bool {
    let next = text.get(at).copied().unwrap_or(b'\n');
    if next.is_ascii_whitespace() || b"\"'\\}])`".contains(&next) {
        return true;
    }
    let seen = &text[at..text.len().min(at + KEY_BYTES_MAX)];
    let name = seen.iter().take_while(|byte| is_word(**byte) || b" -.".contains(byte)).count();
    name > 0 && seen.get(name).is_some_and(|byte| b"=:".contains(byte))
}

/// Where a password of more than one word ends: with the line, or with `;`.
fn phrase_end(text: &[u8], end: usize, place: &ValuePosition) -> usize {
    // `"NAME=value"`
    let quote = place.name.last;
    if place.separator == Separator::TightEquals && b"\"'".contains(&quote) {
        let stop = run(text, end, |byte| {
            byte.is_ascii_graphic() && !b"\"'\\".contains(&byte) || byte == b' '
        });
        return if text.get(stop) == Some(&quote) { stop } else { end };
    }
    let may_go_on = place.name.kind == SecretKind::Password
        && place.name.last != b'-'
        && place.separator != Separator::Flag
        && !place.is_quoted_name;
    if !may_go_on || text.get(end) != Some(&b' ') {
        return end;
    }
    let stop = run(text, end, |byte| {
        !byte.is_ascii() || byte.is_ascii_alphanumeric() || b" @!#$%^*._-+".contains(&byte)
    });
    let closes = match place.separator {
        Separator::Colon => is_line_end(text, stop) || text[stop] == b';',
        _ => text.get(stop) == Some(&b';'),
    };
    let mut words = text[end..stop].trim_ascii().split(|byte| *byte == b' ');
    let is_phrase = words.clone().count() < WORDS_MAX
        && words
            .all(|word| !is_no_word(word) && !word.starts_with(b"-") && !word.starts_with(b"#"));
    if closes && is_phrase { end + text[end..stop].trim_ascii_end().len() } else { end }
}

/// What stands for a value elsewhere, from its first to its last byte.
pub(super) fn is_whole_reference(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| !name.is_empty() && name.iter().all(|byte| is_word(*byte));
    match value {
        [b'$', b'{' | b'(', .., b'}' | b')'] | [b'#', b'{', .., b'}'] => true,
        [b'<', .., b'>'] | [b'{', .., b'}'] | [b'[', .., b']'] | [b'?'] => true,
        [b'%', name @ .., b'%'] => is_name(name),
        [b'%', b's' | b'v' | b'd' | b'q' | b'r'] | [b'%', b'(' | b'{', ..] => true,
        [b'$', name @ ..] => {
            let is_number = name.iter().all(u8::is_ascii_digit);
            let is_upper = !name.iter().any(u8::is_ascii_lowercase);
            let has_digit = name.iter().any(u8::is_ascii_digit);
            is_name(name) && (is_number || !has_digit || (is_upper && !name[0].is_ascii_digit()))
        }
        _ => false,
    }
}

/// What stands for a value elsewhere, or for none.
fn is_reference(text: &[u8], from: usize, end: usize, place: &ValuePosition) -> bool {
    let value = &text[from..end];
    let is_telling = value.iter().any(u8::is_ascii_digit) || value.len() > 8;
    let is_name = value[1..].iter().all(|byte| is_word(*byte) || b".:".contains(byte));
    let is_plain = is_name && !value.iter().any(u8::is_ascii_digit);
    match value[0] {
        b'{' | b'[' | b'(' | b'<' => true,
        b'$' if matches!(value.get(1), Some(b'{' | b'(')) => true,
        b'$' => {
            let name = 1 + value[1..].iter().take_while(|byte| is_word(**byte)).count();
            let is_member = matches!(value.get(name), Some(b'[' | b'.' | b':' | b'-'))
                && text
                    .get(from + name + 1)
                    .is_some_and(|byte| !is_word(*byte) || value[name] == b'.');
            is_whole_reference(&value[..name]) && (name == value.len() || is_member)
        }
        b'*' => is_plain || is_blank(value) || !is_telling,
        b'&' => (is_name || place.separator == Separator::Colon) && !place.is_environment(),
        b'!' => is_plain && (place.separator != Separator::TightEquals || !is_telling),
        b'%' => is_whole_reference(value) || !is_telling,
        b'=' | b'|' | b'>' | b'?' => !is_telling,
        _ => false,
    }
}

fn is_one_of(words: &[&str], word: &[u8]) -> bool {
    words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}

pub(super) fn is_no_word(word: &[u8]) -> bool {
    let length = word.iter().rposition(|byte| !b".:?!|".contains(byte)).map_or(0, |last| last + 1);
    length < 16 && is_one_of(NO_VALUES, &word[..length])
}

/// A name, or names with points or colons between them.
fn is_member(value: &[u8]) -> bool {
    value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$.".contains(byte))
        && value.iter().all(|byte| is_word(*byte) || b".:>-$!?".contains(byte))
}

fn is_blank(value: &[u8]) -> bool {
    let is_filler = |char: char| "*.x_-X#/,:•…".contains(char);
    value.len() > 2 && std::str::from_utf8(value).is_ok_and(|text| text.chars().all(is_filler))
}

fn is_shown(value: &[u8], first: u8, place: &ValuePosition) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let kind = place.name.kind;
    let lower = text.to_ascii_lowercase();
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let has_letter = value.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let is_path = value.len() > 1
        && matches!(first, b'/' | b'.' | b'~')
        && value.iter().all(|byte| is_word(*byte) || b"/.-~".contains(byte));
    let is_nothing = !has_letter && (kind != SecretKind::Password || value.len() < 6);
    let is_index = value.iter().position(|byte| *byte == b'[').is_some_and(|bracket| {
        let owner = &value[..bracket];
        is_member(owner) && !owner.iter().any(u8::is_ascii_digit)
    });
    let is_type = is_index
        || lower.starts_with("convertto-")
        || lower.ends_with("[]")
        || lower.starts_with("process.env")
        || lower.starts_with("os.env");
    let is_never =
        is_no_word(value) || is_path || is_blank(value) || is_type || lower.starts_with("your");
    if is_never || is_nothing || place.is_environment() {
        return is_never
            || is_nothing
            || (kind == SecretKind::Token && value.iter().all(u8::is_ascii_digit));
    }
    let is_placeholder = !has_digit
        && value.len() > 2
        && value.iter().all(|byte| byte.is_ascii_uppercase() || b"_-".contains(byte))
        && (kind == SecretKind::Token
            || place.separator == Separator::Flag
            || value.contains(&b'_')
            || is_one_of(SHORT_NAMES, value));
    is_placeholder || is_variable(text, place) || is_of_other_trade(value, place)
}

/// A variable of the same name, or a member of something.
fn is_variable(text: &str, place: &ValuePosition) -> bool {
    let is_token = place.name.kind == SecretKind::Token;
    let is_password = place.name.kind == SecretKind::Password;
    let is_identifier = text.bytes().all(|byte| is_word(byte) || b".:-".contains(&byte))
        && !text.starts_with(|first: char| first.is_ascii_digit());
    if !is_identifier {
        return false;
    }
    let is_numbered_at_end = |part: &str| {
        !part
            .trim_end_matches(|last: char| last.is_ascii_digit())
            .contains(|char: char| char.is_ascii_digit())
    };
    let parts: Vec<&str> = text.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    let is_named = |part: &str| !part.starts_with(|first: char| first.is_ascii_digit());
    if !parts.iter().all(|part| is_numbered_at_end(part) && is_named(part)) {
        return false;
    }
    let last_name = last.trim_end_matches(|last: char| last.is_ascii_digit());
    let is_secret_name = last_name.len() >= 5 && names::ends(last_name.as_bytes());
    if parts.len() > 1 {
        let owner = first.to_ascii_lowercase();
        let is_owned = SHORT_NAMES.iter().any(|name| owner.starts_with(name))
            || is_one_of(OWNERS, owner.as_bytes());
        let is_word_list = parts.iter().all(|part| part.len() < 24);
        let is_short_number = text.len() < 80;
        let is_path = text.contains("::");
        let is_point = text.contains('.') && !text.contains('-');
        return is_short_number
            && (is_path
                || (is_point && (is_secret_name || is_owned || (is_token && is_word_list))));
    }
    let has_digit = last_name.len() < last.len();
    let is_hyphenated = text.contains('-');
    is_secret_name
        && !(has_digit && is_password)
        && (!is_hyphenated || (place.separator == Separator::Colon && !is_password))
}

/// Words that parsers, compilers and tests use in their own sense.
fn is_of_other_trade(value: &[u8], place: &ValuePosition) -> bool {
    let is_digits = value.iter().all(u8::is_ascii_digit);
    let is_letters = value.iter().all(|byte| byte.is_ascii_alphabetic() || b"_-".contains(byte));
    let is_colon = place.separator == Separator::Colon;
    match place.name.kind {
        SecretKind::Token => {
            let is_code = matches!(place.separator, Separator::Colon | Separator::Equals);
            let length_max = if place.is_plain_token() { 16 } else { 8 };
            is_digits || (is_code && is_letters && value.len() < length_max)
        }
        SecretKind::Credential => {
            value.len() < 16 && value.iter().all(|byte| is_word(*byte) || b".-".contains(byte))
        }
        SecretKind::Pass => {
            let is_result = place.name.is_whole && place.name.is_upper && is_colon;
            let is_named = place.is_quoted_name || (place.name.is_whole && place.name.begins_line);
            let is_count = is_digits || (is_colon && value[0].is_ascii_digit());
            is_count || is_result || (is_colon && is_letters && !is_named)
        }
        SecretKind::Password | SecretKind::Key | SecretKind::AnyKey | SecretKind::Auth => false,
    }
}

/// Whether it is `user:password` in base 64.
pub(super) fn is_basic(body: &[u8]) -> bool {
    let body = &body[..body.len().min(VALUE_BYTES_MAX)];
    let digits: Option<Vec<u32>> =
        body.iter().filter(|byte| **byte != b'=').map(|byte| base64_digit(*byte)).collect();
    let Some(digits) = digits.filter(|digits| digits.len() >= 4) else { return false };
    let bytes: Vec<u8> = digits
        .chunks(4)
        .flat_map(|group| {
            let bits =
                group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
            let [_, bytes @ ..] = bits.to_be_bytes();
            bytes.into_iter().take(group.len() - 1)
        })
        .collect();
    bytes.contains(&b':') && bytes.iter().all(|byte| !byte.is_ascii_control())
}

fn base64_digit(byte: u8) -> Option<u32> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(digit))
}
