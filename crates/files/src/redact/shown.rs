//! What is shown before a hidden value, such as the name of an option: a known secret may stand in it.

use super::{REPLACEMENT, Redactor};

/// Passes on what lies between two places without known secrets; returns where the rest begins.
pub(super) fn pass_on(
    redactor: &Redactor,
    text: &[u8],
    (from, until): (usize, usize),
    clean: &mut Vec<u8>,
) -> usize {
    let (mut at, mut escape_left) = (from, 0);
    while at < until {
        match redactor.known_secret_end(text, at) {
            Some(end) => {
                let shown_until = at + escape_left;
                clean.extend_from_slice(&text[at..shown_until]);
                clean.extend_from_slice(REPLACEMENT);
                at = end.max(shown_until);
                escape_left = 0;
            }
            None => {
                escape_left = escape_left_after(text, at, escape_left);
                clean.push(text[at]);
                at += 1;
            }
        }
    }
    at
}

/// How many bytes after this one belong to the escape that it is in, or begins.
pub(super) fn escape_left_after(text: &[u8], at: usize, escape_left: usize) -> usize {
    match (escape_left, text[at], text.get(at + 1)) {
        (1.., ..) => escape_left - 1,
        (0, b'\\', Some(b'u')) => 5,
        // At the end of a piece the worst is assumed; nothing is decided there but the last byte.
        (0, b'\\', _) => 1,
        (0, ..) => 0,
    }
}
