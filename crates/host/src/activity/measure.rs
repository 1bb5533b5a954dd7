//! Measures changes that an agent declares incidental: what was said about them is held against what was done.

use super::ActivityError;
use super::classify::Said;
use super::order::Site;
use std::collections::BTreeMap;
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_files as files;
use tollgate_git::workspace::{ChangeKind, RawChange};
use tollgate_judge::scope::{Measure, plain_path};

/// Of more declared files than this the rest is not incidental to anything.
const FILES_MAX: usize = 500;

pub fn declared(
    at: &Site<'_>,
    changes: &[RawChange],
    said: &Said,
) -> Result<BTreeMap<String, Measure>, ActivityError> {
    let declared: Vec<String> = said.incidental.iter().map(|one| plain_path(&one.path)).collect();
    let measured: Vec<&RawChange> =
        changes.iter().filter(|change| declared.contains(&change.path)).collect();
    let paths: Vec<&str> =
        measured.iter().take(FILES_MAX).map(|change| change.path.as_str()).collect();
    let before = at.workspace.contents_at(&at.order.tip, &paths)?;
    let unreadable = || Measure { is_unreadable: true, ..Measure::default() };
    let mut found = BTreeMap::new();
    for (change, before) in measured.iter().zip(before) {
        let after = match change.kind {
            ChangeKind::Deleted => Ok(None),
            _ if change.is_symlink => Err(()),
            _ => files::read_beneath(at.workspace.tree(), &change.path, ARTEFACT_BYTES_MAX)
                .map(Some)
                .map_err(drop),
        };
        let measure = match after {
            Ok(after) => Measure::of(&change.path, before.as_deref(), after.as_deref()),
            Err(()) => unreadable(),
        };
        found.insert(change.path.clone(), measure);
    }
    found.extend(measured.iter().skip(FILES_MAX).map(|change| (change.path.clone(), unreadable())));
    Ok(found)
}
