//! What is in a small folder, and copying it, without following any symlink.

use super::beneath::{Root, open_folder};
use super::{FileError, is_temporary, read_beneath, write_beneath};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;
use std::path::Path;

/// How much of a tree is looked at before it counts as a mistake or an attack.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    pub entries_max: usize,
    /// Of one file.
    pub file_bytes_max: u64,
}

impl Default for TreeLimits {
    /// A session folder has some hundred small files.
    fn default() -> Self {
        Self { entries_max: 20_000, file_bytes_max: tollgate_core::limits::ARTEFACT_BYTES_MAX }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListingEntry {
    /// Below the root, with `/`.
    pub path: String,
    pub kind: ListingKind,
    pub size: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListingKind {
    File,
    Symlink,
    Dir,
    /// A pipe, socket or device.
    Other,
    /// A name that is not UTF-8: `path` shows it with replacements, and nothing below it is listed.
    BadName,
}

/// Folders deeper than this are a trap, not a session.
const DEPTH_MAX: usize = 64;

/// Everything below `root`, sorted by path; files still being written are left out.
pub fn list_files(root: &Path, limits: TreeLimits) -> Result<Vec<ListingEntry>, FileError> {
    let io = |errno: Errno| FileError::io("list", root)(errno.into());
    let mut walk = Walk { entries: Vec::new(), entries_max: limits.entries_max };
    let fits = walk.folder(Root::open(root).map_err(io)?.fd(), "", 0).map_err(io)?;
    if !fits {
        return Err(FileError::TooMany { path: root.to_owned(), max: limits.entries_max });
    }
    walk.entries.sort();
    Ok(walk.entries)
}

/// Copies the plain files below `from` that `wanted` chooses, and tells what was left out because
/// it is not a regular file.
pub fn copy_tree_bounded(
    from: &Path,
    to: &Path,
    limits: TreeLimits,
    mut wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<ListingEntry>, FileError> {
    let mut left_out = Vec::new();
    for entry in list_files(from, limits)? {
        match entry.kind {
            ListingKind::Dir => {}
            ListingKind::File if wanted(&entry.path) => {
                let bytes = read_beneath(from, &entry.path, limits.file_bytes_max)?;
                write_beneath(to, &entry.path, &bytes)?;
            }
            ListingKind::File => {}
            ListingKind::Symlink | ListingKind::Other | ListingKind::BadName => {
                left_out.push(entry)
            }
        }
    }
    Ok(left_out)
}

struct Walk {
    entries: Vec<ListingEntry>,
    entries_max: usize,
}

impl Walk {
    /// False when there is more than the limits allow.
    fn folder(&mut self, fd: BorrowedFd<'_>, prefix: &str, depth: usize) -> Result<bool, Errno> {
        for found in Dir::read_from(fd)? {
            let found = found?;
            let name = found.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if self.entries.len() == self.entries_max || depth == DEPTH_MAX {
                return Ok(false);
            }
            let stat = match rustix::fs::statat(fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(errno),
            };
            let size = u64::try_from(stat.st_size).unwrap_or(0);
            let Ok(text) = name.to_str() else {
                let path = format!("{prefix}{}", name.to_string_lossy());
                self.entries.push(ListingEntry { path, kind: ListingKind::BadName, size });
                continue;
            };
            if is_temporary(text) {
                continue;
            }
            let path = format!("{prefix}{text}");
            let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
            let below = format!("{path}/");
            self.entries.push(ListingEntry { path, kind, size });
            if kind == ListingKind::Dir {
                let folder = open_folder(fd, text)?;
                if !self.folder(folder.as_fd(), &below, depth + 1)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

fn kind_of(file_type: FileType) -> ListingKind {
    match file_type {
        FileType::RegularFile => ListingKind::File,
        FileType::Directory => ListingKind::Dir,
        FileType::Symlink => ListingKind::Symlink,
        _ => ListingKind::Other,
    }
}
