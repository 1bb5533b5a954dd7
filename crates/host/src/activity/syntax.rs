//! Sees whether the files that an agent leaves still parse, before any of them is in a commit.

use super::order::Site;
use super::{ActivityError, manual};
use std::collections::BTreeSet;
use tollgate_core::reply::ReplyError;
use tollgate_files as files;
use tollgate_git::workspace::{ChangeKind, RawChange};
use tollgate_judge::globs::PathRules;
use tollgate_judge::syntax::{self, FILE_BYTES_MAX, SyntaxFault};

/// A change of more files was made by a program; the first ones show what is wrong with it.
const FILES_MAX: usize = 2_000;
/// Every fault beyond these has the same cause, or the agent finds it by itself.
const FAULTS_MAX: usize = 20;

/// What does not parse any more, each with its place. A person who played the role knows what they left.
pub fn faults(
    at: &Site<'_>,
    changes: &[RawChange],
    allowed: &[String],
) -> Result<Vec<ReplyError>, ActivityError> {
    if manual::is_by_hand(at.folder) {
        return Ok(Vec::new());
    }
    let except = PathRules::new(&at.context.config.syntax_except).unwrap_or_default();
    let allowed: BTreeSet<&String> = allowed.iter().collect();
    let is_looked_at = |change: &&RawChange| {
        matches!(change.kind, ChangeKind::Added | ChangeKind::Modified)
            && !change.is_symlink
            && allowed.contains(&change.path)
            && syntax::is_judged(&change.path)
            && !except.matches(&change.path)
    };
    let looked: Vec<&str> = changes
        .iter()
        .filter(is_looked_at)
        .take(FILES_MAX)
        .map(|change| change.path.as_str())
        .collect();
    if looked.is_empty() {
        return Ok(Vec::new());
    }
    let before = at.workspace.contents_at(&at.order.tip, &looked)?;
    let mut errors = Vec::new();
    for (path, before) in looked.into_iter().zip(before) {
        let Ok(after) = files::read_beneath(at.workspace.tree(), path, FILE_BYTES_MAX as u64)
        else {
            continue;
        };
        let Some(fault) = syntax::broken_by(path, before.as_deref(), &after) else { continue };
        if before.is_none() && was_moved(at, changes, path)? {
            continue;
        }
        errors.push(error(path, &fault));
        if errors.len() == FAULTS_MAX {
            break;
        }
    }
    Ok(errors)
}

fn error(path: &str, fault: &SyntaxFault) -> ReplyError {
    let message = format!(
        "{} in line {}. The file must parse; where it is right as it is, `syntax_except` below [check] in tollgate.toml \
         takes its path",
        fault.what, fault.line
    );
    ReplyError::new("work.syntax", format!("{path}:{}", fault.line), message)
}

/// Whether a file of this form was broken under another name before, which this change removes.
fn was_moved(at: &Site<'_>, changes: &[RawChange], path: &str) -> Result<bool, ActivityError> {
    let ending = |path: &str| path.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let gone: Vec<&str> = changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Deleted && ending(&change.path) == ending(path))
        .map(|change| change.path.as_str())
        .collect();
    if gone.is_empty() {
        return Ok(false);
    }
    let versions = at.workspace.contents_at(&at.order.tip, &gone)?;
    let is_broken = |(path, bytes): (&&str, Option<Vec<u8>>)| {
        bytes.is_some_and(|bytes| syntax::is_broken(path, &bytes))
    };
    Ok(gone.iter().zip(versions).any(is_broken))
}
