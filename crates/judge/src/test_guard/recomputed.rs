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
    let calls = words(&source.code).filter(|(_, word)| called.contains(word));
    let mut rows = calls.filter_map(|(at, name)| row(&source, at, name)).take(ROWS_MAX);
    let row = rows.find(|row| old.contains(&row.had) && !old.contains(&row.now))?;
    let name = crate::quote(row.name);
    let message = format!("the expected value of {name} is computed by {name} itself");
    let (path, line) = (change.path.to_owned(), Some(source.line(row.at)));
    Some(Weakening { path, line, kind: Kind::Emptied, message })
}

const ROW_BYTES_MAX: usize = 400;
/// Each costs a look through the whole file.
const ROWS_MAX: usize = 500;

struct Row<'s> {
    at: usize,
    name: &'s str,
    /// The input with the sign behind it, as it must have stood there before.
    had: String,
    now: String,
}

/// `b"A": crc(b"A")` and `("A", crc("A"))`.
fn row<'s>(source: &Source<'_>, at: usize, name: &'s str) -> Option<Row<'s>> {
    let open = at + name.len();
    let is_short = source.closing(open) - open <= ROW_BYTES_MAX;
    if !source.code[open..].starts_with('(') || !is_short {
        return None;
    }
    let squeeze = |range: Range<usize>| -> Option<String> {
        Some(source.bare.get(range)?.split_whitespace().collect())
    };
    let row = squeeze(row_start(source, at)?..at)?;
    let input = squeeze(source.inside(open)).filter(|input| !input.is_empty())?;
    // Up to the call stand the input, a sign, and perhaps the name of a field or of a module.
    let (head, between) = row.rsplit_once(&input)?;
    let sign = between.chars().next().filter(|sign| ",:=".contains(*sign))?;
    let is_start = head.is_empty() || head.ends_with([',', ':', '=', '>']);
    let is_next = between.chars().all(|c| c.is_alphanumeric() || "_,:=>.".contains(c));
    let (had, now) = (format!("{input}{sign}"), format!("{input}{between}{name}({input})"));
    (is_start && is_next).then_some(Row { at, name, had, now })
}

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
