//! The shapes of tokens that are secret wherever they stand.

use super::ahead::{self, Ahead, CredentialCommand, Seen};
use super::found::{Body, Found};
use super::value::{is_basic, is_whole_reference};
use super::{REPLACEMENT, Recent, is_word_start, named, personal};

/// A prefix and what follows it.
struct Shape {
    prefix: &'static str,
    body: Body,
    body_bytes_min: usize,
    /// Tells a token from words joined by hyphens: a token has a digit, or a part that is too long for a word.
    needs_digit: bool,
}

const fn shape(prefix: &'static str, body: Body, body_bytes_min: usize) -> Shape {
    Shape { prefix, body, body_bytes_min, needs_digit: false }
}

const fn with_digit(shape: Shape) -> Shape {
    Shape { needs_digit: true, ..shape }
}

const SHAPES: [Shape; 51] = [
    with_digit(shape("sk-", Body::Hyphenated, 16)),
    shape("sk_live_", Body::Word, 16),
    shape("sk_test_", Body::Word, 16),
    shape("rk_live_", Body::Word, 16),
    shape("rk_test_", Body::Word, 16),
    shape("whsec_", Body::Credentials, 16),
    shape("shpat_", Body::Alphanumeric, 20),
    shape("shpss_", Body::Alphanumeric, 20),
    shape("shpca_", Body::Alphanumeric, 20),
    shape("shppa_", Body::Alphanumeric, 20),
    shape("SG.", Body::Credentials, 40),
    shape("ghp_", Body::Alphanumeric, 20),
    shape("gho_", Body::Alphanumeric, 20),
    shape("ghu_", Body::Alphanumeric, 20),
    shape("ghs_", Body::Alphanumeric, 20),
    shape("ghr_", Body::Alphanumeric, 20),
    shape("github_pat_", Body::Word, 20),
    with_digit(shape("glpat-", Body::Hyphenated, 16)),
    with_digit(shape("gldt-", Body::Hyphenated, 16)),
    with_digit(shape("glrt-", Body::Hyphenated, 16)),
    shape("glsa_", Body::Word, 24),
    shape("gsk_", Body::Alphanumeric, 30),
    shape("AKIA", Body::Alphanumeric, 16),
    shape("ASIA", Body::Alphanumeric, 16),
    with_digit(shape("xoxa-", Body::Hyphenated, 10)),
    with_digit(shape("xoxb-", Body::Hyphenated, 10)),
    with_digit(shape("xoxc-", Body::Hyphenated, 10)),
    with_digit(shape("xoxd-", Body::Hyphenated, 10)),
    with_digit(shape("xoxe-", Body::Hyphenated, 10)),
    with_digit(shape("xoxp-", Body::Hyphenated, 10)),
    with_digit(shape("xoxr-", Body::Hyphenated, 10)),
    with_digit(shape("xoxs-", Body::Hyphenated, 10)),
    with_digit(shape("xapp-", Body::Hyphenated, 10)),
    with_digit(shape("xai-", Body::Hyphenated, 30)),
    shape("AIza", Body::Hyphenated, 30),
    with_digit(shape("GOCSPX-", Body::Hyphenated, 16)),
    shape("npm_", Body::Alphanumeric, 30),
    shape("hf_", Body::Alphanumeric, 30),
    shape("hvs.", Body::Hyphenated, 20),
    with_digit(shape("pypi-", Body::Hyphenated, 30)),
    with_digit(shape("PMAK-", Body::Hyphenated, 30)),
    shape("ya29.", Body::Hyphenated, 20),
    with_digit(shape("dop_v1_", Body::Word, 20)),
    with_digit(shape("dckr_pat_", Body::Hyphenated, 16)),
    shape("AGE-SECRET-KEY-1", Body::Alphanumeric, 30),
    // Hashes of passwords.
    shape("$2a$", Body::Hash, 30),
    shape("$2b$", Body::Hash, 30),
    shape("$2y$", Body::Hash, 30),
    shape("$argon2", Body::Hash, 30),
    shape("$5$", Body::Hash, 30),
    shape("$6$", Body::Hash, 30),
];

/// A bit for each shape that begins with a byte.
const SHAPES_BY_FIRST_BYTE: [u64; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < SHAPES.len() {
        table[SHAPES[index].prefix.as_bytes()[0] as usize] |= 1 << index;
        index += 1;
    }
    table
};

/// No word is this long.
const RUN_BYTES_MIN: usize = 20;

const BEARER: &str = "bearer ";
const BASIC: &str = "basic ";
const CREDENTIALS_BYTES_MIN: usize = 8;
/// A word this long after `Bearer` is a token also without a digit.
const WORD_BYTES_MAX: usize = 24;

const KEY_MARKER: &[u8] = b"-----";
const PRIVATE: &[u8] = b"PRIVATE KEY";
const MARKER_BYTES_MAX: usize = 80;
const LOOK_AHEAD_BYTES: usize = 512;
/// A user has a shorter name.
const TOKEN_BYTES_MIN: usize = 16;

/// Every byte at which a name, a private key, an escape or credentials in an address can begin, and the one that every
/// address of a person has.
pub(super) const FIRST_BYTES: &[u8] = b"pPsStTaAcCmM_:-\\@?&$";

/// Every byte at which a token or a number of a person can begin, at the beginning of a word.
pub(super) const WORD_FIRST_BYTES: &[u8] = b"abdeghlnrwxy+(0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The secret of a known shape that begins at `at`, and whose words they are does not matter. What has a secret name, and numbers
/// of people, may also be a part of the work, so `certain_only` leaves them.
pub(super) fn find(
    text: &[u8],
    at: usize,
    recent: Recent,
    command: Option<CredentialCommand>,
    certain_only: bool,
) -> Option<Seen> {
    if let Some(found) = url_credentials(text, at).or_else(|| webhook(text, at)) {
        return Some(Seen::Secret(found));
    }
    let before = recent.last_two();
    if !certain_only && let Some(seen) = named::find(text, at, recent, command) {
        return Some(seen);
    }
    if !is_word_start(before) {
        return None;
    }
    let found =
        prefixed(text, at).or_else(|| json_web_token(text, at)).or_else(|| credentials(text, at));
    if found.is_some() || certain_only {
        return found.map(Seen::Secret);
    }
    if let Some(command) = CredentialCommand::find(text, at) {
        return Some(Seen::Ahead(Ahead::Options(command)));
    }
    let found = ahead::statement(text, at, recent).or_else(|| personal::find(text, at, before));
    found.map(Seen::Secret)
}

fn prefixed(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at..];
    let mut candidates = SHAPES_BY_FIRST_BYTE[usize::from(text[at])];
    let shape = std::iter::from_fn(|| {
        let index = candidates.trailing_zeros() as usize;
        candidates &= candidates.wrapping_sub(1);
        SHAPES.get(index)
    })
    .find(|shape| rest.starts_with(shape.prefix.as_bytes()))?;
    let body_from = at + shape.prefix.len();
    let end = shape.body.end(text, body_from);
    let body = &text[body_from..end];
    let is_token = body.len() >= shape.body_bytes_min
        && (!shape.needs_digit || body.iter().any(u8::is_ascii_digit) || has_long_run(body));
    is_token.then_some(Found { hidden_from: at, end, body: Some(shape.body), mark: REPLACEMENT })
}

fn has_long_run(body: &[u8]) -> bool {
    body.split(|byte| b"-_".contains(byte)).any(|run| run.len() >= RUN_BYTES_MIN)
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
    if !b"bB".contains(&text[at]) {
        return None;
    }
    let rest = &text[at..];
    let word = [BEARER, BASIC].into_iter().find(|word| starts_with_ignoring_case(rest, word))?;
    let from = at + word.len();
    let end = Body::Credentials.end(text, from);
    let body = &text[from..end];
    let is_telling = || body.iter().any(u8::is_ascii_digit) || body.len() >= WORD_BYTES_MAX;
    let is_token = if word == BASIC {
        is_basic(body)
    } else {
        body.len() >= CREDENTIALS_BYTES_MIN && is_telling()
    };
    is_token.then_some(Found {
        hidden_from: from,
        end,
        body: Some(Body::Credentials),
        mark: REPLACEMENT,
    })
}

/// Whoever has the address of one can use it.
const WEBHOOKS: [&str; 2] = ["://hooks.slack.com/services/", "://discord.com/api/webhooks/"];

fn webhook(text: &[u8], at: usize) -> Option<Found> {
    let rest = &text[at..];
    let known = WEBHOOKS.iter().find(|address| rest.starts_with(address.as_bytes()))?;
    let from = at + known.len();
    let end = Body::Credentials.end(text, from);
    let is_token = text[from..end].iter().any(u8::is_ascii_digit);
    let body = Some(Body::Credentials);
    is_token.then_some(Found { hidden_from: from, end, body, mark: REPLACEMENT })
}

/// User and password of `://user:password@host`, or a token that is there alone.
fn url_credentials(text: &[u8], at: usize) -> Option<Found> {
    if !text[at..].starts_with(b"://") {
        return None;
    }
    let from = at + 3;
    let visible = &text[from..text.len().min(from + LOOK_AHEAD_BYTES)];
    let is_stop = |byte: &u8| {
        byte.is_ascii_whitespace() || byte.is_ascii_control() || b"/\"'\\<>`".contains(byte)
    };
    let visible = &visible[..visible.iter().position(is_stop).unwrap_or(visible.len())];
    let length = visible.iter().rposition(|byte| *byte == b'@')?;
    let login = &visible[..length];
    let Some(colon) = login.iter().position(|byte| *byte == b':') else {
        let is_token = login.len() >= TOKEN_BYTES_MIN
            && login.iter().all(|byte| Body::Hyphenated.contains(*byte))
            && (login.iter().any(u8::is_ascii_digit) || has_long_run(login));
        return is_token.then_some(Found {
            hidden_from: from,
            end: from + length,
            body: None,
            mark: REPLACEMENT,
        });
    };
    let password = &login[colon + 1..];
    // `host:80?to=a@b` has no password.
    let is_port = password
        .iter()
        .position(|byte| b"?#".contains(byte))
        .is_some_and(|port| password[..port].iter().all(u8::is_ascii_digit));
    let is_query = login[..colon].iter().any(|byte| b"?#".contains(byte));
    let is_password =
        !password.is_empty() && !is_port && !is_query && !is_whole_reference(password);
    is_password.then_some(Found {
        hidden_from: from,
        end: from + length,
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
pub(super) fn private_key_continues(text: &[u8], at: usize) -> bool {
    let byte = text[at];
    let closes = byte == b'-' && text[at..].starts_with(KEY_MARKER);
    let is_joined = b"\"'".contains(&byte) && joins_lines(text, at);
    !closes && (Body::Base64.contains(byte) || b"\r\n\t\\ -:,.".contains(&byte) || is_joined)
}

/// Whether the quote at `at` closes a line of a text that is put together from lines, or opens the next one.
fn joins_lines(text: &[u8], at: usize) -> bool {
    let after = text[at + 1..].iter().take(MARKER_BYTES_MAX);
    let skipped = after.take_while(|byte| b" \t+.&_".contains(byte)).count();
    let next = text.get(at + 1 + skipped).copied().unwrap_or(b'\n');
    let opens =
        skipped == 0 && (Body::Base64.contains(next) || text[at + 1..].starts_with(KEY_MARKER));
    opens || b"\r\n\\".contains(&next)
}

/// The end of a piece of a private key.
pub(super) fn private_key_run(text: &[u8], at: usize) -> Option<usize> {
    let end = Body::Base64.end(text, at);
    text[at..end].iter().any(u8::is_ascii_alphanumeric).then_some(end)
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
            let text = format!("{word}dXNlcjpwYXNzd29yZDE=");
            assert!(credentials(text.as_bytes(), 0).is_some(), "{word} is never found");
            let first = word.as_bytes()[0].to_ascii_uppercase();
            assert!(is_looked_at(first), "{word} in upper case is never looked at");
        }
    }
}
