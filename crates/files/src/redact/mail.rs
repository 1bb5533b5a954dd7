//! Addresses of people: `local@domain.tld` becomes a marker. Found at its `@`, because any letter may begin one.
//!
//! Left as they are: what only looks alike (`pkg@1.2.3`, `@scope/pkg`, `user@host`, `logo@2x.png`, `unit@1.service`,
//! `this@Outer.call()`), and `git@host`, which names a service and no person.

/// How far back the bytes that were passed on are looked at, and so how many are held back.
pub(super) const LOOK_BACK_BYTES: usize = 160;

/// A run of letters before the `@` that is longer than this is no local part; what touches the `@` goes all the same.
const RUN_BYTES_MAX: usize = 128;
const LOCAL_BYTES_MAX: usize = 64;
const DOMAIN_BYTES_MAX: usize = 253;

/// What stands at the end of a file name or of a unit and is no top-level domain.
const NO_DOMAINS: [&str; 20] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "js", "ts", "tsx", "jsx", "css", "html",
    "json", "txt", "service", "socket", "timer", "target", "mount",
];

/// How many bytes before the `@`, and up to where behind it, are an address.
pub(super) fn find(before: &[u8], text: &[u8], at: usize) -> Option<(usize, usize)> {
    let end = domain_end(text, at + 1)?;
    let local = local_part(&before[before.len().saturating_sub(LOOK_BACK_BYTES)..]);
    let is_service = local == b"git";
    (!local.is_empty() && !is_service).then_some((local.len(), end))
}

/// Whether an address may begin with what was passed on last.
pub(super) fn may_continue(last: u8) -> bool {
    is_local(last) || last == b'\\'
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte) || !byte.is_ascii()
}

fn local_part(before: &[u8]) -> &[u8] {
    let length = before.iter().rev().take_while(|byte| is_local(**byte)).count();
    let (earlier, mut run) = before.split_at(before.len() - length);
    if run.len() >= RUN_BYTES_MAX {
        run = &run[run.len() - LOCAL_BYTES_MAX..];
        // Never half of a character.
        let whole = run.iter().position(|byte| byte.is_ascii() || *byte >= 0xc0);
        run = &run[whole.unwrap_or(run.len())..];
    } else {
        let backslashes = earlier.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 1 {
            let escaped = if run.first() == Some(&b'u') { 5 } else { 1 };
            run = run.get(escaped..).unwrap_or_default();
        }
    }
    let start = run.iter().position(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    start.map_or(&[], |start| &run[start..])
}

fn domain_end(text: &[u8], from: usize) -> Option<usize> {
    let is_domain =
        |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte) || !byte.is_ascii();
    let seen = &text[from..text.len().min(from + DOMAIN_BYTES_MAX)];
    let length = seen.iter().take_while(|byte| is_domain(byte)).count();
    // A point or a hyphen at the end belongs to the sentence.
    let trimmed = seen[..length].iter().rposition(|byte| !b".-".contains(byte))? + 1;
    let mut labels = seen[..trimmed].split(|byte| *byte == b'.');
    let first = labels.next()?;
    let last = labels.next_back()?;
    let is_top = last.len() >= 2
        && last.iter().all(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        && !NO_DOMAINS.iter().any(|word| last.eq_ignore_ascii_case(word.as_bytes()));
    let is_number = |label: &[u8]| !label.is_empty() && label.iter().all(u8::is_ascii_digit);
    let is_version = is_number(first) && labels.next().is_some_and(is_number);
    let is_plain = seen[..trimmed].split(|byte| *byte == b'.').all(|label| !label.is_empty());
    let is_call = seen.get(trimmed) == Some(&b'(');
    (is_top && is_plain && !is_version && !is_call).then_some(from + trimmed)
}
