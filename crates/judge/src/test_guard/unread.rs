//! Versions that are there and were not looked at: a place where anything could have been done.

use super::config::Steering;
use super::language;
use super::{Kind, Weakening, config};
use std::fmt;

/// A test file or script written by hand is far smaller.
pub const FILE_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// Longer than `FILE_BYTES_MAX`.
    TooLong,
    /// A link, a folder or the like is where a file was or should be.
    NoPlainFile,
    /// The change is of more files, or of more text, than are looked at.
    BeyondTheLimit,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "it is longer than {} KiB", FILE_BYTES_MAX / 1024),
            Self::NoPlainFile => f.write_str("it is not a plain file"),
            Self::BeyondTheLimit => f.write_str("the change is too large to check completely"),
        }
    }
}

/// A finding where the file holds tests, or steers a check, or could.
pub fn unread(path: &str, why: Unread, steering: &Steering) -> Option<Weakening> {
    let what = if steering.runner_of(path).is_some() || config::is_judged(path, steering) {
        "steers a check"
    } else if language::of_tests(path).is_some() || language::is_snapshot(path) {
        "may contain tests"
    } else {
        return None;
    };
    let message = format!("this file {what} and could not be checked: {why}");
    Some(Weakening { path: path.to_owned(), line: None, kind: Kind::Unreadable, message })
}
