//! Values with a name that says that they are secret: `name=value`, `name: value`, JSON, YAML, headers, flags.
//!
//! Found at the name. What is no value stays: types, calls, references, placeholders and the words of a sentence.

use super::shape::{Body, Found};
use super::{PHONE, REPLACEMENT};

/// How far a value is looked for, and how long it may be before it is hidden without its end.
const SPACES_MAX: usize = 16;
const VALUE_BYTES_MAX: usize = 512;
const NAME_BYTES_MAX: usize = 64;

/// At the end of a name of any length. Lower case; `_` also stands for `-` and for nothing.
const NAMES: [&str; 17] = [
    "password",
    "passwd",
    "passphrase",
    "_pass",
    "pwd",
    "secret",
    "secret_key",
    "private_key",
    "access_key",
    "account_key",
    "cryption_key",
    "api_key",
    "token",
    "credential",
    "credentials",
    "_auth",
    "ssn",
];

/// A header, whose value is the rest of the line.
const HEADERS: [&str; 2] = ["authorization", "cookie"];

/// Their values are numbers of people.
const PHONES: [&str; 5] = ["phone", "phone_number", "telephone", "mobile", "mobile_number"];

/// In the query of an address, whole.
const QUERY: [&str; 6] = ["key", "sig", "signature", "code", "auth", "sid"];

/// Words that stand where a value would and are none: types, constants, and how a sentence goes on.
const NO_VALUES: [&str; 101] = [
    "str",
    "string",
    "bool",
    "boolean",
    "bytes",
    "int",
    "integer",
    "number",
    "float",
    "object",
    "any",
    "unknown",
    "void",
    "self",
    "this",
    "option",
    "optional",
    "vec",
    "box",
    "arc",
    "cow",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "ok",
    "set",
    "unset",
    "empty",
    "hidden",
    "masked",
    "redacted",
    "removed",
    "secret",
    "required",
    "missing",
    "invalid",
    "expired",
    "incorrect",
    "wrong",
    "rejected",
    "accepted",
    "valid",
    "changed",
    "found",
    "not",
    "is",
    "are",
    "was",
    "has",
    "have",
    "must",
    "should",
    "may",
    "can",
    "cannot",
    "could",
    "will",
    "the",
    "a",
    "an",
    "of",
    "to",
    "in",
    "for",
    "from",
    "with",
    "and",
    "or",
    "as",
    "at",
    "by",
    "it",
    "its",
    "if",
    "when",
    "that",
    "which",
    "please",
    "enter",
    "see",
    "use",
    "needs",
    "does",
    "do",
    "read",
    "flag",
    "argument",
    "value",
    "field",
    "await",
    "new",
    "expected",
    "identifier",
    "function",
];

/// What begins at `at` with such a name.
pub(super) fn find(text: &[u8], at: usize, last: u8) -> Option<Found> {
    let first = text[at].to_ascii_lowercase();
    if first == b'-' && !is_word(last) {
        return flag(text, at);
    }
    if matches!(first, b'?' | b'&') {
        return query(text, at);
    }
    if let Some(end) = NAMES.iter().find_map(|name| name_end(text, at, first, name)) {
        return value(text, at, end);
    }
    if let Some(end) = HEADERS.iter().find_map(|name| name_end(text, at, first, name)) {
        return header(text, end);
    }
    let end = PHONES.iter().find_map(|name| name_end(text, at, first, name))?;
    phone(text, end)
}

/// Where a name that begins at `at` ends, if nothing of a longer name follows.
fn name_end(text: &[u8], at: usize, first: u8, name: &str) -> Option<usize> {
    if name.as_bytes()[0] != first {
        return None;
    }
    let mut end = at;
    for (index, byte) in name.bytes().enumerate() {
        match text.get(end).map(u8::to_ascii_lowercase) {
            Some(found) if found == byte => end += 1,
            Some(b'-') if byte == b'_' => end += 1,
            _ if byte == b'_' && index > 0 => {}
            _ => return None,
        }
    }
    let goes_on = text.get(end).is_some_and(|byte| is_word(*byte) || *byte == b'-');
    (!goes_on).then_some(end)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn value(text: &[u8], at: usize, name_end: usize) -> Option<Found> {
    let (after_name, is_quoted_name) = skip_quote(text, name_end);
    let from = skip_separator(text, after_name)?;
    if let Some(found) = quoted(text, from) {
        return found;
    }
    if is_quoted_name && let Some(found) = number(text, at, from) {
        return found;
    }
    bare(text, from)
}

/// Over a closing quote, also one that JSON within JSON has.
fn skip_quote(text: &[u8], at: usize) -> (usize, bool) {
    let slashes = run(text, at, |byte| byte == b'\\');
    match text.get(slashes) {
        Some(b'"' | b'\'' | b'`') => (slashes + 1, true),
        _ => (at, false),
    }
}

/// Over `=`, `:`, `=>` or `:=` with blanks around.
fn skip_separator(text: &[u8], at: usize) -> Option<usize> {
    let separator = skip_blanks(text, at);
    let first = *text.get(separator)?;
    if !matches!(first, b'=' | b':') {
        return None;
    }
    let second = text.get(separator + 1);
    let is_comparison = second == Some(&b'=') && first == b'=';
    let is_path = second == Some(&b':');
    if is_comparison || is_path {
        return None;
    }
    let is_long = matches!((first, second), (b'=', Some(b'>')) | (b':', Some(b'=')));
    Some(skip_blanks(text, separator + 1 + usize::from(is_long)))
}

fn skip_blanks(text: &[u8], at: usize) -> usize {
    run(text, at, |byte| matches!(byte, b' ' | b'\t')).min(at + SPACES_MAX)
}

fn run(text: &[u8], at: usize, is_in: impl Fn(u8) -> bool) -> usize {
    let length = text[at..].iter().take(VALUE_BYTES_MAX).take_while(|byte| is_in(**byte)).count();
    at + length
}

/// A value in quotes goes whole; `Some(None)` is one that hides nothing.
fn quoted(text: &[u8], at: usize) -> Option<Option<Found>> {
    // A prefix such as b"…" or r"…" belongs to the quote.
    let at =
        at + usize::from(matches!(text.get(at..at + 2), Some([b'b' | b'r' | b'f', b'"' | b'\''])));
    let slashes = run(text, at, |byte| byte == b'\\') - at;
    let quote = *text.get(at + slashes).filter(|byte| b"\"'`".contains(byte))?;
    let from = at + slashes + 1;
    // The end of a text in JSON, not the beginning of a value.
    if text.get(from).is_none_or(|byte| b",}]:) \t\r\n\\".contains(byte)) {
        return Some(None);
    }
    let Some(end) = closing(text, from, quote, slashes) else {
        return Some(bare(text, from));
    };
    let value = &text[from..end];
    let is_hidden = !value.is_empty() && !is_reference(value[0]);
    Some(is_hidden.then_some(Found { hidden_from: from, end, body: None, mark: REPLACEMENT }))
}

/// The end of a quoted text whose quotes have so many backslashes before them.
fn closing(text: &[u8], from: usize, quote: u8, slashes: usize) -> Option<usize> {
    let seen = &text[from..text.len().min(from + VALUE_BYTES_MAX)];
    let mut backslashes = 0;
    for (index, byte) in seen.iter().enumerate() {
        match byte {
            b'\\' => backslashes += 1,
            b'\n' => return None,
            _ if *byte == quote || *byte == b'"' => {
                let is_whole = backslashes % (2 * (slashes + 1)) == slashes;
                // A text around this one ends here, too.
                let is_outer = slashes > 0 && backslashes % 2 == 0;
                if is_whole && *byte == quote {
                    return Some(from + index - slashes);
                }
                if is_outer || (quote != b'"' && backslashes % 2 == 0) {
                    return None;
                }
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
    }
    None
}

/// A number in JSON stays a number. How many tokens something took is no secret.
fn number(text: &[u8], at: usize, from: usize) -> Option<Option<Found>> {
    let end = run(text, from, |byte| byte.is_ascii_digit());
    let is_end = text.get(end).is_none_or(|byte| b",}] \t\r\n".contains(byte));
    if end == from || !is_end {
        return None;
    }
    let is_count = matches!(text[at].to_ascii_lowercase(), b't' | b'_');
    let found = Found { hidden_from: from, end, body: None, mark: b"0" };
    Some((!is_count && end - from >= 3).then_some(found))
}

fn bare(text: &[u8], from: usize) -> Option<Found> {
    let first = *text.get(from)?;
    let end = Body::Assigned.end(text, from);
    if is_reference(first) || end == from {
        return None;
    }
    let value = text[from..end.min(from + VALUE_BYTES_MAX)].trim_ascii_end();
    let value = value.strip_suffix(b".").unwrap_or(value);
    let is_call = text.get(end).is_some_and(|byte| b"(<".contains(byte));
    if is_call || is_no_value(value) {
        return None;
    }
    Some(Found { hidden_from: from, end, body: Some(Body::Assigned), mark: REPLACEMENT })
}

/// What stands for a value elsewhere, or for none.
fn is_reference(first: u8) -> bool {
    b"$<{[(*=|!%&>?".contains(&first)
}

fn is_no_word(word: &[u8]) -> bool {
    let word = String::from_utf8_lossy(word).to_ascii_lowercase();
    NO_VALUES.contains(&word.trim_end_matches(['.', ':', '?', '!', '|']))
}

fn is_no_value(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let lower = text.to_ascii_lowercase();
    let is_path = value.len() > 1
        && matches!(value[0], b'/' | b'.' | b'~')
        && value.iter().all(|byte| is_word(*byte) || b"/.-~".contains(byte));
    let has_no_digit = !value.iter().any(u8::is_ascii_digit);
    let is_identifier = has_no_digit
        && value.iter().all(|byte| byte.is_ascii_alphabetic() || b"_.:-".contains(byte));
    // A variable of the same name, or a member of something.
    let plain = lower.replace(['_', '-'], "");
    let is_variable = is_identifier
        && (NAMES.iter().any(|name| plain.ends_with(&name.replace('_', "")) && name.len() >= 5)
            || text.contains("::")
            || text.split('.').filter(|part| !part.is_empty()).count() > 1);
    let is_placeholder = has_no_digit
        && value.len() > 2
        && value.iter().all(|byte| byte.is_ascii_uppercase() || b"_-".contains(byte));
    let is_blank = value.iter().all(|byte| b"*.x_-X#/,:".contains(byte)) && value.len() > 2;
    let is_type =
        lower.ends_with("[]") || (lower.starts_with("process.env") || lower.starts_with("os.env"));
    is_no_word(value) || is_path || is_variable || is_placeholder || is_blank || is_type
}

/// `--password value`, also in a list of arguments.
fn flag(text: &[u8], at: usize) -> Option<Found> {
    if !text[at..].starts_with(b"--") {
        return None;
    }
    let end = run(text, at, |byte| is_word(byte) || byte == b'-').min(at + NAME_BYTES_MAX);
    let word = &text[at..end];
    let word = String::from_utf8_lossy(word).to_ascii_lowercase().replace('_', "-");
    let is_secret = NAMES.iter().any(|name| match name.strip_prefix('_') {
        Some(rest) => word.ends_with(&format!("-{rest}")),
        None => word.replace('-', "").ends_with(&name.replace('_', "")),
    });
    let (after, is_quoted) = skip_quote(text, end);
    let comma = after + usize::from(is_quoted && text.get(after) == Some(&b','));
    let from = skip_blanks(text, comma);
    // With `=` it is an assignment, and found as one.
    if !is_secret || from == end || text.get(from).is_none_or(|byte| b"-=:".contains(byte)) {
        return None;
    }
    quoted(text, from).unwrap_or_else(|| bare(text, from))
}

fn query(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at + 1..text.len().min(at + 1 + NAME_BYTES_MAX)];
    let name_bytes = rest.iter().position(|byte| *byte == b'=')?;
    let name = &rest[..name_bytes];
    let is_secret = QUERY.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        || name.to_ascii_lowercase().ends_with(b"-signature");
    let from = at + 1 + name_bytes + 1;
    if !is_secret {
        return None;
    }
    let end = Body::Assigned.end(text, from);
    let is_value = end - from >= 8 && !is_reference(text[from]);
    is_value.then_some(Found {
        hidden_from: from,
        end,
        body: Some(Body::Assigned),
        mark: REPLACEMENT,
    })
}

/// `Authorization: SCHEME credentials`, `Cookie: name=value; …`: up to the end of the line or the text.
fn header(text: &[u8], name_end: usize) -> Option<Found> {
    let (after_name, _) = skip_quote(text, name_end);
    let at = skip_separator(text, after_name)?;
    let slashes = run(text, at, |byte| byte == b'\\');
    let is_quoted = text.get(slashes).is_some_and(|byte| b"\"'".contains(byte));
    let from = if is_quoted { slashes + 1 } else { at };
    let end = run(text, from, |byte| {
        (byte.is_ascii_graphic() || byte == b' ') && !b"\"'\\".contains(&byte)
    });
    let value = text[from..end].trim_ascii_end();
    let first = value.split(|byte| *byte == b' ').next().unwrap_or_default();
    if value.is_empty() || is_reference(value[0]) || is_no_word(first) {
        return None;
    }
    let rest = value.get(first.len() + 1..).unwrap_or_default();
    let is_scheme = !rest.is_empty() && !first.contains(&b'=');
    let (hidden, skipped) = if is_scheme { (rest, first.len() + 1) } else { (value, 0) };
    let is_token = hidden.iter().any(u8::is_ascii_digit) || hidden.len() >= 16;
    let is_sentence = is_scheme && hidden.contains(&b' ') && !hidden.contains(&b'=');
    let hidden_from = from + skipped;
    let found =
        Found { hidden_from, end: hidden_from + hidden.len(), body: None, mark: REPLACEMENT };
    (is_token && !is_sentence && !is_reference(hidden[0])).then_some(found)
}

fn phone(text: &[u8], name_end: usize) -> Option<Found> {
    let (after_name, is_quoted_name) = skip_quote(text, name_end);
    let at = skip_separator(text, after_name)?;
    let from = skip_quote(text, at).0;
    let end = run(text, from, |byte| byte.is_ascii_digit() || b" +-()/.".contains(&byte));
    let value = text[from..end].trim_ascii_end();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number = is_quoted_name && digits == value.len() && from == at;
    let mark = if is_number { b"0" } else { PHONE };
    let found = Found { hidden_from: from, end: from + value.len(), body: None, mark };
    (6..=15).contains(&digits).then_some(found)
}
