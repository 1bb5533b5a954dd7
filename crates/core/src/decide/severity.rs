//! The severity gate: critical findings pass by no route, high ones with a justification, the rest is tracked.

use super::draft::Draft;
use super::moves::open::Start;
use super::moves::{ask, enter, escalate, finding, open, repair};
use super::{reply, take, weakened};
use crate::answer::JustifyAnswer;
use crate::decision::Subject;
use crate::event::{Event, Finding, FindingStatus, Purpose, Verdict};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::mutant::Mutant;
use crate::reply::{Reply, ReplyStatus, ReportedFinding, Severity};
use crate::role::{RepairLoop, Role};
use crate::session::Gate;

/// Repairs, looks again, asks or passes.
pub(super) fn advance(draft: &mut Draft<'_>) {
    if is_passed(draft) {
        enter::next(draft);
    }
}

/// Brings the findings to a point where none stands in the way. True when there is nothing left to do.
pub(super) fn is_passed(draft: &mut Draft<'_>) -> bool {
    if let Some(task) = repair::waiting(draft) {
        repair::dispatch(draft, task);
        return false;
    }
    let index = draft.route.step;
    if let Some(role) = draft
        .route
        .look_again
        .first()
        .copied()
        .filter(|_| !Mutant::DoesNotLookAgainAfterARepair.is_planted())
    {
        look(draft, role, vec!["look again: the findings have been worked on".to_owned()]);
        return false;
    }
    let grave = grave_findings(draft);
    if grave.is_empty() {
        if weakened::ask_last(draft) {
            return false;
        }
        if !draft.route.severity_passed.contains(&index) {
            pass(draft, None);
        }
        return true;
    }
    let loop_of = |finding: &Finding| {
        Gate::of_role(finding.source()).map_or(RepairLoop::FixReview, Gate::repair)
    };
    let repair = loop_of(&grave[0]);
    let has_budget = draft.plan.meta.repairs_done(repair) < draft.policy.repairs;
    let has_coder = draft.opening.action.assignments().any(|(_, a)| a.role == Role::Coder);
    if has_coder && has_budget {
        repair::object(draft, &TaskRef::Meta, repair, Feedback::of(&grave));
    } else {
        let fix = "the Coder repairs what is listed, then the role that found it looks again";
        ask::justify(draft, Subject::Severity { step: index }, fix, &grave);
    }
    false
}

/// A reviewing role looks at the work outside its own step.
pub(super) fn look(draft: &mut Draft<'_>, role: Role, told: Vec<String>) {
    let purpose = Purpose::Look { step: draft.route.step };
    open::dispatch_for(draft, Start::new(role, TaskRef::Meta, purpose, told));
}

/// Open findings that stop the work, the worst first.
fn grave_findings(draft: &Draft<'_>) -> Vec<Finding> {
    let mut grave: Vec<Finding> = draft
        .record
        .findings
        .iter()
        .filter(|f| {
            f.status == FindingStatus::Open
                && f.report.severity.is_grave()
                && !Mutant::PassesOverAHighFinding.is_planted()
        })
        .cloned()
        .collect();
    grave.sort_by_key(|finding| std::cmp::Reverse(finding.report.severity));
    grave
}

fn pass(draft: &mut Draft<'_>, justification: Option<String>) {
    let still_open: Vec<FindingId> = draft
        .record
        .findings
        .iter()
        .filter(|f| f.status == FindingStatus::Open && !f.report.severity.is_grave())
        .filter(|f| !f.is_weakening())
        .map(|finding| finding.id)
        .collect();
    for id in still_open {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Tracked, reason: None });
    }
    let tracked: Vec<FindingId> = draft
        .record
        .findings
        .iter()
        .filter(|finding| finding.status == FindingStatus::Tracked)
        .map(|finding| finding.id)
        .collect();
    let step = draft.route.step;
    draft.emit(Event::SeverityPassed { step, tracked, justification });
}

/// A reviewing role has played its part in a step: what it found waits for the severity gate.
pub(super) fn judged(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    if said.status == ReplyStatus::Fail {
        finding::keep(draft, number, &said.findings);
        return reply::failed(draft, number, said);
    }
    let role = draft.dispatches[&number].role;
    let task = TaskRef::Meta;
    let mut reports = finding::effective_reports(draft, role, &task, said);
    if said.status == ReplyStatus::NeedsDecision && reports.is_empty() {
        // A question without a finding is one: the gate puts it before the person.
        reports.push(ReportedFinding::plain(Severity::High, "decision", said.summary.clone()));
    }
    let is_grave = reports.iter().any(|report| report.severity.is_grave());
    let objects = said.status == ReplyStatus::Blocked || is_grave;
    let verdict = if objects { Verdict::Objected } else { Verdict::Accepted };
    // A role that looks again knows the findings of its role. In another step it may look at something else.
    let looks_again = matches!(draft.dispatches[&number].purpose, Purpose::Look { .. });
    finding::settle_gone(draft, role, &task, (said, &reports), (!looks_again).then_some(number));
    finding::record_all(draft, role, &task, &reports);
    take::note_assumptions(draft, said);
    take::conclude(draft, number, verdict);
}

/// The person decided about grave findings.
pub(super) fn answered(draft: &mut Draft<'_>, answer: &JustifyAnswer) {
    escalate::unblock(draft);
    let grave = grave_findings(draft);
    if let JustifyAnswer::Approve(reason) = answer {
        finding::approve_findings(draft, &grave, reason);
        return pass(draft, Some(reason.to_string()));
    }
    let source = grave.first().map_or(Role::Reviewer, |finding| finding.source());
    let repair = Gate::of_role(source).map_or(RepairLoop::FixReview, Gate::repair);
    let told = Feedback::of(&grave);
    repair::open_with_consent(draft, &TaskRef::Meta, repair, told, Vec::new());
}
