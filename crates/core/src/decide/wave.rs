//! Tasks that are worked on at the same time: who starts together, each in a tree of its own. What they bring is taken
//! in when all are ready, in the order of the plan.

use super::draft::Draft;
use super::moves::open::Start;
use super::moves::{open, repair};
use super::next_task::Next;
use super::{next_task, parallel};
use crate::event::Purpose;
use crate::id::{TaskId, TaskRef};
use crate::mutant::Mutant;
use crate::role::{Mode, Role};
use crate::session::Task;
use crate::task::Strategy;

/// Starts two dispatches or more, or does what the engine itself owes a task first. False leaves it to one at a time.
pub(super) fn start(draft: &mut Draft<'_>, strategy: Strategy) -> bool {
    parallel::settle_conflicts(draft);
    let most = usize::try_from(draft.policy.parallel_tasks).unwrap_or(usize::MAX);
    // Lean work may turn out not to be lean: it starts over, and nobody may be at work beside it then.
    if most < 2 || draft.route.mode == Mode::Lean || draft.plan.meta.pending.is_some() {
        return false;
    }
    if let Some((id, next)) = owed_by_engine(draft, strategy) {
        next_task::continue_with(draft, id, next);
        return true;
    }
    let starts = choose(draft, strategy, most);
    if starts.len() < 2 {
        return false;
    }
    for (lane, start) in starts.into_iter().enumerate() {
        if draft.is_held() {
            break;
        }
        open::dispatch_for(draft, Start { lane: Some(lane), ..start });
    }
    true
}

/// Checks run one after the other in the session's own tree, and statuses are moved, before anybody starts.
fn owed_by_engine(draft: &Draft<'_>, strategy: Strategy) -> Option<(TaskId, Next)> {
    let without_repair = draft.plan.tasks.iter().filter(|task| task.unit.pending.is_none());
    without_repair
        .filter_map(|task| Some((task, next_task::next_for(draft, task, strategy)?)))
        .find(|(_, next)| !matches!(next, Next::Gate(_)))
        .map(|(task, next)| (task.spec.id.clone(), next))
}

fn choose(draft: &Draft<'_>, strategy: Strategy, most: usize) -> Vec<Start> {
    let mut chosen: Vec<(&Task, Start)> = Vec::new();
    // What is begun is finished first.
    let (begun, mut fresh): (Vec<&Task>, Vec<&Task>) =
        draft.plan.tasks.iter().partition(|task| task.unit.coded || task.unit.pending.is_some());
    fresh.sort_by_key(|task| task.spec.priority());
    for task in begun.into_iter().chain(fresh) {
        if chosen.len() == most {
            break;
        }
        let Some(start) = next_start(draft, task, strategy) else {
            continue;
        };
        let goes_with = |(other, known): &(&Task, Start)| {
            let both = |of: fn(Role) -> bool| of(start.role) && of(known.role);
            let may_clash = !task.unit.clash.is_empty() || !other.unit.clash.is_empty();
            let meet = both(|role| role == Role::Coder)
                && may_meet(task, other)
                && !Mutant::IgnoresThatTasksOverlap.is_planted();
            let clash = both(|role| matches!(role, Role::Coder | Role::QA))
                && may_clash
                && !Mutant::RunsWhatClashedBesideOthers.is_planted();
            !meet && !clash
        };
        if chosen.iter().all(goes_with) {
            chosen.push((task, start));
        }
    }
    // In the order of the plan, which is the order in which they are taken in.
    chosen.sort_by_key(|(task, _)| {
        draft.plan.tasks.iter().position(|other| std::ptr::eq(other, *task))
    });
    chosen.into_iter().map(|(_, start)| start).collect()
}

/// Two tasks that could change the same file.
fn may_meet(a: &Task, b: &Task) -> bool {
    // What a person allowed beyond a scope was not compared with the scopes of others.
    let is_wider = |task: &Task| {
        let pending = task.unit.pending.as_ref();
        !task.unit.allowed.is_empty() || pending.is_some_and(|p| !p.authorized.is_empty())
    };
    a.spec.overlaps.contains(&b.spec.id)
        || b.spec.overlaps.contains(&a.spec.id)
        || is_wider(a)
        || is_wider(b)
}

/// What could start for a task now.
fn next_start(draft: &Draft<'_>, task: &Task, strategy: Strategy) -> Option<Start> {
    let reference = TaskRef::Task(task.spec.id.clone());
    if let Some(pending) = &task.unit.pending {
        let role = pending.by.unwrap_or_else(|| repair::repairer(draft, pending.repair));
        let purpose = Purpose::Repair { repair: pending.repair };
        return Some(Start::new(role, reference, purpose, pending.feedback.clone()));
    }
    if let Some(Next::Gate(gate)) = next_task::next_for(draft, task, strategy) {
        let purpose = next_task::purpose_of(gate);
        return Some(Start::new(gate.role(), reference, purpose, Vec::new()));
    }
    let can_start = next_task::can_start(draft, task, strategy);
    can_start.then(|| Start::new(Role::Coder, reference, Purpose::Implement, Vec::new()))
}
