//! Files below a folder that others may have filled: no step up, no symlink on the way.

use super::{FileError, TEMP_PREFIX, TEMP_SUFFIX, read_open};
use crate::crash;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Component, Path};
use std::sync::atomic::{AtomicU64, Ordering};

const READ: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
const FOLDER: OFlags = READ.union(OFlags::DIRECTORY);

/// Opens a file for reading by its path below `root`.
pub fn open_beneath(root: &Path, relative: &str) -> Result<File, FileError> {
    let names = names_of(relative)?;
    let io = |errno| errno_error("open", root, relative, errno);
    let root_fd = open_root(root).map_err(io)?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(&root_fd, relative, READ, Mode::empty(), resolve) {
        Ok(file) => Ok(File::from(file)),
        // Old kernels do not know the call, and sandboxes of containers refuse it.
        Err(Errno::NOSYS | Errno::PERM) => open_by_steps(root_fd, &names).map_err(io),
        Err(errno) => Err(io(errno)),
    }
}

/// The content of a plain file below `root`, at most `max` bytes of it.
pub fn read_beneath(root: &Path, relative: &str, max: u64) -> Result<Vec<u8>, FileError> {
    read_open(&open_beneath(root, relative)?, &root.join(relative), max)
}

/// Replaces a file below `root` by rename and makes the folders on the way. Not synced.
pub fn write_beneath(root: &Path, relative: &str, bytes: &[u8]) -> Result<(), FileError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let names = names_of(relative)?;
    let (name, folders) = names.split_last().expect("a path has at least one name");
    let io = |errno| errno_error("write", root, relative, errno);
    let mut folder = open_root(root).map_err(io)?;
    for step in folders {
        folder = open_or_make_folder(folder.as_fd(), *step).map_err(io)?;
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temp = format!("{TEMP_PREFIX}{}-{count}{TEMP_SUFFIX}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&folder, &temp, flags, Mode::from_raw_mode(0o644)).map_err(io)?;
    let written = File::from(fd)
        .write_all(bytes)
        .map_err(FileError::io("write", &root.join(relative)))
        .and_then(|()| {
            crash::point("beneath.before_rename");
            rustix::fs::renameat(&folder, &temp, &folder, *name).map_err(io)
        });
    crash::point("beneath.renamed");
    if written.is_err() {
        // The first failure is the one to tell.
        let _ = rustix::fs::unlinkat(&folder, &temp, AtFlags::empty());
    }
    written
}

/// Removes a plain file below `root`; anything else at its name stays, and so does all where there is nothing.
pub fn remove_file_beneath(root: &Path, relative: &str) -> Result<(), FileError> {
    let names = names_of(relative)?;
    let (name, folders) = names.split_last().expect("a path has at least one name");
    let remove = || {
        let mut folder = open_root(root)?;
        for step in folders {
            folder = open_folder(folder.as_fd(), *step)?;
        }
        let found = rustix::fs::statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => rustix::fs::unlinkat(&folder, *name, AtFlags::empty()),
            _ => Ok(()),
        }
    };
    match remove() {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno_error("remove", root, relative, errno)),
    }
}

fn names_of(relative: &str) -> Result<Vec<&str>, FileError> {
    let bad = |why| FileError::BadPath { path: relative.to_owned(), why };
    if relative.is_empty() {
        return Err(bad("it is empty"));
    }
    if relative.starts_with('/') {
        return Err(bad("it must be relative"));
    }
    if relative.contains('\0') {
        return Err(bad("it has a zero byte in it"));
    }
    relative
        .split('/')
        .map(|name| match name {
            ".." => Err(bad("it must not lead upwards")),
            "" | "." => Err(bad("each part of it must be a name")),
            name => Ok(name),
        })
        .collect()
}

/// The root itself is ours: a symlink there is the person's choice.
pub(super) fn open_root(root: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
    rustix::fs::open(root, flags, Mode::empty())
}

/// A folder below `root`, by a path of any bytes; the empty path is the root.
pub(crate) fn open_folder_beneath(root: &Path, relative: &Path) -> Result<OwnedFd, Errno> {
    step_down(root, relative, |folder, name| open_folder(folder, name))
}

/// Like [`open_folder_beneath`], and makes the folders that are missing.
pub(crate) fn make_folder_beneath(root: &Path, relative: &Path) -> Result<OwnedFd, Errno> {
    step_down(root, relative, |folder, name| open_or_make_folder(folder, name))
}

fn step_down(
    root: &Path,
    relative: &Path,
    step: impl Fn(BorrowedFd<'_>, &OsStr) -> Result<OwnedFd, Errno>,
) -> Result<OwnedFd, Errno> {
    relative.components().try_fold(open_root(root)?, |folder, part| match part {
        Component::Normal(name) => step(folder.as_fd(), name),
        _ => Err(Errno::INVAL),
    })
}

pub(super) fn open_folder(parent: BorrowedFd<'_>, name: impl Arg) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, name, FOLDER, Mode::empty())
}

/// A folder right in another, made where it is missing.
pub(crate) fn open_or_make_folder(
    parent: BorrowedFd<'_>,
    name: impl Arg + Copy,
) -> Result<OwnedFd, Errno> {
    match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => open_folder(parent, name),
        Err(errno) => Err(errno),
    }
}

pub(super) fn open_by_steps(root: OwnedFd, names: &[&str]) -> Result<File, Errno> {
    let (name, folders) = names.split_last().ok_or(Errno::INVAL)?;
    let mut folder = root;
    for step in folders {
        folder = open_folder(folder.as_fd(), *step)?;
    }
    rustix::fs::openat(&folder, *name, READ, Mode::empty()).map(File::from)
}

fn errno_error(doing: &'static str, root: &Path, relative: &str, errno: Errno) -> FileError {
    match errno {
        // Where a folder is asked for, a link that is not followed counts as no folder.
        Errno::LOOP | Errno::XDEV | Errno::NOTDIR => FileError::BadPath {
            path: relative.to_owned(),
            why: "a symbolic link or a file stands where a folder is needed; links are not followed",
        },
        errno => FileError::io(doing, &root.join(relative))(errno.into()),
    }
}
