//! Reads how many lines the tests cover, from lcov or Cobertura; which of the two it is, the content tells.

mod cobertura;
mod lcov;

use crate::diagnostic::{Report, quote, reports as say};
use std::collections::BTreeMap;

/// Lines that could be covered, and those that were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    pub covered: u64,
    pub total: u64,
}

impl Coverage {
    /// 80.25 % is 8025, rounded down, so that a threshold is never passed by rounding. None of nothing.
    pub fn percent_hundredths(&self) -> Option<u32> {
        let scaled = u128::from(self.covered.min(self.total)) * 10_000;
        let share = scaled.checked_div(u128::from(self.total))?;
        u32::try_from(share).ok()
    }
}

/// A report that names no line is an error: nothing covered out of nothing is not 100 %.
pub fn read(text: &str, path: &str) -> Result<Coverage, Report> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let coverage = match first {
        None => return Err(say::coverage_empty(path, "the coverage report is empty").into()),
        Some(line) if line.starts_with('<') => cobertura::read(text, path)?,
        Some(_) if lcov::is_lcov(text) => lcov::read(text, path)?,
        Some(line) => {
            return Err(say::coverage_kind(
                path,
                None,
                &format!("a file that begins with {}", quote(line)),
            )
            .into());
        }
    };
    match coverage.total {
        0 => Err(say::coverage_empty(path, "the coverage report names no line of code").into()),
        _ => Ok(coverage),
    }
}

/// Lines of one file and whether any record hit them.
type Lines = BTreeMap<u32, bool>;

fn counted(lines: &Lines) -> Coverage {
    let covered = lines.values().filter(|is_hit| **is_hit).count();
    Coverage { covered: covered as u64, total: lines.len() as u64 }
}

/// A line hit in one record is covered, whatever other records say.
fn note(lines: &mut Lines, line: u32, is_hit: bool) {
    *lines.entry(line).or_default() |= is_hit;
}

fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests;
