//! Snapshots of a checkout and going back to them: `.snapshots/<action>-<time>/manifest.json` beside a store of contents.
//!
//! A snapshot appears by the rename of a finished folder. A restore first takes a snapshot of what it replaces, writes down
//! that it is under way, and can be killed anywhere: run again, it continues, and undo still leads to where it began.

mod apply;
mod cache;
mod coverage;
mod entry;
mod error;
mod hold;
mod id;
mod info;
mod manifest;
mod paths;
mod plan;
mod record;
mod retention;
mod scan;
mod step;
mod store;
mod taking;

pub use coverage::{NEVER, SnapshotScope};
pub use entry::{LeftOut, Why};
pub use error::SnapshotError;
pub use id::SnapshotId;
pub use info::Snapshot;
pub use plan::RestorePlan;
pub use retention::Retention;
pub use store::ReadSoFar;

use coverage::CoveredPaths;
use entry::SnapshotEntry;
use hold::Held;
use info::{CACHE, MANIFEST};
use manifest::Manifest;
use record::RestoreRecord;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tollgate_core::time::Timestamp;
use tollgate_files::Root;

/// The action of the snapshots that a restore takes.
pub const RESTORE: &str = "restore";

/// A half-made snapshot; there is one at most, under the lock.
const MAKING: &str = ".making";

/// Takes the snapshot before an action. `covers` are the patterns that its roles may write, none for the whole checkout;
/// what git ignores is left out, because it can be huge and nobody's work is in it. `read` says how far it is.
pub fn take(
    root: &Path,
    action: &str,
    covers: &[String],
    now: Timestamp,
    keep: u32,
    days: u32,
    read: &Arc<ReadSoFar>,
) -> Result<Snapshot, SnapshotError> {
    let scope = SnapshotScope { covers: covers.to_vec(), with_ignored: false };
    Snapshots { read: read.clone(), ..Snapshots::of(root) }.take(
        action,
        &scope,
        now,
        Retention { keep, days },
    )
}

/// The snapshots of one checkout.
#[derive(Debug, Clone)]
pub struct Snapshots {
    root: PathBuf,
    folder: PathBuf,
    read: Arc<ReadSoFar>,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub target: SnapshotId,
    pub plan: RestorePlan,
    /// Holds what was there before; none when there was nothing to do.
    pub undo: Option<SnapshotId>,
}

/// What a snapshot has to say of the tree as it is now.
#[derive(Debug)]
pub struct SnapshotDetails {
    pub snapshot: Snapshot,
    /// What a restore would do.
    pub plan: RestorePlan,
    /// What the snapshot does not hold; a restore leaves it alone.
    pub left_out: Vec<LeftOut>,
}

impl Snapshots {
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), folder: root.join(".snapshots"), read: Arc::default() }
    }

    /// Those that can be used, the newest first.
    pub fn list(&self) -> Result<Vec<Snapshot>, SnapshotError> {
        info::list(&self.folder)
    }

    /// Those that cannot be used, whatever happened to them; they count for nothing.
    pub fn damaged(&self) -> Result<Vec<SnapshotId>, SnapshotError> {
        info::damaged(&self.folder)
    }

    /// The one that a person means: a name, a unique beginning of one, or `latest`, which is the newest that no restore made.
    pub fn find(&self, text: &str) -> Result<Snapshot, SnapshotError> {
        let mut all = self.list()?;
        if text == "latest" {
            let latest = all.into_iter().find(|snapshot| snapshot.action != RESTORE);
            return latest.ok_or(SnapshotError::None);
        }
        if let Some(at) = all.iter().position(|snapshot| snapshot.id.as_str() == text) {
            return Ok(all.swap_remove(at));
        }
        all.retain(|snapshot| !text.is_empty() && snapshot.id.as_str().starts_with(text));
        match all.len() {
            0 => Err(SnapshotError::Unknown { text: text.to_owned() }),
            1 => Ok(all.swap_remove(0)),
            _ => Err(SnapshotError::Ambiguous {
                text: text.to_owned(),
                candidates: all.into_iter().map(|snapshot| snapshot.id.to_string()).collect(),
            }),
        }
    }

    /// Takes a snapshot and removes those that are too many or too old.
    pub fn take(
        &self,
        action: &str,
        scope: &SnapshotScope,
        now: Timestamp,
        retention: Retention,
    ) -> Result<Snapshot, SnapshotError> {
        let held = self.hold()?;
        let ignored =
            if scope.with_ignored { BTreeMap::new() } else { coverage::ignored(&self.root)? };
        let coverage = CoveredPaths::new(scope, ignored)?;
        let taken = self.take_held(&held, action, scope, &coverage, now)?;
        self.prune(&held, retention, now)?;
        Ok(taken.snapshot)
    }

    /// What restoring a snapshot would do. Changes nothing.
    pub fn show(&self, snapshot: Snapshot) -> Result<SnapshotDetails, SnapshotError> {
        let manifest = self.manifest(&snapshot)?;
        let coverage = self.coverage_of(&manifest)?;
        let root = Root::open(&self.root).map_err(SnapshotError::io("open", &self.root))?;
        let cache = self.newest_cache(&manifest.scope)?;
        let scan = scan::scan(&root, &coverage, &cache, None)?;
        let now = scan::SortedTree::before(&scan.folders(&cache), &coverage, &manifest.listing);
        let plan = plan::work(&now, &manifest.listing)?.plan();
        Ok(SnapshotDetails { snapshot, plan, left_out: manifest.listing.left_out })
    }

    /// Makes the tree that of the snapshot, for all that it covers.
    pub fn restore(
        &self,
        snapshot: &Snapshot,
        now: Timestamp,
        retention: Retention,
    ) -> Result<Restored, SnapshotError> {
        self.go_back(snapshot, false, now, retention)
    }

    /// The snapshot that an undo goes back to: what the last restore replaced, also when that restore was interrupted.
    pub fn undoable(&self) -> Result<Snapshot, SnapshotError> {
        let under_way = self.under_way().map(|record| match record.is_undo {
            true => record.target,
            false => record.undo,
        });
        let id = under_way.or_else(|| self.finished().map(|record| record.undo));
        let id = id.ok_or(SnapshotError::NothingToUndo)?;
        let found = self.list()?.into_iter().find(|snapshot| snapshot.id == id);
        found.ok_or(SnapshotError::NothingToUndo)
    }

    /// Takes the last restore back; a second undo takes the first one back.
    pub fn undo(&self, now: Timestamp, retention: Retention) -> Result<Restored, SnapshotError> {
        self.go_back(&self.undoable()?, true, now, retention)
    }

    /// Removes one snapshot, and from the store what only it held.
    pub fn delete(&self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        let held = self.hold()?;
        if let Some(record) = self.under_way()
            && [&record.target, &record.undo].contains(&&snapshot.id)
        {
            let (id, target) = (snapshot.id.clone(), record.target);
            return Err(SnapshotError::InUse { id, target });
        }
        retention::remove(self, &held.store, &[&snapshot.id])
    }

    /// A restore that was interrupted, by the snapshot that it was to restore.
    pub fn unfinished(&self) -> Option<SnapshotId> {
        self.under_way().map(|record| record.target)
    }

    fn go_back(
        &self,
        snapshot: &Snapshot,
        is_undo: bool,
        at: Timestamp,
        retention: Retention,
    ) -> Result<Restored, SnapshotError> {
        let held = self.hold()?;
        let target = self.manifest(snapshot)?;
        let coverage = self.coverage_of(&target)?;
        let broken_off = self.under_way();
        let taken = self.take_held(&held, RESTORE, &target.scope, &coverage, at)?;
        let before = taken.snapshot.id.clone();
        let tree = taken.tree.before(&coverage, &target.listing);
        let work = match plan::work(&tree, &target.listing) {
            Ok(work) => work,
            Err(error) => {
                // It holds what is there anyhow.
                retention::remove(self, &held.store, &[&before])?;
                return Err(error);
            }
        };
        let restored = |plan, undo| Restored { target: snapshot.id.clone(), plan, undo };
        if work.is_empty() && broken_off.is_none() {
            retention::remove(self, &held.store, &[&before])?;
            return Ok(restored(RestorePlan::default(), None));
        }
        expect_contents(&held, snapshot, &work)?;
        let undo = match broken_off {
            Some(record) if self.goes_on(&record, snapshot, is_undo) => record.undo,
            _ => before,
        };
        let record = RestoreRecord { target: snapshot.id.clone(), undo: undo.clone(), is_undo };
        self.begin_record(&record)?;
        step::step();
        apply::apply(&held.root, &held.store, &work, &tree, &target)?;
        step::step();
        let plan = work.plan();
        self.log_restore(at, &record, &plan)?;
        self.finish_record()?;
        self.prune(&held, retention, at)?;
        Ok(restored(plan, Some(undo)))
    }

    /// Whether a restore that was interrupted is what this one finishes or takes over, so that undo must lead to where
    /// that one began.
    fn goes_on(&self, broken_off: &RestoreRecord, snapshot: &Snapshot, is_undo: bool) -> bool {
        if broken_off.target == snapshot.id {
            return true;
        }
        let covers_the_same = || {
            let began = self.find(broken_off.undo.as_str());
            began.is_ok_and(|began| began.info.scope == snapshot.info.scope)
        };
        !is_undo && !broken_off.is_undo && covers_the_same()
    }

    /// Removes what retention does not keep; how many that are.
    pub fn tidy(&self, now: Timestamp, retention: Retention) -> Result<usize, SnapshotError> {
        let outdated = self.outdated(now, retention)?;
        if outdated > 0 {
            let held = self.hold()?;
            self.prune(&held, retention, now)?;
        }
        Ok(outdated)
    }

    /// How many snapshots retention does not keep.
    pub fn outdated(&self, now: Timestamp, retention: Retention) -> Result<usize, SnapshotError> {
        let all = self.list()?;
        Ok(retention::outdated(&all, &self.needed(), retention, now).len())
    }

    fn prune(
        &self,
        held: &Held,
        retention: Retention,
        now: Timestamp,
    ) -> Result<(), SnapshotError> {
        let all = self.list()?;
        let outdated = retention::outdated(&all, &self.needed(), retention, now);
        retention::remove(self, &held.store, &outdated)
    }

    /// The manifest, when it is the one that was written.
    fn manifest(&self, snapshot: &Snapshot) -> Result<Manifest, SnapshotError> {
        let damaged = |why| SnapshotError::Damaged { id: snapshot.id.clone(), why };
        let path = self.folder.join(snapshot.id.as_str()).join(MANIFEST);
        let bytes = std::fs::read(&path).map_err(SnapshotError::io("read", &path))?;
        let hash = entry::Hash(Sha256::digest(&bytes).into());
        if hash.to_hex() != snapshot.info.manifest_sha256 {
            return Err(damaged(format!("{MANIFEST} was changed after it was written")));
        }
        manifest::read(&bytes).map_err(damaged)
    }

    /// Looks at what the snapshot covers: what it left out then, and what git ignores now and it does not hold, stays out.
    fn coverage_of(&self, target: &Manifest) -> Result<CoveredPaths, SnapshotError> {
        let mut leave = BTreeMap::new();
        if !target.scope.with_ignored {
            leave = coverage::ignored(&self.root)?;
            leave.retain(|path, _| !holds(&target.listing.entries, path));
        }
        leave.extend(target.listing.left_out.iter().map(|left| (left.path.clone(), left.why)));
        CoveredPaths::new(&target.scope, leave)
    }
}

/// Whether sorted entries have something at the path or below it.
fn holds(entries: &[SnapshotEntry], path: &[u8]) -> bool {
    let is_there = entries.binary_search_by(|entry| entry.path[..].cmp(path)).is_ok();
    let below = [path, b"/"].concat();
    let at = entries.partition_point(|entry| entry.path < below);
    is_there || entries.get(at).is_some_and(|entry| entry.path.starts_with(&below))
}

/// Up to so many bytes are read twice by a restore: the first time before anything is touched.
const READ_FIRST_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Nothing is touched unless everything needed is there, and undamaged as far as that is quickly seen. The rest is
/// compared while it is copied.
fn expect_contents(
    held: &Held,
    snapshot: &Snapshot,
    work: &plan::RestoreWork<'_>,
) -> Result<(), SnapshotError> {
    let mut bytes: u64 = 0;
    let mut needed = BTreeSet::new();
    for (entry, _) in &work.put {
        let entry::SnapshotEntryKind::File { size, hash } = entry.kind else { continue };
        if needed.insert(hash) {
            bytes = bytes.saturating_add(size);
        }
        if !held.store.has(hash, size) {
            let path = String::from_utf8_lossy(&entry.path);
            let why =
                format!("the content of {path:?} is missing from the store; nothing was changed");
            return Err(SnapshotError::Damaged { id: snapshot.id.clone(), why });
        }
    }
    if bytes <= READ_FIRST_BYTES_MAX {
        needed.into_iter().try_for_each(|hash| held.store.expect_sound(hash))?;
    }
    Ok(())
}
