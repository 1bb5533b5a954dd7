//! Folders that are being removed: each has a name that nobody looks for, until what is in it is gone.

use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_files::layout::Layout;

/// Gives a folder such a name.
pub fn out_of_sight(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = |number: u32| path.with_file_name(format!("{}{number}-{name}", Layout::REMOVED));
    let free = (1..).map(named).find(|to| to.symlink_metadata().is_err());
    let to = free.unwrap_or_else(|| named(0));
    std::fs::rename(path, &to)?;
    Ok(to)
}

/// Those in a folder that were not removed to the end.
pub fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_doomed = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(Layout::REMOVED))
    };
    entries.map(|entry| entry.path()).filter(is_doomed).collect()
}

/// The session that one of them was.
pub fn session_of(doomed: &Path) -> Option<SessionName> {
    let name = doomed.file_name()?.to_str()?.strip_prefix(Layout::REMOVED)?;
    SessionName::parse(name.split_once('-')?.1).ok()
}
