//! Names that say that their value is secret.

use super::is_word;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretKind {
    Password,
    Key,
    /// Of what, is not known: in an environment, and long.
    AnyKey,
    /// Also a word of parsers.
    Token,
    /// Also the word for a helper that has them.
    Credential,
    /// Also a word of tests and compilers.
    Pass,
    /// User and password in base 64, or a setting.
    Auth,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SecretName {
    pub kind: SecretKind,
    pub end: usize,
    pub is_upper: bool,
    /// Nothing of a longer name comes before it.
    pub is_whole: bool,
    pub begins_line: bool,
    /// After a word that a parser may have put there, such as `invalid`.
    pub is_parsed: bool,
    pub last: u8,
}

/// At the end of a name of any length; a longer one comes before one that it begins with. Lower case; `_` also stands for
/// `-`, and within a name for a blank and for nothing.
const NAMES: [(&str, SecretKind); 30] = [
    ("password", SecretKind::Password),
    ("passwd", SecretKind::Password),
    ("passphrase", SecretKind::Password),
    ("passcode", SecretKind::Password),
    ("pwd", SecretKind::Password),
    ("_pw", SecretKind::Password),
    ("requirepass", SecretKind::Password),
    ("_pass", SecretKind::Pass),
    ("pass", SecretKind::Pass),
    ("secret_key_base", SecretKind::Key),
    ("secret_key", SecretKind::Key),
    ("secret", SecretKind::Key),
    ("signing_key", SecretKind::Key),
    ("shared_key", SecretKind::Key),
    ("private_key", SecretKind::Key),
    ("access_key", SecretKind::Key),
    ("account_key", SecretKind::Key),
    ("storage_key", SecretKind::Key),
    ("master_key", SecretKind::Key),
    ("cryption_key", SecretKind::Key),
    ("auth_key", SecretKind::Key),
    ("api_key", SecretKind::Key),
    ("token", SecretKind::Token),
    ("credentials", SecretKind::Credential),
    ("credential", SecretKind::Credential),
    ("x_auth", SecretKind::Key),
    ("_auth", SecretKind::Pass),
    ("auth", SecretKind::Auth),
    ("ssn", SecretKind::Key),
    ("_key", SecretKind::AnyKey),
];

/// How the words end that only a parser puts before `token`.
const PARSER_WORDS: [&str; 3] = ["xpected ", "illegal ", "near "];

/// And those that may also stand before one that is secret.
const OTHER_WORDS: [&str; 7] =
    ["invalid ", "unknown ", "bad ", "found ", "next ", "current ", "last "];

/// The name that begins at `at`, if nothing of a longer name follows it.
pub(super) fn find(text: &[u8], at: usize, recent: [u8; 8]) -> Option<SecretName> {
    let first = text[at].to_ascii_lowercase();
    let last = recent[7];
    let is_whole = !is_word(last) && last != b'-';
    // `dbPass`, not `bypass`.
    let is_hump = text[at].is_ascii_uppercase() && last.is_ascii_lowercase();
    let (kind, end) = NAMES.iter().find_map(|(word, kind)| {
        let end = end_of(text, at, first, word)?;
        let needs_start = matches!(*word, "pass" | "auth" | "x_auth");
        (!needs_start || is_whole || is_hump).then_some((*kind, end))
    })?;
    let is_after = |word: &&str| {
        let end = &recent[recent.len() - word.len()..];
        end.eq_ignore_ascii_case(word.as_bytes())
    };
    if kind == SecretKind::Token && PARSER_WORDS.iter().any(is_after) {
        return None;
    }
    Some(SecretName {
        kind,
        end,
        is_upper: !text[at..end].iter().any(u8::is_ascii_lowercase),
        is_whole,
        begins_line: matches!(recent, [.., b'\n' | 0] | [.., b' ', b' '] | [.., b'-', b' ']),
        is_parsed: kind == SecretKind::Token && OTHER_WORDS.iter().any(is_after),
        last,
    })
}

/// Whether a word ends with such a name: `db-password`, `API_TOKEN`.
pub(super) fn ends(word: &[u8]) -> bool {
    let is_end = |(name, kind): &(&str, SecretKind)| match *kind {
        SecretKind::Auth | SecretKind::AnyKey => false,
        _ if *name == "pass" => word.eq_ignore_ascii_case(b"pass"),
        _ => ends_with(word, name.as_bytes()),
    };
    NAMES.iter().any(is_end)
}

fn ends_with(word: &[u8], name: &[u8]) -> bool {
    let is_joint = |byte: &u8| b"_-".contains(byte);
    let needs_joint = is_joint(&name[0]);
    let mut left = word.len();
    for byte in name.iter().rev().filter(|byte| !is_joint(byte)) {
        while left > 0 && is_joint(&word[left - 1]) {
            left -= 1;
        }
        if left == 0 || !word[left - 1].eq_ignore_ascii_case(byte) {
            return false;
        }
        left -= 1;
    }
    !needs_joint || (left > 0 && is_joint(&word[left - 1]))
}

/// Whether a name can begin with these two bytes, the first in lower case. This is enough to skip most text.
pub(super) fn may_begin(first: u8, second: u8) -> bool {
    let seconds: &[u8] = match first {
        b'p' => b"awrh",
        b's' => b"eihst",
        b't' => b"oe",
        b'a' => b"cup",
        b'c' => b"ro",
        b'm' => b"ao",
        b'x' => b"_- a",
        b'_' | b'-' => b"pak",
        b'r' => b"e",
        _ => return false,
    };
    seconds.contains(&second.to_ascii_lowercase())
}

/// Where a name that begins at `at` ends, if nothing of a longer name follows.
pub(super) fn end_of(text: &[u8], at: usize, first: u8, name: &str) -> Option<usize> {
    let stands_for_first = name.as_bytes()[0] == b'_' && first == b'-';
    if name.as_bytes()[0] != first && !stands_for_first {
        return None;
    }
    let mut end = at;
    for (index, byte) in name.bytes().enumerate() {
        match text.get(end).map(u8::to_ascii_lowercase) {
            Some(found) if found == byte => end += 1,
            Some(b'-') if byte == b'_' => end += 1,
            Some(b' ') if byte == b'_' && index > 0 => end += 1,
            _ if byte == b'_' && index > 0 => {}
            _ => return None,
        }
    }
    let goes_on = text.get(end).is_some_and(|byte| is_word(*byte) || *byte == b'-');
    (!goes_on).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_may_begin() {
        for (name, _) in NAMES {
            let bytes = name.as_bytes();
            assert!(may_begin(bytes[0], bytes[1]), "{name} is never looked for");
        }
    }
}
