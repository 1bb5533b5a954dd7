//! Values with a name that says that they are secret: `name=value`, `name: value`, JSON, YAML, XML, headers, flags.
//!
//! Found at the name.

use super::ahead::{Ahead, CredentialCommand, Seen};
use super::between::{is_new_line, skip_blanks, skip_quote, skip_separator, value_of_pair};
use super::found::{Body, Found};
use super::names::{self, SecretKind, SecretName};
use super::value::{
    Separator, ValuePosition, bare, hidden, is_basic, is_line_end, is_no_word, is_whole_reference,
    opening, quoted, run,
};
use super::{PHONE, Recent, is_word};

const NAME_BYTES_MAX: usize = 64;
const TYPE_BYTES_MAX: usize = 64;
/// A word this long behind a name is a value.
const LONG_BYTES_MIN: usize = 20;

/// A header, whose value is the rest of the line.
const HEADERS: [&str; 2] = ["authorization", "cookie"];

/// Their values are numbers of people.
const PHONES: [&str; 5] = ["phone", "phone_number", "telephone", "mobile", "mobile_number"];

/// In the query of an address, whole.
const QUERY: [&str; 6] = ["key", "sig", "signature", "code", "auth", "sid"];

/// What begins at `at` with such a name.
pub(super) fn find(
    text: &[u8],
    at: usize,
    recent: Recent,
    command: Option<CredentialCommand>,
) -> Option<Seen> {
    let first = text[at].to_ascii_lowercase();
    let [_, last] = recent.last_two();
    if first == b'-' && !is_word(last) {
        let by_command = command.and_then(|command| command.password(text, at));
        return by_command.or_else(|| flag(text, at)).map(Seen::Secret);
    }
    if matches!(first, b'?' | b'&')
        && let Some(found) = query(text, at)
    {
        return Some(Seen::Secret(found));
    }
    if !names::may_begin(first, text.get(at + 1).copied().unwrap_or_default()) {
        return None;
    }
    if let Some(name) = names::find(text, at, recent.bytes()) {
        return value(text, &name, command);
    }
    if let Some(end) = HEADERS.iter().find_map(|name| names::end_of(text, at, first, name)) {
        return header(text, end).map(Seen::Secret);
    }
    let end = PHONES.iter().find_map(|name| names::end_of(text, at, first, name))?;
    phone(text, end).map(Seen::Secret)
}

fn value(text: &[u8], name: &SecretName, command: Option<CredentialCommand>) -> Option<Seen> {
    let (after_quote, is_quoted_name) = skip_quote(text, name.end);
    let place = ValuePosition { name: *name, is_quoted_name, separator: Separator::Colon };
    if name.kind == SecretKind::Auth {
        return login_in_base64(text, after_quote, is_quoted_name).map(Seen::Secret);
    }
    let after_name = skip_brackets(text, after_quote);
    if name.kind == SecretKind::AnyKey {
        let (from, separator) = skip_separator(text, after_quote)?;
        return bare(text, from, &ValuePosition { separator, ..place }).map(Seen::Secret);
    }
    let found = tag(text, after_quote, &place).or_else(|| paired(text, after_name, &place));
    if found.is_some() {
        return found.map(Seen::Secret);
    }
    if let Some(ahead) = opens_pair(text, after_quote, name) {
        return Some(Seen::Ahead(ahead));
    }
    let Some((from, separator)) = skip_separator(text, after_name) else {
        return without_separator(text, &place, command).map(Seen::Secret);
    };
    let place = ValuePosition { separator, ..place };
    if let Some(found) = quoted(text, from, &place) {
        return found.map(Seen::Secret);
    }
    if is_quoted_name && let Some(found) = number(text, name, from) {
        return found.map(Seen::Secret);
    }
    if let Some(ahead) = opens_block(text, from, &place) {
        return Some(Seen::Ahead(ahead));
    }
    typed(text, from, &place).or_else(|| bare(text, from, &place)).map(Seen::Secret)
}

/// Over what closes an index: `["name"]`, or makes an array: `name[]`, `name[32]`.
fn skip_brackets(text: &[u8], at: usize) -> usize {
    let open = at + usize::from(text.get(at) == Some(&b'['));
    let digits = if open > at { run(text, open, |byte| byte.is_ascii_digit()) } else { open };
    if text.get(digits) == Some(&b']') { digits + 1 } else { at }
}

/// `<password>value</password>`, `<entry key="password">value</entry>`.
fn tag(text: &[u8], after_name: usize, place: &ValuePosition) -> Option<Found> {
    let is_tag = !place.is_quoted_name;
    let has_attributes = is_tag && place.name.last == b'<' && text.get(after_name) == Some(&b' ');
    let seen = &text[..text.len().min(after_name + TYPE_BYTES_MAX)];
    let bracket = if has_attributes {
        run(seen, after_name, |byte| !b">\n".contains(&byte))
    } else {
        after_name
    };
    if text.get(bracket) != Some(&b'>') {
        return None;
    }
    let from = bracket + 1;
    let end = run(text, from, |byte| !b"<\"\n\r\\".contains(&byte));
    let value = &text[from..end];
    let is_value = text[end..].starts_with(b"</")
        && !value.is_empty()
        && !is_whole_reference(value)
        && !is_no_word(value);
    let is_telling = value.iter().any(u8::is_ascii_digit) && !value.contains(&b' ');
    let is_certain = is_tag && place.name.kind != SecretKind::Token;
    (is_value && (is_telling || is_certain)).then_some(hidden(from, end, None))
}

/// `"name": "DB_PASSWORD", "value": "…"`, `name="password" value="…"`.
fn paired(text: &[u8], after_name: usize, place: &ValuePosition) -> Option<Found> {
    let comma = after_name + usize::from(text.get(after_name) == Some(&b','));
    let brace = skip_blanks(text, comma);
    // `variable "password" { default = "…" }`
    let is_open = place.is_quoted_name && text.get(brace) == Some(&b'{');
    let from = if is_open { skip_blanks(text, brace + 1) } else { brace };
    if from == after_name {
        return None;
    }
    value_of_pair(text, from, place).or_else(|| {
        // `.header("X-Api-Key", "…")`, `setenv("API_KEY", "…")`
        let (start, quote, _) = opening(text, from)
            .filter(|_| place.is_quoted_name && comma > after_name && place.name.last != b'/')?;
        let end = run(text, start, |byte| {
            byte != quote && (byte.is_ascii_graphic() || (byte == b' ' && place.name.is_upper))
        });
        let is_telling = text[start..end].iter().any(u8::is_ascii_digit);
        if is_telling && text.get(end) == Some(&quote) { quoted(text, from, place)? } else { None }
    })
}

/// `name: DB_PASSWORD` at the end of a line, whose value may be in the next one.
fn opens_pair(text: &[u8], after_quote: usize, name: &SecretName) -> Option<Ahead> {
    let is_quoted = after_quote > name.end;
    let comma = after_quote + usize::from(is_quoted && text.get(after_quote) == Some(&b','));
    let brace = skip_blanks(text, comma);
    let is_open = is_quoted && text.get(brace) == Some(&b'{');
    let end = skip_blanks(text, brace + usize::from(is_open));
    is_new_line(text, end).then(|| Ahead::pair(*name, is_open))
}

/// `password:` or `password: |` at the end of a line.
fn opens_block(text: &[u8], from: usize, place: &ValuePosition) -> Option<Ahead> {
    let mark = run(text, from, |byte| b"|>-+0123456789".contains(&byte));
    let is_block = matches!(text.get(from), Some(b'|' | b'>'));
    let end = skip_blanks(text, if is_block { mark } else { from });
    let is_open = place.separator == Separator::Colon && is_new_line(text, end);
    is_open.then(|| if is_block { Ahead::block() } else { Ahead::next_line(*place) })
}

/// `name: &str = "…"`, `name string = "…"`.
fn typed(text: &[u8], from: usize, place: &ValuePosition) -> Option<Found> {
    let is_type = |byte: u8| is_word(byte) || b"&'<>[]:?.|* ".contains(&byte);
    let seen = &text[..text.len().min(from + TYPE_BYTES_MAX)];
    let end = run(seen, from, is_type);
    let begins =
        text.get(from).is_some_and(|byte| byte.is_ascii_alphabetic() || b"&*[".contains(byte));
    if !begins || text.get(end) != Some(&b'=') || end == from {
        return None;
    }
    let (value, _) = skip_separator(text, end)?;
    // `type="…"` is an attribute.
    let is_spaced = text[end - 1] == b' ' || text[from - 1] == b':';
    if is_spaced { quoted(text, value, place)? } else { None }
}

/// `PASSWORD 'value'`, `password is value`, `:password "value"`, and a value alone at the end of a line.
fn without_separator(
    text: &[u8],
    place: &ValuePosition,
    command: Option<CredentialCommand>,
) -> Option<Found> {
    let name = &place.name;
    let from = skip_blanks(text, name.end);
    if from == name.end || place.is_quoted_name {
        return None;
    }
    let verbs = [b"is ".as_slice(), b"is: ", b"was ", b"was: "];
    let verb = verbs.iter().find(|verb| text[from..].starts_with(verb));
    // `<-` is how R assigns.
    let arrow = usize::from(text[from..].starts_with(b"<- ")) * 3;
    let is_word_is = verb.is_some();
    let at = from + verb.map_or(arrow, |verb| verb.len());
    if let Some((start, quote, _)) = opening(text, at) {
        let end = run(text, start, |byte| byte != quote && byte.is_ascii_graphic());
        let is_telling = text[start..end].iter().any(|byte| !byte.is_ascii_alphabetic());
        let is_sql = name.kind == SecretKind::Password && name.is_upper;
        let is_value = is_sql
            || arrow > 0
            || name.last == b':'
            || (is_telling && (is_word_is || name.kind == SecretKind::Password));
        let is_whole = end > start && text.get(end) == Some(&quote);
        return if is_value && is_whole { quoted(text, at, place)? } else { None };
    }
    if let Some(found) = typed(text, from, place) {
        return Some(found);
    }
    let end = run(text, at, |byte| byte.is_ascii_graphic() && !b"\"'\\,;<>()`".contains(&byte));
    let word = text[at..end].strip_suffix(b".").unwrap_or(&text[at..end]);
    let has_digit = word.iter().any(u8::is_ascii_digit);
    let has_letter = word.iter().any(u8::is_ascii_alphabetic);
    let is_last = is_line_end(text, end) || (is_word_is && b".,;".contains(&text[end]));
    let is_netrc = command == Some(CredentialCommand::Netrc);
    let is_long = word.len() >= LONG_BYTES_MIN;
    let is_value = (has_digit && has_letter && is_last)
        && (is_word_is || is_long || name.kind == SecretKind::Password);
    if !is_netrc && !is_value {
        return None;
    }
    bare(text, at, place)
}

/// `"auth": "…"`, as registries keep it.
fn login_in_base64(text: &[u8], after_name: usize, is_quoted_name: bool) -> Option<Found> {
    let (at, _) = skip_separator(text, after_name)?;
    let (from, _, _) = opening(text, at).filter(|_| is_quoted_name)?;
    let end = Body::Base64.end(text, from);
    is_basic(&text[from..end]).then_some(hidden(from, end, Some(Body::Base64)))
}

/// A number in JSON stays a number. A count of tokens is not a secret.
fn number(text: &[u8], name: &SecretName, from: usize) -> Option<Option<Found>> {
    let end = run(text, from, |byte| byte.is_ascii_digit() || b".+-eE".contains(&byte));
    let is_end = text.get(end).is_none_or(|byte| b",}] \t\r\n".contains(byte));
    if !text.get(from).is_some_and(u8::is_ascii_digit) || !is_end {
        return None;
    }
    let is_count = matches!(name.kind, SecretKind::Token | SecretKind::Pass);
    let found = Found { mark: b"0", ..hidden(from, end, None) };
    Some((!is_count && end - from >= 3).then_some(found))
}

/// `--password value`, also in a list of arguments.
fn flag(text: &[u8], at: usize) -> Option<Found> {
    if !text[at..].starts_with(b"--") {
        return None;
    }
    let end = run(text, at, |byte| is_word(byte) || byte == b'-').min(at + NAME_BYTES_MAX);
    let (after, is_quoted) = skip_quote(text, end);
    let comma = after + usize::from(is_quoted && text.get(after) == Some(&b','));
    let from = skip_blanks(text, comma);
    // With `=` it is an assignment, and found as one.
    if from == end
        || text.get(from).is_none_or(|byte| b"-=:".contains(byte))
        || !names::ends(&text[at..end])
    {
        return None;
    }
    let place = ValuePosition::flag(end);
    quoted(text, from, &place).unwrap_or_else(|| bare(text, from, &place))
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
    let is_value = end - from >= 8 && !b"$<{[(*%".contains(&text[from]);
    is_value.then_some(hidden(from, end, Some(Body::Assigned)))
}

/// `Authorization: SCHEME credentials`, `Cookie: name=value; …`: up to the end of the line or the text.
fn header(text: &[u8], name_end: usize) -> Option<Found> {
    let (after_quote, is_quoted_name) = skip_quote(text, name_end);
    let after_name = skip_brackets(text, after_quote);
    let is_argument = is_quoted_name && text.get(after_name) == Some(&b',');
    let at = match skip_separator(text, after_name) {
        Some((at, _)) => at,
        None if is_argument => skip_blanks(text, after_name + 1),
        None => return None,
    };
    let from = opening(text, at).map_or(at, |(from, _, _)| from);
    let seen = run(text, from, |byte| Body::Header.contains(byte));
    let value = text[from..seen].trim_ascii_end();
    let first = value.split(|byte| *byte == b' ').next().unwrap_or_default();
    if value.is_empty() || b"$<{[(*=|!%&>?".contains(&value[0]) || is_no_word(first) {
        return None;
    }
    let rest = value.get(first.len() + 1..).unwrap_or_default();
    let is_scheme = !rest.is_empty() && !first.contains(&b'=');
    let (secret, skipped) = if is_scheme { (rest, first.len() + 1) } else { (value, 0) };
    let is_name = !is_scheme && secret.len() < 24 && secret.iter().all(u8::is_ascii_alphabetic);
    let is_token = secret.iter().any(u8::is_ascii_digit) || (secret.len() >= 16 && !is_name);
    let is_login = first.eq_ignore_ascii_case(b"basic") && is_basic(secret);
    let is_sentence = is_scheme && secret.contains(&b' ') && !secret.contains(&b'=');
    let is_reference =
        is_whole_reference(secret) || secret.starts_with(b"${") || secret.starts_with(b"<");
    let end = Body::Header.end(text, seen);
    ((is_token || is_login) && !is_sentence && !is_reference).then_some(hidden(
        from + skipped,
        end,
        Some(Body::Header),
    ))
}

fn phone(text: &[u8], name_end: usize) -> Option<Found> {
    let (after_name, is_quoted_name) = skip_quote(text, name_end);
    let (at, _) = skip_separator(text, after_name)?;
    let from = skip_quote(text, at).0;
    let end = run(text, from, |byte| byte.is_ascii_digit() || b" +-()/.".contains(&byte));
    let value = text[from..end].trim_ascii_end();
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_number = is_quoted_name && digits == value.len() && from == at;
    let mark = if is_number { b"0" } else { PHONE };
    let found = Found { hidden_from: from, end: from + value.len(), body: None, mark };
    (6..=15).contains(&digits).then_some(found)
}
