//! Reads how many lines the tests cover, from lcov or Cobertura; which of the two it is, the content tells.

mod cobertura;
mod lcov;

use crate::diagnostic::{Report, quote, reports as say};
use std::collections::{BTreeMap, BTreeSet};

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
/// `is_file` knows paths from the root of the tree.
pub fn read(text: &str, path: &str, is_file: &dyn Fn(&str) -> bool) -> Result<Measurement, Report> {
    let mut files = Files::new(path, is_file);
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
    let coverage = files.sum();
    let absent: Vec<String> = files.absent.into_iter().collect();
    match (coverage.total, absent.is_empty()) {
        (0, true) => {
            Err(say::coverage_empty(path, "the coverage report names no line of code").into())
        }
        (0, false) => {
            let words = "the coverage report names no line of a file that is in the tree";
            Err(say::coverage_empty(path, words).into())
        }
        _ => Ok(Measurement { coverage, absent }),
    }
}

/// Lines of one file and whether any record hit them.
type Lines = BTreeMap<u32, bool>;

/// No name of a file has more parts; a report that does must not cost its square in time.
const PARTS_MAX: usize = 100;
/// A report has one or two.
const FOLDERS_MAX: usize = 20;

/// What a report says of each file that is there, by its path from the root of the tree.
struct Files<'a> {
    /// Folders that names may be relative to.
    folders: Vec<String>,
    is_file: &'a dyn Fn(&str) -> bool,
    known: BTreeMap<String, Option<String>>,
    files: BTreeMap<String, FileRecord>,
    absent: BTreeSet<String>,
    /// Of a report that names no lines at all.
    whole: Coverage,
}

#[derive(Default)]
struct FileRecord {
    lines: Lines,
    /// Used only where no record of the file lists its lines.
    sums: Option<Coverage>,
}

impl<'a> Files<'a> {
    fn new(report: &str, is_file: &'a dyn Fn(&str) -> bool) -> Self {
        // A tool that runs in a folder of the tree names files from there, and leaves its report below it.
        let above = report.match_indices('/').map(|(at, _)| report[..at].to_owned());
        Self {
            folders: above.collect(),
            is_file,
            known: BTreeMap::new(),
            files: BTreeMap::new(),
            absent: BTreeSet::new(),
            whole: Coverage::default(),
        }
    }

    /// The record of a file; none where it is not there.
    fn record(&mut self, name: &str) -> Option<&mut FileRecord> {
        let found = match self.known.get(name) {
            Some(found) => found.clone(),
            None => {
                let found = self.find(name);
                self.known.insert(name.to_owned(), found.clone());
                found
            }
        };
        match found {
            Some(path) => Some(self.files.entry(path).or_default()),
            None => {
                self.absent.insert(name.to_owned());
                None
            }
        }
    }

    /// Tools name files from the root, from a folder of their own, from where the tree lies on the machine or in a
    /// container, or behind the name of a package: what counts is the longest end of the name that is a file.
    fn find(&self, name: &str) -> Option<String> {
        let folders = self.folders.iter().take(FOLDERS_MAX);
        let folders = folders.map(|folder| format!("{folder}/{name}"));
        let names = std::iter::once(name.to_owned()).chain(folders);
        let mut ends = names.flat_map(|name| {
            let name = name.replace('\\', "/");
            let parts: Vec<&str> =
                name.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
            let count = if parts.len() > PARTS_MAX { 0 } else { parts.len() };
            (0..count).map(|from| parts[from..].join("/")).collect::<Vec<_>>()
        });
        ends.find(|end| (self.is_file)(end))
    }

    fn sum(&self) -> Coverage {
        self.files.values().map(FileRecord::coverage).fold(self.whole, |sum, file| Coverage {
            covered: sum.covered.saturating_add(file.covered),
            total: sum.total.saturating_add(file.total),
        })
    }
}

impl FileRecord {
    /// A line hit in one record is covered, whatever other records say.
    fn note(&mut self, line: u32, is_hit: bool) {
        *self.lines.entry(line).or_default() |= is_hit;
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
