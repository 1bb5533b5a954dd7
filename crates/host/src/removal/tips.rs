//! Which refs go with a session, as they were when it was judged: whatever is committed to them later is somebody's work.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tollgate_core::id::CommitId;
use tollgate_files::{self as files, FileError};
use tollgate_git::repository::Tips;

/// Far more than a session has.
const BYTES_MAX: u64 = 16 << 20;

/// Into the folder of the session, before it goes.
pub(super) fn write(folder: &Path, tips: &Tips) -> Result<(), FileError> {
    let mut text = String::new();
    for (name, commit) in tips {
        let _ = writeln!(text, "{commit} {name}");
    }
    files::write_durable(&path(folder), text.as_bytes())
}

/// None where nothing was written: then nobody judged any.
pub(super) fn read(folder: &Path) -> Result<Tips, FileError> {
    let bytes = match files::read_bounded(&path(folder), BYTES_MAX) {
        Err(error) if error.is_not_found() => return Ok(Tips::new()),
        bytes => bytes?,
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let tip = |line: &str| {
        let (commit, name) = line.split_once(' ')?;
        Some((name.to_owned(), CommitId::parse(commit).ok()?))
    };
    Ok(text.lines().filter_map(tip).collect())
}

fn path(folder: &Path) -> PathBuf {
    folder.join("removed-refs")
}
