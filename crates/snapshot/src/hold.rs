//! The right to change the snapshots of a checkout: one process at a time, by a lock of the operating system.

use super::store::ContentStore;
use super::{SnapshotError, Snapshots, retention};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::time::Duration;
use tollgate_files::Root;
use tollgate_files::write_lock::{self, Owned};

/// Held as long as this value lives.
#[derive(Debug)]
pub(super) struct Held {
    pub root: Root,
    pub store: ContentStore,
    _lock: File,
}

/// How long another process is waited for; a snapshot takes a second at most, unless the checkout is huge and new.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(50);

impl Snapshots {
    /// Waits for the lock, and cleans up after processes that were killed.
    pub(super) fn hold(&self) -> Result<Held, SnapshotError> {
        let root = Root::open(&self.root).map_err(SnapshotError::io("open", &self.root))?;
        make_folder(&self.folder)?;
        let lock = lock(&self.folder.join("lock"))?;
        let store = ContentStore::open(&self.folder.join("store"), self.read.clone())?;
        retention::sweep(self, &store)?;
        Ok(Held { root, store, _lock: lock })
    }
}

/// Closed to others: copies of secrets are in it.
fn make_folder(folder: &Path) -> Result<(), SnapshotError> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
            let not_a_folder = || SnapshotError::NotAFolder { path: folder.to_owned() };
            is_folder.then_some(()).ok_or_else(not_a_folder)
        }
        Err(error) => Err(SnapshotError::io("make", folder)(error)),
    }
}

fn lock(path: &Path) -> Result<File, SnapshotError> {
    let io = SnapshotError::io::<io::Error>("lock", path);
    for _ in 0..TRIES {
        match write_lock::try_own(path).map_err(&io)? {
            Owned::Ours(file) => return Ok(file),
            Owned::ByAnother(_) => std::thread::sleep(PAUSE),
        }
    }
    Err(SnapshotError::Busy)
}
