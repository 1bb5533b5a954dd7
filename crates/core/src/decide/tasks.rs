//! The implement loop: which task is coded next, which gate looks at it, and when it is complete.

use super::step::Start;
use super::{Draft, accept, ask, checks, gate, parallel, repair, step, wave};
use crate::decision::{Blocker, BlockerCode};
use crate::event::{Event, Finding, FindingStatus, Purpose, Verdict};
use crate::id::{DispatchNumber, TaskId, TaskRef};
use crate::role::{Mode, Role};
use crate::session::{Dispatch, Gate, GateState, Task};
use crate::task::{Check, Strategy, TaskSpec, TaskStatus};

pub(super) fn advance(draft: &mut Draft<'_>) {
    // Read from the durable record each time: a person may choose anew in the middle of the loop.
    let Some(strategy) = draft.strategy() else {
        return gate::ask_strategy(draft, false);
    };
    // What was worked on at the same time is ready: it is taken in before anything else starts.
    if !draft.open.is_empty() {
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
    if !all_tasks_reached(draft, strategy) {
        return stuck(draft);
    }
    if review_as_a_whole(draft, strategy) || complete_implemented(draft) || ask_manual(draft) {
        return;
    }
    step::next(draft);
}

/// Continues with the first task that is coded and not finished. Says whether there was something to do.
fn work_on_begun_task(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    let next = draft.tasks.iter().find_map(|task| {
        let next = next_for(draft, task, strategy)?;
        Some((task.spec.id.clone(), next))
    });
    let Some((id, next)) = next else {
        return false;
    };
    go_on(draft, id, next);
    true
}

/// Ends a dispatch that has to be done anew; its task starts again with the next ones that can.
pub(super) fn begin_again(draft: &mut Draft<'_>, number: DispatchNumber) {
    let dispatch = draft.dispatches[&number].clone();
    draft.emit(Event::DispatchClosed { number, verdict: Verdict::SetAside });
    if let Purpose::Repair { repair } = dispatch.purpose {
        let Dispatch { task, feedback, authorized, .. } = dispatch;
        draft.emit(Event::RepairOpened { task, repair, feedback, consented: true, authorized });
    }
}

/// What a task needs next.
pub(super) enum Next {
    Checks(Vec<String>),
    Move(TaskStatus),
    Gate(Gate),
}

/// What comes next for a task that is coded and not finished; nothing where all wait for a review of the whole.
pub(super) fn next_for(draft: &Draft<'_>, task: &Task, strategy: Strategy) -> Option<Next> {
    if !task.unit.coded || task.status == TaskStatus::Completed {
        return None;
    }
    let commands = commands_of(task);
    if task.unit.needs_checks && !commands.is_empty() {
        return Some(Next::Checks(commands));
    }
    if task.status == TaskStatus::InProgress {
        return Some(Next::Move(TaskStatus::Implemented));
    }
    if strategy == Strategy::SingleFinal {
        return None;
    }
    let reference = TaskRef::Task(task.spec.id.clone());
    Some(match next_gate(draft, &reference, &required_gates(task)) {
        Some(gate) => Next::Gate(gate),
        None => Next::Move(TaskStatus::Completed),
    })
}

pub(super) fn go_on(draft: &mut Draft<'_>, id: TaskId, next: Next) {
    match next {
        Next::Checks(commands) => checks::start_for_task(draft, TaskRef::Task(id), commands),
        Next::Move(status) => draft.emit(Event::TaskMoved { task: id, status }),
        Next::Gate(gate) => open_gate(draft, gate, TaskRef::Task(id)),
    }
}

fn commands_of(task: &Task) -> Vec<String> {
    let checks = task.spec.acceptance_checks.iter();
    checks
        .filter_map(|check| match check {
            Check::Command(command) => Some(command.clone()),
            Check::Manual(_) => None,
        })
        .collect()
}

fn required_gates(task: &Task) -> Vec<Gate> {
    let mut gates = vec![Gate::Review];
    if task.spec.kind.is_behaviour() || task.spec.has_command_check() {
        gates.push(Gate::Test);
    }
    if task.spec.is_flagged("security") || task.touched_sensitive {
        gates.push(Gate::Audit);
    }
    gates
}

/// The first gate that has not passed; the review once more where code came after it.
pub(super) fn next_gate(draft: &Draft<'_>, task: &TaskRef, required: &[Gate]) -> Option<Gate> {
    let unit = draft.unit(task)?;
    // Who has objected looks again, even where a new strategy or plan would not call for it.
    let has_objected = |gate: Gate| draft.open_findings(task, gate.role()).next().is_some();
    let mut gates =
        Gate::ALL.into_iter().filter(|gate| required.contains(gate) || has_objected(*gate));
    let open = gates.find(|gate| unit.gate(*gate) == GateState::Open);
    let is_comprehensive = *task == TaskRef::Meta || draft.mode == Mode::Lean;
    open.or_else(|| (is_comprehensive && draft.unreviewed).then_some(Gate::Review))
}

pub(super) fn open_gate(draft: &mut Draft<'_>, gate: Gate, task: TaskRef) {
    let (role, purpose) = (gate.role(), purpose_of(gate));
    accept::dispatch_for(draft, Start::new(role, task, purpose, Vec::new()));
}

pub(super) fn purpose_of(gate: Gate) -> Purpose {
    match gate {
        Gate::Review => Purpose::Review,
        Gate::Test => Purpose::Test,
        Gate::Audit => Purpose::Audit,
    }
}

fn start_next_task(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    let ready = draft.tasks.iter().find(|task| can_start(draft, task, strategy));
    let Some(id) = ready.map(|task| task.spec.id.clone()) else {
        return false;
    };
    let (role, task) = (Role::Coder, TaskRef::Task(id));
    accept::dispatch_for(draft, Start::new(role, task, Purpose::Implement, Vec::new()));
    true
}

/// Not begun, and everything it builds on is far enough.
pub(super) fn can_start(draft: &Draft<'_>, task: &Task, strategy: Strategy) -> bool {
    let enough = match strategy {
        Strategy::PerBatch => TaskStatus::Completed,
        Strategy::SingleFinal => TaskStatus::Implemented,
    };
    let is_satisfied = |id: &TaskId| {
        let other = draft.task(id);
        other.is_some_and(|task| task.status == TaskStatus::Completed || task.status == enough)
    };
    !task.unit.coded && task.spec.depends_on.iter().all(is_satisfied)
}

fn all_tasks_reached(draft: &Draft<'_>, strategy: Strategy) -> bool {
    draft.tasks.iter().all(|task| match strategy {
        Strategy::PerBatch => task.status == TaskStatus::Completed,
        Strategy::SingleFinal => {
            matches!(task.status, TaskStatus::Implemented | TaskStatus::Completed)
        }
    })
}

/// No task can start and not all are done: the plan has a hole.
fn stuck(draft: &mut Draft<'_>) {
    let waiting: Vec<&str> = draft
        .tasks
        .iter()
        .filter(|task| !task.unit.coded)
        .map(|task| task.spec.id.as_str())
        .collect();
    let detail =
        format!("tasks.yaml: {} wait for tasks that cannot be reached", waiting.join(", "));
    draft.notice("tasks.unreachable", detail.clone());
    ask::broken_files(draft, BlockerCode::InvalidOutput, detail);
    debug_assert!(matches!(draft.blocker, Some(Blocker { code: BlockerCode::InvalidOutput, .. })));
}

/// The pass over the whole session before integration; lean work has had its review.
fn review_as_a_whole(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    if draft.mode == Mode::Lean {
        return false;
    }
    let commands = all_commands(draft);
    if draft.meta.needs_checks && !commands.is_empty() {
        checks::start_for_task(draft, TaskRef::Meta, commands);
        return true;
    }
    let has_passed =
        |gate: Gate| draft.tasks.iter().any(|task| task.unit.gate(gate) == GateState::Passed);
    let required: Vec<Gate> = Gate::ALL
        .into_iter()
        .filter(|gate| {
            *gate == Gate::Review
                || strategy == Strategy::SingleFinal
                || !has_passed(*gate)
                || (*gate == Gate::Audit && draft.meta.needs_audit)
        })
        .collect();
    match next_gate(draft, &TaskRef::Meta, &required) {
        Some(gate) => {
            open_gate(draft, gate, TaskRef::Meta);
            true
        }
        None => false,
    }
}

/// The commands of all tasks, each once.
pub(super) fn all_commands(draft: &Draft<'_>) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for command in draft.tasks.iter().flat_map(commands_of) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

fn complete_implemented(draft: &mut Draft<'_>) -> bool {
    let implemented: Vec<TaskId> = draft
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
    let is_judged = |f: &&Finding| f.source.is_reviewing() || f.source == Role::Orchestrator;
    let open: Vec<u32> =
        open_about(draft, |about| about == task).filter(is_judged).map(|f| f.id).collect();
    for id in open {
        let reason = Some("the combined review passed".to_owned());
        draft.emit(Event::FindingSettled { id, status: FindingStatus::Fixed, reason });
    }
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
        if finding.report.severity.is_grave() && finding.source != Role::Orchestrator {
            let finding = Finding { task: TaskRef::Meta, ..finding };
            draft.emit(Event::FindingRecorded { finding });
        } else {
            let (id, status) = (finding.id, FindingStatus::Tracked);
            draft.emit(Event::FindingSettled { id, status, reason: Some(reason.to_owned()) });
        }
    }
}

fn open_about<'a>(
    draft: &'a Draft<'_>,
    is_about: impl Fn(&TaskRef) -> bool,
) -> impl Iterator<Item = &'a Finding> {
    let open = draft.findings.iter().filter(|f| f.status == FindingStatus::Open);
    open.filter(move |f| is_about(&f.task) && !f.is_weakening())
}

/// Takes a plan. What was found about tasks that are no longer in it is not forgotten.
pub(super) fn adopt_plan(draft: &mut Draft<'_>, tasks: Vec<TaskSpec>) {
    let before = all_commands(draft);
    draft.emit(Event::PlanAdopted { tasks });
    let now = all_commands(draft);
    let gone: Vec<String> = before.into_iter().filter(|command| !now.contains(command)).collect();
    checks::settle_left(draft, &gone);
    let planned: Vec<TaskId> = draft.tasks.iter().map(|task| task.spec.id.clone()).collect();
    leave_behind(draft, "the task left the plan", |task| match task {
        TaskRef::Task(id) => !planned.contains(id),
        TaskRef::Meta => false,
    });
}

fn ask_manual(draft: &mut Draft<'_>) -> bool {
    let mut open = Vec::new();
    for check in draft.tasks.iter().flat_map(|task| &task.spec.acceptance_checks) {
        if let Check::Manual(text) = check
            && !draft.manual_settled.contains(text)
            && !open.contains(text)
        {
            open.push(text.clone());
        }
    }
    if open.is_empty() {
        return false;
    }
    ask::manual_checks(draft, open, None);
    true
}
