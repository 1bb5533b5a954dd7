//! Whom an accepted reply asks for: Security for its concerns, QA for tests, the Reviewer for a review. They come to the
//! task, or to the session as a whole, where the route would have left them out.
//!
//! Who is asked for looks once, whoever asks. Nobody brings itself, and one reviewing role brings another once for the same
//! work, so that two of them cannot call each other for ever.

use super::draft::Draft;
use crate::action::StepKind;
use crate::event::Event;
use crate::id::{DispatchNumber, TaskRef};
use crate::mutant::Mutant;
use crate::reply::Reply;
use crate::role::Mode;
use crate::session::Gate;

pub(super) fn follow(draft: &mut Draft<'_>, number: DispatchNumber, said: &Reply) {
    let role = draft.dispatches[&number].role;
    let task = subject(draft, &draft.dispatches[&number].task);
    for (gate, concerns) in asked_for(said) {
        let is_new = !role.is_reviewing() || may_ask(draft, &task, gate);
        let is_told = !concerns.is_empty() || is_left_out(draft, &task, gate);
        if gate.role() != role && is_new && is_told && !Mutant::BringsNobody.is_planted() {
            let (task, role) = (task.clone(), gate.role());
            draft.emit(Event::LookWanted { task, role, by: number, concerns });
        }
    }
}

fn asked_for(said: &Reply) -> Vec<(Gate, Vec<String>)> {
    let looks = &said.looks;
    let mut asked = Vec::new();
    if looks.review {
        asked.push((Gate::Review, Vec::new()));
    }
    if looks.tests {
        asked.push((Gate::Test, Vec::new()));
    }
    if !looks.security.is_empty() {
        asked.push((Gate::Audit, looks.security.clone()));
    }
    asked
}

/// The task, or the whole where it has left the plan. In lean mode the one task is the whole.
fn subject(draft: &Draft<'_>, task: &TaskRef) -> TaskRef {
    let only = draft.plan.tasks.first().filter(|_| draft.route.mode == Mode::Lean);
    match (task, only) {
        (TaskRef::Meta, Some(only)) => TaskRef::Task(only.spec.id.clone()),
        (TaskRef::Task(_), _) if draft.unit(task).is_some() => task.clone(),
        _ => TaskRef::Meta,
    }
}

/// A reviewing role asked for it before, nobody has changed anything since, and it has looked.
fn may_ask(draft: &Draft<'_>, task: &TaskRef, gate: Gate) -> bool {
    let known = draft.unit(task).and_then(|unit| unit.wanted.get(&gate));
    known.is_none_or(|look| look.is_open)
}

/// In full mode every task is reviewed, and all of it once more before the work is put together; QA tests at least one task
/// or the whole. Only what comes later, or a single task without tests, is left out.
fn is_left_out(draft: &Draft<'_>, task: &TaskRef, gate: Gate) -> bool {
    if draft.route.mode == Mode::Lean || !draft.has_task_loop() {
        return true;
    }
    let loop_index = draft.route.steps.iter().position(|step| matches!(step.kind, StepKind::Tasks));
    let is_after_loop = loop_index.is_some_and(|index| index < draft.route.step);
    match gate {
        Gate::Audit => true,
        Gate::Test => is_after_loop || *task != TaskRef::Meta,
        Gate::Review => is_after_loop,
    }
}
