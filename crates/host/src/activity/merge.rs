//! Brings together what parallel members changed: each change on top of the ones before it, in their order.

use super::ActivityError;
use crate::context::{Context, WorkspaceId};
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_git::workspace::{Merge, Workspace};

use tollgate_core::id::{CommitId, DispatchNumber, SessionName};
use tollgate_core::work::{Artefact, Merged};

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
