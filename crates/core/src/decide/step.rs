//! From step to step, and from step to dispatch.

use super::{
    Draft, ask, attempt, checks, close, command, failure, gate, parallel, report, severity, tasks,
};
use crate::action::{Step, StepKind, When};
use crate::decision::{BlockerCode, CorrectionStatus, Subject};
use crate::event::{Event, Purpose, RetryWhy};
use crate::id::{DispatchNumber, TaskRef};
use crate::policy::Policy;
use crate::role::Role;
use crate::session::Waiting;

/// Does the next thing of the current step, or enters the next step.
pub(super) fn advance(draft: &mut Draft<'_>) {
    let Some(step) = draft.current_step().cloned() else {
        return;
    };
    // Ready members of a parallel step stay open until all are.
    let is_busy = draft.open.iter().any(|number| draft.dispatches[number].ready.is_none());
    if is_busy && !matches!(step.kind, StepKind::Parallel { .. }) {
        return;
    }
    if !draft.entered {
        return enter(draft, 0);
    }
    if !is_busy && !gate::needs_evidence(draft) && report::comes_first(draft) {
        return;
    }
    if matches!(draft.correction.status, CorrectionStatus::Queued | CorrectionStatus::Dispatched) {
        if !is_busy {
            gate::correct(draft);
        }
        return;
    }
    if gate::needs_evidence(draft) {
        return checks::renew_lifecycle(draft);
    }
    if gate::reaffirm(draft) {
        return;
    }
    match step.kind {
        _ if draft.step_done => next(draft),
        StepKind::Dispatch(assignment) => {
            let purpose = Purpose::Step { index: draft.step, member: None };
            let feedback = information_for(draft, &purpose);
            open(draft, Start::new(assignment.role, TaskRef::Meta, purpose, feedback));
        }
        StepKind::Parallel { members } => parallel::advance(draft, &members),
        StepKind::Approve { .. } => gate::approve(draft, draft.step),
        StepKind::Choose { .. } => gate::choose(draft),
        StepKind::Tasks => tasks::advance(draft),
        StepKind::Severity { .. } => severity::advance(draft),
        StepKind::Checks { of } => checks::advance(draft, &of),
        StepKind::Close => close::advance(draft),
    }
}

/// What a person answered to questions of earlier dispatches of the same step.
pub(super) fn information_for(draft: &Draft<'_>, purpose: &Purpose) -> Vec<String> {
    let asked = draft.decisions.iter().filter(|decision| match &decision.subject {
        Subject::Info { dispatch } | Subject::Refinement { dispatch, .. } => {
            draft.dispatches[dispatch].purpose == *purpose
        }
        _ => false,
    });
    asked
        .map(|decision| {
            let answer = decision.answered().unwrap_or("no answer was given");
            format!("{} The person says: {answer}", decision.question)
        })
        .collect()
}

pub(super) fn next(draft: &mut Draft<'_>) {
    enter(draft, draft.step + 1);
}

fn enter(draft: &mut Draft<'_>, index: usize) {
    let Some(step) = draft.steps.get(index) else {
        return;
    };
    match skip_reason(draft, step) {
        Some(reason) => draft.emit(Event::StepSkipped { index, reason }),
        None => draft.emit(Event::StepEntered { index }),
    }
}

fn skip_reason(draft: &Draft<'_>, step: &Step) -> Option<String> {
    match (step.when, &step.kind) {
        (Some(When::Requested), StepKind::Dispatch(assignment))
            if !draft.wants_role(assignment.role) =>
        {
            Some(format!("nobody asked for {}", assignment.name()))
        }
        _ => None,
    }
}

/// A dispatch to be opened.
pub(super) struct Start {
    pub role: Role,
    pub task: TaskRef,
    pub purpose: Purpose,
    /// What the agent is told beyond its task.
    pub feedback: Vec<String>,
    /// Which tree beside the session's own it works in, where others work at the same time.
    pub lane: Option<usize>,
}

impl Start {
    pub fn new(role: Role, task: TaskRef, purpose: Purpose, feedback: Vec<String>) -> Self {
        Self { role, task, purpose, feedback, lane: None }
    }
}

/// Opens a dispatch and starts its first attempt, unless a limit is used up.
pub(super) fn open(draft: &mut Draft<'_>, start: Start) {
    if let Some(words) = attempt::used_up(draft) {
        return ask::budget(draft, &words);
    }
    let last = draft.dispatches.keys().next_back().copied();
    let number = last.map_or(DispatchNumber::FIRST, DispatchNumber::next);
    let Start { role, task, purpose, feedback, lane } = start;
    draft.emit(Event::DispatchOpened { number, role, task, purpose, feedback, lane });
    attempt::start(draft, number);
}

/// A new process owns the session.
pub(super) fn resumed(draft: &mut Draft<'_>, policy: Policy) {
    if draft.is_over() {
        return;
    }
    if draft.policy != policy {
        draft.emit(Event::PolicyAdopted { policy });
        attempt::unpark(draft);
    }
    let code = draft.blocker.as_ref().map(|blocker| blocker.code);
    match code {
        // The disk is writable again, or the next write will say so.
        Some(BlockerCode::Persistence) => draft.emit(Event::Unblocked),
        // A mandatory gate gets a new round of tries.
        Some(BlockerCode::MandatoryUserDecisionMissing) => {
            draft.emit(Event::Unblocked);
            gate::ask_again(draft);
        }
        // The limits were raised meanwhile: the question no longer applies.
        Some(BlockerCode::Budget) if draft.over_limit().is_none() => {
            command::skip_budget_question(draft);
        }
        _ => {}
    }
    let stopped: Vec<DispatchNumber> = draft
        .open
        .iter()
        .copied()
        .filter(|number| draft.dispatches[number].waiting == Some(Waiting::ForResume))
        .collect();
    for number in stopped {
        let due = draft.now();
        draft.emit(Event::RetryScheduled { number, due, why: RetryWhy::Interrupted });
    }
    failure::start_due(draft);
}
