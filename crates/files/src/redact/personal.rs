//! Numbers of people: telephone, card, account, social security, and the addresses of their machines.
//!
//! Left as they are: addresses of this machine, of private networks and of documents, and what is a version.

use super::found::Found;
use super::{CARD, IBAN, IP, PHONE, SSN};
use std::net::{Ipv4Addr, Ipv6Addr};

/// More than any of them has.
const LOOK_AHEAD_BYTES: usize = 64;

/// Public services that logs name; nobody lives there.
const RESOLVERS: [[u8; 4]; 5] =
    [[1, 1, 1, 1], [1, 0, 0, 1], [8, 8, 8, 8], [8, 8, 4, 4], [9, 9, 9, 9]];

/// What begins at `at`, where a word begins; `before` are the two bytes before it.
pub(super) fn find(text: &[u8], at: usize, before: [u8; 2]) -> Option<Found> {
    let seen = &text[at..text.len().min(at + LOOK_AHEAD_BYTES)];
    // In the middle of a longer number or name.
    let goes_on = b".-".contains(&before[1]) && before[0].is_ascii_alphanumeric();
    let found = match seen[0] {
        b'+' if !goes_on => international(seen).map(|length| (length, PHONE)),
        b'(' => north_american(seen).map(|length| (length, PHONE)),
        b'0'..=b'9' if !goes_on => number(seen, before),
        b'A'..=b'Z' if !goes_on => iban(seen).map(|length| (length, IBAN)),
        _ => None,
    };
    let (length, mark) = found?;
    let is_digits = seen[..length].iter().all(u8::is_ascii_digit);
    let is_bare = is_digits && b":,[ ".contains(&before[1]) && ends_value(seen, length);
    let mark = if is_bare { b"0" } else { mark };
    Some(Found { hidden_from: at, end: at + length, body: None, mark })
}

/// Most numbers of a log are told by their first digits and what follows them.
fn number(seen: &[u8], before: [u8; 2]) -> Option<(usize, &'static [u8])> {
    let digits = seen.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let next = seen.get(digits).copied().unwrap_or(b' ');
    let is_card = (4 == digits && b" -".contains(&next)) || (13..=16).contains(&digits);
    if is_card && before[1] != b'-' {
        return card(seen).map(|length| (length, CARD));
    }
    match (digits, next) {
        (3, b'-') => social_security(seen)
            .map(|length| (length, SSN))
            .or_else(|| north_american(seen).map(|length| (length, PHONE))),
        (1..=3, b'.') => ip4(seen, before)
            .map(|length| (length, IP))
            .or_else(|| north_american(seen).map(|length| (length, PHONE))),
        (1..=4, b':' | b'a'..=b'f' | b'A'..=b'F') => ip6(seen).map(|length| (length, IP)),
        _ => None,
    }
}

/// A bare number of JSON ends so; elsewhere it may, and a `0` says as little.
fn ends_value(seen: &[u8], at: usize) -> bool {
    seen.get(at).is_some_and(|byte| b",}]".contains(byte))
}

/// Nothing follows that makes it a longer number or a name.
fn ends(seen: &[u8], at: usize) -> bool {
    let next = seen.get(at).copied().unwrap_or(b' ');
    let after = seen.get(at + 1).copied().unwrap_or(b' ');
    let goes_on = b".-".contains(&next) && after.is_ascii_alphanumeric();
    !(next.is_ascii_alphanumeric() || next == b'_' || goes_on)
}

/// Digits in groups as `form` says, with one kind of separator or none.
fn grouped(seen: &[u8], form: &[usize], separators: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut separator = None;
    for (index, digits) in form.iter().enumerate() {
        if index > 0 {
            let found = *seen.get(at)?;
            if !separators.contains(&found) || *separator.get_or_insert(found) != found {
                return None;
            }
            at += 1;
        }
        let group = seen.get(at..at + digits)?;
        if !group.iter().all(u8::is_ascii_digit) {
            return None;
        }
        at += digits;
    }
    ends(seen, at).then_some(at)
}

/// `+49 151 2345678`, `+1 (202) 555-0143`.
fn international(seen: &[u8]) -> Option<usize> {
    if !seen.get(1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let is_in = |byte: &u8| byte.is_ascii_digit() || b" -.()/".contains(byte);
    let length = 1 + seen[1..].iter().take_while(|byte| is_in(byte)).count();
    let length = seen[..length].iter().rposition(u8::is_ascii_digit)? + 1;
    let number = &seen[1..length];
    let digits: Vec<u8> = number.iter().copied().filter(u8::is_ascii_digit).collect();
    let is_joined = digits.len() == number.len();
    let least = if is_joined { 10 } else { 8 };
    let gap = number.windows(3).any(|part| part.iter().all(|byte| !byte.is_ascii_digit()));
    let is_american = digits[0] != b'1'
        || (digits.len() == 11
            && matches!(digits[1], b'2'..=b'9')
            && matches!(digits[4], b'2'..=b'9'));
    let is_number = number[0].is_ascii_digit() && digits[0] != b'0' && !gap;
    let is_phone = is_number && is_american && (least..=15).contains(&digits.len());
    (is_phone && ends(seen, length)).then_some(length)
}

/// `(202) 555-0143`, `202-555-0143`, `202.555.0143`.
fn north_american(seen: &[u8]) -> Option<usize> {
    if seen[0] == b'(' {
        let rest = seen.get(4..).filter(|rest| rest[..].starts_with(b")"))?;
        let blank = usize::from(rest.get(1) == Some(&b' '));
        let is_area = seen[1..4].iter().all(u8::is_ascii_digit);
        let length = grouped(&rest[1 + blank..], &[3, 4], b"-. ")?;
        return is_area.then_some(5 + blank + length);
    }
    let length = grouped(seen, &[3, 3, 4], b"-.")?;
    (matches!(seen[0], b'2'..=b'9') && matches!(seen[4], b'2'..=b'9')).then_some(length)
}

/// `123-45-6789`, never one that cannot be given out.
fn social_security(seen: &[u8]) -> Option<usize> {
    let length = grouped(seen, &[3, 2, 4], b"-")?;
    let area = &seen[..3];
    let is_given = area != b"000" && area != b"666" && area[0] != b'9';
    (is_given && &seen[4..6] != b"00" && &seen[7..11] != b"0000").then_some(length)
}

fn card(seen: &[u8]) -> Option<usize> {
    let joined = seen.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = match joined {
        13..=16 if ends(seen, joined) => joined,
        4 => grouped(seen, &[4, 4, 4, 4], b" -").or_else(|| grouped(seen, &[4, 6, 5], b" -"))?,
        _ => return None,
    };
    let digits: Vec<u32> =
        seen[..length].iter().filter_map(|byte| char::from(*byte).to_digit(10)).collect();
    (is_issued(&digits) && luhn(&digits)).then_some(length)
}

/// Beginnings and lengths of those that are given out.
fn is_issued(digits: &[u32]) -> bool {
    let begin = digits[..4].iter().fold(0, |number, digit| number * 10 + digit);
    match digits.len() {
        13 => begin / 1000 == 4,
        14 => matches!(begin, 3000..=3059 | 3600..=3699 | 3800..=3999),
        15 => matches!(begin / 100, 34 | 37),
        16 => {
            matches!(begin, 2221..=2720 | 3528..=3589 | 4000..=5599 | 6011 | 6200..=6299 | 6440..=6599)
        }
        _ => false,
    }
}

fn luhn(digits: &[u32]) -> bool {
    let weighed = digits.iter().rev().enumerate().map(|(index, digit)| match index % 2 {
        0 => *digit,
        _ => digit * 2 % 10 + digit / 5,
    });
    weighed.sum::<u32>() % 10 == 0
}

/// `DE89 3704 0044 0532 0130 00`, with its checksum.
fn iban(seen: &[u8]) -> Option<usize> {
    let begins = seen.len() > 14
        && seen[..2].iter().all(u8::is_ascii_uppercase)
        && seen[2..4].iter().all(u8::is_ascii_digit);
    if !begins {
        return None;
    }
    let is_spaced = seen[4] == b' ';
    let mut letters = Vec::new();
    for (index, byte) in seen.iter().enumerate() {
        let is_gap = is_spaced && index % 5 == 4 && *byte == b' ';
        if is_gap {
            continue;
        }
        if !(byte.is_ascii_uppercase() || byte.is_ascii_digit()) || letters.len() == 34 {
            break;
        }
        letters.push(*byte);
        if letters.len() >= 15 && ends(seen, index + 1) && checks_out(&letters) {
            return Some(index + 1);
        }
    }
    None
}

fn checks_out(letters: &[u8]) -> bool {
    let moved = letters[4..].iter().chain(&letters[..4]);
    let remainder = moved.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    remainder == 1
}

fn ip4(seen: &[u8], before: [u8; 2]) -> Option<usize> {
    let length = seen.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let length = if seen[..length].ends_with(b".") { length - 1 } else { length };
    let address: Ipv4Addr = std::str::from_utf8(&seen[..length]).ok()?.parse().ok()?;
    let octets = address.octets();
    let is_version = match before {
        [b'=', b'='] | [_, b'^' | b'~' | b'>' | b'_' | b'-'] => true,
        [name, b'/'] => name.is_ascii_alphanumeric(),
        _ => octets.iter().all(|octet| *octet <= 25),
    };
    let [first, second, ..] = octets;
    let is_nobodys = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || first == 0
        || first >= 224
        || (first == 100 && (64..128).contains(&second))
        || (first == 198 && (18..20).contains(&second))
        || RESOLVERS.contains(&octets);
    (!is_version && !is_nobodys && ends(seen, length)).then_some(length)
}

/// Only those that are given out: they begin with 2 or 3.
fn ip6(seen: &[u8]) -> Option<usize> {
    let length = seen.iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b':').count();
    let address: Ipv6Addr = std::str::from_utf8(&seen[..length]).ok()?.parse().ok()?;
    let segments = address.segments();
    let is_given_out = (0x2000..0x4000).contains(&segments[0]);
    let is_document = segments[0] == 0x2001 && segments[1] == 0xdb8;
    (is_given_out && !is_document && ends(seen, length)).then_some(length)
}
