//! `snapshot.json`: what a list shows of a snapshot without reading its manifest.

use super::coverage::SnapshotScope;
use super::{SnapshotError, SnapshotId};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tollgate_core::time::Timestamp;
use tollgate_files as files;

pub(super) const INFO: &str = "snapshot.json";
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const CACHE: &str = "cache";

/// It is short; a bigger one is not ours.
const INFO_BYTES_MAX: u64 = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Info {
    /// Counts all snapshots of the checkout; clocks can go backwards.
    pub sequence: u64,
    pub action: String,
    pub taken_at: Timestamp,
    /// Files and symlinks.
    pub files: u64,
    pub bytes: u64,
    pub left_out: u64,
    /// Names of files that were too large, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub large: Vec<String>,
    pub scope: SnapshotScope,
    pub manifest_sha256: String,
    pub manifest_bytes: u64,
}

/// A snapshot as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub id: SnapshotId,
    pub action: String,
    pub taken_at: Timestamp,
    /// How many files and symlinks it holds.
    pub files: u64,
    /// Of all files together, whether they share their content or not.
    pub bytes: u64,
    /// How many paths it could not or should not hold; `show` names them.
    pub left_out: u64,
    /// Files that were too large for it, the first of them.
    pub large: Vec<String>,
    pub(super) info: Info,
}

impl Snapshot {
    pub(super) fn new(id: SnapshotId, info: Info) -> Self {
        Self {
            id,
            action: info.action.clone(),
            taken_at: info.taken_at,
            files: info.files,
            bytes: info.bytes,
            left_out: info.left_out,
            large: info.large.clone(),
            info,
        }
    }
}

/// Every snapshot that can be used, the newest first.
pub(super) fn list(folder: &Path) -> Result<Vec<Snapshot>, SnapshotError> {
    let usable = |id: SnapshotId| {
        let info = read(&folder.join(id.as_str()))?;
        Some(Snapshot::new(id, info))
    };
    let mut found: Vec<Snapshot> = names(folder)?.into_iter().filter_map(usable).collect();
    found.sort_by(|a, b| (b.info.sequence, &b.id).cmp(&(a.info.sequence, &a.id)));
    Ok(found)
}

/// Those that lack a part, or have one that is not what was written.
pub(super) fn damaged(folder: &Path) -> Result<Vec<SnapshotId>, SnapshotError> {
    let mut names = names(folder)?;
    names.retain(|id| read(&folder.join(id.as_str())).is_none());
    Ok(names)
}

fn names(folder: &Path) -> Result<Vec<SnapshotId>, SnapshotError> {
    let io = SnapshotError::io::<std::io::Error>("list", folder);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let name = entry.map_err(&io)?.file_name();
        found.extend(name.to_str().and_then(SnapshotId::parse));
    }
    Ok(found)
}

/// None when it is no whole snapshot.
fn read(folder: &Path) -> Option<Info> {
    let bytes = files::read_bounded(&folder.join(INFO), INFO_BYTES_MAX).ok()?;
    let info: Info = serde_json::from_slice(&bytes).ok()?;
    let manifest = folder.join(MANIFEST).symlink_metadata().ok()?;
    (manifest.is_file() && manifest.len() == info.manifest_bytes).then_some(info)
}
