//! What people and agents write into a session folder, apart from what is the engine's alone.

use super::ActivityError;
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_core::id::ContentHash;
use tollgate_files::{self as files, ListingKind, TreeLimits};

/// Session files as given to an attempt, by path below the session folder; those of earlier sessions begin with `../`.
pub type Given = BTreeMap<String, ContentHash>;

/// Names of the engine at the top of the session folder: agents neither need them nor may change them.
/// The folders of dispatches grow with the session, so they are not even looked into.
fn is_private(name: &str) -> bool {
    matches!(name, "inbox" | "dispatches" | "checks" | "evidence" | "errors" | "importing")
        || name.starts_with("lock")
        || name.starts_with("journal")
        || name == "approve-design-history.jsonl"
}

/// The files of a session folder that are not the engine's alone.
pub(super) fn authored(record: &Path) -> Result<Vec<String>, ActivityError> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(record)
        .map_err(ActivityError::io(format!("cannot list {}", record.display())))?;
    for entry in entries {
        let entry =
            entry.map_err(ActivityError::io(format!("cannot list {}", record.display())))?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if is_private(&name) || files::is_temporary(&name) {
            continue;
        }
        let kind = entry
            .file_type()
            .map_err(ActivityError::io(format!("cannot look at {}", entry.path().display())))?;
        if kind.is_dir() {
            let below = files::list_files(&entry.path(), TreeLimits::default())?.into_iter();
            let below = below.filter(|below| below.kind == ListingKind::File);
            found.extend(below.map(|below| format!("{name}/{}", below.path)));
        } else if kind.is_file() {
            found.push(name);
        }
    }
    Ok(found)
}
