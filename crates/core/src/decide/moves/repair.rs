//! Repair loops: how often, by whom, and when a person is asked.

use super::open::Start;
use super::{ask, ending, named, open as opening};
use crate::decide::draft::Draft;
use crate::event::{Event, Purpose, Verdict};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, TaskRef};
use crate::mutant::Mutant;
use crate::role::{Mode, RepairLoop, Role};
use crate::session::{Dispatch, Given};
use crate::worker::Worker;

/// A gate objects: one more repair while the budget lasts, then a person.
pub fn object(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, told: Feedback) {
    object_in_words(draft, task, repair, told, "");
}

/// As `object`, where a person says what they want: files that they name may be changed.
pub fn object_in_words(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    repair: RepairLoop,
    told: Feedback,
    words: &str,
) {
    let told = Told { feedback: told, authorized: named::paths(words), by: None, worker: None };
    object_by(draft, task, repair, told);
}

/// As `object`, where it is known that the code is at fault.
pub fn object_to_coder(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, told: Feedback) {
    let told = Told { feedback: told, authorized: Vec::new(), by: Some(Role::Coder), worker: None };
    object_by(draft, task, repair, told);
}

/// What who repairs is told, and who it is.
struct Told {
    feedback: Feedback,
    /// Files that a person names.
    authorized: Vec<String>,
    by: Option<Role>,
    /// Who plays that role, where it is not its agent.
    worker: Option<Worker>,
}

fn object_by(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, told: Told) {
    let done = draft.unit(task).map_or(0, |unit| unit.repairs_done(repair));
    if done < draft.policy.repairs || Mutant::RepairsWithoutABudget.is_planted() {
        open(draft, task, repair, told, false);
    } else {
        ask::repair(draft, task, repair, &told.feedback.lines);
    }
}

/// One more repair that a person wants, whatever the budget.
pub fn open_with_consent(
    draft: &mut Draft<'_>,
    task: &TaskRef,
    repair: RepairLoop,
    told: Feedback,
    authorized: Vec<String>,
) {
    let told = Told { feedback: told, authorized, by: None, worker: None };
    open(draft, task, repair, told, true);
}

/// A repair that the person makes by hand.
pub fn open_by_hand(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, told: Feedback) {
    let worker = Some(Worker::Person);
    let told = Told { feedback: told, authorized: Vec::new(), by: None, worker };
    open(draft, task, repair, told, true);
}

/// More that a person wants of a task. A repair that waits already is made with it.
pub fn also_with_consent(draft: &mut Draft<'_>, task: &TaskRef, said: Vec<String>) {
    // The task may have left the plan meanwhile.
    let Some(unit) = draft.unit(task) else {
        return;
    };
    let pending = unit.pending.clone().map(|pending| pending.feedback).unwrap_or_default();
    let told = Feedback::from(said).and(pending);
    open_with_consent(draft, task, RepairLoop::FixReview, told, Vec::new());
}

fn open(draft: &mut Draft<'_>, task: &TaskRef, repair: RepairLoop, told: Told, consented: bool) {
    let Told { feedback, authorized, by, worker } = told;
    let (task, findings, feedback) = (task.clone(), feedback.named(), feedback.lines);
    draft.emit(Event::RepairOpened {
        task,
        repair,
        feedback,
        findings,
        consented,
        authorized,
        by,
        worker,
    });
}

/// The unit with a repair that waits to be dispatched.
pub fn waiting(draft: &Draft<'_>) -> Option<TaskRef> {
    let tasks =
        draft.plan.tasks.iter().map(|task| (TaskRef::Task(task.spec.id.clone()), &task.unit));
    tasks
        .chain([(TaskRef::Meta, &draft.plan.meta)])
        .find(|(_, unit)| unit.pending.is_some())
        .map(|(task, _)| task)
}

pub fn dispatch(draft: &mut Draft<'_>, task: TaskRef) {
    let Some(pending) = draft.unit(&task).and_then(|unit| unit.pending.clone()) else {
        return;
    };
    let role = pending.by.unwrap_or_else(|| repairer(draft, pending.repair));
    let purpose = Purpose::Repair { repair: pending.repair };
    opening::dispatch_for(draft, Start::new(role, task, purpose, pending.feedback));
}

/// A red build goes to the Integrator first; what it cannot fix in build files is the Coder's.
pub fn repairer(draft: &Draft<'_>, repair: RepairLoop) -> Role {
    if !draft.has_task_loop() {
        return maker(draft);
    }
    let first = draft.plan.meta.repairs_done(repair) <= 1;
    // Lines of code that do not merge are nobody's but the Coder's.
    let is_conflict = draft.base_conflict().is_some();
    if repair == RepairLoop::FixBuild && first && !is_conflict && draft.route.mode == Mode::Full {
        Role::Integrator
    } else {
        Role::Coder
    }
}

/// Who makes things in an action without an implement loop: the Coder, else who made the last thing.
fn maker(draft: &Draft<'_>) -> Role {
    let steps = draft.route.steps[..=draft.route.step].iter().enumerate();
    let made = steps.flat_map(|(at, step)| step.assignments(at)).map(|(_, a)| a.role);
    let makers: Vec<Role> =
        made.filter(|role| !role.is_reviewing() && *role != Role::Orchestrator).collect();
    if makers.contains(&Role::Coder) {
        return Role::Coder;
    }
    makers.last().copied().unwrap_or(Role::Coder)
}

/// Ends a dispatch that must be done again; its task starts again with the next ones that can.
pub fn begin_again(draft: &mut Draft<'_>, number: DispatchNumber) {
    let dispatch = draft.dispatches[&number].clone();
    ending::close(draft, number, Verdict::SetAside);
    if let Purpose::Repair { repair } = dispatch.purpose {
        let Dispatch { task, given: Given { feedback, authorized, .. }, .. } = dispatch;
        open_with_consent(draft, &task, repair, feedback, authorized);
    }
}
