//! Which snapshots stay, and what of the store nobody needs any more.

use super::entry::Hash;
use super::info::{self, MANIFEST, Snapshot};
use super::step::step;
use super::store::ContentStore;
use super::{SnapshotError, SnapshotId, Snapshots, manifest};
use std::collections::{BTreeMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tollgate_core::time::Timestamp;
use tollgate_files as files;

/// How many snapshots of an action stay, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub keep: u32,
    pub days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { keep: 10, days: 30 }
    }
}

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Those that are to go. The newest stays whatever its age, and so does what an undo needs.
pub(super) fn outdated<'s>(
    newest_first: &'s [Snapshot],
    needed: &[SnapshotId],
    retention: Retention,
    now: Timestamp,
) -> Vec<&'s SnapshotId> {
    let mut of_action: BTreeMap<&str, u32> = BTreeMap::new();
    let mut outdated = Vec::new();
    for (index, snapshot) in newest_first.iter().enumerate() {
        let count = of_action.entry(&snapshot.action).or_default();
        *count += 1;
        let is_too_many = *count > retention.keep;
        let is_old = now.ms_since(snapshot.taken_at) > u64::from(retention.days) * DAY_MS;
        if index > 0 && (is_too_many || is_old) && !needed.contains(&snapshot.id) {
            outdated.push(&snapshot.id);
        }
    }
    outdated
}

pub(super) const DROPPING: &str = ".dropping-";

/// Removes snapshots, and from the store what only they held.
pub(super) fn remove(
    snapshots: &Snapshots,
    store: &ContentStore,
    ids: &[&SnapshotId],
) -> Result<(), SnapshotError> {
    let mut dropped = Vec::new();
    for id in ids {
        // Gone at once for everyone; what is left of it when we are killed is swept later.
        let from = snapshots.folder.join(id.as_str());
        let to = snapshots.folder.join(format!("{DROPPING}{id}"));
        step();
        std::fs::rename(&from, &to).map_err(SnapshotError::io("remove", &from))?;
        dropped.push(to);
    }
    let mut orphans = HashSet::new();
    for folder in &dropped {
        let path = folder.join(MANIFEST);
        // A manifest that another snapshot shares leaves nothing behind.
        if path.symlink_metadata().is_ok_and(|found| found.nlink() == 1) {
            let bytes = std::fs::read(&path).map_err(SnapshotError::io("read", &path))?;
            orphans.extend(manifest::hashes(&bytes));
        }
    }
    remove_orphans(snapshots, store, orphans)?;
    for folder in dropped {
        step();
        remove_folder(&folder)?;
    }
    Ok(())
}

/// What killed processes left: half-made and half-removed snapshots, and content that belongs to none.
pub(super) fn sweep(snapshots: &Snapshots, store: &ContentStore) -> Result<(), SnapshotError> {
    let io = SnapshotError::io::<std::io::Error>("list", &snapshots.folder);
    let mut left = Vec::new();
    for entry in std::fs::read_dir(&snapshots.folder).map_err(&io)? {
        let entry = entry.map_err(&io)?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name == super::MAKING || name.starts_with(DROPPING)) {
            left.push(entry.path());
        }
    }
    if left.is_empty() {
        return Ok(());
    }
    remove_orphans(snapshots, store, store.all()?)?;
    left.iter().try_for_each(|folder| remove_folder(folder))
}

/// Removes those of the candidates that no snapshot refers to.
fn remove_orphans(
    snapshots: &Snapshots,
    store: &ContentStore,
    mut candidates: HashSet<Hash>,
) -> Result<(), SnapshotError> {
    let mut seen = HashSet::new();
    for snapshot in info::list(&snapshots.folder)? {
        if candidates.is_empty() {
            break;
        }
        let path = snapshots.folder.join(snapshot.id.as_str()).join(MANIFEST);
        let found = path.symlink_metadata().map_err(SnapshotError::io("look at", &path))?;
        if seen.insert(found.ino()) {
            let bytes = std::fs::read(&path).map_err(SnapshotError::io("read", &path))?;
            for hash in manifest::hashes(&bytes) {
                candidates.remove(&hash);
            }
        }
    }
    candidates.into_iter().try_for_each(|hash| store.remove(hash))
}

fn remove_folder(folder: &Path) -> Result<(), SnapshotError> {
    files::remove_tree(folder).map_err(|error| match error {
        files::FileError::Io { doing, path, source } => SnapshotError::Io { doing, path, source },
        other => SnapshotError::Io {
            doing: "remove",
            path: folder.to_owned(),
            source: std::io::Error::other(other.to_string()),
        },
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::super::coverage::SnapshotScope;
    use super::super::info::Info;
    use super::*;

    fn snapshot(action: &str, day: u32, sequence: u64) -> Snapshot {
        let taken_at = Timestamp::parse(&format!("2026-01-{day:02}T00:00:00Z")).unwrap();
        let id = SnapshotId::new(action, taken_at, u32::try_from(sequence).unwrap()).unwrap();
        let info = Info {
            sequence,
            action: action.to_owned(),
            taken_at,
            files: 0,
            bytes: 0,
            left_out: 0,
            large: Vec::new(),
            scope: SnapshotScope::whole(),
            manifest_sha256: String::new(),
            manifest_bytes: 0,
        };
        Snapshot::new(id, info)
    }

    fn gone(list: &[Snapshot], needed: &[SnapshotId], now: &str) -> Vec<u64> {
        let retention = Retention { keep: 3, days: 10 };
        let ids = outdated(list, needed, retention, Timestamp::parse(now).unwrap());
        let gone = list.iter().filter(|snapshot| ids.contains(&&snapshot.id));
        gone.map(|snapshot| snapshot.info.sequence).collect()
    }

    #[test]
    fn r081_each_action_keeps_its_newest_and_age_ends_them_but_for_the_newest_of_all() {
        let list = [
            snapshot("plan", 9, 9),
            snapshot("plan", 8, 8),
            snapshot("build", 7, 7),
            snapshot("plan", 7, 6),
            snapshot("plan", 6, 5),
            snapshot("build", 5, 4),
        ];
        assert_eq!(gone(&list, &[], "2026-01-10T00:00:00Z"), [5]);
        assert_eq!(gone(&list, &[list[4].id.clone()], "2026-01-10T00:00:00Z"), [0; 0]);
        assert_eq!(gone(&list, &[], "2026-01-16T00:00:00Z"), [5, 4]);
        assert_eq!(gone(&list, &[], "2026-07-01T00:00:00Z"), [8, 7, 6, 5, 4]);
        assert_eq!(gone(&list, &[], "2026-01-01T00:00:00Z"), [5], "a clock that went backwards");
    }
}
