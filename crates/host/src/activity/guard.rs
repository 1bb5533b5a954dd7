//! Sees whether a change weakens the tests or what runs them: the versions before and after, side by side.

use super::ActivityError;
use super::order::Site;
use crate::lifecycle;
use tollgate_core::id::CommitId;
use tollgate_core::reply::{ReportedFinding, Severity};
use tollgate_core::work::{ChangeType, FileChange, Work};
use tollgate_files::{self as files, FileError};
use tollgate_judge::test_guard::{self, FILE_BYTES_MAX, FileVersion, Steering, Unread, Weakening};

/// A change of more files that could matter, or of more text in them, is looked at up to here; the rest is told.
const FILES_MAX: usize = 10_000;
const TEXT_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Fills in what the change weakens, and what was weakened before and is whole again.
pub fn look(at: &Site<'_>, work: &mut Work) -> Result<(), ActivityError> {
    if work.code.commit.is_none() || work.code.changes.is_empty() {
        return Ok(());
    }
    let steering = steering(at)?;
    let changes: Vec<&FileChange> = work.code.changes.iter().collect();
    let found = compare(at, &at.order.tip, &changes, &steering)?;
    work.code.weakened = found.into_iter().map(finding).collect();
    let is_weakened = |c: &&FileChange| {
        let known = &at.order.brief.tests.weakened;
        known.contains(&c.path) || c.old_path.as_ref().is_some_and(|path| known.contains(path))
    };
    let touched: Vec<&FileChange> = changes.iter().copied().filter(is_weakened).collect();
    if !touched.is_empty() {
        let still = compare(at, &at.order.base, &touched, &steering)?;
        let is_whole = |change: &&&FileChange| !still.iter().any(|w| w.path == change.path);
        work.code.restored = touched.iter().filter(is_whole).map(|c| c.path.clone()).collect();
    }
    Ok(())
}

/// The commands that decide about the work, and the scripts that they run, as they were before the change.
fn steering(at: &Site<'_>) -> Result<Steering, ActivityError> {
    let mut commands = at.order.brief.tests.check_commands.clone();
    if let Ok((lifecycle, _)) = lifecycle::load(at.context.repository.root()) {
        commands.extend(lifecycle.gates.iter().map(|gate| gate.command.join(" ")));
    }
    Steering::find(&commands, |paths| {
        let names: Vec<&str> = paths.iter().map(String::as_str).collect();
        let contents = at.workspace.contents_at(&at.order.tip, &names)?;
        let text = |bytes: Option<Vec<u8>>| bytes.map(|b| String::from_utf8_lossy(&b).into_owned());
        Ok(contents.into_iter().map(text).collect())
    })
}

fn compare(
    at: &Site<'_>,
    since: &CommitId,
    changes: &[&FileChange],
    steering: &Steering,
) -> Result<Vec<Weakening>, ActivityError> {
    let old_path = |change: &FileChange| change.old_path.clone().unwrap_or(change.path.clone());
    let matters = |change: &&&FileChange| {
        let paths = [old_path(change), change.path.clone()];
        paths.iter().any(|path| test_guard::matters(path, steering))
    };
    let mut looked: Vec<&FileChange> = changes.iter().filter(matters).copied().collect();
    let mut unread: Vec<(&str, Unread)> = Vec::new();
    for change in looked.drain(looked.len().min(FILES_MAX)..) {
        unread.push((&change.path, Unread::BeyondTheLimit));
    }
    let old_paths: Vec<String> = looked.iter().map(|change| old_path(change)).collect();
    let names: Vec<&str> = old_paths.iter().map(String::as_str).collect();
    let before = at.workspace.contents_at(since, &names)?;
    let mut room = TEXT_BYTES_MAX;
    let mut versions = Vec::new();
    for (change, before) in looked.iter().zip(before) {
        match texts(at, change, before, &mut room) {
            Ok((before, after)) => versions.push((*change, before, after)),
            Err(why) => unread.push((&change.path, why)),
        }
    }
    let versions: Vec<FileVersion<'_>> = versions
        .iter()
        .map(|(change, before, after)| FileVersion {
            path: &change.path,
            before: before.as_deref(),
            after: after.as_deref(),
            old_path: change.old_path.as_deref(),
        })
        .collect();
    let mut found = test_guard::weakened(&versions, steering);
    found.extend(unread.iter().filter_map(|(path, why)| test_guard::unread(path, *why, steering)));
    Ok(found)
}

/// Both versions as text. One that is there and cannot be read must not pass for one that is not there.
fn texts(
    at: &Site<'_>,
    change: &FileChange,
    before: Option<Vec<u8>>,
    room: &mut usize,
) -> Result<(Option<String>, Option<String>), Unread> {
    let after = match change.change_type {
        ChangeType::Deleted => None,
        _ => Some(read_now(at, &change.path)?),
    };
    let sizes = [&before, &after].map(|version| version.as_ref().map_or(0, Vec::len));
    if sizes.iter().any(|size| *size > FILE_BYTES_MAX) {
        return Err(Unread::TooLong);
    }
    *room = room.checked_sub(sizes.iter().sum()).ok_or(Unread::BeyondTheLimit)?;
    // A byte that is not UTF-8 hides nothing around it.
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((before.map(text), after.map(text)))
}

fn read_now(at: &Site<'_>, path: &str) -> Result<Vec<u8>, Unread> {
    let read = files::read_beneath(at.workspace.tree(), path, FILE_BYTES_MAX as u64);
    read.map_err(|error: FileError| match error.is_too_big() {
        true => Unread::TooLong,
        false => Unread::NoPlainFile,
    })
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
