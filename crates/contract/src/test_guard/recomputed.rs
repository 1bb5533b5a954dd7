//! Tables in which the expected value became a call of what is tested: then any result is the right one.

use super::language;
use super::lex::Source;
use super::scan::words;
use super::{FileVersion, Kind, Weakening};
use std::collections::HashSet;
use std::ops::Range;

pub(super) fn weakened(changes: &[FileVersion<'_>]) -> Vec<Weakening> {
    changes.iter().filter_map(looked_at).collect()
}

fn looked_at(change: &FileVersion<'_>) -> Option<Weakening> {
    let language = language::of_tests(change.path)?;
    let before = Source::new(change.before?, language);
    let source = Source::new(change.after?, language);
    let old: String = before.bare.split_whitespace().collect();
    let called: HashSet<&str> = words(&before.code)
        .filter(|(at, word)| before.code[at + word.len()..].starts_with('('))
        .map(|(_, word)| word)
        .collect();
    let mut calls = words(&source.code).filter(|(_, word)| called.contains(word));
    let (at, name) = calls.find(|(at, name)| is_recomputed(&source, *at, name, &old))?;
    let name = crate::diagnostic::quote(name);
    let message = format!("what {name} must give is computed by {name} itself");
    let (path, line) = (change.path.to_owned(), Some(source.line(at)));
    Some(Weakening { path, line, kind: Kind::Emptied, message })
}

/// `b"A": crc(b"A")` and `("A", crc("A"))`, where the row had another value before.
fn is_recomputed(source: &Source<'_>, at: usize, name: &str, old: &str) -> bool {
    let open = at + name.len();
    let close = source.closing(open);
    if !source.code[open..].starts_with('(') || close - open > ROW_BYTES_MAX {
        return false;
    }
    let Some(start) = row_start(source, at) else { return false };
    let squeeze = |range: Range<usize>| -> Option<String> {
        Some(source.bare.get(range)?.split_whitespace().collect())
    };
    let (Some(row), Some(input)) = (squeeze(start..at), squeeze(source.inside(open))) else {
        return false;
    };
    // Up to the call stand the input, a sign, and perhaps the name of a field or of a module.
    let Some((head, between)) = row.rsplit_once(&input).filter(|_| !input.is_empty()) else {
        return false;
    };
    let is_start = head.is_empty() || head.ends_with([',', ':', '=', '>']);
    let is_next = between.chars().all(|c| c.is_alphanumeric() || "_,:=>.".contains(c));
    let sign = [",", ":", "="].into_iter().find(|sign| between.starts_with(sign));
    let had_value = sign.is_some_and(|sign| old.contains(&format!("{input}{sign}")));
    let is_known = || old.contains(&format!("{input}{between}{name}({input})"));
    is_start && is_next && had_value && !is_known()
}

const ROW_BYTES_MAX: usize = 400;

/// Behind the bracket around this place; none where it opens the arguments of a call.
fn row_start(source: &Source<'_>, at: usize) -> Option<usize> {
    const MAKES_ROWS: &[&str] = &["param", "of", "arguments"];
    let bytes = source.code.as_bytes();
    let mut depth = 0;
    for place in (at.saturating_sub(ROW_BYTES_MAX)..at).rev() {
        match bytes[place] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' if depth > 0 => depth -= 1,
            b'(' => {
                let before = &source.code[..place];
                let is_call = before.ends_with(|c: char| c.is_alphanumeric() || "_!>".contains(c));
                let maker = words(before.rsplit('\n').next().unwrap_or_default()).last();
                let makes_row = maker.is_some_and(|(_, word)| MAKES_ROWS.contains(&word));
                return (!is_call || makes_row).then_some(place + 1);
            }
            b'[' | b'{' => return Some(place + 1),
            _ => {}
        }
    }
    None
}
