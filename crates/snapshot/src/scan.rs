//! A look at the whole tree with few system calls: a folder whose stamp is unchanged is not listed again, a file whose
//! stamp is unchanged is not read again, and two or more threads share the folders.

use super::SnapshotError;
use super::cache::{Cache, Cached, CachedFolder, Child, ChildKind, ChildRef, WhatRef};
use super::coverage::{CoveredPaths, is_never};
use super::entry::{EntryStamp, LeftOut, Moment, SnapshotEntry, SnapshotEntryKind, Why};
use super::paths::{join, split};
use super::store::{self, ContentStore};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType};
use rustix::io::Errno;
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Condvar, Mutex};
use tollgate_files::{Root, open_in};

/// More threads than this wait for each other in the kernel.
const THREADS_MAX: usize = 4;

/// A larger file is left out by name, and a restore leaves it alone.
const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// What was found.
#[derive(Debug)]
pub(super) struct TreeScan {
    folders: Vec<ScannedFolder>,
}

#[derive(Debug)]
enum ScannedFolder {
    /// As the cache has it, to the last stamp.
    Same(Vec<u8>),
    Changed(CachedFolder),
}

/// A tree as entries sorted by path.
#[derive(Debug, Default)]
pub(super) struct SortedTree {
    pub entries: Vec<SnapshotEntry>,
    pub left_out: Vec<LeftOut>,
}

/// Looks at the tree; with a store, the content of what is new is kept there.
pub(super) fn scan(
    root: &Root,
    coverage: &CoveredPaths,
    cache: &Cache,
    store: Option<&ContentStore>,
) -> Result<TreeScan, SnapshotError> {
    let names_hold = cache.coverage == Some(coverage.digest());
    let look = Scanner { root, coverage, cache, names_hold, store, queue: Queue::default() };
    look.queue.add(vec![Vec::new()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let folders = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(|| look.work())).collect();
        let mut all = look.work();
        for worker in workers {
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    match look.queue.failure() {
        Some(error) => Err(error),
        None => Ok(TreeScan { folders }),
    }
}

impl TreeScan {
    /// Nothing differs from the cache, not even a stamp.
    pub fn is_same(&self) -> bool {
        self.folders.iter().all(|folder| matches!(folder, ScannedFolder::Same(_)))
    }

    /// All folders, those that are unchanged out of the cache.
    pub fn folders(self, cache: &Cache) -> Vec<CachedFolder> {
        let unpack = |seen| match seen {
            ScannedFolder::Changed(folder) => folder,
            ScannedFolder::Same(path) => {
                let cached = cache.folder(&path).expect("it was found there a moment ago");
                let children = cached.children().map(ChildRef::to_child).collect();
                CachedFolder { path, stamp: cached.stamp, children, is_closed: cached.is_closed }
            }
        };
        let mut folders: Vec<CachedFolder> = self.folders.into_iter().map(unpack).collect();
        folders.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        folders
    }
}

impl SortedTree {
    /// What a snapshot holds.
    pub fn of(folders: &[CachedFolder], coverage: &CoveredPaths) -> Self {
        Self::with_folders(folders, coverage, &[])
    }

    /// What a restore is compared with: folders that the snapshot knows count even where nothing else of them does.
    pub fn before(folders: &[CachedFolder], coverage: &CoveredPaths, target: &Self) -> Self {
        Self::with_folders(folders, coverage, &target.entries)
    }

    fn with_folders(
        folders: &[CachedFolder],
        coverage: &CoveredPaths,
        known: &[SnapshotEntry],
    ) -> Self {
        let mut listing = Self::default();
        for folder in folders {
            if folder.is_closed {
                let path = folder.path.clone();
                listing.left_out.push(LeftOut { path, why: Why::Unreadable });
            } else if !folder.path.is_empty() {
                let (path, mode) = (folder.path.clone(), folder.stamp.permissions());
                let stamp = Some(folder.stamp);
                listing.entries.push(SnapshotEntry {
                    path,
                    mode,
                    kind: SnapshotEntryKind::Dir,
                    stamp,
                });
            }
            for child in &folder.children {
                listing.add(&folder.path, child);
            }
        }
        listing.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        listing.left_out.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        if !coverage.takes_empty_folders() {
            listing.drop_empty_folders(known);
        }
        listing
    }

    fn add(&mut self, folder: &[u8], child: &Child) {
        let kind = match &child.what {
            ChildKind::Folder => return,
            ChildKind::LeftOut(why) => {
                let path = join(folder, &child.name);
                return self.left_out.push(LeftOut { path, why: *why });
            }
            ChildKind::File { size, hash } => SnapshotEntryKind::File { size: *size, hash: *hash },
            ChildKind::Symlink(target) => SnapshotEntryKind::Symlink { target: target.clone() },
        };
        let mode = child.stamp.permissions();
        let stamp = Some(child.stamp);
        self.entries.push(SnapshotEntry { path: join(folder, &child.name), mode, kind, stamp });
    }

    /// Where patterns choose files, a folder belongs to them only as the way there.
    fn drop_empty_folders(&mut self, known: &[SnapshotEntry]) {
        let mut needed: HashSet<Vec<u8>> = known.iter().map(|entry| entry.path.clone()).collect();
        for entry in self.entries.iter().filter(|entry| !entry.is_dir()) {
            let mut folder = split(&entry.path).0;
            while !folder.is_empty() {
                needed.insert(folder.to_vec());
                folder = split(folder).0;
            }
        }
        self.entries.retain(|entry| !entry.is_dir() || needed.contains(&entry.path));
    }
}

/// Folders still to be looked at, shared by the threads.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<QueueState>,
    more: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: Vec<Vec<u8>>,
    /// Taken and not finished: more may come of them.
    busy: usize,
    failure: Option<SnapshotError>,
}

impl Queue {
    fn add(&self, folders: Vec<Vec<u8>>) {
        if folders.is_empty() {
            return;
        }
        self.state.lock().expect("no thread panics with it").waiting.extend(folders);
        self.more.notify_all();
    }

    /// None when all is done or something failed.
    fn next(&self) -> Option<Vec<u8>> {
        let mut state = self.state.lock().expect("no thread panics with it");
        loop {
            if state.failure.is_some() {
                return None;
            }
            if let Some(folder) = state.waiting.pop() {
                state.busy += 1;
                return Some(folder);
            }
            if state.busy == 0 {
                return None;
            }
            state = self.more.wait(state).expect("no thread panics with it");
        }
    }

    fn finished(&self, result: Result<(), SnapshotError>) {
        let mut state = self.state.lock().expect("no thread panics with it");
        state.busy -= 1;
        let is_last = state.busy == 0 && state.waiting.is_empty();
        if let Err(error) = result {
            state.failure.get_or_insert(error);
        }
        if is_last || state.failure.is_some() {
            self.more.notify_all();
        }
    }

    fn failure(&self) -> Option<SnapshotError> {
        self.state.lock().expect("no thread panics with it").failure.take()
    }
}

struct Scanner<'l> {
    root: &'l Root,
    coverage: &'l CoveredPaths,
    cache: &'l Cache,
    /// An unchanged folder of the cache has the same covered names.
    names_hold: bool,
    store: Option<&'l ContentStore>,
    queue: Queue,
}

impl Scanner<'_> {
    fn work(&self) -> Vec<ScannedFolder> {
        let mut seen = Vec::new();
        let mut scratch = Vec::new();
        while let Some(path) = self.queue.next() {
            let result = self.folder(path, &mut scratch).map(|found| seen.extend(found));
            self.queue.finished(result);
        }
        seen
    }

    /// None when it is gone in the meantime.
    fn folder(
        &self,
        path: Vec<u8>,
        scratch: &mut Vec<u8>,
    ) -> Result<Option<ScannedFolder>, SnapshotError> {
        let fd = match self.root.folder(&path) {
            Ok(fd) => fd,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if !path.is_empty() => return Ok(None),
            Err(Errno::ACCESS | Errno::PERM) if !path.is_empty() => {
                let (stamp, children) = (EntryStamp::default(), Vec::new());
                return Ok(Some(ScannedFolder::Changed(CachedFolder {
                    path,
                    stamp,
                    children,
                    is_closed: true,
                })));
            }
            Err(errno) => return Err(SnapshotError::at("open the folder", &path, errno)),
        };
        let stat = rustix::fs::fstat(&fd)
            .map_err(|errno| SnapshotError::at("look at the folder", &path, errno))?;
        let stamp = EntryStamp::of(&stat);
        let cached = self.cache.folder(&path);
        if let Some(cached) = cached.filter(|cached| self.holds(cached, &stamp))
            && let Some(below) = self.unchanged(fd.as_fd(), &path, &cached)
        {
            self.queue.add(below);
            return Ok(Some(ScannedFolder::Same(path)));
        }
        let children = self.children(&fd, &path, cached, scratch)?;
        let folders = children.iter().filter(|child| child.what == ChildKind::Folder);
        self.queue.add(folders.map(|child| join(&path, &child.name)).collect());
        if cached.is_some_and(|cached| self.is_as_cached(&stamp, &children, &cached)) {
            return Ok(Some(ScannedFolder::Same(path)));
        }
        Ok(Some(ScannedFolder::Changed(CachedFolder { path, stamp, children, is_closed: false })))
    }

    /// Whether the names in the folder are those of the cache.
    fn holds(&self, cached: &Cached<'_>, stamp: &EntryStamp) -> bool {
        self.names_hold
            && !cached.is_closed
            && cached.stamp == *stamp
            && self.cache.is_settled(stamp.changed)
    }

    /// The folders in it when every child is as the cache has it, else none.
    fn unchanged(
        &self,
        fd: BorrowedFd<'_>,
        path: &[u8],
        cached: &Cached<'_>,
    ) -> Option<Vec<Vec<u8>>> {
        let mut below = Vec::new();
        let mut children = cached.children();
        for child in children.by_ref() {
            match child.what {
                WhatRef::Folder => below.push(join(path, child.name)),
                WhatRef::LeftOut(Why::Git | Why::Ignored) => {}
                // It may be readable or small by now.
                WhatRef::LeftOut(Why::Unreadable | Why::Large) => return None,
                WhatRef::LeftOut(Why::Special) => {
                    let stat =
                        rustix::fs::statat(fd, child.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                    if !is_special(FileType::from_raw_mode(stat.st_mode)) {
                        return None;
                    }
                }
                WhatRef::File { .. } | WhatRef::Symlink(_) => {
                    let stat =
                        rustix::fs::statat(fd, child.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
                    if !self.is_unchanged(&child, &EntryStamp::of(&stat)) {
                        return None;
                    }
                }
            }
        }
        children.is_at_end().then_some(below)
    }

    /// A folder that had to be listed again and shows what the cache has. Where a file had to be read again, a new
    /// cache saves doing so forever.
    fn is_as_cached(&self, stamp: &EntryStamp, children: &[Child], cached: &Cached<'_>) -> bool {
        let is_settled = |child: &ChildRef<'_>| match child.what {
            WhatRef::File { .. } => self.cache.is_settled(child.stamp.changed),
            _ => true,
        };
        let mut known = cached.children();
        let all_same = children
            .iter()
            .all(|child| known.next().is_some_and(|known| known.is(child) && is_settled(&known)));
        all_same && known.is_at_end() && cached.stamp == *stamp && !cached.is_closed
    }

    fn is_unchanged(&self, child: &ChildRef<'_>, now: &EntryStamp) -> bool {
        child.stamp == *now && self.cache.is_settled(now.changed)
    }

    fn children(
        &self,
        fd: &OwnedFd,
        path: &[u8],
        cached: Option<Cached<'_>>,
        scratch: &mut Vec<u8>,
    ) -> Result<Vec<Child>, SnapshotError> {
        let names = names(fd).map_err(|errno| SnapshotError::at("list the folder", path, errno))?;
        let mut known = cached.map(|cached| cached.children().peekable());
        let mut children = Vec::with_capacity(names.len());
        for name in names {
            let known = known.as_mut().and_then(|known| {
                while known.next_if(|child| child.name < &name[..]).is_some() {}
                known.next_if(|child| child.name == &name[..])
            });
            children.extend(self.child(fd.as_fd(), path, name, known, scratch)?);
        }
        Ok(children)
    }

    /// None for what is not covered, and for what is gone in the meantime.
    fn child(
        &self,
        fd: BorrowedFd<'_>,
        folder: &[u8],
        name: Vec<u8>,
        known: Option<ChildRef<'_>>,
        scratch: &mut Vec<u8>,
    ) -> Result<Option<Child>, SnapshotError> {
        let path = join(folder, &name);
        if is_never(&path) {
            return Ok(None);
        }
        let left_out =
            |name, why| Child { name, stamp: EntryStamp::default(), what: ChildKind::LeftOut(why) };
        if let Some(why) = self.coverage.leaves(&path) {
            return Ok(Some(left_out(name, why)));
        }
        let fail = |errno| SnapshotError::at("look at", &path, errno);
        let stat = match rustix::fs::statat(fd, &name[..], AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::ACCESS) => return Ok(Some(left_out(name, Why::Unreadable))),
            Err(errno) => return Err(fail(errno)),
        };
        let stamp = EntryStamp::of(&stat);
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind == FileType::Directory {
            return Ok(Some(Child { name, stamp: EntryStamp::default(), what: ChildKind::Folder }));
        }
        if !self.coverage.takes(&path) {
            return Ok(None);
        }
        if let Some(known) = known.filter(|known| self.is_unchanged(known, &stamp)) {
            return Ok(Some(known.to_child()));
        }
        match kind {
            FileType::RegularFile => self.file(fd, &path, name, scratch),
            FileType::Symlink => match rustix::fs::readlinkat(fd, &name[..], Vec::new()) {
                Ok(target) => {
                    let what = ChildKind::Symlink(target.into_bytes());
                    Ok(Some(Child { name, stamp, what }))
                }
                Err(Errno::NOENT | Errno::INVAL) => Ok(None),
                Err(errno) => Err(fail(errno)),
            },
            _ => Ok(Some(left_out(name, Why::Special))),
        }
    }

    fn file(
        &self,
        fd: BorrowedFd<'_>,
        path: &[u8],
        name: Vec<u8>,
        scratch: &mut Vec<u8>,
    ) -> Result<Option<Child>, SnapshotError> {
        let left_out =
            |name, why| Child { name, stamp: EntryStamp::default(), what: ChildKind::LeftOut(why) };
        let mut file = match open_in(fd, &name[..]) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::ACCESS | Errno::PERM) => return Ok(Some(left_out(name, Why::Unreadable))),
            Err(Errno::LOOP | Errno::NXIO) => return Ok(Some(left_out(name, Why::Special))),
            Err(errno) => return Err(SnapshotError::at("read", path, errno)),
        };
        let fail = |errno| SnapshotError::at("look at", path, errno);
        let before = rustix::fs::fstat(&file).map_err(fail)?;
        if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
            return Ok(Some(left_out(name, Why::Special)));
        }
        if u64::try_from(before.st_size).is_ok_and(|size| size > FILE_BYTES_MAX) {
            return Ok(Some(left_out(name, Why::Large)));
        }
        let kept = match self.store {
            Some(store) => store.keep(&mut file, scratch)?,
            None => store::hash(&mut file, scratch).map_err(|source| SnapshotError::Io {
                doing: "read",
                path: std::ffi::OsStr::from_bytes(path).into(),
                source,
            })?,
        };
        let mut stamp = EntryStamp::of(&before);
        if EntryStamp::of(&rustix::fs::fstat(&file).map_err(fail)?) != stamp {
            // It changed while it was read: kept is what was read, and the next look reads it again.
            stamp.changed = Moment::default();
        }
        let what = ChildKind::File { size: kept.size, hash: kept.hash };
        Ok(Some(Child { name, stamp, what }))
    }
}

fn is_special(kind: FileType) -> bool {
    !matches!(kind, FileType::RegularFile | FileType::Symlink | FileType::Directory)
}

/// The names in a folder, sorted.
fn names(fd: &OwnedFd) -> Result<Vec<Vec<u8>>, Errno> {
    let mut names = Vec::new();
    for found in Dir::read_from(fd)? {
        let found = found?;
        let name = found.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(name.to_vec());
        }
    }
    names.sort_unstable();
    Ok(names)
}
