//! A plan is taken, and what was found about tasks that are no longer in it is not forgotten.

use super::draft::Draft;
use super::moves::settle;
use crate::event::{Event, Finding, FindingStatus};
use crate::id::{TaskId, TaskRef};
use crate::mutant::Mutant;
use crate::role::Role;
use crate::task::TaskSpec;

/// Takes a plan. What was found about tasks that are no longer in it is not forgotten.
pub(super) fn adopt(draft: &mut Draft<'_>, tasks: Vec<TaskSpec>) {
    let before = draft.task_commands();
    draft.emit(Event::PlanAdopted { tasks });
    let now = draft.task_commands();
    let gone: Vec<String> = before.into_iter().filter(|command| !now.contains(command)).collect();
    settle::left(draft, &gone);
    let planned: Vec<TaskId> = draft.plan.tasks.iter().map(|task| task.spec.id.clone()).collect();
    leave_behind(draft, "the task is no longer in the plan", |task| match task {
        TaskRef::Task(id) => !planned.contains(id),
        TaskRef::Meta => false,
    });
}

/// Handles findings about tasks that are no longer reviewed. Small ones are tracked. A grave one that a role reported is now
/// about the whole session, because its cause may still be in the tree.
pub(super) fn leave_behind(
    draft: &mut Draft<'_>,
    reason: &str,
    is_about: impl Fn(&TaskRef) -> bool,
) {
    let open: Vec<Finding> = open_about(draft, is_about).cloned().collect();
    for finding in open {
        if finding.report.severity.is_grave()
            && finding.source() != Role::Orchestrator
            && !Mutant::ForgetsAGraveFindingWithItsTask.is_planted()
        {
            let finding = Finding { task: TaskRef::Meta, ..finding };
            draft.emit(Event::FindingRecorded { finding });
        } else {
            let (id, status) = (finding.id, FindingStatus::Tracked);
            draft.emit(Event::FindingSettled { id, status, reason: Some(reason.to_owned()) });
        }
    }
}

pub(super) fn open_about<'a>(
    draft: &'a Draft<'_>,
    is_about: impl Fn(&TaskRef) -> bool,
) -> impl Iterator<Item = &'a Finding> {
    let open = draft.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
    open.filter(move |f| is_about(&f.task) && !f.is_weakening())
}
