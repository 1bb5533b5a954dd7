//! Several roles at once: all start together, successes are kept, and nothing continues before all are ready.

use super::draft::Draft;
use super::moves::open::Start;
use super::moves::{ending, enter, finding, open, repair};
use super::{failure, reply, take};
use crate::action::Assignment;
use crate::event::{Event, Finding, FindingOrigin, FindingStatus, Purpose, Verdict};
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::mutant::Mutant;
use crate::reply::{Reply, ReplyStatus, ReportedFinding, Severity};
use crate::role::Role;
use crate::work::{DispatchEnd, Merged};

/// Starts who has not been started, and passes the barrier when all are ready.
pub(super) fn advance(draft: &mut Draft<'_>, members: &[Assignment]) {
    let missing: Vec<usize> =
        (0..members.len()).filter(|member| !is_begun(draft, *member)).collect();
    if !missing.is_empty() {
        return begin(draft, members, &missing);
    }
    if draft.dispatches.open.is_empty() {
        return enter::next(draft);
    }
    if draft.dispatches.open.iter().all(|number| {
        draft.dispatches[number].is_ready() || Mutant::PassesTheBarrierEarly.is_planted()
    }) {
        barrier(draft);
    }
}

fn is_begun(draft: &Draft<'_>, member: usize) -> bool {
    let purpose = Purpose::Step { index: draft.route.step, member: Some(member) };
    draft.route.has_member_done(member)
        || draft.dispatches.open.iter().any(|number| draft.dispatches[number].purpose == purpose)
}

fn begin(draft: &mut Draft<'_>, members: &[Assignment], missing: &[usize]) {
    for member in missing {
        if draft.is_held() {
            return;
        }
        let purpose = Purpose::Step { index: draft.route.step, member: Some(*member) };
        let role = members[*member].role;
        open::dispatch(draft, Start::new(role, TaskRef::Meta, purpose, Vec::new()));
    }
}

/// All are ready. One change can be taken as it is; several must go together first.
pub(super) fn barrier(draft: &mut Draft<'_>) {
    let ready: Vec<DispatchNumber> = draft.dispatches.open.iter().copied().collect();
    let clashing = clashing_session_files(draft, &ready);
    if !clashing.is_empty() {
        return send_back(draft, clashing);
    }
    let has_commit = |number: &&DispatchNumber| {
        let delivered = draft.dispatches[*number].delivered();
        delivered.is_some_and(|delivered| delivered.work.code.commit.is_some())
    };
    let numbers: Vec<DispatchNumber> = ready.iter().filter(has_commit).copied().collect();
    let is_behind =
        |number: &DispatchNumber| draft.dispatches[number].based_on() != Some(&draft.branch.tip);
    if numbers.len() > 1 || numbers.iter().any(is_behind) {
        return draft.emit(Event::MergeStarted { numbers });
    }
    close_ready(draft, &ready);
}

/// Session files that a later member wrote differently from an earlier one.
fn clashing_session_files(draft: &Draft<'_>, ready: &[DispatchNumber]) -> Vec<Merged> {
    let mut seen = std::collections::BTreeMap::new();
    let mut clashing = Vec::new();
    for number in ready {
        let Some(delivered) = draft.dispatches[number].delivered() else {
            continue;
        };
        let mut conflicts = Vec::new();
        for artefact in &delivered.work.documents.artefacts {
            let known = seen.entry(&artefact.path).or_insert(&artefact.sha256);
            if **known != artefact.sha256 {
                conflicts.push(draft.session_path(&artefact.path));
            }
        }
        if !conflicts.is_empty() {
            clashing.push(Merged { number: *number, commit: None, conflicts, outputs: Vec::new() });
        }
    }
    clashing
}

/// The changes of the members were brought together, each on top of the ones before it.
pub(super) fn merged(draft: &mut Draft<'_>, merged: Vec<Merged>) {
    let expected: Vec<DispatchNumber> = draft.branch.merging.clone();
    let found: Vec<DispatchNumber> = merged.iter().map(|one| one.number).collect();
    // A merge delivered twice finds its work done.
    if draft.is_over() || expected.is_empty() || expected != found {
        return;
    }
    let conflicting: Vec<Merged> =
        merged.iter().filter(|one| !one.conflicts.is_empty()).cloned().collect();
    if conflicting.is_empty() {
        draft.emit(Event::MergeEnded { merged });
        let ready: Vec<DispatchNumber> = draft.dispatches.open.iter().copied().collect();
        return close_ready(draft, &ready);
    }
    draft.emit(Event::MergeEnded { merged });
    let ready: Vec<DispatchNumber> = draft
        .dispatches
        .open
        .iter()
        .copied()
        .filter(|number| draft.dispatches[number].is_ready())
        .collect();
    close_ready(draft, &ready);
    report_and_rerun(draft, &conflicting);
}

/// Members whose session files clash do their part again; nothing was brought together yet.
fn send_back(draft: &mut Draft<'_>, clashing: Vec<Merged>) {
    draft.emit(Event::MergeEnded { merged: clashing.clone() });
    report_and_rerun(draft, &clashing);
}

/// A conflict is a named finding, never a silent choice.
fn report_and_rerun(draft: &mut Draft<'_>, conflicting: &[Merged]) {
    for one in conflicting {
        for file in &one.conflicts {
            record_conflict(draft, one.number, file);
        }
        keep_unjudged(draft, one.number);
        if draft.dispatches[&one.number].lane.is_some() {
            repair::begin_again(draft, one.number);
            continue;
        }
        let failure = draft.dispatches[&one.number].last_failure().cloned();
        if let Some(end @ DispatchEnd::Invalid { .. }) = failure {
            failure::follow(draft, one.number, &end);
        }
    }
}

fn record_conflict(draft: &mut Draft<'_>, number: DispatchNumber, file: &str) {
    let origin = FindingOrigin::MergeConflict { dispatch: number };
    let message =
        format!("dispatch {number} and one that ran at the same time both changed {file}");
    let report = ReportedFinding {
        file: Some(file.to_owned()),
        ..ReportedFinding::plain(Severity::High, origin.category(), message)
    };
    finding::record(draft, origin, &TaskRef::Meta, &report, FindingStatus::Open);
}

fn close_ready(draft: &mut Draft<'_>, ready: &[DispatchNumber]) {
    for number in ready {
        let dispatch = &draft.dispatches[number];
        let Some(verdict) = dispatch.ready() else {
            continue;
        };
        let delivered = dispatch.delivered();
        // Others lie on top of what it brought: where its task has left the plan, that is taken without a verdict.
        let is_planned = draft.unit(&dispatch.task).is_some();
        if let (Purpose::Review | Purpose::Test | Purpose::Audit, Some(delivered), true) =
            (&dispatch.purpose, delivered, is_planned)
        {
            let said = delivered.reply.clone();
            reply::verdict(draft, *number, &said);
            settle_conflicts_of(draft, *number);
            continue;
        }
        let objects = delivered.is_some_and(|delivered| !is_planned && objects(&delivered.reply));
        let verdict = if objects { Verdict::Objected } else { verdict };
        let delivered = delivered.cloned();
        keep_unjudged(draft, *number);
        ending::close(draft, *number, verdict);
        if let (Some(one), Verdict::Accepted | Verdict::Objected) = (delivered, verdict) {
            take::adopt(draft, *number, &one.reply, &one.work);
        }
        settle_conflicts_of(draft, *number);
    }
}

/// Keeps the findings of a reviewing role whose verdict does not count.
fn keep_unjudged(draft: &mut Draft<'_>, number: DispatchNumber) {
    let dispatch = &draft.dispatches[&number];
    if let Purpose::Review | Purpose::Test | Purpose::Audit = dispatch.purpose {
        let found = dispatch.past.reported.clone();
        finding::keep(draft, number, &found);
    }
}

fn objects(reply: &Reply) -> bool {
    let is_grave = |report: &ReportedFinding| report.severity.is_grave();
    reply.status == ReplyStatus::Blocked || reply.findings.iter().any(is_grave)
}

/// Its change is in: what it clashed with no longer matters.
pub(super) fn settle_conflicts_of(draft: &mut Draft<'_>, number: DispatchNumber) {
    settle_conflicts_if(draft, |dispatch| dispatch == number);
}

/// Nobody is at work: who clashed has done its part again, or was closed without bringing a change.
pub(super) fn settle_conflicts(draft: &mut Draft<'_>) {
    settle_conflicts_if(draft, |_| true);
}

fn settle_conflicts_if(draft: &mut Draft<'_>, is_over: impl Fn(DispatchNumber) -> bool) {
    let is_settled = |finding: &&Finding| match finding.origin {
        FindingOrigin::MergeConflict { dispatch } => is_over(dispatch),
        _ => false,
    };
    let settled: Vec<FindingId> = draft
        .open_findings(&TaskRef::Meta, Role::Orchestrator)
        .filter(is_settled)
        .map(|finding| finding.id)
        .collect();
    for id in settled {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
}
