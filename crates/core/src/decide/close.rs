//! The Definition of Done as a predicate: closes the session, or does what is missing.

use super::draft::Draft;
use super::moves::open::Start;
use super::moves::{ask, open};
use super::{checks, next_task, severity, weakened};
use crate::action::{Assignment, StepKind};
use crate::decision::BlockerCode;
use crate::event::{CriterionResult, Event, FindingStatus, Purpose};
use crate::id::TaskRef;
use crate::mutant::Mutant;
use crate::notice::NoticeCode;
use crate::role::{Mode, Role, State};
use crate::session::{Dispatch, Gate};
use crate::task::TaskStatus;

pub(super) fn advance(draft: &mut Draft<'_>) {
    // Repairs, and checks on the tree as it is now: what came after the last checks counts too.
    if !checks::is_settled(draft) {
        return;
    }
    // Without an implement loop, what reviewing roles found decides here too.
    if !draft.has_task_loop() {
        let is_judged = draft.record.findings.is_empty() && draft.route.look_again.is_empty();
        if checks::all_hold(draft) && (is_judged || severity::is_passed(draft)) {
            match draft.wanted_look() {
                Some((gate, _)) => severity::look(draft, gate.role(), Vec::new()),
                None => finish(draft),
            }
        }
        return;
    }
    if !checks::all_hold(draft) {
        return;
    }
    // Somebody put more into the plan after the loop was left.
    let loop_index = draft.route.steps.iter().position(|step| matches!(step.kind, StepKind::Tasks));
    let unfinished = draft.plan.tasks.iter().any(|task| task.status != TaskStatus::Completed);
    if let (Some(index), true) = (loop_index, unfinished) {
        return draft.emit(Event::StepEntered { index });
    }
    if draft.branch.unreviewed && !Mutant::ClosesOnUnreviewedWork.is_planted() {
        let task = match (draft.route.mode, draft.plan.tasks.first()) {
            (Mode::Lean, Some(task)) => TaskRef::Task(task.spec.id.clone()),
            _ => TaskRef::Meta,
        };
        return next_task::open_gate(draft, Gate::Review, task);
    }
    if let Some((gate, task)) = objector(draft).filter(|_| !Mutant::ForgetsWhoObjected.is_planted())
    {
        return next_task::open_gate(draft, gate, task);
    }
    if let Some((gate, task)) = draft.wanted_look() {
        return next_task::open_gate(draft, gate, task);
    }
    if draft.plan.meta.needs_audit
        && draft.route.mode == Mode::Full
        && !Mutant::ClosesOnUnauditedWork.is_planted()
    {
        return next_task::open_gate(draft, Gate::Audit, TaskRef::Meta);
    }
    if weakened::ask_last(draft) {
        return;
    }
    finish(draft);
}

fn finish(draft: &mut Draft<'_>) {
    if report_again(draft) {
        return;
    }
    let missing = missing(draft);
    if missing.is_empty() {
        return draft.emit(Event::SessionClosed);
    }
    let detail = format!("the session cannot be closed: {}", missing.join("; "));
    ask::broken_files(draft, BlockerCode::MissingOutput, detail);
}

/// What came after the report was written belongs into it too. True when its writer was started for that.
fn report_again(draft: &mut Draft<'_>) -> bool {
    let steps = draft.route.steps.iter().enumerate();
    let parts = steps.filter(|(_, step)| step.state == State::Release);
    let mut parts = parts.flat_map(|(at, step)| step.assignments(at));
    let Some((at, part)) = parts.find(|(_, part)| reports(part) && part.role == Role::Docs) else {
        return false;
    };
    let role = part.role;
    let unreported = draft.unreported();
    if unreported.is_empty() || !draft.files.artefacts.contains_key(REPORT) {
        return false;
    }
    // What Docs writes is reviewed, and who reviews may find more: this must come to an end.
    let is_report =
        |dispatch: &&Dispatch| dispatch.role == role && dispatch.part_index() == Some(at);
    let written = draft.dispatches.values().filter(is_report).count();
    if written > draft.policy.repairs as usize {
        let ids: Vec<&str> = unreported.iter().map(|point| point.id.as_str()).collect();
        let message =
            format!("report.md was written {written} times and does not name {}", ids.join(", "));
        draft.notice(NoticeCode::ReportIncomplete, message);
        return false;
    }
    let told = vec!["what your constraints list came up after the report was written; add what is missing there".to_owned()];
    let purpose = Purpose::Step { index: at.step, member: at.member };
    open::dispatch(draft, Start::new(role, TaskRef::Meta, purpose, told));
    true
}

const REPORT: &str = "report.md";

fn reports(part: &Assignment) -> bool {
    part.outputs.iter().any(|output| output == REPORT)
}

/// Who objected and has not looked since, because the work continued elsewhere.
fn objector(draft: &Draft<'_>) -> Option<(Gate, TaskRef)> {
    let mut open = draft.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
    open.find_map(|finding| Some((Gate::of_role(finding.source())?, finding.task.clone())))
}

/// What still stands between the session and DONE.
fn missing(draft: &Draft<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    for criterion in &draft.plan.criteria {
        match draft.plan.criteria_results.get(&criterion.id) {
            Some(CriterionResult::Met { .. } | CriterionResult::Waived { .. }) => {}
            _ => missing.push(format!("{} is not met", criterion.id)),
        }
    }
    for task in draft.plan.tasks.iter().filter(|task| task.status != TaskStatus::Completed) {
        missing.push(format!("{} is {}", task.spec.id, task.status));
    }
    // In lean mode the engine writes the report itself.
    let steps = draft.route.steps.iter().enumerate();
    let has_report = steps.flat_map(|(at, step)| step.assignments(at)).any(|(_, a)| reports(a));
    if has_report
        && !draft.files.artefacts.contains_key(REPORT)
        && !Mutant::ClosesWithoutAReport.is_planted()
    {
        missing.push("report.md is missing".to_owned());
    }
    missing
}
