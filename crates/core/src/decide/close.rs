//! The Definition of Done as a predicate: closes the session, or does what is missing.

use super::{Draft, ask, checks, severity, tasks, weakened};
use crate::action::{Assignment, StepKind};
use crate::decision::BlockerCode;
use crate::event::{CriterionResult, Event, FindingStatus};
use crate::id::TaskRef;
use crate::role::Mode;
use crate::session::Gate;
use crate::task::TaskStatus;

pub(super) fn advance(draft: &mut Draft<'_>) {
    // Repairs, and checks on the tree as it is now: what came after the last checks counts too.
    if !checks::is_settled(draft) {
        return;
    }
    // Without an implement loop, what reviewing roles found decides here too.
    if !draft.has_task_loop() {
        let is_judged = draft.findings.is_empty() && draft.look_again.is_empty();
        if checks::all_hold(draft) && (is_judged || severity::is_passed(draft)) {
            finish(draft);
        }
        return;
    }
    if !checks::all_hold(draft) {
        return;
    }
    // Somebody put more into the plan after the loop was left.
    let loop_index = draft.steps.iter().position(|step| matches!(step.kind, StepKind::Tasks));
    let unfinished = draft.tasks.iter().any(|task| task.status != TaskStatus::Completed);
    if let (Some(index), true) = (loop_index, unfinished) {
        return draft.emit(Event::StepEntered { index });
    }
    if draft.unreviewed {
        let task = match (draft.mode, draft.tasks.first()) {
            (Mode::Lean, Some(task)) => TaskRef::Task(task.spec.id.clone()),
            _ => TaskRef::Meta,
        };
        return tasks::open_gate(draft, Gate::Review, task);
    }
    if let Some((gate, task)) = objector(draft) {
        return tasks::open_gate(draft, gate, task);
    }
    if draft.meta.needs_audit && draft.mode == Mode::Full {
        return tasks::open_gate(draft, Gate::Audit, TaskRef::Meta);
    }
    if weakened::ask_last(draft) {
        return;
    }
    finish(draft);
}

fn finish(draft: &mut Draft<'_>) {
    let missing = missing(draft);
    if missing.is_empty() {
        return draft.emit(Event::SessionClosed);
    }
    let detail = format!("the session cannot be closed: {}", missing.join("; "));
    ask::broken_files(draft, BlockerCode::MissingOutput, detail);
}

/// Who objected and has not looked since, because the work continued elsewhere.
fn objector(draft: &Draft<'_>) -> Option<(Gate, TaskRef)> {
    let mut open = draft.findings.iter().filter(|f| f.status == FindingStatus::Open);
    open.find_map(|finding| Some((Gate::of_role(finding.source)?, finding.task.clone())))
}

/// What still stands between the session and DONE.
fn missing(draft: &Draft<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    for criterion in &draft.criteria {
        match draft.criteria_results.get(&criterion.id) {
            Some(CriterionResult::Met { .. } | CriterionResult::Waived { .. }) => {}
            _ => missing.push(format!("{} is not met", criterion.id)),
        }
    }
    for task in draft.tasks.iter().filter(|task| task.status != TaskStatus::Completed) {
        missing.push(format!("{} is {}", task.spec.id, task.status));
    }
    // In lean mode the engine writes the report itself.
    let reports = |a: &Assignment| a.outputs.iter().any(|output| output == "report.md");
    let steps = draft.steps.iter().enumerate();
    let has_report = steps.flat_map(|(at, step)| step.assignments(at)).any(|(_, a)| reports(a));
    if has_report && !draft.artefacts.contains_key("report.md") {
        missing.push("report.md is not there".to_owned());
    }
    missing
}
