//! Reads how many lines the tests cover, from lcov or Cobertura; which of the two it is, the content tells.

mod cobertura;
mod lcov;
mod names;

use crate::diagnostic::{Report, quote, reports as say};
use names::ReportNames;
use std::collections::BTreeMap;

/// Lines that could be covered, and those that were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    pub covered: u64,
    pub total: u64,
}

/// What a report says about the files that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    pub coverage: Coverage,
    /// Files that the report names and that are not there: their lines are in no sum.
    pub absent: Vec<String>,
}

impl Coverage {
    /// 80.25 % is 8025, rounded down, so that a threshold is never passed by rounding. None of nothing.
    pub fn percent_hundredths(&self) -> Option<u32> {
        let scaled = u128::from(self.covered.min(self.total)) * 10_000;
        let share = scaled.checked_div(u128::from(self.total))?;
        u32::try_from(share).ok()
    }
}

/// A report that names no line of a file that is there is an error: nothing covered out of nothing is not 100 %.
/// `root` is where the tree lies, and `is_file` knows paths from there.
pub fn read(
    text: &str,
    path: &str,
    root: &str,
    is_file: &dyn Fn(&str) -> bool,
) -> Result<Measurement, Report> {
    let mut files = ReportedFiles::new(path);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    match first {
        None => return Err(say::coverage_empty(path, "the coverage report is empty").into()),
        Some(line) if line.starts_with('<') => cobertura::read(text, path, &mut files)?,
        Some(_) if lcov::is_lcov(text) => lcov::read(text, path, &mut files)?,
        Some(line) => {
            return Err(say::coverage_kind(
                path,
                None,
                &format!("a file that begins with {}", quote(line)),
            )
            .into());
        }
    }
    let measured = files.measured(&ReportNames::new(&files, root, is_file));
    match (measured.coverage.total, measured.absent.is_empty()) {
        (0, true) => {
            Err(say::coverage_empty(path, "the coverage report names no line of code").into())
        }
        (0, false) => {
            let words = "the coverage report names no line of a file in the workspace";
            Err(say::coverage_empty(path, words).into())
        }
        _ => Ok(measured),
    }
}

/// Lines of one file and whether any record hit them.
type LineHits = BTreeMap<u32, bool>;

/// What a report says of each file, by the name that it has there.
struct ReportedFiles {
    /// Folders that names may be relative to, the likeliest first.
    folders: Vec<String>,
    files: BTreeMap<String, FileRecord>,
    /// Of a report that names no lines at all.
    whole: Coverage,
}

#[derive(Default)]
struct FileRecord {
    lines: LineHits,
    /// Used only where no record of the file lists its lines.
    sums: Option<Coverage>,
}

impl ReportedFiles {
    fn new(report: &str) -> Self {
        // A tool that runs in a folder of the tree names files from there, and leaves its report below it.
        let above = report.match_indices('/').map(|(at, _)| report[..at].to_owned());
        Self { folders: above.collect(), files: BTreeMap::new(), whole: Coverage::default() }
    }

    fn record(&mut self, name: &str) -> &mut FileRecord {
        self.files.entry(name.to_owned()).or_default()
    }

    /// Two names of one file are one file, and a file that is not there counts in no sum.
    fn measured(&self, names: &ReportNames<'_>) -> Measurement {
        let mut found: BTreeMap<String, FileRecord> = BTreeMap::new();
        let mut absent = Vec::new();
        for (name, record) in &self.files {
            match names.find(name) {
                Some(path) => found.entry(path).or_default().add(record),
                None => absent.push(name.clone()),
            }
        }
        let is_there = self.files.is_empty() || !found.is_empty();
        let whole = if is_there { self.whole } else { Coverage::default() };
        let coverage = found.values().map(FileRecord::coverage).fold(whole, |sum, file| Coverage {
            covered: sum.covered.saturating_add(file.covered),
            total: sum.total.saturating_add(file.total),
        });
        Measurement { coverage, absent }
    }
}

impl FileRecord {
    /// A line hit in one record is covered, whatever other records say.
    fn note(&mut self, line: u32, is_hit: bool) {
        *self.lines.entry(line).or_default() |= is_hit;
    }

    fn add(&mut self, other: &Self) {
        other.lines.iter().for_each(|(line, is_hit)| self.note(*line, *is_hit));
        other.sums.into_iter().for_each(|sums| self.note_sums(sums));
    }

    fn note_sums(&mut self, sums: Coverage) {
        let known = self.sums.get_or_insert(sums);
        known.covered = known.covered.max(sums.covered);
        known.total = known.total.max(sums.total);
    }

    fn coverage(&self) -> Coverage {
        if let (Some(sums), true) = (self.sums, self.lines.is_empty()) {
            return sums;
        }
        let covered = self.lines.values().filter(|is_hit| **is_hit).count();
        Coverage { covered: covered as u64, total: self.lines.len() as u64 }
    }
}

#[cfg(test)]
mod tests;
