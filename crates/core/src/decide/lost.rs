//! Questions that have lost their object: the task or the check that they are about is no longer in the plan. They are closed
//! with the reason, so that nobody waits for an answer that changes nothing.

use super::draft::Draft;
use super::moves::{ask, ending, escalate};
use super::parallel;
use crate::decision::{Decision, DecisionStatus, Resolution, Subject};
use crate::event::{CheckPurpose, Event, Verdict};
use crate::id::{DecisionId, DispatchNumber, TaskRef};
use crate::task::Check;

/// Closes every pending question whose object left the plan.
pub(super) fn close(draft: &mut Draft<'_>) {
    let why = |decision: &Decision| {
        let reason = lost(draft, &decision.subject)?;
        Some((decision.decision_id.clone(), reason, decision.subject.clone()))
    };
    let closed: Vec<(DecisionId, String, Subject)> =
        draft.pending_decisions().filter_map(why).collect();
    for (id, reason, subject) in closed {
        let resolution = Resolution {
            status: DecisionStatus::Skipped,
            resolved_at: Some(draft.now()),
            reason: Some(reason),
            ..Resolution::default()
        };
        draft.emit(Event::DecisionResolved { id, resolution });
        follow(draft, &subject);
    }
}

fn lost(draft: &Draft<'_>, subject: &Subject) -> Option<String> {
    match subject {
        Subject::Notes { task, .. }
        | Subject::Repair { task, .. }
        | Subject::Finding { task, .. } => task_left(draft, task),
        Subject::Check { task, command, .. } => {
            let command = command.as_deref().filter(|command| command_left(draft, command));
            let left = command.map(|command| format!("`{command}` is no longer in the plan"));
            task_left(draft, task).or(left)
        }
        Subject::Manual { checks, .. } => {
            let is_left =
                !checks.iter().any(|check| is_planned(draft, &Check::Manual(check.clone())));
            is_left.then(|| "what was to be checked by hand is no longer in the plan".to_owned())
        }
        Subject::Dispatch { dispatch }
        | Subject::Info { dispatch }
        | Subject::Scope { dispatch, .. } => task_left(draft, &draft.dispatches[dispatch].task),
        Subject::Gate { .. }
        | Subject::Strategy
        | Subject::Budget
        | Subject::Files
        | Subject::Refinement { .. }
        | Subject::Severity { .. }
        | Subject::Coverage { .. }
        | Subject::Evidence
        | Subject::Imported { .. } => None,
    }
}

fn task_left(draft: &Draft<'_>, task: &TaskRef) -> Option<String> {
    draft.unit(task).is_none().then(|| format!("{task} is no longer in the plan"))
}

/// A command that the plan named and names no more. Gates and the commands of an action are not in a plan.
fn command_left(draft: &Draft<'_>, command: &str) -> bool {
    let is_of_plan = |purpose: &CheckPurpose| {
        matches!(purpose, CheckPurpose::Task { .. } | CheckPurpose::Acceptance { .. })
    };
    let mut runs = draft.checks.runs.values().filter(|run| is_of_plan(&run.purpose));
    runs.any(|run| run.commands.iter().any(|ran| ran == command))
        && !is_planned(draft, &Check::Command(command.to_owned()))
}

fn is_planned(draft: &Draft<'_>, check: &Check) -> bool {
    let criteria = draft.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
    let tasks = draft.plan.tasks.iter().flat_map(|task| &task.spec.acceptance_checks);
    criteria.chain(tasks).any(|known| known == check)
}

/// What waited for the answer does not wait any more.
fn follow(draft: &mut Draft<'_>, subject: &Subject) {
    match subject {
        Subject::Dispatch { dispatch } | Subject::Scope { dispatch, .. } => {
            set_aside(draft, *dispatch);
            escalate::unblock(draft);
        }
        // It may have been blocked because it did not converge.
        Subject::Repair { .. } => escalate::unblock(draft),
        Subject::Check { task, .. } => ask::unblock_task(draft, task),
        _ => {}
    }
}

fn set_aside(draft: &mut Draft<'_>, number: DispatchNumber) {
    let dispatch = &draft.dispatches[&number];
    let is_waiting = draft.dispatches.open.contains(&number)
        && !dispatch.is_ready()
        && dispatch.running().is_none();
    if is_waiting {
        ending::close(draft, number, Verdict::SetAside);
        parallel::settle_conflicts_of(draft, number);
    }
}
