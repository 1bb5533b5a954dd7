//! Folders of the tree that cannot be looked into: opened again where their maker closed them, and put aside where no
//! listing reaches.

use super::changes::Found;
use super::{Workspace, WorkspaceError};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Each level holds a folder open; git gives up not far below, where paths are too long.
const DEPTH_MAX: usize = 300;

/// So often something is put aside; then the tree is made to keep us busy.
const ASIDE_MAX: usize = 20;

impl Workspace {
    /// What `found` says, with what cannot be listed put aside, so that the rest can be kept and cleaned up.
    pub(super) fn found_at_last(&self) -> Result<Vec<Found>, WorkspaceError> {
        for _ in 0..ASIDE_MAX {
            match self.found() {
                Err(WorkspaceError::Unlistable { detail }) => self.put_unlistable_aside(&detail)?,
                found => return found,
            }
        }
        self.found()
    }

    /// The highest folder on the way to it that has nothing accepted in it.
    fn put_unlistable_aside(&self, detail: &str) -> Result<(), WorkspaceError> {
        let cannot = || WorkspaceError::Unlistable { detail: detail.to_owned() };
        let path = named_folder(detail).ok_or_else(cannot)?;
        let mut at = PathBuf::new();
        for part in path.iter() {
            at.push(part);
            let name = at.to_str().ok_or_else(cannot)?;
            if !self.is_tracked(name)? {
                return self.set_aside(&at);
            }
        }
        Err(cannot())
    }
}

/// Gives us back every right to the folders below `root`, as far as they are ours; links are not followed.
pub(super) fn make_listable(root: &Path) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open_up(rustix::fs::CWD, root.as_os_str(), flags, 0);
}

fn open_up(above: impl AsFd, name: &OsStr, flags: OFlags, depth: usize) {
    let open = || rustix::fs::openat(&above, name, flags, Mode::empty());
    let found = rustix::fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW);
    let Ok(mode) = found.map(|found| found.st_mode) else { return };
    if FileType::from_raw_mode(mode).is_dir() && mode & 0o700 != 0o700 {
        // Where it is not ours this is refused, and what follows fails too.
        let rights = Mode::from_raw_mode(mode | 0o700);
        let _ = rustix::fs::chmodat(&above, name, rights, AtFlags::empty());
    }
    let Ok(folder) = open() else { return };
    if depth < DEPTH_MAX {
        for inner in folders_in(&folder) {
            open_up(&folder, &inner, flags, depth + 1);
        }
    }
}

fn folders_in(folder: &OwnedFd) -> Vec<OsString> {
    let Ok(entries) = Dir::read_from(folder) else { return Vec::new() };
    let may_be_folder = |kind: FileType| matches!(kind, FileType::Directory | FileType::Unknown);
    let names = entries.flatten().filter(|entry| may_be_folder(entry.file_type()));
    let names = names.map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    names.filter(|name| name != "." && name != "..").collect()
}

/// git says `could not open directory 'a/b/': why`, and leaves the end out where that is long.
fn named_folder(detail: &str) -> Option<PathBuf> {
    let (_, rest) = detail.split_once("could not open directory '")?;
    let path = match rest.rsplit_once("': ") {
        Some((path, _)) => path,
        None => rest.rsplit_once('/')?.0,
    };
    Some(PathBuf::from(path.trim_end_matches('/')))
}
