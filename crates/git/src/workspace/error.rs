//! What can go wrong with a workspace, in words for people.

use crate::program::GitError;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("the disk is full, so {} cannot be written; free some space and resume", path.display())]
    DiskFull { path: PathBuf },
    #[error("{} could not be read or written: {cause}", path.display())]
    Io { path: PathBuf, cause: std::io::Error },
    #[error("the workspace {} is damaged ({detail}); move it away and resume; Tollgate creates it again from the last accepted commit", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error(
        "git filter {filter:?} runs `{command}`, a file in the repository that an agent could change; use a filter program outside the repository"
    )]
    FilterInTree { filter: String, command: String },
    #[error(
        "{path:?} in workspace.copy is not a path below the repository; name an ignored file or folder such as \".env\""
    )]
    BadCopy { path: String },
    #[error("{path:?} cannot be committed: {why}")]
    NotCommittable { path: String, why: &'static str },
    #[error("git cannot commit the files as they are: {detail}; change them or .gitattributes")]
    NotStageable { detail: String },
    #[error("a rescue cannot be called {name:?}: use only letters, digits, '-' and '_'")]
    BadRescueName { name: String },
    #[error("the workspace was not reset because its files are not saved in a rescue: {}", list(.paths))]
    NotRescued { paths: Vec<String> },
    #[error(
        "a folder of the workspace cannot be read, so Tollgate could miss changes in it: {}; make it readable and resume",
        shortened(.detail)
    )]
    Unlistable { detail: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

impl WorkspaceError {
    pub fn io(path: &Path, cause: std::io::Error) -> Self {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        let path = path.to_owned();
        match cause.kind() {
            StorageFull | QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { path, cause },
        }
    }
}

const DETAIL_MAX: usize = 300;

/// A path may be as long as the folders are deep.
fn shortened(detail: &str) -> String {
    match detail.char_indices().nth(DETAIL_MAX) {
        Some((end, _)) => format!("{}...", &detail[..end]),
        None => detail.to_owned(),
    }
}

const LISTED_MAX: usize = 5;

fn list(paths: &[String]) -> String {
    let shown = paths.iter().take(LISTED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(LISTED_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
