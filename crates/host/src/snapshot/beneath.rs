//! Folders below the checkout by paths of bytes: no symlink on the way, whatever stands there.

use super::SnapshotError;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use std::path::{Path, PathBuf};

pub(super) const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::DIRECTORY);

/// The root of a checkout, held open.
#[derive(Debug)]
pub(super) struct Root {
    fd: OwnedFd,
    pub path: PathBuf,
}

impl Root {
    pub fn open(path: &Path) -> Result<Self, SnapshotError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let fd = rustix::fs::open(path, flags, Mode::empty())
            .map_err(SnapshotError::io("open", path))?;
        Ok(Self { fd, path: path.to_owned() })
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// The folder at a path below the root; the empty path is the root.
    pub fn folder(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        if path.is_empty() {
            return rustix::fs::openat(&self.fd, ".", FOLDER, Mode::empty());
        }
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&self.fd, path, FOLDER, Mode::empty(), resolve) {
            // Old kernels do not know the call, sandboxes refuse it, and a deep path is too long for one call.
            Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => self.by_steps(path),
            opened => opened,
        }
    }

    fn by_steps(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        let mut folder = rustix::fs::openat(&self.fd, ".", FOLDER, Mode::empty())?;
        for name in path.split(|byte| *byte == b'/') {
            folder = rustix::fs::openat(&folder, name, FOLDER, Mode::empty())?;
        }
        Ok(folder)
    }
}

/// The path of the folder that something is in, and its name there.
pub(super) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    if !folder.is_empty() {
        path.extend_from_slice(folder);
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// A path that names something below the root, and by one spelling only.
pub(super) fn is_inside(path: &[u8]) -> bool {
    !path.contains(&0)
        && path.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}
