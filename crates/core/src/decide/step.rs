//! From step to step, and from step to dispatch.

use super::draft::Draft;
use super::moves::open::Start;
use super::moves::{attempt, enter, open};
use super::{
    base, checks, close, command, correction, failure, gate, parallel, report, severity, tasks,
};
use crate::action::StepKind;
use crate::decision::{BlockerCode, CorrectionStatus};
use crate::event::{Event, Purpose, RetryWhy};
use crate::id::{DispatchNumber, TaskRef};
use crate::policy::Policy;
use crate::session::{StepProgress, Waiting};

/// Does the next thing of the current step, or enters the next step.
pub(super) fn advance(draft: &mut Draft<'_>) {
    let Some(step) = draft.current_step().cloned() else {
        return;
    };
    // Ready members of a parallel step stay open until all are.
    let is_busy = draft.dispatches.open.iter().any(|number| !draft.dispatches[number].is_ready());
    if is_busy && !matches!(step.kind, StepKind::Parallel { .. }) {
        return;
    }
    if draft.route.progress == StepProgress::Ahead {
        return enter::step(draft, 0);
    }
    if !is_busy && !gate::needs_evidence(draft) && report::comes_first(draft) {
        return;
    }
    if matches!(
        draft.decisions.correction.status,
        CorrectionStatus::Queued | CorrectionStatus::Dispatched
    ) {
        if !is_busy {
            correction::correct(draft);
        }
        return;
    }
    if gate::needs_evidence(draft) {
        return checks::renew_lifecycle(draft);
    }
    if gate::reaffirm(draft) {
        return;
    }
    if draft.dispatches.open.is_empty() && base::comes_first(draft) {
        return;
    }
    match step.kind {
        _ if draft.route.progress == StepProgress::Done => enter::next(draft),
        StepKind::Dispatch(assignment) => {
            let purpose = Purpose::Step { index: draft.route.step, member: None };
            let told = gate::said_about_plan(draft);
            open::dispatch(draft, Start::new(assignment.role, TaskRef::Meta, purpose, told));
        }
        StepKind::Parallel { members } => parallel::advance(draft, &members),
        StepKind::Approve { .. } => approve(draft, draft.route.step),
        StepKind::Choose { .. } => gate::choose(draft),
        StepKind::Tasks => tasks::advance(draft),
        StepKind::Severity { .. } => severity::advance(draft),
        StepKind::Checks { of } => checks::advance(draft, &of),
        StepKind::Close => close::advance(draft),
    }
}

/// A person is asked once everything is there to be judged.
fn approve(draft: &mut Draft<'_>, index: usize) {
    if gate::is_passed(draft, index) {
        return enter::next(draft);
    }
    if correction::is_shown(draft, index) {
        gate::ask_approval(draft, index, None);
    }
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
    let code = draft.standing.blocker.as_ref().map(|blocker| blocker.code);
    match code {
        // It is over, or the next try will say so.
        Some(code) if code.is_host_fault() => draft.emit(Event::Unblocked),
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
        .dispatches
        .open
        .iter()
        .copied()
        .filter(|number| draft.dispatches[number].waiting() == Some(Waiting::ForResume))
        .collect();
    for number in stopped {
        let due = draft.now();
        draft.emit(Event::RetryScheduled { number, due, why: RetryWhy::Interrupted });
    }
    failure::start_due(draft);
}
