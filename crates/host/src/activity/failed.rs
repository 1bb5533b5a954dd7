//! Sets what an invalid attempt left behind aside, before its tree is made clean: bounded copies without secrets.

use super::ActivityError;
use super::order::{DispatchOrder, Site};
use super::session_files::{self, Differences, GIVEN, Given};
use crate::failure_report::{FAILED, KEPT_LIMITS};
use std::path::{Path, PathBuf};
use tollgate_core::id::Attempt;
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::ReplyStatus;
use tollgate_core::role::Role;
use tollgate_core::work::DispatchEnd;
use tollgate_files::layout::{SessionLayout, session_path};
use tollgate_files::redact;
use tollgate_files::{self as files, ListingKind};

/// The folder in it with session files.
const SESSION: &str = "session";

const KEPT_FILES_MAX: usize = 500;
const KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The end promises nothing that could be taken over as it is.
pub fn is_no_work(end: &DispatchEnd, role: Role) -> bool {
    let is_ok =
        matches!(end, DispatchEnd::Replied { reply, .. } if reply.status == ReplyStatus::Ok);
    !is_ok || may_be_refused(end, role)
}

/// An invalid reply, or one that its own work contradicts, which the core will call invalid.
pub fn may_be_refused(end: &DispatchEnd, role: Role) -> bool {
    match end {
        DispatchEnd::Invalid { .. } => true,
        DispatchEnd::Replied { reply, work } => {
            let is_empty = role == Role::Coder && work.code.commit.is_none();
            reply.status == ReplyStatus::Ok && (is_empty || !work.left_out.breaches.is_empty())
        }
        _ => false,
    }
}

pub fn stage(at: &Site<'_>) -> Result<(), ActivityError> {
    let staged = at.folder.folder().join(FAILED);
    // A process that was killed after this point has made the tree clean already.
    if staged.exists() {
        return Ok(());
    }
    let making = at.folder.folder().join(format!("{FAILED}.part"));
    if making.exists() {
        files::remove_tree(&making)?;
    }
    let problem = || ActivityError::io(format!("cannot make {}", making.display()));
    std::fs::create_dir(&making).map_err(problem())?;
    let mut room = KEPT_BYTES_MAX;
    for (path, bytes) in session_copies(at)?.into_iter().chain(change_copies(at)?) {
        let clean = at.context.redactor.redact_bytes(&bytes);
        if clean.len() <= room {
            room -= clean.len();
            files::write_beneath(&making, &path, &clean)?;
        }
    }
    std::fs::rename(&making, &staged).map_err(problem())
}

/// The folder with the session files of an attempt that is not taken over, whole: no rescue holds them.
const LEFT: &str = "left";

/// Keeps the session files that an attempt left, before another one gets a folder of its own.
pub fn keep_session_files(at: &Site<'_>) -> Result<(), ActivityError> {
    let left = at.folder.folder().join(LEFT);
    if left.exists() || !at.folder.folder().join(GIVEN).exists() {
        return Ok(());
    }
    let mut found = differences(at)?;
    session_files::take_secrets_out(&mut found, &at.context.redactor.for_work());
    if found.written.is_empty() {
        return Ok(());
    }
    let making = at.folder.folder().join(format!("{LEFT}.part"));
    if making.exists() {
        files::remove_tree(&making)?;
    }
    let problem = || ActivityError::io(format!("cannot make {}", making.display()));
    std::fs::create_dir(&making).map_err(problem())?;
    for file in &found.written {
        files::write_beneath(&making, &file.path, &file.bytes)?;
    }
    // The tree's own copy goes next.
    files::sync_tree(&making)?;
    std::fs::rename(&making, &left).map_err(problem())?;
    files::sync_folder(at.folder.folder()).map_err(problem())
}

/// Where the session files of the newest attempt before this one are kept that left any.
pub fn left_session_files(record: &SessionLayout, order: &DispatchOrder) -> Option<PathBuf> {
    let before = (1..order.attempt.0).rev().map(|attempt| {
        let folder = record.attempt(order.number, Attempt(attempt));
        [folder.folder().join(LEFT), folder.outputs()]
    });
    before.flatten().find(|kept| kept.is_dir())
}

/// Lays the session files that an attempt left into the tree again, for its agent to continue. What something secret was
/// cut out of is not its work any more: it stays away.
pub fn bring_back(
    record: &SessionLayout,
    order: &DispatchOrder,
    before: Attempt,
    tree: &Path,
) -> Result<(), ActivityError> {
    let kept = record.attempt(order.number, before).folder().join(FAILED).join(SESSION);
    if !kept.is_dir() {
        return Ok(());
    }
    let folder = tree.join(session_path(&order.session));
    for entry in files::list_files(&kept, KEPT_LIMITS)? {
        if entry.kind == ListingKind::File {
            let bytes = files::read_beneath(&kept, &entry.path, KEPT_LIMITS.file_bytes_max)?;
            if !redact::is_cut(&bytes) {
                files::write_beneath(&folder, &entry.path, &bytes)?;
            }
        }
    }
    Ok(())
}

/// Session files as the agent left them.
fn session_copies(at: &Site<'_>) -> Result<Vec<(String, Vec<u8>)>, ActivityError> {
    let small = differences(at)?
        .written
        .into_iter()
        .filter(|file| file.bytes.len() as u64 <= KEPT_LIMITS.file_bytes_max);
    let copies = small.take(KEPT_FILES_MAX);
    Ok(copies.map(|file| (format!("{SESSION}/{}", file.path), file.bytes)).collect())
}

fn differences(at: &Site<'_>) -> Result<Differences, ActivityError> {
    let given = files::read_bounded(&at.folder.folder().join(GIVEN), REPLY_BYTES_MAX)?;
    let given: Given = serde_json::from_slice(&given).unwrap_or_default();
    session_files::differences(at.workspace.tree(), &at.order.session, &given)
}

/// Files of the repository that it changed.
fn change_copies(at: &Site<'_>) -> Result<Vec<(String, Vec<u8>)>, ActivityError> {
    let Ok(changes) = at.workspace.changes() else {
        return Ok(Vec::new()); // what cannot be listed is one of the faults, and told as such
    };
    let tree = at.workspace.tree();
    let read = |path: String| {
        let bytes = files::read_beneath(tree, &path, KEPT_LIMITS.file_bytes_max).ok()?;
        Some((format!("changes/{path}"), bytes))
    };
    Ok(changes.into_iter().filter_map(|change| read(change.path)).take(KEPT_FILES_MAX).collect())
}
