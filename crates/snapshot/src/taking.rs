//! Takes one snapshot under the lock: made aside, synced, and there by one rename.

use super::cache::{Cache, CachedFolder};
use super::coverage::{CoveredPaths, SnapshotScope};
use super::entry::{EntryStamp, Hash, LeftOut, Moment, SnapshotEntryKind, Why};
use super::hold::Held;
use super::info::{INFO, Info, Snapshot};
use super::scan::{self, SortedTree, TreeScan};
use super::step::step;
use super::{CACHE, MAKING, MANIFEST, SnapshotError, SnapshotId, Snapshots, manifest};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tollgate_core::time::Timestamp;
use tollgate_files as files;

/// So many files that were too large are named to a person; `show` names all.
const LARGE_NAMED_MAX: usize = 10;

#[derive(Debug)]
pub(super) struct Taken {
    pub snapshot: Snapshot,
    pub tree: TakenTree,
}

/// The tree that was taken; of an unchanged one the entries are not made unless someone asks.
#[derive(Debug)]
pub(super) enum TakenTree {
    Unchanged { scan: TreeScan, cache: Cache },
    Read(Vec<CachedFolder>),
}

impl TakenTree {
    /// As it is before a restore of the target.
    pub fn before(self, coverage: &CoveredPaths, target: &SortedTree) -> SortedTree {
        let folders = match self {
            Self::Read(folders) => folders,
            Self::Unchanged { scan, cache } => scan.folders(&cache),
        };
        SortedTree::before(&folders, coverage, target)
    }
}

impl Snapshots {
    /// Nothing of it is left when it fails.
    pub(super) fn take_held(
        &self,
        held: &Held,
        action: &str,
        scope: &SnapshotScope,
        coverage: &CoveredPaths,
        now: Timestamp,
    ) -> Result<Taken, SnapshotError> {
        let id = self.free_id(action, now)?;
        let making = self.folder.join(MAKING);
        std::fs::create_dir(&making).map_err(SnapshotError::io("make", &making))?;
        let taken = self.make(held, &making, &id, (action, now), scope, coverage);
        if taken.is_err() {
            held.store.give_up();
            // The first failure is the one to tell, and the next process sweeps what is left.
            let _ = std::fs::remove_dir_all(&making);
        }
        taken
    }

    fn make(
        &self,
        held: &Held,
        making: &Path,
        id: &SnapshotId,
        (action, taken_at): (&str, Timestamp),
        scope: &SnapshotScope,
        coverage: &CoveredPaths,
    ) -> Result<Taken, SnapshotError> {
        let all = self.list()?;
        let last = all.iter().find(|snapshot| snapshot.info.scope == *scope);
        let cache = last.map_or_else(Cache::default, |last| self.cache(last));
        let since = began(making)?;
        let scan = scan::scan(&held.root, coverage, &cache, Some(&held.store))?;
        let (tree, mut info) = match last {
            Some(last) if scan.is_same() => {
                let from = self.folder.join(last.id.as_str());
                share(&from.join(MANIFEST), &making.join(MANIFEST))?;
                share(&from.join(CACHE), &making.join(CACHE))?;
                (TakenTree::Unchanged { scan, cache }, last.info.clone())
            }
            _ => {
                let folders = scan.folders(&cache);
                let listing = SortedTree::of(&folders, coverage);
                let info = self.write_manifest(making, scope, &listing, last)?;
                let bytes = Cache::encode(&folders, since, coverage.digest());
                write_synced(&making.join(CACHE), &bytes)?;
                (TakenTree::Read(folders), info)
            }
        };
        info.sequence = all.first().map_or(1, |newest| newest.info.sequence + 1);
        (info.action, info.taken_at) = (action.to_owned(), taken_at);
        let text = serde_json::to_vec_pretty(&info).expect("names and numbers are JSON");
        write_synced(&making.join(INFO), &text)?;
        if held.store.has_grown() {
            held.store.sync()?;
        }
        let folder = self.folder.join(id.as_str());
        step();
        files::sync_folder(making)
            .and_then(|()| std::fs::rename(making, &folder))
            .and_then(|()| files::sync_folder(&self.folder))
            .map_err(SnapshotError::io("make", &folder))?;
        held.store.settle();
        step();
        Ok(Taken { snapshot: Snapshot::new(id.clone(), info), tree })
    }

    /// The same bytes as the last one's are the same file.
    fn write_manifest(
        &self,
        making: &Path,
        scope: &SnapshotScope,
        listing: &SortedTree,
        last: Option<&Snapshot>,
    ) -> Result<Info, SnapshotError> {
        let bytes = manifest::write(scope, listing);
        let hash = Hash(Sha256::digest(&bytes).into()).to_hex();
        let path = making.join(MANIFEST);
        match last.filter(|last| last.info.manifest_sha256 == hash) {
            Some(last) => share(&self.folder.join(last.id.as_str()).join(MANIFEST), &path)?,
            None => write_synced(&path, &bytes)?,
        }
        let files = listing.entries.iter().filter(|entry| !entry.is_dir());
        let size = |kind: &SnapshotEntryKind| match kind {
            SnapshotEntryKind::File { size, .. } => *size,
            _ => 0,
        };
        let large = listing.left_out.iter().filter(|left| left.why == Why::Large);
        let name = |left: &LeftOut| String::from_utf8_lossy(&left.path).into_owned();
        Ok(Info {
            sequence: 0,
            action: String::new(),
            taken_at: Timestamp::from_ms(0),
            files: files.clone().count() as u64,
            bytes: files.map(|entry| size(&entry.kind)).sum(),
            left_out: listing.left_out.len() as u64,
            large: large.map(name).take(LARGE_NAMED_MAX).collect(),
            scope: scope.clone(),
            manifest_sha256: hash,
            manifest_bytes: bytes.len() as u64,
        })
    }

    fn free_id(&self, action: &str, now: Timestamp) -> Result<SnapshotId, SnapshotError> {
        let mut number = 1;
        loop {
            let id = SnapshotId::new(action, now, number)
                .ok_or_else(|| SnapshotError::BadAction { action: action.to_owned() })?;
            if self.folder.join(id.as_str()).symlink_metadata().is_err() {
                return Ok(id);
            }
            number += 1;
        }
    }

    /// That of the newest snapshot that covers the same.
    pub(super) fn newest_cache(&self, scope: &SnapshotScope) -> Result<Cache, SnapshotError> {
        let all = self.list()?;
        let last = all.iter().find(|snapshot| snapshot.info.scope == *scope);
        Ok(last.map_or_else(Cache::default, |last| self.cache(last)))
    }

    fn cache(&self, snapshot: &Snapshot) -> Cache {
        let path = self.folder.join(snapshot.id.as_str()).join(CACHE);
        Cache::decode(std::fs::read(path).unwrap_or_default())
    }
}

/// When the folder was made, by the clock that also stamps files.
fn began(making: &Path) -> Result<Moment, SnapshotError> {
    let stat = rustix::fs::lstat(making).map_err(SnapshotError::io("look at", making))?;
    Ok(EntryStamp::of(&stat).changed)
}

/// One file under two names, or a copy where the file system cannot do that.
fn share(from: &Path, to: &Path) -> Result<(), SnapshotError> {
    step();
    std::fs::hard_link(from, to)
        .or_else(|_| std::fs::copy(from, to).and_then(|_| File::open(to)?.sync_all()))
        .map_err(SnapshotError::io("write", to))
}

fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), SnapshotError> {
    step();
    let write = || -> io::Result<()> {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_data()
    };
    write().map_err(SnapshotError::io("write", path))
}
