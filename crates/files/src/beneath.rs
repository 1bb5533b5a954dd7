//! Files below a folder that others may have filled: no step up, no symlink on the way.

use super::{FileError, TEMP_PREFIX, TEMP_SUFFIX, read_open};
use crate::crash;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
const FOLDER: OFlags = READ.union(OFlags::DIRECTORY);
const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A folder held open. What lies below it is opened without a step up and without a link on the way, whoever filled it.
#[derive(Debug)]
pub struct Root {
    fd: OwnedFd,
    path: PathBuf,
}

impl Root {
    /// The root itself is ours: a symlink there is the person's choice.
    pub fn open(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        Ok(Self { fd: rustix::fs::open(path, flags, Mode::empty())?, path: path.to_owned() })
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder at a path of any bytes; the empty path is the root.
    pub fn folder(&self, path: impl AsRef<[u8]>) -> Result<OwnedFd, Errno> {
        match path.as_ref() {
            b"" => open_folder(&self.fd, "."),
            path => self.open_below(path, FOLDER),
        }
    }

    /// A file, for reading. It may be a folder, or a pipe, which nobody waits for.
    pub fn file(&self, path: impl AsRef<[u8]>) -> Result<OwnedFd, Errno> {
        self.open_below(path.as_ref(), READ)
    }

    fn open_below(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        if !is_inside(path) {
            return Err(Errno::INVAL);
        }
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&self.fd, path, flags, Mode::empty(), resolve) {
            // Old kernels do not know the call, sandboxes of containers refuse it, and a deep path is too long for one call.
            Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => self.open_by_steps(path, flags),
            opened => opened,
        }
    }

    pub(super) fn open_by_steps(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let (folders, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(at) => (Some(&path[..at]), &path[at + 1..]),
            None => (None, path),
        };
        let mut folder = open_folder(&self.fd, ".")?;
        for step in folders.into_iter().flat_map(|folders| folders.split(|byte| *byte == b'/')) {
            folder = open_folder(&folder, step)?;
        }
        rustix::fs::openat(&folder, name, flags, Mode::empty())
    }
}

/// A path that names something below a root, and by one spelling only.
pub fn is_inside(path: &[u8]) -> bool {
    !path.contains(&0)
        && path.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}

/// A folder right in another; a link is refused.
pub fn open_folder(parent: impl AsFd, name: impl Arg) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, name, FOLDER, Mode::empty())
}

/// What is right in a folder, for reading; a link is refused.
pub fn open_in(folder: impl AsFd, name: impl Arg) -> Result<File, Errno> {
    rustix::fs::openat(folder, name, READ, Mode::empty()).map(File::from)
}

/// A new file right in a folder; nothing may have its name.
pub fn create_in(folder: impl AsFd, name: impl Arg, mode: u32) -> Result<File, Errno> {
    rustix::fs::openat(folder, name, NEW, Mode::from_raw_mode(mode)).map(File::from)
}

/// Opens a file for reading by its path below `root`.
pub fn open_beneath(root: &Path, relative: &str) -> Result<File, FileError> {
    names_of(relative)?;
    let opened = Root::open(root).and_then(|root| root.file(relative));
    opened.map(File::from).map_err(|errno| errno_error("open", root, relative, errno))
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
    let mut folder = Root::open(root).map_err(io)?.fd;
    for step in folders {
        folder = open_or_make_folder(&folder, *step).map_err(io)?;
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let temp = format!("{TEMP_PREFIX}{}-{count}{TEMP_SUFFIX}", std::process::id());
    let written = create_in(&folder, &temp, 0o644)
        .map_err(io)?
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
        let folder = Root::open(root)?.folder(folders.join("/"))?;
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
            ".." => Err(bad("it must not contain `..`")),
            "" | "." => Err(bad("each part of it must be a name")),
            name => Ok(name),
        })
        .collect()
}

/// A folder below `root`, by a path of any bytes; the empty path is the root.
pub fn open_folder_beneath(root: &Path, relative: &Path) -> Result<OwnedFd, Errno> {
    let name = |part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(Errno::INVAL),
    };
    let names = relative.components().map(name).collect::<Result<PathBuf, _>>()?;
    Root::open(root)?.folder(names.as_os_str().as_bytes())
}

/// Like [`open_folder_beneath`], and makes the folders that are missing.
pub fn make_folder_beneath(root: &Path, relative: &Path) -> Result<OwnedFd, Errno> {
    relative.components().try_fold(Root::open(root)?.fd, |folder, part| match part {
        Component::Normal(name) => open_or_make_folder(&folder, name),
        _ => Err(Errno::INVAL),
    })
}

/// A folder right in another, made where it is missing.
pub fn open_or_make_folder(parent: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => open_folder(&parent, name),
        Err(errno) => Err(errno),
    }
}

fn errno_error(doing: &'static str, root: &Path, relative: &str, errno: Errno) -> FileError {
    match errno {
        // Where a folder is asked for, a link that is not followed counts as no folder.
        Errno::LOOP | Errno::XDEV | Errno::NOTDIR => FileError::BadPath {
            path: relative.to_owned(),
            why: "a symbolic link or a file is where a folder is needed; links are not followed",
        },
        errno => FileError::io(doing, &root.join(relative))(errno.into()),
    }
}
