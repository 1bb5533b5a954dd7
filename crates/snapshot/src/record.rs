//! The records of restores: the one that is under way, and the last one that was finished, for undo.

use super::{RestorePlan, SnapshotError, SnapshotId, Snapshots};
use serde::{Deserialize, Serialize};
use std::io::Write;
use tollgate_core::time::Timestamp;
use tollgate_files::{self as files, FileError};

const UNDER_WAY: &str = "restoring.json";
const FINISHED: &str = "restored.json";
const LOG: &str = "restores.jsonl";
const RECORD_BYTES_MAX: u64 = 64 * 1024;

/// A restore: which snapshot, and which one holds what was there before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RestoreRecord {
    pub target: SnapshotId,
    pub undo: SnapshotId,
    pub is_undo: bool,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    target: String,
    undo: String,
    is_undo: bool,
}

impl Snapshots {
    pub(super) fn under_way(&self) -> Option<RestoreRecord> {
        self.record(UNDER_WAY)
    }

    pub(super) fn finished(&self) -> Option<RestoreRecord> {
        self.record(FINISHED)
    }

    /// What cannot be read counts as none; a snapshot that it names is still listed.
    fn record(&self, name: &str) -> Option<RestoreRecord> {
        let bytes = files::read_bounded(&self.folder.join(name), RECORD_BYTES_MAX).ok()?;
        let wire: Wire = serde_json::from_slice(&bytes).ok()?;
        let (target, undo) = (SnapshotId::parse(&wire.target)?, SnapshotId::parse(&wire.undo)?);
        Some(RestoreRecord { target, undo, is_undo: wire.is_undo })
    }

    /// On disk when this returns.
    pub(super) fn begin_record(&self, record: &RestoreRecord) -> Result<(), SnapshotError> {
        let wire = Wire {
            target: record.target.to_string(),
            undo: record.undo.to_string(),
            is_undo: record.is_undo,
        };
        let mut text = serde_json::to_vec(&wire).expect("names and a flag can be written as JSON");
        text.push(b'\n');
        let path = self.folder.join(UNDER_WAY);
        files::write_durable(&path, &text).map_err(|error| match error {
            FileError::Io { doing, path, source } => SnapshotError::Io { doing, path, source },
            other => {
                let source = std::io::Error::other(other.to_string());
                SnapshotError::Io { doing: "write", path: path.clone(), source }
            }
        })
    }

    pub(super) fn finish_record(&self) -> Result<(), SnapshotError> {
        let from = self.folder.join(UNDER_WAY);
        std::fs::rename(&from, self.folder.join(FINISHED))
            .and_then(|()| files::sync_folder(&self.folder))
            .map_err(SnapshotError::io("write", &from))
    }

    /// One line for each restore that was finished, for people who ask later what happened.
    pub(super) fn log_restore(
        &self,
        at: Timestamp,
        record: &RestoreRecord,
        plan: &RestorePlan,
    ) -> Result<(), SnapshotError> {
        let line = serde_json::json!({
            "at": at,
            "restored": record.target.as_str(),
            "undo": record.undo.as_str(),
            "is_undo": record.is_undo,
            "reverted": plan.revert.len(),
            "created": plan.create.len(),
            "deleted": plan.delete.len(),
        });
        let path = self.folder.join(LOG);
        let opened = files::options_nofollow().append(true).create(true).open(&path);
        opened
            .and_then(|mut log| log.write_all(format!("{line}\n").as_bytes()))
            .map_err(SnapshotError::io("write", &path))
    }

    /// Snapshots that a restore or its undo needs.
    pub(super) fn needed(&self) -> Vec<SnapshotId> {
        let under_way =
            self.under_way().into_iter().flat_map(|record| [record.target, record.undo]);
        under_way.chain(self.finished().map(|record| record.undo)).collect()
    }
}
