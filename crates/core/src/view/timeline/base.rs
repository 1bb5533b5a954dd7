//! Lines about the person's branch that the session started from.

use super::{Line, Tone, detail, small};
use crate::id::CommitId;
use crate::session::Session;
use crate::work::BaseMerge;

pub(super) fn moved(session: &Session, commit: &CommitId) -> Line {
    small("base", format!("{} moved to {}", base_name(session), short_id(commit)))
}

pub(super) fn merging(session: &Session, base: &CommitId) -> Line {
    small("merge", format!("{} at {}", base_name(session), short_id(base)))
}

pub(super) fn merged(session: &Session, base: &CommitId, outcome: &BaseMerge) -> Line {
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

pub fn base_name(session: &Session) -> &str {
    session.opening.base_branch.as_deref().unwrap_or("the base")
}

fn short_id(commit: &CommitId) -> String {
    commit.as_str().chars().take(10).collect()
}
