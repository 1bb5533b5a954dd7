//! The shapes of tokens that are secret wherever they stand.

use super::{REPLACEMENT, is_word_start, named, personal};

/// A prefix and what follows it.
struct Shape {
    prefix: &'static str,
    body: Body,
    body_bytes_min: usize,
    /// Words joined by hyphens are no token; a digit tells them apart.
    needs_digit: bool,
}

/// Which bytes go on after the beginning of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Alphanumeric,
    Word,
    Hyphenated,
    Credentials,
    Assigned,
    Base64,
}

/// What was found: hidden from here, to there; with the kind of bytes that would go on.
#[derive(Debug)]
pub(super) struct Found {
    pub hidden_from: usize,
    pub end: usize,
    pub body: Option<Body>,
    /// What stands there instead.
    pub mark: &'static [u8],
}

const fn shape(prefix: &'static str, body: Body, body_bytes_min: usize) -> Shape {
    Shape { prefix, body, body_bytes_min, needs_digit: false }
}

const fn with_digit(shape: Shape) -> Shape {
    Shape { needs_digit: true, ..shape }
}

const SHAPES: [Shape; 25] = [
    with_digit(shape("sk-", Body::Hyphenated, 16)),
    shape("sk_live_", Body::Word, 16),
    shape("rk_live_", Body::Word, 16),
    shape("ghp_", Body::Alphanumeric, 20),
    shape("gho_", Body::Alphanumeric, 20),
    shape("ghu_", Body::Alphanumeric, 20),
    shape("ghs_", Body::Alphanumeric, 20),
    shape("ghr_", Body::Alphanumeric, 20),
    shape("github_pat_", Body::Word, 20),
    with_digit(shape("glpat-", Body::Hyphenated, 16)),
    shape("AKIA", Body::Alphanumeric, 16),
    shape("ASIA", Body::Alphanumeric, 16),
    with_digit(shape("xoxa-", Body::Hyphenated, 10)),
    with_digit(shape("xoxb-", Body::Hyphenated, 10)),
    with_digit(shape("xoxe-", Body::Hyphenated, 10)),
    with_digit(shape("xoxp-", Body::Hyphenated, 10)),
    with_digit(shape("xoxr-", Body::Hyphenated, 10)),
    with_digit(shape("xoxs-", Body::Hyphenated, 10)),
    with_digit(shape("xapp-", Body::Hyphenated, 10)),
    shape("AIza", Body::Hyphenated, 30),
    shape("npm_", Body::Alphanumeric, 30),
    shape("hf_", Body::Alphanumeric, 30),
    with_digit(shape("pypi-", Body::Hyphenated, 30)),
    shape("ya29.", Body::Hyphenated, 20),
    with_digit(shape("dop_v1_", Body::Word, 20)),
];

const BEARER: &str = "bearer ";
const BASIC: &str = "authorization: basic ";
const CREDENTIALS_BYTES_MIN: usize = 8;
/// A word this long after `Bearer` is a token also without a digit.
const WORD_BYTES_MAX: usize = 24;

const KEY_MARKER: &[u8] = b"-----";
const PRIVATE: &[u8] = b"PRIVATE KEY";
const MARKER_BYTES_MAX: usize = 80;
const LOOK_AHEAD_BYTES: usize = 512;

/// Every byte at which a name, a private key, an escape or credentials in an address can begin, and the one that every
/// address of a person has.
pub(super) const FIRST_BYTES: &[u8] = b"pPsStTaAcCmM_:-\\@?&";

/// Every byte at which a token or a number of a person can begin, at the beginning of a word.
pub(super) const WORD_FIRST_BYTES: &[u8] = b"abdeghnrxy+(0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The secret of a known shape that begins at `at`, and whose words they are does not matter. What has a secret name, and numbers
/// of people, may also be a part of the work, so `certain_only` leaves them.
pub(super) fn find(text: &[u8], at: usize, before: [u8; 2], certain_only: bool) -> Option<Found> {
    let named = || if certain_only { None } else { named::find(text, at, before[1]) };
    if let Some(found) = url_credentials(text, at).or_else(named) {
        return Some(found);
    }
    if !is_word_start(before) {
        return None;
    }
    let personal = || if certain_only { None } else { personal::find(text, at, before) };
    prefixed(text, at)
        .or_else(|| json_web_token(text, at))
        .or_else(|| credentials(text, at))
        .or_else(personal)
}

fn prefixed(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at..];
    let begins = |prefix: &[u8]| prefix.first() == rest.first() && rest.starts_with(prefix);
    let shape = SHAPES.iter().find(|shape| begins(shape.prefix.as_bytes()))?;
    let body_from = at + shape.prefix.len();
    let end = shape.body.end(text, body_from);
    let body = &text[body_from..end];
    let is_token = body.len() >= shape.body_bytes_min
        && (!shape.needs_digit || body.iter().any(u8::is_ascii_digit));
    is_token.then_some(Found { hidden_from: at, end, body: Some(shape.body), mark: REPLACEMENT })
}

/// Three parts with a point between them, the first a JSON object in base 64.
fn json_web_token(text: &[u8], at: usize) -> Option<Found> {
    if !text[at..].starts_with(b"eyJ") {
        return None;
    }
    let end = Body::Credentials.end(text, at);
    let head = &text[at..end.min(at + LOOK_AHEAD_BYTES)];
    let point = head.iter().position(|byte| *byte == b'.')?;
    let is_token = point >= 10 && end - at >= point + 10;
    is_token.then_some(Found {
        hidden_from: at,
        end,
        body: Some(Body::Credentials),
        mark: REPLACEMENT,
    })
}

fn credentials(text: &[u8], at: usize) -> Option<Found> {
    if !b"bBaA".contains(&text[at]) {
        return None;
    }
    let rest = &text[at..];
    let word = [BEARER, BASIC].into_iter().find(|word| starts_with_ignoring_case(rest, word))?;
    let from = at + word.len();
    let end = Body::Credentials.end(text, from);
    let body = &text[from..end];
    let is_token = body.len() >= CREDENTIALS_BYTES_MIN
        && (body.iter().any(u8::is_ascii_digit) || body.len() >= WORD_BYTES_MAX || word == BASIC);
    is_token.then_some(Found {
        hidden_from: from,
        end,
        body: Some(Body::Credentials),
        mark: REPLACEMENT,
    })
}

/// User and password of `://user:password@host`.
fn url_credentials(text: &[u8], at: usize) -> Option<Found> {
    if !text[at..].starts_with(b"://") {
        return None;
    }
    let from = at + 3;
    let visible = &text[from..text.len().min(from + LOOK_AHEAD_BYTES)];
    let stop = visible.iter().position(|byte| {
        byte.is_ascii_whitespace() || byte.is_ascii_control() || b"/?#\"'\\<>`@".contains(byte)
    })?;
    let colon = visible[..stop].iter().position(|byte| *byte == b':')?;
    let is_password = visible[stop] == b'@' && colon + 1 < stop;
    is_password.then_some(Found {
        hidden_from: from,
        end: from + stop,
        body: None,
        mark: REPLACEMENT,
    })
}

fn starts_with_ignoring_case(text: &[u8], prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// The length of the line that opens a private key, if it begins at `at` and a key follows.
pub(super) fn private_key_marker(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..text.len().min(at + MARKER_BYTES_MAX)];
    let kind = rest.strip_prefix(b"-----BEGIN ")?;
    let kind_bytes = kind.windows(KEY_MARKER.len()).position(|part| part == KEY_MARKER)?;
    let is_private = kind[..kind_bytes].windows(PRIVATE.len()).any(|part| part == PRIVATE);
    let length = rest.len() - kind.len() + kind_bytes + KEY_MARKER.len();
    let key_follows = text.get(at + length).is_none_or(|next| b"\r\n\\ ".contains(next));
    (is_private && key_follows).then_some(length)
}

/// A private key ends where anything stands that cannot be a part of one, or its closing line begins.
pub(super) fn private_key_goes_on(text: &[u8], at: usize) -> bool {
    let byte = text[at];
    let closes = byte == b'-' && text[at..].starts_with(KEY_MARKER);
    !closes && (Body::Base64.contains(byte) || b"\r\n\\ -:,".contains(&byte))
}

/// The end of a piece of a private key.
pub(super) fn private_key_run(text: &[u8], at: usize) -> Option<usize> {
    let end = Body::Base64.end(text, at);
    (end > at).then_some(end)
}

impl Body {
    /// Where the bytes of this kind end.
    pub(super) fn end(self, text: &[u8], from: usize) -> usize {
        let length = text[from..].iter().position(|byte| !self.contains(*byte));
        length.map_or(text.len(), |length| from + length)
    }

    fn contains(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Hyphenated => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Credentials => byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte),
            Self::Assigned => byte.is_ascii_graphic() && !b"\"'\\&;,<>()`".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(&byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_can_begin() {
        let is_looked_at = |byte: u8| [FIRST_BYTES, WORD_FIRST_BYTES].concat().contains(&byte);
        let words = SHAPES.iter().map(|shape| shape.prefix).chain([BEARER, BASIC]);
        for word in words {
            assert!(is_looked_at(word.as_bytes()[0]), "{word} is never looked at");
        }
        for word in [BEARER, BASIC] {
            let text = format!("{word}abcdef0123456789");
            assert!(credentials(text.as_bytes(), 0).is_some(), "{word} is never found");
            let first = word.as_bytes()[0].to_ascii_uppercase();
            assert!(is_looked_at(first), "{word} in upper case is never looked at");
        }
    }
}
