//! Opening a dispatch, with all that its agent is told.

use super::{ask, attempt, finding};
use crate::decide::draft::Draft;
use crate::decision::{Decision, Subject};
use crate::event::{Event, Purpose};
use crate::feedback::Feedback;
use crate::id::{DispatchNumber, TaskRef};
use crate::role::Role;
use crate::session::Dispatch;
use crate::task::TaskStatus;
use crate::worker::Worker;

/// A dispatch to be opened.
pub struct Start {
    pub role: Role,
    pub task: TaskRef,
    pub purpose: Purpose,
    /// What the agent is told beyond its task.
    pub feedback: Feedback,
    /// Which tree beside the session's own it works in, where others work at the same time.
    pub lane: Option<usize>,
}

impl Start {
    pub fn new(role: Role, task: TaskRef, purpose: Purpose, told: impl Into<Feedback>) -> Self {
        Self { role, task, purpose, feedback: told.into(), lane: None }
    }
}

/// Opens a dispatch and starts its first attempt, unless a limit is used up.
pub fn dispatch(draft: &mut Draft<'_>, start: Start) {
    if let Some(words) = attempt::used_up(draft) {
        return ask::budget(draft, &words);
    }
    let last = draft.dispatches.keys().next_back().copied();
    let number = last.map_or(DispatchNumber::FIRST, DispatchNumber::next);
    let answers = information_for(draft, &start);
    let Start { role, task, purpose, feedback, lane } = start;
    let feedback = feedback.and(answers);
    let (findings, feedback) = (feedback.named(), feedback.lines);
    // What a person does by hand they do once; whatever comes of it, they are asked.
    let pending = draft.unit(&task).and_then(|unit| unit.pending.as_ref());
    let by_hand = matches!(purpose, Purpose::Repair { .. })
        && pending.is_some_and(|repair| repair.worker == Some(Worker::Person));
    let starts_max = Some(if by_hand { 1 } else { draft.policy.starts_max() });
    draft.emit(Event::DispatchOpened {
        number,
        role,
        task,
        purpose,
        feedback,
        findings,
        lane,
        starts_max,
    });
    attempt::start(draft, number);
}

/// Opens the dispatch that a task or the session needs next.
pub fn dispatch_for(draft: &mut Draft<'_>, start: Start) {
    // Where the budget held the dispatch back, the task is in progress already.
    if let (Purpose::Implement, TaskRef::Task(id)) = (&start.purpose, &start.task)
        && draft.task(id).is_some_and(|task| task.status != TaskStatus::InProgress)
    {
        let event = Event::TaskMoved { task: id.clone(), status: TaskStatus::InProgress };
        draft.emit(event);
    }
    let clash = draft.unit(&start.task).map(|unit| unit.clash.clone()).unwrap_or_default();
    let mut feedback = start.feedback.and(clash);
    if start.purpose == Purpose::Implement {
        // A former attempt at it may have reported something before it was set aside.
        feedback = feedback.and(finding::told_about(draft, &start.task));
    }
    dispatch(draft, Start { feedback, ..start });
}

/// What a person answered to questions of earlier dispatches for the same thing.
fn information_for(draft: &Draft<'_>, start: &Start) -> Vec<String> {
    let is_same = |dispatch: &Dispatch| {
        dispatch.role == start.role
            && dispatch.task == start.task
            && dispatch.purpose == start.purpose
    };
    let asked = draft.decisions.asked.iter().filter(|decision| match &decision.subject {
        Subject::Info { dispatch } | Subject::Refinement { dispatch, .. } => {
            is_same(&draft.dispatches[dispatch])
        }
        // How tests can be run, where QA had no way.
        Subject::Check { task, command: None, .. } => {
            start.role == Role::QA && *task == start.task && decision.names_a_command()
        }
        _ => false,
    });
    asked.map(Decision::with_answer).filter(|line| !start.feedback.lines.contains(line)).collect()
}
