//! Brings together what parallel members changed: each change on top of the ones before it, in their order.

use super::ActivityError;
use crate::context::{Context, Room};
use crate::crash;
use crate::workspace::Merge;
use tollgate_core::event::Merged;
use tollgate_core::id::{CommitId, DispatchNumber, SessionName};

#[derive(Debug, Clone)]
pub struct MergeOrder {
    pub changes: Vec<(DispatchNumber, CommitId)>,
    pub session: SessionName,
    pub base: CommitId,
    pub tip: CommitId,
}

/// A change that does not go together with those before it is left out and named; nothing is chosen silently.
pub fn run(context: &Context, order: &MergeOrder) -> Result<Vec<Merged>, ActivityError> {
    let workspace = context.workspace(&order.session, Room::Session, &order.base, &order.tip)?;
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
        merged.push(Merged { number: *number, commit, conflicts });
    }
    crash::point("merge.made");
    context.repository.keep_merged(&order.session, &onto)?;
    crash::point("merge.kept");
    Ok(merged)
}
