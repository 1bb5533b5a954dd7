//! What a role that does not review reports: it counts by its severity, like what a reviewer finds.
//!
//! It is on record whatever else the reply says. In the implement loop and after it the Coder repairs it; before it, where
//! there is nothing to repair yet, a person decides before the work is taken; on a route it waits for the severity gate.
//! It counts as fixed when the dispatch that reported it, or one that was told of it, is accepted and does not report it
//! again. Others of the same role have not seen it.

use super::draft::Draft;
use super::moves::{ask, finding, repair};
use crate::action::StepKind;
use crate::decision::Subject;
use crate::event::{Event, Finding, FindingStatus, Purpose};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, FindingId, TaskRef};
use crate::limits::SAME_FINDING_MAX;
use crate::mutant::Mutant;
use crate::reply::{Reply, ReportedFinding};
use crate::role::{RepairLoop, Role};

/// Puts on record what a reply reports.
pub(super) fn record(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    if !draft.dispatches[&number].role.is_reviewing() {
        finding::keep(draft, number, &said.findings);
    }
}

/// Whether a person has to decide before the work is taken; they have then been asked.
pub(super) fn stops(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) -> bool {
    if !draft.has_task_loop()
        || is_repairable(draft, number)
        || Mutant::TakesADesignWithSomethingGrave.is_planted()
    {
        return false;
    }
    let grave = grave(draft, number, said);
    if grave.is_empty() {
        return false;
    }
    let role = draft.dispatches[&number].role;
    let fix = format!("{role} runs again with this list");
    ask::justify(draft, Subject::Dispatch { dispatch: number }, &fix, &grave);
    true
}

/// The work is taken: what is reported no more is fixed, and what is grave is repaired.
pub(super) fn follow(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    let dispatch = draft.dispatches[&number].clone();
    let (role, task) = (dispatch.role, dispatch.task);
    if role.is_reviewing() || draft.unit(&task).is_none() {
        return;
    }
    let told = told_of(draft, &dispatch.given.feedback);
    let is_told = |finding: &Finding| {
        let is_its_own = finding.source() == role && draft.alone_reported(number, &finding.report);
        is_its_own || told.iter().any(|known| known.is_same_as(&finding.report))
    };
    let is_gone = |finding: &&Finding| {
        is_told(finding) && !said.findings.iter().any(|again| again.is_same_as(&finding.report))
    };
    let gone: Vec<FindingId> =
        finding::reported(draft).filter(|f| f.task == task).filter(is_gone).map(|f| f.id).collect();
    for id in gone {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
    let is_repair = matches!(dispatch.purpose, Purpose::Repair { .. });
    let grave = grave(draft, number, said);
    if grave.is_empty() || !(is_repair || is_repairable(draft, number)) {
        return;
    }
    if grave.iter().any(|finding| finding.times >= SAME_FINDING_MAX) {
        return ask::non_convergence(
            draft,
            &task,
            RepairLoop::FixReview,
            &Feedback::of(&grave).lines,
        );
    }
    repair::object(draft, &task, RepairLoop::FixReview, Feedback::of(&grave));
}

/// After the implement loop nothing continues over something grave. True when that was seen to.
pub(super) fn comes_first(draft: &mut Draft<'_>) -> bool {
    if !is_after_loop(draft) {
        return false;
    }
    if let Some(task) = repair::waiting(draft) {
        repair::dispatch(draft, task);
        return true;
    }
    let mut standing = finding::reported(draft)
        .filter(|f| f.report.severity.is_grave() && draft.unit(&f.task).is_some());
    let Some(task) = standing.next().map(|finding| finding.task.clone()) else {
        return false;
    };
    drop(standing);
    let grave: Vec<Finding> = finding::reported(draft)
        .filter(|f| f.task == task && f.report.severity.is_grave())
        .cloned()
        .collect();
    repair::object(draft, &task, RepairLoop::FixReview, Feedback::of(&grave));
    true
}

/// What a reply reports, grave and still open.
pub(super) fn grave(draft: &Draft<'_>, number: DispatchNumber, said: &Reply) -> Vec<Finding> {
    let (role, task) = who(draft, number);
    let is_said = |finding: &&Finding| {
        said.findings
            .iter()
            .any(|report| report.severity.is_grave() && report.is_same_as(&finding.report))
    };
    finding::reported(draft)
        .filter(|f| f.source() == role && f.task == task)
        .filter(is_said)
        .cloned()
        .collect()
}

/// What the feedback names. Another role may have reported the same.
fn told_of<'a>(draft: &'a Draft<'_>, feedback: &Feedback) -> Vec<&'a ReportedFinding> {
    let named = draft.record.findings.iter().filter(|f| feedback.findings.contains(&f.id));
    named.map(|finding| &finding.report).collect()
}

fn who(draft: &Draft<'_>, number: DispatchNumber) -> (Role, TaskRef) {
    let dispatch = &draft.dispatches[&number];
    (dispatch.role, dispatch.task.clone())
}

/// There is code that a Coder can repair, and who reports it works on that.
fn is_repairable(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    let role = draft.dispatches[&number].role;
    let works_on_code = matches!(role, Role::Coder | Role::Integrator | Role::Docs);
    draft.has_task_loop()
        && works_on_code
        && loop_index(draft).is_some_and(|at| at <= draft.route.step)
}

pub(super) fn is_after_loop(draft: &Draft<'_>) -> bool {
    loop_index(draft).is_some_and(|at| at < draft.route.step)
}

fn loop_index(draft: &Draft<'_>) -> Option<usize> {
    draft.route.steps.iter().position(|step| matches!(step.kind, StepKind::Tasks))
}
