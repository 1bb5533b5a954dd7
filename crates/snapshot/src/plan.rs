//! What a restore would do: the difference between the tree and a snapshot, as a person is shown it and as it is done.

use super::SnapshotError;
use super::entry::{SnapshotEntry, SnapshotEntryKind};
use super::paths::split;
use super::scan::SortedTree;
use std::cmp::Ordering;
use std::collections::HashSet;

/// The paths that a restore would change, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestorePlan {
    /// Files and symlinks whose content or kind goes back.
    pub revert: Vec<Vec<u8>>,
    /// Files and symlinks that are gone and come back.
    pub create: Vec<Vec<u8>>,
    /// Files and symlinks that the snapshot does not have.
    pub delete: Vec<Vec<u8>>,
    /// Files whose mode alone goes back.
    pub mode: Vec<Vec<u8>>,
    pub folders_create: Vec<Vec<u8>>,
    pub folders_delete: Vec<Vec<u8>>,
    pub folders_mode: Vec<Vec<u8>>,
}

impl RestorePlan {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The same as work to be done, in the order of paths.
#[derive(Debug, Default)]
pub(super) struct RestoreWork<'w> {
    /// Taken away before anything is put in place; folders after what is in them when read backwards.
    pub remove: Vec<&'w SnapshotEntry>,
    /// Put in place; with it what is there now and is replaced in one step.
    pub put: Vec<(&'w SnapshotEntry, Option<&'w SnapshotEntry>)>,
    pub chmod: Vec<&'w SnapshotEntry>,
}

/// What leads from `now` to `then`. Fails when something is in the way that cannot be kept.
pub(super) fn work<'w>(
    now: &'w SortedTree,
    then: &'w SortedTree,
) -> Result<RestoreWork<'w>, SnapshotError> {
    let held = held_folders(now, then);
    let mut work = RestoreWork::default();
    for (now, then) in pairs(&now.entries, &then.entries) {
        match (now, then) {
            (Some(now), None) if held.contains(&now.path[..]) => {}
            (Some(now), None) => work.remove.push(now),
            (None, Some(then)) => work.put.push((then, None)),
            (Some(now), Some(then)) if now.is_dir() != then.is_dir() => {
                if held.contains(&now.path[..]) {
                    return Err(SnapshotError::InTheWay { path: now.path.clone() });
                }
                work.remove.push(now);
                work.put.push((then, None));
            }
            (Some(now), Some(then)) if now.kind != then.kind => work.put.push((then, Some(now))),
            (Some(now), Some(then)) if now.mode != then.mode && !is_symlink(then) => {
                work.chmod.push(then);
            }
            _ => {}
        }
    }
    let left_out: HashSet<&[u8]> = now.left_out.iter().map(|left| &left.path[..]).collect();
    // What is left out is in the way of itself and of all that would lie below it.
    let is_in_the_way = |path: &[u8]| {
        let mut above = path;
        while !above.is_empty() {
            if left_out.contains(above) {
                return true;
            }
            above = split(above).0;
        }
        false
    };
    match work.put.iter().find(|(then, _)| is_in_the_way(&then.path)) {
        Some((then, _)) => Err(SnapshotError::InTheWay { path: then.path.clone() }),
        None => Ok(work),
    }
}

/// Folders that must stay because something in them is left alone.
fn held_folders<'l>(now: &'l SortedTree, then: &'l SortedTree) -> HashSet<&'l [u8]> {
    let mut held = HashSet::new();
    for left in now.left_out.iter().chain(&then.left_out) {
        let mut folder = split(&left.path).0;
        while !folder.is_empty() && held.insert(folder) {
            folder = split(folder).0;
        }
    }
    held
}

fn is_symlink(entry: &SnapshotEntry) -> bool {
    matches!(entry.kind, SnapshotEntryKind::Symlink { .. })
}

/// Two sorted lists side by side.
fn pairs<'w>(
    now: &'w [SnapshotEntry],
    then: &'w [SnapshotEntry],
) -> impl Iterator<Item = (Option<&'w SnapshotEntry>, Option<&'w SnapshotEntry>)> {
    let (mut now, mut then) = (now.iter().peekable(), then.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (now.peek(), then.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(now), Some(then)) => now.path.cmp(&then.path),
        };
        let now = if order == Ordering::Greater { None } else { now.next() };
        let then = if order == Ordering::Less { None } else { then.next() };
        Some((now, then))
    })
}

impl RestoreWork<'_> {
    pub fn plan(&self) -> RestorePlan {
        let mut plan = RestorePlan::default();
        let removed: HashSet<&[u8]> = self.remove.iter().map(|now| &now.path[..]).collect();
        for (then, now) in &self.put {
            // Something else stood there, so that this is no new name.
            let is_replaced = now.is_some() || removed.contains(&then.path[..]);
            let list = match (then.is_dir(), is_replaced) {
                (true, _) => &mut plan.folders_create,
                (false, true) => &mut plan.revert,
                (false, false) => &mut plan.create,
            };
            list.push(then.path.clone());
        }
        for now in &self.remove {
            let list = if now.is_dir() { &mut plan.folders_delete } else { &mut plan.delete };
            list.push(now.path.clone());
        }
        for then in &self.chmod {
            let list = if then.is_dir() { &mut plan.folders_mode } else { &mut plan.mode };
            list.push(then.path.clone());
        }
        plan
    }

    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.put.is_empty() && self.chmod.is_empty()
    }
}
