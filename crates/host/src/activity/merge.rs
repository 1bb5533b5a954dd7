//! Brings together what parallel members changed, each change on top of the ones before it, in their order; and the session's
//! work with the person's branch, where that has moved.

use super::ActivityError;
use super::order::Site;
use crate::context::{Context, WorkspaceId};
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_git::workspace::{BranchMerge, CommitMessage, Merge, Workspace};

use tollgate_core::id::{CommitId, DispatchNumber, SessionName};
use tollgate_core::limits::REPLY_BYTES_MAX;
use tollgate_core::reply::ReplyError;
use tollgate_core::session::Join;
use tollgate_core::work::{Artefact, BaseMerge, Merged, Work};

#[derive(Debug, Clone)]
pub struct MergeOrder {
    pub changes: Vec<(DispatchNumber, CommitId)>,
    /// Declared files of each member, in the same order.
    pub outputs: Vec<Vec<String>>,
    pub session: SessionName,
    pub base: CommitId,
    pub tip: CommitId,
}

/// A change that does not go together with those before it is left out and named; nothing is chosen silently.
pub fn run(context: &Context, order: &MergeOrder) -> Result<Vec<Merged>, ActivityError> {
    let workspace =
        context.workspace(&order.session, WorkspaceId::Session, &order.base, &order.tip)?;
    let mut onto = order.tip.clone();
    let mut merged = Vec::with_capacity(order.changes.len());
    for (number, change) in &order.changes {
        let (commit, conflicts) = match workspace.put_on_top(&onto, change)? {
            Merge::Clean(commit) => {
                onto = commit.clone();
                (Some(commit), Vec::new())
            }
            Merge::Conflicts(files) => (None, files),
        };
        merged.push(Merged { number: *number, commit, conflicts, outputs: Vec::new() });
    }
    complete(&workspace, order, &onto, &mut merged)?;
    crash::point("merge.made");
    context.repository.keep_merged(&order.session, &onto)?;
    crash::point("merge.kept");
    Ok(merged)
}

/// What is known only in the end: everything a change clashes with, and the declared files as they came out.
fn complete(
    workspace: &Workspace,
    order: &MergeOrder,
    last: &CommitId,
    merged: &mut [Merged],
) -> Result<(), ActivityError> {
    for ((one, (_, change)), outputs) in merged.iter_mut().zip(&order.changes).zip(&order.outputs) {
        if one.conflicts.is_empty() {
            let paths: Vec<&str> = outputs.iter().map(String::as_str).collect();
            let contents = workspace.contents_at(last, &paths)?;
            let known = outputs.iter().zip(contents);
            one.outputs = known
                .filter_map(|(path, bytes)| {
                    let sha256 = files::hash_bytes(&bytes?);
                    Some(Artefact { path: path.clone(), sha256 })
                })
                .collect();
        } else if let Merge::Conflicts(more) = workspace.put_on_top(last, change)? {
            one.conflicts.extend(more);
            one.conflicts.sort();
            one.conflicts.dedup();
        }
    }
    Ok(())
}

#[derive(Debug, Clone)]
pub struct BaseMergeOrder {
    /// The person's branch, and where it was seen.
    pub branch: String,
    pub moved_to: CommitId,
    pub session: SessionName,
    pub base: CommitId,
    pub tip: CommitId,
}

/// Merges the person's branch into the session's work, in the object store alone.
pub fn run_base(context: &Context, order: &BaseMergeOrder) -> Result<BaseMerge, ActivityError> {
    let BaseMergeOrder { session, tip, .. } = order;
    let workspace = context.workspace(session, WorkspaceId::Session, &order.base, tip)?;
    let merged = workspace.merge_branch(tip, &order.branch, &order.moved_to)?;
    crash::point("base.merged");
    let outcome = match merged {
        BranchMerge::Clean(commit) => {
            context.repository.keep_merged(session, &commit)?;
            BaseMerge::Clean { commit }
        }
        BranchMerge::Conflicts { files, marked } => {
            context.repository.keep_conflict(session, &marked)?;
            BaseMerge::Conflicts { files, start: marked }
        }
        BranchMerge::AlreadyIn => BaseMerge::AlreadyIn,
        BranchMerge::Unrelated => BaseMerge::Unrelated,
    };
    crash::point("base.kept");
    Ok(outcome)
}

/// Files of a merge that still have markers of the two sides in them.
pub fn unresolved(at: &Site<'_>, join: &Join) -> Result<Vec<ReplyError>, ActivityError> {
    let opens = format!("<<<<<<< {}", join.tip);
    let closes = format!(">>>>>>> {}", join.base);
    let mut errors = Vec::new();
    for path in &join.files {
        let bytes = match files::read_beneath(at.workspace.tree(), path, REPLY_BYTES_MAX) {
            Ok(bytes) => bytes,
            // Gone is a way to resolve it; what is too large or no file has no markers of ours.
            Err(_) => continue,
        };
        let is_marker =
            |line: &[u8]| line.starts_with(opens.as_bytes()) || line.starts_with(closes.as_bytes());
        if let Some(at) = bytes.split(|byte| *byte == b'\n').position(is_marker) {
            let message = format!("line {} is still a conflict marker of the merge", at + 1);
            errors.push(ReplyError::new("work.conflict", path.clone(), message));
        }
    }
    Ok(errors)
}

/// What the agent made of the two sides becomes a commit on top of both.
pub fn join(
    at: &Site<'_>,
    join: &Join,
    message: &CommitMessage,
    work: &mut Work,
) -> Result<(), ActivityError> {
    if !work.left_out.breaches.is_empty() {
        return Ok(());
    }
    let result = work.code.commit.as_ref().unwrap_or(&at.order.tip);
    let commit = at.workspace.join(result, [&join.tip, &join.base], message)?;
    crash::point("base.joined");
    work.code.commit = Some(commit);
    Ok(())
}
