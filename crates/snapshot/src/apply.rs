//! Makes the tree that of a snapshot. Every step leaves a tree from which the same work can be found and continued.

use super::SnapshotError;
use super::coverage::RESTORE_PREFIX;
use super::entry::{EntryStamp, SnapshotEntry, SnapshotEntryKind};
use super::manifest::Manifest;
use super::paths::split;
use super::plan::RestoreWork;
use super::scan::SortedTree;
use super::step::step;
use super::store::{ContentStore, SYNCED_ALONE_MAX};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use tollgate_files::{Root, create_in};

/// Does the work; the tree is on disk when this returns.
pub(super) fn apply(
    root: &Root,
    store: &ContentStore,
    work: &RestoreWork<'_>,
    now: &SortedTree,
    then: &Manifest,
) -> Result<(), SnapshotError> {
    let changes = work.remove.len() + work.put.len() + work.chmod.len();
    let syncs_alone = changes <= SYNCED_ALONE_MAX;
    let covers_all = then.scope.covers.is_empty();
    let mut hand = Hand { root, store, folder: None, count: 0, syncs_alone, covers_all };
    let opened = hand.open_folders(work, now)?;
    for entry in work.remove.iter().rev() {
        hand.remove(entry)?;
    }
    for (entry, in_place) in &work.put {
        hand.put(entry, *in_place)?;
    }
    for entry in work.chmod.iter().filter(|entry| !entry.is_dir()) {
        hand.chmod(&entry.path, entry.mode)?;
    }
    if syncs_alone {
        hand.sync_folders(work)?;
    }
    hand.close_folders(work, opened, &then.listing)?;
    if syncs_alone {
        return Ok(());
    }
    rustix::fs::syncfs(root.fd()).map_err(SnapshotError::io("sync", root.path()))
}

struct Hand<'h> {
    root: &'h Root,
    store: &'h ContentStore,
    /// The folder that was worked in last, held open.
    folder: Option<(Vec<u8>, OwnedFd)>,
    count: u64,
    /// Each file and folder is synced by itself.
    syncs_alone: bool,
    /// Nothing is in a folder that is to go but what goes, too.
    covers_all: bool,
}

const OWNER_ALL: u32 = 0o700;

impl Hand<'_> {
    /// Folders in which something changes, and those on the way there, must let us; gives the modes that they had.
    fn open_folders(
        &mut self,
        work: &RestoreWork<'_>,
        now: &SortedTree,
    ) -> Result<BTreeMap<Vec<u8>, u32>, SnapshotError> {
        let mut touched: HashSet<&[u8]> = HashSet::new();
        for path in changed_paths(work) {
            let mut folder = split(path).0;
            while !folder.is_empty() && touched.insert(folder) {
                folder = split(folder).0;
            }
        }
        let mut opened = BTreeMap::new();
        let closed = now.entries.iter().filter(|entry| {
            entry.is_dir()
                && entry.mode & OWNER_ALL != OWNER_ALL
                && touched.contains(&entry.path[..])
        });
        for entry in closed {
            self.chmod(&entry.path, entry.mode | OWNER_ALL)?;
            opened.insert(entry.path.clone(), entry.mode);
        }
        Ok(opened)
    }

    /// The deepest first, for a folder that is closed lets nobody change what is in it.
    fn close_folders(
        &mut self,
        work: &RestoreWork<'_>,
        opened: BTreeMap<Vec<u8>, u32>,
        then: &SortedTree,
    ) -> Result<(), SnapshotError> {
        let removed: BTreeSet<&[u8]> = work.remove.iter().map(|entry| &entry.path[..]).collect();
        let put: BTreeSet<&[u8]> = work.put.iter().map(|(entry, _)| &entry.path[..]).collect();
        let mut modes: BTreeMap<&[u8], u32> = opened
            .iter()
            .map(|(path, mode)| (&path[..], *mode))
            .filter(|(path, _)| !put.contains(path))
            .collect();
        for entry in then.entries.iter().filter(|entry| entry.is_dir()) {
            if let Some(mode) = modes.get_mut(&entry.path[..]) {
                *mode = entry.mode;
            }
        }
        let made = work.put.iter().map(|(entry, _)| *entry).chain(work.chmod.iter().copied());
        modes
            .extend(made.filter(|entry| entry.is_dir()).map(|entry| (&entry.path[..], entry.mode)));
        for (path, mode) in modes.into_iter().rev() {
            match self.chmod(path, mode) {
                // It is gone as it should be; it would stay only with something in it that is not covered.
                Err(_) if removed.contains(path) => {}
                result => result?,
            }
        }
        Ok(())
    }

    fn sync_folders(&mut self, work: &RestoreWork<'_>) -> Result<(), SnapshotError> {
        let folders: BTreeSet<&[u8]> = changed_paths(work).map(|path| split(path).0).collect();
        for path in folders {
            match self.root.folder(path) {
                Ok(folder) => rustix::fs::fsync(folder)
                    .map_err(|errno| SnapshotError::at("sync the folder", path, errno))?,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                Err(errno) => return Err(SnapshotError::at("sync the folder", path, errno)),
            }
        }
        Ok(())
    }

    fn remove(&mut self, entry: &SnapshotEntry) -> Result<(), SnapshotError> {
        let flags = if entry.is_dir() {
            AtFlags::REMOVEDIR
        } else {
            self.expect_unchanged(entry)?;
            AtFlags::empty()
        };
        let (folder, name) = self.place(&entry.path)?;
        step();
        match rustix::fs::unlinkat(folder, name, flags) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) if entry.is_dir() && !self.covers_all => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::ISDIR | Errno::NOTDIR) => {
                Err(SnapshotError::Moved { path: entry.path.clone() })
            }
            Err(errno) => Err(SnapshotError::at("remove", &entry.path, errno)),
        }
    }

    /// What was kept must still be what is there; else someone's work would be lost.
    fn expect_unchanged(&mut self, entry: &SnapshotEntry) -> Result<(), SnapshotError> {
        let (folder, name) = self.place(&entry.path)?;
        let moved = || SnapshotError::Moved { path: entry.path.clone() };
        let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(()),
            Err(_) => return Err(moved()),
        };
        let seen = entry.stamp.unwrap_or_default();
        if EntryStamp::of(&stat).has_same_content(&seen) { Ok(()) } else { Err(moved()) }
    }

    fn put(
        &mut self,
        entry: &SnapshotEntry,
        in_place: Option<&SnapshotEntry>,
    ) -> Result<(), SnapshotError> {
        let fail = |errno| SnapshotError::at("restore", &entry.path, errno);
        if entry.is_dir() {
            let (folder, name) = self.place(&entry.path)?;
            step();
            return match rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(OWNER_ALL)) {
                Ok(()) => Ok(()),
                Err(Errno::EXIST) => Err(SnapshotError::Moved { path: entry.path.clone() }),
                Err(errno) => Err(fail(errno)),
            };
        }
        match in_place {
            Some(now) => self.expect_unchanged(now)?,
            None => self.expect_nothing(&entry.path)?,
        }
        let (store, syncs_alone) = (self.store, self.syncs_alone);
        let mut count = self.count;
        let (folder, name) = self.place(&entry.path)?;
        step();
        let (temporary, made) = loop {
            count += 1;
            let number = format!("{}-{count}.tmp", std::process::id());
            let temporary = [RESTORE_PREFIX, number.as_bytes()].concat();
            match make(store, folder, &temporary, entry, syncs_alone) {
                Err(SnapshotError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::AlreadyExists => {}
                made => break (temporary, made),
            }
        };
        let placed = made.and_then(|()| {
            step();
            rustix::fs::renameat(folder, &temporary[..], folder, name).map_err(fail)
        });
        if placed.is_err() {
            // The first failure is the one to tell.
            let _ = rustix::fs::unlinkat(folder, &temporary[..], AtFlags::empty());
        }
        self.count = count;
        placed
    }

    fn expect_nothing(&mut self, path: &[u8]) -> Result<(), SnapshotError> {
        let (folder, name) = self.place(path)?;
        match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(()),
            _ => Err(SnapshotError::Moved { path: path.to_vec() }),
        }
    }

    /// Through a handle of the file itself: a symlink put there in the meantime is not followed, and no right to read is needed.
    fn chmod(&mut self, path: &[u8], mode: u32) -> Result<(), SnapshotError> {
        let fail = |errno| SnapshotError::at("set the mode of", path, errno);
        let (folder, name) = self.place(path)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(folder, name, flags, Mode::empty()).map_err(fail)?;
        let found = rustix::fs::fstat(&fd).map_err(fail)?;
        if rustix::fs::FileType::from_raw_mode(found.st_mode).is_symlink() {
            return Err(SnapshotError::Moved { path: path.to_vec() });
        }
        step();
        let itself = format!("/proc/self/fd/{}", fd.as_raw_fd());
        rustix::fs::chmod(itself, Mode::from_raw_mode(mode)).map_err(fail)
    }

    /// The open folder of a path, and the name there.
    fn place<'p>(&mut self, path: &'p [u8]) -> Result<(BorrowedFd<'_>, &'p [u8]), SnapshotError> {
        let (folder, name) = split(path);
        let is_open = self.folder.as_ref().is_some_and(|(open, _)| open == folder);
        if !is_open {
            let fd = self
                .root
                .folder(folder)
                .map_err(|errno| SnapshotError::at("open the folder", folder, errno))?;
            self.folder = Some((folder.to_vec(), fd));
        }
        let (_, fd) = self.folder.as_ref().expect("it was opened above");
        Ok((fd.as_fd(), name))
    }
}

fn changed_paths<'w>(work: &'w RestoreWork<'_>) -> impl Iterator<Item = &'w [u8]> {
    let removed = work.remove.iter().map(|entry| &entry.path[..]);
    let put = work.put.iter().map(|(entry, _)| &entry.path[..]);
    removed.chain(put).chain(work.chmod.iter().map(|entry| &entry.path[..]))
}

/// A new file or symlink under a temporary name, to be renamed.
fn make(
    store: &ContentStore,
    folder: BorrowedFd<'_>,
    temporary: &[u8],
    entry: &SnapshotEntry,
    is_synced: bool,
) -> Result<(), SnapshotError> {
    let fail = |errno| SnapshotError::at("restore", &entry.path, errno);
    let hash = match &entry.kind {
        SnapshotEntryKind::File { hash, .. } => *hash,
        SnapshotEntryKind::Symlink { target } => {
            return rustix::fs::symlinkat(&target[..], folder, temporary).map_err(fail);
        }
        SnapshotEntryKind::Dir => unreachable!("a folder is made in its place"),
    };
    let mut file = create_in(folder, temporary, 0o600).map_err(fail)?;
    store.copy_out(hash, &mut file)?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(entry.mode)).map_err(fail)?;
    if is_synced { rustix::fs::fsync(&file).map_err(fail) } else { Ok(()) }
}
