//! The person's branch has moved since the session started from it: it is merged into the work before INTEGRATE ends.

use super::draft::Draft;
use super::moves::{finding, repair};
use crate::event::{Event, Finding, FindingOrigin, FindingStatus};
use crate::feedback::Feedback;
use crate::id::{CommitId, DispatchNumber, FindingId, TaskRef};
use crate::notice::NoticeCode;
use crate::reply::{ReportedFinding, Severity};
use crate::role::RepairLoop;
use crate::work::BaseMerge;

/// The branch is at another commit than the session knows.
pub(super) fn moved(draft: &mut Draft<'_>, commit: CommitId) {
    if draft.base_to_watch().is_some() && *draft.base_seen() != commit {
        draft.emit(Event::BaseMoved { commit });
    }
}

/// Begins the merge that is due. True when one was begun.
pub(super) fn comes_first(draft: &mut Draft<'_>) -> bool {
    let Some(base) = draft.base_to_merge().cloned() else {
        return false;
    };
    draft.emit(Event::BaseMergeStarted { base });
    true
}

pub(super) fn merged(draft: &mut Draft<'_>, base: CommitId, outcome: BaseMerge) {
    // A merge that is told twice, or came too late, changes nothing.
    if draft.is_over() || draft.branch.base.merging.as_ref() != Some(&base) {
        return;
    }
    draft.emit(Event::BaseMergeEnded { base: base.clone(), outcome: outcome.clone() });
    match outcome {
        BaseMerge::Clean { .. } | BaseMerge::AlreadyIn => {}
        BaseMerge::Unrelated => {
            let name = branch_name(draft);
            let message = format!(
                "{name} was replaced by a history that the session's work does not come from, so it was not merged"
            );
            draft.notice(NoticeCode::BaseUnrelated, message);
        }
        BaseMerge::Conflicts { files, .. } => conflict(draft, &base, &files),
    }
}

/// Each file is a finding, and the Coder resolves them in a tree with both sides.
fn conflict(draft: &mut Draft<'_>, base: &CommitId, files: &[String]) {
    let name = branch_name(draft);
    let found: Vec<Finding> = files.iter().map(|file| record(draft, base, &name, file)).collect();
    repair::object(draft, &TaskRef::Meta, RepairLoop::FixBuild, Feedback::of(&found));
}

fn record(draft: &mut Draft<'_>, base: &CommitId, name: &str, file: &str) -> Finding {
    let origin = FindingOrigin::BaseConflict { base: base.clone() };
    let message = format!("{name} has moved, and both it and the session changed {file}");
    let report = ReportedFinding {
        file: Some(file.to_owned()),
        ..ReportedFinding::plain(Severity::High, origin.category(), message)
    };
    finding::record(draft, origin, &TaskRef::Meta, &report, FindingStatus::Open)
}

/// Work that started from both sides is about to be taken: what did not go together does now.
pub(super) fn settle(draft: &mut Draft<'_>, number: DispatchNumber) {
    let dispatch = &draft.dispatches[&number];
    let has_commit = dispatch.delivered().is_some_and(|d| d.work.code.commit.is_some());
    let Some(join) = draft.join_of(dispatch).filter(|_| has_commit) else {
        return;
    };
    let fixed: Vec<FindingId> = draft.base_findings(&join.base).map(|found| found.id).collect();
    for id in fixed {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
}

fn branch_name(draft: &Draft<'_>) -> String {
    draft.opening.base_branch.clone().unwrap_or_else(|| "the base".to_owned())
}
