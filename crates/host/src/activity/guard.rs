//! Sees whether a change weakens the tests or what runs them: the versions before and after, side by side.

use super::ActivityError;
use super::collect::Collected;
use crate::files;
use std::collections::BTreeMap;
use tollgate_contract::test_guard::{self, FileVersion, Weakening};
use tollgate_core::id::CommitId;
use tollgate_core::reply::{ReportedFinding, Severity};
use tollgate_core::work::{ChangeType, FileChange, Work};

/// Longer files are generated; reading them as tests costs more than it tells.
const FILE_BYTES_MAX: usize = 128 * 1024;
/// A change of more files, or of more text, is looked at up to here.
const FILES_MAX: usize = 2_000;
const TEXT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Fills in what the change weakens, and what was weakened before and is whole again.
pub fn look(at: &Collected<'_>, work: &mut Work) -> Result<(), ActivityError> {
    // What only adds files takes nothing away, but it may bring back what was deleted.
    let matters = |change: &FileChange| {
        change.change_type != ChangeType::Added || at.order.brief.weakened.contains(&change.path)
    };
    if work.commit.is_none() || !work.changes.iter().any(matters) {
        return Ok(());
    }
    let commands: Vec<String> = at
        .order
        .brief
        .acceptance_checks
        .iter()
        .filter_map(|check| check.strip_prefix("cmd:").map(|command| command.trim().to_owned()))
        .collect();
    let changes: Vec<&FileChange> = work.changes.iter().take(FILES_MAX).collect();
    let found = compare(at, &at.order.tip, &changes, &commands)?;
    work.weakened = found.into_iter().map(finding).collect();
    let touched: Vec<&FileChange> =
        changes.iter().copied().filter(|c| at.order.brief.weakened.contains(&c.path)).collect();
    if !touched.is_empty() {
        let still = compare(at, &at.order.base, &touched, &commands)?;
        let is_whole = |change: &&&FileChange| !still.iter().any(|w| w.path == change.path);
        work.restored = touched.iter().filter(is_whole).map(|c| c.path.clone()).collect();
    }
    Ok(())
}

fn compare(
    at: &Collected<'_>,
    since: &CommitId,
    changes: &[&FileChange],
    commands: &[String],
) -> Result<Vec<Weakening>, ActivityError> {
    let old_paths: Vec<&str> =
        changes.iter().map(|c| c.old_path.as_deref().unwrap_or(&c.path)).collect();
    let before = texts(at.workspace.contents_at(since, &old_paths)?);
    let after: BTreeMap<&str, String> =
        changes.iter().filter_map(|c| Some((c.path.as_str(), text_now(at, &c.path)?))).collect();
    let mut room = TEXT_BYTES_MAX;
    let versions: Vec<FileVersion<'_>> = changes
        .iter()
        .zip(&before)
        .filter(|(change, before)| {
            // A version that is there and cannot be read as text must not pass for one that is not there.
            let is_gone = change.change_type == ChangeType::Deleted;
            let is_new = change.change_type == ChangeType::Added;
            (is_gone || after.contains_key(change.path.as_str())) && (is_new || before.is_some())
        })
        .take_while(|(change, before)| {
            let now = after.get(change.path.as_str()).map_or(0, String::len);
            let size = before.as_ref().map_or(0, String::len) + now;
            room = room.saturating_sub(size);
            room > 0
        })
        .map(|(change, before)| FileVersion {
            path: &change.path,
            before: before.as_deref(),
            after: after.get(change.path.as_str()).map(String::as_str),
            old_path: change.old_path.as_deref(),
        })
        .collect();
    Ok(test_guard::weakened(&versions, commands))
}

fn texts(contents: Vec<Option<Vec<u8>>>) -> Vec<Option<String>> {
    let text = |bytes: Vec<u8>| {
        Some(bytes).filter(|b| b.len() <= FILE_BYTES_MAX).and_then(|b| String::from_utf8(b).ok())
    };
    contents.into_iter().map(|bytes| bytes.and_then(text)).collect()
}

fn text_now(at: &Collected<'_>, path: &str) -> Option<String> {
    let bytes = files::read_beneath(at.workspace.tree(), path, FILE_BYTES_MAX as u64).ok()?;
    String::from_utf8(bytes).ok()
}

fn finding(weakening: Weakening) -> ReportedFinding {
    ReportedFinding {
        severity: Severity::Medium,
        category: tollgate_core::WEAKENED.to_owned(),
        file: Some(weakening.path),
        line: weakening.line.map(|line| line.to_string()),
        message: format!("{}: {}", weakening.kind, weakening.message),
        fix: None,
        is_nit: false,
    }
}
