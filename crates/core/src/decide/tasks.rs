//! The implement loop: which task is coded next, which gate looks at it, and when it is complete.

use super::draft::Draft;
use super::moves::open::Start;
use super::moves::{ask, enter, open, repair};
use super::{checks, gate, next_task, parallel, plan, wave};
use crate::action::{Step, StepKind};
use crate::decision::{Blocker, BlockerCode, Subject};
use crate::event::{Event, Finding, FindingStatus, Purpose};
use crate::id::{FindingId, TaskId, TaskRef};
use crate::notice::NoticeCode;
use crate::role::{Mode, Role};
use crate::session::{Gate, GateState};
use crate::task::{Strategy, TaskStatus};
use crate::work::Refinement;

pub(super) fn advance(draft: &mut Draft<'_>) {
    // Read from the durable record each time: a person may choose again in the middle of the loop.
    let Some(strategy) = draft.strategy() else {
        return gate::ask_strategy(draft, false);
    };
    // What was worked on at the same time is ready: it is taken in before anything else starts.
    if !draft.dispatches.open.is_empty() {
        return parallel::barrier(draft);
    }
    if wave::start(draft, strategy) {
        return;
    }
    if let Some(task) = repair::waiting(draft) {
        return repair::dispatch(draft, task);
    }
    if work_on_begun_task(draft, strategy) || start_next_task(draft, strategy) {
        return;
    }
    if settle_refinements(draft) {
        return;
    }
    if !all_tasks_reached(draft, strategy) {
        return stuck(draft);
    }
    if review_as_a_whole(draft, strategy) || complete_implemented(draft) || ask_manual(draft) {
        return;
    }
    enter::next(draft);
}

/// Continues with the first task that is coded and not finished. Says whether there was something to do.
fn work_on_begun_task(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    let next = draft.plan.tasks.iter().find_map(|task| {
        let next = next_task::next_for(draft, task, strategy)?;
        Some((task.spec.id.clone(), next))
    });
    let Some((id, next)) = next else {
        return false;
    };
    next_task::continue_with(draft, id, next);
    true
}

fn start_next_task(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    let ready = draft.plan.tasks.iter().filter(|task| next_task::can_start(draft, task, strategy));
    // The first of those that are equally urgent.
    let ready = ready.min_by_key(|task| task.spec.priority());
    let Some(id) = ready.map(|task| task.spec.id.clone()) else {
        return false;
    };
    let (role, task) = (Role::Coder, TaskRef::Task(id));
    open::dispatch_for(draft, Start::new(role, task, Purpose::Implement, Vec::new()));
    true
}

/// What the plan left to a person is asked once nothing else can be done, and the plan made again with the answers. Says
/// whether there was something.
fn settle_refinements(draft: &mut Draft<'_>) -> bool {
    let Some(number) = draft.plan.refined_by.filter(|_| !draft.plan.refinements.is_empty()) else {
        return false;
    };
    let is_asked = |item: &str| {
        draft.decisions.asked.iter().any(|decision| match &decision.subject {
            Subject::Refinement { dispatch, item: asked } => *dispatch == number && asked == item,
            _ => false,
        })
    };
    let refinements = draft.plan.refinements.clone();
    let open: Vec<&Refinement> = refinements.iter().filter(|r| !is_asked(&r.item)).collect();
    if open.is_empty() {
        let role = draft.dispatches[&number].role;
        let plans = |step: &Step| matches!(&step.kind, StepKind::Dispatch(of) if of.role == role);
        let Some(index) = draft.route.steps.iter().position(plans) else {
            return false;
        };
        enter::step(draft, index);
        return true;
    }
    for refinement in open {
        ask::refinement(draft, number, refinement);
    }
    true
}

fn all_tasks_reached(draft: &Draft<'_>, strategy: Strategy) -> bool {
    draft.plan.tasks.iter().all(|task| match strategy {
        Strategy::PerBatch => task.status == TaskStatus::Completed,
        Strategy::SingleFinal => {
            matches!(task.status, TaskStatus::Implemented | TaskStatus::Completed)
        }
    })
}

/// No task can start and not all are done: the plan has a hole.
fn stuck(draft: &mut Draft<'_>) {
    let waiting: Vec<&str> = draft
        .plan
        .tasks
        .iter()
        .filter(|task| !task.unit.coded)
        .map(|task| task.spec.id.as_str())
        .collect();
    let detail =
        format!("tasks.yaml: {} wait for tasks that can never be completed", waiting.join(", "));
    draft.notice(NoticeCode::TasksUnreachable, detail.clone());
    ask::broken_files(draft, BlockerCode::InvalidOutput, detail);
    debug_assert!(matches!(
        draft.standing.blocker,
        Some(Blocker { code: BlockerCode::InvalidOutput, .. })
    ));
}

/// The pass over the whole session before integration; lean work has had its review.
fn review_as_a_whole(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    if draft.route.mode == Mode::Lean {
        return false;
    }
    let commands = draft.task_commands();
    if draft.plan.meta.needs_checks && !commands.is_empty() {
        checks::start_for_task(draft, TaskRef::Meta, commands);
        return true;
    }
    let has_passed =
        |gate: Gate| draft.plan.tasks.iter().any(|task| task.unit.gate(gate) == GateState::Passed);
    let required: Vec<Gate> = Gate::ALL
        .into_iter()
        .filter(|gate| {
            *gate == Gate::Review
                || strategy == Strategy::SingleFinal
                || !has_passed(*gate)
                || (*gate == Gate::Audit && draft.plan.meta.needs_audit)
        })
        .collect();
    match next_task::next_gate(draft, &TaskRef::Meta, &required) {
        Some(gate) => {
            next_task::open_gate(draft, gate, TaskRef::Meta);
            true
        }
        None => false,
    }
}

fn complete_implemented(draft: &mut Draft<'_>) -> bool {
    let implemented: Vec<TaskId> = draft
        .plan
        .tasks
        .iter()
        .filter(|task| task.status == TaskStatus::Implemented)
        .map(|task| task.spec.id.clone())
        .collect();
    for task in &implemented {
        // The combined pass looked at its code too and has nothing left to object to.
        settle_reviewed(draft, &TaskRef::Task(task.clone()));
        draft.emit(Event::TaskMoved { task: task.clone(), status: TaskStatus::Completed });
    }
    !implemented.is_empty()
}

/// A review does not settle findings of other roles: the reviewer was not told of them.
fn settle_reviewed(draft: &mut Draft<'_>, task: &TaskRef) {
    let is_judged = |f: &&Finding| f.source().is_reviewing() || f.source() == Role::Orchestrator;
    let open: Vec<FindingId> =
        plan::open_about(draft, |about| about == task).filter(is_judged).map(|f| f.id).collect();
    for id in open {
        let reason = Some("the combined review passed".to_owned());
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason });
    }
}

fn ask_manual(draft: &mut Draft<'_>) -> bool {
    let open = checks::open_by_hand(draft);
    if open.is_empty() {
        return false;
    }
    ask::manual_checks(draft, open, None);
    true
}
