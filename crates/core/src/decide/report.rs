//! What a role that does not review reports: it counts by its severity, like what a reviewer finds.
//!
//! It is on record whatever else the reply says. In the implement loop and after it the Coder repairs it; before it, where
//! there is nothing to repair yet, a person decides before the work is taken; on a route it waits for the severity gate.
//! It counts as fixed when the dispatch that reported it, or one that was told of it, is accepted and does not report it
//! again. Others of the same role have not seen it.

use super::{Draft, MANUAL_FIX, accept, ask, attempt, repair, reply};
use crate::action::StepKind;
use crate::answer::Answer;
use crate::decision::Subject;
use crate::event::{Event, Finding, FindingStatus, Purpose};
use crate::id::{DispatchNumber, TaskRef};
use crate::limits::SAME_FINDING_MAX;
use crate::reply::Reply;
use crate::role::{RepairLoop, Role};

/// Puts on record what a reply reports.
pub(super) fn record(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    if !draft.dispatches[&number].role.is_reviewing() {
        reply::keep(draft, number, &said.findings);
    }
}

/// Whether a person has to decide before the work is taken; they have then been asked.
pub(super) fn stops(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) -> bool {
    if !draft.has_task_loop() || is_repairable(draft, number) {
        return false;
    }
    let grave = grave(draft, number, said);
    if grave.is_empty() {
        return false;
    }
    let role = draft.dispatches[&number].role;
    let fix = format!("{role} does its part again and is told what is listed");
    ask::justify(draft, Subject::Dispatch { dispatch: number }, &fix, &grave);
    true
}

/// The person decided about what was reported with work that waits to be taken.
pub(super) fn answered(draft: &mut Draft<'_>, number: DispatchNumber, answer: &Answer) {
    let Some(delivered) = draft.dispatches[&number].delivered.clone() else {
        return;
    };
    let grave = grave(draft, number, &delivered.reply);
    if answer.keyword == "approve" {
        reply::approve_findings(draft, &grave, answer.words());
        return accept::accept(draft, number, &delivered.reply, &delivered.work);
    }
    let lines: Vec<String> = lines(&grave);
    let text = format!("fix what you reported:\n{}", ask::bullets(&lines));
    draft.emit(Event::GuidanceGiven { number, text, authorized: Vec::new() });
    let agent = draft.dispatches[&number].chosen.clone().filter(|name| name != MANUAL_FIX);
    attempt::start_with_consent(draft, number, None, agent);
}

/// The work is taken: what is reported no more is fixed, and what is grave is repaired.
pub(super) fn follow(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    let dispatch = draft.dispatches[&number].clone();
    let (role, task) = (dispatch.role, dispatch.task);
    if role.is_reviewing() || draft.unit(&task).is_none() {
        return;
    }
    let is_told = |finding: &Finding| {
        let line = reply::finding_line(&finding.report);
        let is_its_own = finding.source == role && draft.alone_reported(number, &finding.report);
        is_its_own || dispatch.feedback.iter().any(|told| told.contains(&line))
    };
    let is_gone = |finding: &&Finding| {
        is_told(finding) && !said.findings.iter().any(|again| again.is_same_as(&finding.report))
    };
    let gone: Vec<u32> =
        open(draft).filter(|f| f.task == task).filter(is_gone).map(|f| f.id).collect();
    for id in gone {
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason: None });
    }
    let is_repair = matches!(dispatch.purpose, Purpose::Repair { .. });
    let grave = grave(draft, number, said);
    if grave.is_empty() || !(is_repair || is_repairable(draft, number)) {
        return;
    }
    if grave.iter().any(|finding| finding.times >= SAME_FINDING_MAX) {
        return ask::non_convergence(draft, &task, RepairLoop::FixReview, &lines(&grave));
    }
    repair::object(draft, &task, RepairLoop::FixReview, lines(&grave));
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
    let mut standing =
        open(draft).filter(|f| f.report.severity.is_grave() && draft.unit(&f.task).is_some());
    let Some(task) = standing.next().map(|finding| finding.task.clone()) else {
        return false;
    };
    drop(standing);
    let grave: Vec<Finding> =
        open(draft).filter(|f| f.task == task && f.report.severity.is_grave()).cloned().collect();
    repair::object(draft, &task, RepairLoop::FixReview, lines(&grave));
    true
}

/// What roles that do not review reported and nobody has fixed or decided about.
pub(super) fn open<'a>(draft: &'a Draft<'_>) -> impl Iterator<Item = &'a Finding> {
    draft.findings.iter().filter(|finding| {
        finding.status == FindingStatus::Open
            && !finding.source.is_reviewing()
            && finding.source != Role::Orchestrator
    })
}

/// What a reply reports, grave and still open.
fn grave(draft: &Draft<'_>, number: DispatchNumber, said: &Reply) -> Vec<Finding> {
    let (role, task) = who(draft, number);
    let is_said = |finding: &&Finding| {
        said.findings
            .iter()
            .any(|report| report.severity.is_grave() && report.is_same_as(&finding.report))
    };
    open(draft).filter(|f| f.source == role && f.task == task).filter(is_said).cloned().collect()
}

/// What somebody who works on a task has to know of it.
pub(super) fn lines_about(draft: &Draft<'_>, task: &TaskRef) -> Vec<String> {
    let about = open(draft).filter(|finding| finding.task == *task);
    about.map(|finding| reply::finding_line(&finding.report)).collect()
}

fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| reply::finding_line(&finding.report)).collect()
}

fn who(draft: &Draft<'_>, number: DispatchNumber) -> (Role, TaskRef) {
    let dispatch = &draft.dispatches[&number];
    (dispatch.role, dispatch.task.clone())
}

/// There is code that a Coder can repair, and who reports it works on that.
fn is_repairable(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    let role = draft.dispatches[&number].role;
    let works_on_code = matches!(role, Role::Coder | Role::Integrator | Role::Docs);
    draft.has_task_loop() && works_on_code && loop_index(draft).is_some_and(|at| at <= draft.step)
}

fn is_after_loop(draft: &Draft<'_>) -> bool {
    loop_index(draft).is_some_and(|at| at < draft.step)
}

fn loop_index(draft: &Draft<'_>) -> Option<usize> {
    draft.steps.iter().position(|step| matches!(step.kind, StepKind::Tasks))
}
