//! The coverage report that check commands left in a fresh clone, kept with the revision it is about. Nothing else is a
//! measurement: neither what an agent left in its workspace nor what stands in a commit.

use crate::activity::ActivityError;
use std::path::{Path, PathBuf};
use tollgate_core::id::{CheckNumber, CommitId};
use tollgate_files::{self as files, FileError};
use tollgate_git::workspace::Workspace;

/// Reports of big projects have megabytes.
const REPORT_BYTES_MAX: u64 = 100 * 1024 * 1024;
const FIRST_LINE_BYTES_MAX: u64 = 200;

/// One file in the session's workspace home: a line that says after which command it was kept, then the report.
#[derive(Debug)]
pub struct KeptReport<'a> {
    file: PathBuf,
    /// Where commands leave it, below the tree.
    path: &'a str,
    tip: &'a CommitId,
}

/// What the first line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct After {
    check: u64,
    command: usize,
    has_report: bool,
}

impl<'a> KeptReport<'a> {
    pub fn new(home: &Path, path: &'a str, tip: &'a CommitId) -> Self {
        Self { file: home.join("fresh-coverage-report"), path, tip }
    }

    /// Before a command starts: what it leaves must be its own. A later command of the same check may build upon the
    /// report of an earlier one, unless cleaning has put a committed one there.
    pub fn make_room(&self, workspace: &Workspace, command: usize) -> Result<(), ActivityError> {
        if command == 1 || workspace.is_tracked(self.path)? {
            match files::remove_file_beneath(workspace.tree(), self.path) {
                // What does not lead to a plain file is not read either.
                Err(FileError::BadPath { .. }) => {}
                removed => removed?,
            }
        }
        Ok(())
    }

    /// After a command: also that it left none is noted. What was noted before the engine was killed stays.
    pub fn keep(
        &self,
        tree: &Path,
        check: CheckNumber,
        command: usize,
    ) -> Result<(), ActivityError> {
        let (check, before) = (u64::from(check.0), self.read()?);
        if let Some((after, _)) = &before
            && (after.check, after.command) >= (check, command)
        {
            return Ok(());
        }
        let fresh = files::read_beneath(tree, self.path, REPORT_BYTES_MAX).ok();
        let report =
            fresh.or_else(|| before.and_then(|(after, report)| after.has_report.then_some(report)));
        let first_line = format!("{} {check} {command} {}\n", self.tip, u8::from(report.is_some()));
        let bytes = [first_line.into_bytes(), report.unwrap_or_default()].concat();
        Ok(files::write_atomic(&self.file, &bytes)?)
    }

    /// The report on this revision; none where no command made one.
    pub fn find(&self) -> Result<Option<Vec<u8>>, FileError> {
        Ok(self.read()?.and_then(|(after, report)| after.has_report.then_some(report)))
    }

    /// None when what is kept is about another revision.
    fn read(&self) -> Result<Option<(After, Vec<u8>)>, FileError> {
        let mut bytes =
            match files::read_bounded(&self.file, REPORT_BYTES_MAX + FIRST_LINE_BYTES_MAX) {
                Err(error) if error.is_not_found() => return Ok(None),
                read => read?,
            };
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let Some(after) = self.after(&String::from_utf8_lossy(&bytes[..end])) else {
            return Ok(None);
        };
        bytes.drain(..(end + 1).min(bytes.len()));
        Ok(Some((after, bytes)))
    }

    fn after(&self, line: &str) -> Option<After> {
        let mut words = line.split(' ');
        (words.next()? == self.tip.as_str()).then_some(())?;
        let (check, command) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(After { check, command, has_report: words.next()? == "1" })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn tip(digit: &str) -> CommitId {
        CommitId::parse(&digit.repeat(40)).unwrap()
    }

    fn found(home: &Path, tip: &CommitId) -> Option<String> {
        let report = KeptReport::new(home, "lcov.info", tip).find().unwrap();
        report.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn r077_what_lies_in_the_tree_counts_only_after_a_command_has_run() {
        let temp = tempfile::tempdir().unwrap();
        let (home, report) = (temp.path(), temp.path().join("lcov.info"));
        let (one, two) = (tip("1"), tip("2"));
        assert_eq!(found(home, &one), None);
        let kept = KeptReport::new(home, "lcov.info", &one);
        kept.keep(home, CheckNumber(1), 1).unwrap();
        std::fs::write(&report, "forged").unwrap();
        assert_eq!(found(home, &one), None, "the command left none");
        assert_eq!(found(home, &two), None, "no command has run on it");
        kept.keep(home, CheckNumber(1), 1).unwrap();
        assert_eq!(found(home, &one), None, "taken up after a kill");

        std::fs::write(&report, "measured").unwrap();
        kept.keep(home, CheckNumber(2), 1).unwrap();
        std::fs::write(&report, "forged").unwrap();
        assert_eq!(found(home, &one).as_deref(), Some("measured"));
        std::fs::remove_file(&report).unwrap();
        kept.keep(home, CheckNumber(2), 2).unwrap();
        assert_eq!(found(home, &one).as_deref(), Some("measured"), "the second command left none");

        KeptReport::new(home, "lcov.info", &two).keep(home, CheckNumber(3), 1).unwrap();
        assert_eq!(found(home, &two), None, "a report of another revision");
        let files = std::fs::read_dir(home).unwrap().count();
        assert_eq!(files, 1, "one is kept");
    }
}
