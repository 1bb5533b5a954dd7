//! Folders of the tree that cannot be looked into are opened again where their maker closed them.

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Each level holds a folder open; git gives up not far below, where paths are too long.
const DEPTH_MAX: usize = 300;

/// Gives us back every right to the folders below `root`, as far as they are ours; links are not followed.
pub(super) fn make_listable(root: &Path) {
    open_up(rustix::fs::CWD, root.as_os_str(), 0);
}

fn open_up(above: impl AsFd, name: &OsStr, depth: usize) {
    let found = rustix::fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW);
    let Ok(mode) = found.map(|found| found.st_mode) else { return };
    if FileType::from_raw_mode(mode).is_dir() && mode & 0o700 != 0o700 {
        // Where it is not ours this is refused, and what follows fails too.
        let rights = Mode::from_raw_mode(mode | 0o700);
        let _ = rustix::fs::chmodat(&above, name, rights, AtFlags::empty());
    }
    let Ok(folder) = tollgate_files::open_folder(&above, name) else { return };
    if depth < DEPTH_MAX {
        for inner in folders_in(&folder) {
            open_up(&folder, &inner, depth + 1);
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
