//! Every way in which taking, reading or restoring a snapshot can fail, in words a person can act on.

use super::SnapshotId;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_git::GitError;
use tollgate_judge::globs::BadPattern;

#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("cannot {doing} {}: {source}{}", path.display(), full(source))]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} is not a folder; move it away", path.display())]
    NotAFolder { path: PathBuf },
    #[error("another process is taking or restoring a snapshot here; wait for it and try again")]
    Busy,
    #[error("there are no snapshots here yet; take one with `tollgate snapshot create`")]
    None,
    #[error("no snapshot matches {text:?}; `tollgate snapshot list` lists them")]
    Unknown { text: String },
    #[error("{text:?} matches several snapshots: {}; give more of the name", candidates.join(", "))]
    Ambiguous { text: String, candidates: Vec<String> },
    #[error("snapshot {id} cannot be used: {why}")]
    Damaged { id: SnapshotId, why: String },
    #[error(
        "a snapshot cannot be called {action:?}; use lowercase letters, digits and `-`, starting with a letter, at most 64"
    )]
    BadAction { action: String },
    #[error("{0}")]
    BadPattern(BadPattern),
    #[error(
        "{} is in the way and cannot be saved (a pipe, a device, a nested repository, or a file that cannot be read); move it away and restore again. Nothing was changed",
        shown(path)
    )]
    InTheWay { path: Vec<u8> },
    #[error(
        "{} changed while it was being restored and was left alone; restore again to continue",
        shown(path)
    )]
    Moved { path: Vec<u8> },
    #[error(
        "git cannot tell which files are ignored: {0}. Nothing was changed; fix this and try again"
    )]
    Ignored(GitError),
    #[error("there is no restore to undo")]
    NothingToUndo,
    #[error(
        "an unfinished restore needs snapshot {id}; finish it with `tollgate snapshot restore {target}` or undo it with `tollgate snapshot undo`"
    )]
    InUse { id: SnapshotId, target: SnapshotId },
}

impl SnapshotError {
    pub(super) fn io<E: Into<io::Error>>(doing: &'static str, path: &Path) -> impl Fn(E) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source: source.into() }
    }

    pub(super) fn at(doing: &'static str, path: &[u8], errno: Errno) -> Self {
        let path = PathBuf::from(OsStr::from_bytes(path));
        Self::Io { doing, path, source: errno.into() }
    }
}

fn full(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            ". Free some space and try again; `tollgate snapshot delete` removes old snapshots"
        }
        _ => "",
    }
}

fn shown(path: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(path))
}
