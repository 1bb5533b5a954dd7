//! What a session changed, file by file, as far as it is short enough to be shown.

use crate::diff::{self, FileDiff};
use tollgate_core::view::View;
use tollgate_desk::{ChangedLines, Opened};

/// A change of more lines is named and not shown.
const FILE_LINES_MAX: u64 = 2_000;
/// The same of all of them.
const LINES_MAX: u64 = 20_000;
/// Each is one run of git.
const FILES_MAX: usize = 300;

#[derive(Debug)]
pub(super) struct Changed {
    pub files: Vec<ChangedLines>,
    /// In the same order; none where it is too long to be shown.
    pub diffs: Vec<Option<FileDiff>>,
    /// Files changed, but the commits are not at hand.
    pub is_unknown: bool,
}

impl Changed {
    pub fn of(opened: &Opened, view: &View) -> Self {
        let files = match opened.changed_files(view) {
            Ok(files) => files,
            Err(_) => return Self::named_only(view),
        };
        let mut left = LINES_MAX;
        let diffs = files.iter().enumerate().map(|(index, file)| {
            let lines = file.added.unwrap_or(0).saturating_add(file.removed.unwrap_or(0));
            if index >= FILES_MAX || lines > FILE_LINES_MAX.min(left) {
                return None;
            }
            left -= lines;
            let patch = opened.patch(view, std::slice::from_ref(&file.path)).ok()?;
            diff::files(&patch).into_iter().next().filter(|found| found.left_out == 0)
        });
        Self { diffs: diffs.collect(), files, is_unknown: false }
    }

    /// The journal knows which files changed, also where the commits are not at hand.
    fn named_only(view: &View) -> Self {
        let changes = view.results.changed_files.iter();
        let unknown =
            |path: &String| ChangedLines { path: path.clone(), added: None, removed: None };
        let files: Vec<ChangedLines> = changes.map(|change| unknown(&change.path)).collect();
        let is_unknown = !files.is_empty();
        Self { diffs: files.iter().map(|_| None).collect(), files, is_unknown }
    }

    pub fn added(&self) -> u64 {
        self.files.iter().filter_map(|file| file.added).sum()
    }

    pub fn removed(&self) -> u64 {
        self.files.iter().filter_map(|file| file.removed).sum()
    }
}
