//! Lines about merges: of the members of a step, and of a base that moved.

use super::{Line, Tone, detail, small};
use crate::id::CommitId;
use crate::session::Session;
use crate::work::{BaseMerge, Merged};

pub(super) fn merging(count: usize) -> Line {
    small("merge", format!("{count} changes are being merged"))
}

pub(super) fn brought_together(merged: &[Merged]) -> Line {
    let clashing: Vec<&str> =
        merged.iter().flat_map(|one| &one.conflicts).map(String::as_str).collect();
    if clashing.is_empty() {
        return detail(Tone::Good, "merge", format!("{} changes were merged", merged.len()));
    }
    let text = format!("these conflict: {}", clashing.join(", "));
    detail(Tone::Warning, "merge", text)
}

pub(super) fn base_moved(session: &Session, commit: &CommitId) -> Line {
    small("base", format!("{} moved to {}", base_name(session), short_id(commit)))
}

pub(super) fn base_merging(session: &Session, base: &CommitId) -> Line {
    small("merge", format!("{} at {}", base_name(session), short_id(base)))
}

pub(super) fn base_merged(session: &Session, base: &CommitId, outcome: &BaseMerge) -> Line {
    let name = base_name(session);
    let at = short_id(base);
    match outcome {
        BaseMerge::Clean { .. } => {
            detail(Tone::Good, "merge", format!("{name} had moved to {at}; it is merged"))
        }
        BaseMerge::Conflicts { files, .. } => {
            let text = format!("{name} had moved to {at} and conflicts in {}", files.join(", "));
            detail(Tone::Warning, "merge", text)
        }
        BaseMerge::AlreadyIn => small("merge", format!("the work has {name} at {at} already")),
        BaseMerge::Unrelated => {
            let text = format!("{name} at {at} has no history in common with the work");
            detail(Tone::Warning, "merge", text)
        }
    }
}

pub(in crate::view) fn base_name(session: &Session) -> &str {
    session.opening.base_branch.as_deref().unwrap_or("the base")
}

fn short_id(commit: &CommitId) -> String {
    commit.as_str().chars().take(10).collect()
}
