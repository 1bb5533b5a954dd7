//! What a task needs next: its checks, its next status, or the next gate that looks at it.

use super::checks;
use super::draft::Draft;
use super::moves::open::{self, Start};
use crate::event::{Event, Purpose};
use crate::id::{TaskId, TaskRef};
use crate::mutant::Mutant;
use crate::role::Mode;
use crate::session::{Gate, GateState, Task};
use crate::task::{Strategy, TaskStatus};

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
    let commands = draft.commands_of(task);
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

pub(super) fn continue_with(draft: &mut Draft<'_>, id: TaskId, next: Next) {
    match next {
        Next::Checks(commands) => checks::start_for_task(draft, TaskRef::Task(id), commands),
        Next::Move(status) => draft.emit(Event::TaskMoved { task: id, status }),
        Next::Gate(gate) => open_gate(draft, gate, TaskRef::Task(id)),
    }
}

fn required_gates(task: &Task) -> Vec<Gate> {
    let mut gates = vec![Gate::Review];
    if task.spec.kind.is_behaviour() || task.spec.has_command_check() {
        gates.push(Gate::Test);
    }
    if (task.spec.is_flagged("security") || task.touched_sensitive)
        && !Mutant::LeavesOutTheAuditOfATask.is_planted()
    {
        gates.push(Gate::Audit);
    }
    gates
}

/// The first gate that has not passed; the review once more where code came after it.
pub(super) fn next_gate(draft: &Draft<'_>, task: &TaskRef, required: &[Gate]) -> Option<Gate> {
    let unit = draft.unit(task)?;
    // Who has objected looks again, even where a new strategy or plan would not call for it.
    let has_objected = |gate: Gate| draft.open_findings(task, gate.role()).next().is_some();
    let is_wanted = |gate: Gate| draft.is_look_wanted(task, gate);
    let mut gates = Gate::ALL
        .into_iter()
        .filter(|gate| required.contains(gate) || has_objected(*gate) || is_wanted(*gate));
    let open = gates.find(|gate| unit.gate(*gate) == GateState::Open);
    let is_comprehensive = *task == TaskRef::Meta || draft.route.mode == Mode::Lean;
    open.or_else(|| {
        (is_comprehensive
            && draft.branch.unreviewed
            && !Mutant::DoesNotReviewAgainAfterAChange.is_planted())
        .then_some(Gate::Review)
    })
}

pub(super) fn open_gate(draft: &mut Draft<'_>, gate: Gate, task: TaskRef) {
    let (role, purpose) = (gate.role(), purpose_of(gate));
    open::dispatch_for(draft, Start::new(role, task, purpose, Vec::new()));
}

pub(super) fn purpose_of(gate: Gate) -> Purpose {
    match gate {
        Gate::Review => Purpose::Review,
        Gate::Test => Purpose::Test,
        Gate::Audit => Purpose::Audit,
    }
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
    !task.unit.coded
        && task.spec.item.waits_for.is_empty()
        && (task.spec.depends_on.iter().all(is_satisfied)
            || Mutant::StartsATaskBeforeWhatItBuildsOn.is_planted())
}
