//! Finds what a change does to make checks pass without making the work better: tests deleted, skipped or emptied,
//! and edits of what runs or judges the checks.
//!
//! A commented-out test is a removed one. Tests that move, are renamed or reformatted are still there, and adding is
//! never reported: a false alarm costs more trust than it is worth.

mod assertions;
mod blocks;
mod cases;
mod compare;
mod config;
mod doctest;
mod doubles;
mod expected;
mod facts;
mod found;
mod hollow;
mod language;
mod lex;
mod marks;
mod modules;
mod recomputed;
mod scan;
mod strength;
mod support;
mod swallow;
mod tolerance;
mod unread;

pub use config::{Steering, matters};
pub use expected::lost_expectations;
pub use unread::{FILE_BYTES_MAX, Unread, unread};

use std::fmt;

/// One changed file. A renamed one has its former content as `before` and its former path as `old_path`.
#[derive(Debug, Clone, Copy)]
pub struct FileVersion<'a> {
    pub path: &'a str,
    /// None for a new file.
    pub before: Option<&'a str>,
    /// None for a deleted file.
    pub after: Option<&'a str>,
    pub old_path: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weakening {
    pub path: String,
    /// In the file as it is now.
    pub line: Option<u32>,
    pub kind: Kind,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A test file is gone, and its tests with it.
    Deleted,
    Skipped,
    /// A test is there but cannot fail any more.
    Emptied,
    FewerTests,
    /// A version that is there cannot be looked at.
    Unreadable,
    /// What a check command runs was edited.
    CheckCommand,
    /// What decides which tests run, or what is good enough, was edited.
    GateConfig,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Skipped => "skipped",
            Self::Emptied => "emptied",
            Self::FewerTests => "fewer-tests",
            Self::Unreadable => "unreadable",
            Self::CheckCommand => "check-command",
            Self::GateConfig => "gate-config",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Give all files of a change at once: a test that moved to another of them is not lost.
pub fn weakened(changes: &[FileVersion<'_>], steering: &Steering) -> Vec<Weakening> {
    let mut weakenings = compare::weakened(changes);
    weakenings.extend(changes.iter().filter_map(|change| config::edited(change, steering)));
    // What a file was found for already is not told a second time.
    let more = [
        support::weakened,
        marks::weakened,
        doctest::weakened,
        modules::weakened,
        recomputed::weakened,
    ];
    let more = more.iter().flat_map(|look| look(changes));
    for one in more {
        if !weakenings.iter().any(|known| known.path == one.path) {
            weakenings.push(one);
        }
    }
    weakenings.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
    weakenings
}
