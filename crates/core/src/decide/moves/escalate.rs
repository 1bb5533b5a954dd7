//! A dispatch that cannot continue by itself: what the person is told, what they can answer, and what must be fixed first.

use super::ask::{self, Question};
use super::{remedy, tried};
use crate::action::PartIndex;
use crate::answer::{AnswerOption, EscalationWay, Way};
use crate::decide::draft::Draft;
use crate::decision::{Blocker, BlockerCode, DecisionKind, Subject};
use crate::event::{Event, Purpose};
use crate::failure;
use crate::id::{DispatchNumber, TaskRef};
use crate::reply::ReplyStatus;
use crate::role::Role;
use crate::words;
use crate::work::DispatchEnd;

/// A dispatch is out of its budget: BLOCKED, and the person chooses how to continue.
pub fn escalation(draft: &mut Draft<'_>, number: DispatchNumber, code: BlockerCode) {
    let dispatch = &draft.dispatches[&number];
    let failure = dispatch.last_failure().cloned();
    let ended = failure.as_ref().map(words::ended).unwrap_or_default();
    let how = match &failure {
        Some(DispatchEnd::MissingContext { .. } | DispatchEnd::MissingRole { .. }) => {
            "was not started".to_owned()
        }
        _ => format!("failed {}", ask::times(dispatch.tries.starts)),
    };
    let detail = ask::cut(format!(
        "{} for {:#} {how} (dispatch {number}): {ended}",
        draft.name_of(dispatch),
        dispatch.task
    ));
    block_and_ask(draft, number, code, detail, failure.as_ref());
}

/// The agent itself said BLOCKED or FAIL.
pub fn agent_stopped(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    code: BlockerCode,
    summary: &str,
) {
    let dispatch = &draft.dispatches[&number];
    let said = if code == BlockerCode::AgentBlocked { "BLOCKED" } else { "FAIL" };
    let detail = ask::cut(format!(
        "{} for {:#} replied {said} (dispatch {number}): {summary}",
        draft.name_of(dispatch),
        dispatch.task
    ));
    block_and_ask(draft, number, code, detail, None);
}

fn block_and_ask(
    draft: &mut Draft<'_>,
    number: DispatchNumber,
    code: BlockerCode,
    detail: String,
    failure: Option<&DispatchEnd>,
) {
    if let TaskRef::Task(id) = draft.dispatches[&number].task.clone() {
        ask::block_task(draft, id);
    }
    let repaired = repaired(draft, number);
    let mut options = vec![
        ask::option(EscalationWay::Retry, "Try once more", "one more attempt with the same input"),
        ask::option(
            EscalationWay::RetryWithGuidance,
            "Try once more with guidance",
            "one more attempt with your guidance",
        ),
        ask::option(
            EscalationWay::RetryWith,
            "Try another agent",
            "one more attempt by that agent of tollgate.toml",
        ),
    ];
    if matches!(failure, Some(DispatchEnd::TimedOut { .. })) {
        options.push(ask::option(
            EscalationWay::Extend,
            "Give it more time",
            "one more attempt with this limit, such as 1h",
        ));
    }
    if is_optional(draft, number) {
        options.push(ask::option(
            EscalationWay::Skip,
            "Continue without it",
            "the step is skipped, and nothing from it is used",
        ));
    }
    if can_be_fixed(draft, number) {
        options.push(ask::option(
            EscalationWay::ManualFix,
            "Fix it by hand",
            "you get what the agent left, edit it, and submit the reply",
        ));
    }
    if draft.dispatches[&number].role == Role::Coder && draft.can_become_full() {
        options.push(ask::full_option(EscalationWay::Full));
    }
    options.push(ask::cancel_option());
    let fitting = remedy::recommended(failure);
    let recommend = |option: AnswerOption| {
        let fits = option.id == fitting.id();
        option.recommended_if(fits)
    };
    let options = options.into_iter().map(recommend).collect();
    let remedy = remedy::words(draft, number, failure, &draft.next_decision_id());
    let cause = repaired.lines().next().map(|line| format!("{line}. {detail}"));
    let blocker = Blocker { code, detail: ask::cut(cause.unwrap_or(detail.clone())), remedy };
    ask::block(draft, blocker);
    let subject = Subject::Dispatch { dispatch: number };
    let attempts = tried::attempts(&draft.dispatches[&number]);
    let text = match attempts.is_empty() {
        true => detail,
        false => format!("{detail}\nAll attempts:\n{}", ask::bullets(&attempts)),
    };
    let text = if repaired.is_empty() { text } else { ask::cut(format!("{repaired}\n{text}")) };
    ask::ask(draft, Question { kind: DecisionKind::Escalation, text, options, subject });
}

/// What a repair was to fix. The person must learn that first: that the last attempt changed no file explains nothing.
fn repaired(draft: &Draft<'_>, number: DispatchNumber) -> String {
    let dispatch = &draft.dispatches[&number];
    match dispatch.purpose {
        Purpose::Repair { .. } => dispatch.given.feedback.lines.join("\n"),
        _ => String::new(),
    }
}

fn is_optional(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    match draft.dispatches[&number].purpose {
        Purpose::Step { index, member } => {
            let is_asked_for = draft.route.steps.get(index).is_some_and(|step| step.when.is_some());
            let assignment = draft.assignment(PartIndex { step: index, member });
            is_asked_for || assignment.is_some_and(|assignment| assignment.optional)
        }
        _ => false,
    }
}

/// A person can fix what an agent left behind, not an agent that never came to write anything.
fn can_be_fixed(draft: &Draft<'_>, number: DispatchNumber) -> bool {
    let Some(failure) = &draft.dispatches[&number].past.failure else {
        return true;
    };
    let has_begun = !matches!(
        failure.end,
        DispatchEnd::MissingContext { .. } | DispatchEnd::MissingRole { .. }
    );
    // What clashed is done again on top of the others, not fixed.
    has_begun && !failure.is_clash
}

/// The blocker of a dispatch that waits for a person's answer.
pub fn still_waiting(draft: &Draft<'_>) -> Option<Blocker> {
    draft.pending_decisions().find_map(|decision| {
        let (Subject::Dispatch { dispatch }, DecisionKind::Escalation) =
            (&decision.subject, decision.kind)
        else {
            return None;
        };
        let dispatch = *dispatch;
        let code = stopped_by(draft, dispatch);
        let failed = &draft.dispatches[&dispatch];
        let failure = failed.last_failure().filter(|_| failed.waiting().is_some());
        let remedy = remedy::words(draft, dispatch, failure, &decision.decision_id);
        Some(Blocker { code, detail: decision.question.clone(), remedy })
    })
}

fn stopped_by(draft: &Draft<'_>, number: DispatchNumber) -> BlockerCode {
    let dispatch = &draft.dispatches[&number];
    match (dispatch.waiting(), dispatch.last_failure(), dispatch.delivered()) {
        (Some(_), Some(end), _) => failure::blocker_code(end),
        (_, _, Some(delivered)) if delivered.reply.status == ReplyStatus::Blocked => {
            BlockerCode::AgentBlocked
        }
        _ => BlockerCode::SubagentFailure,
    }
}

/// A person answered what the session was blocked on. Another member of its step may wait for one as well.
pub fn unblock(draft: &mut Draft<'_>) {
    if !draft.standing.blocker.as_ref().is_some_and(ask::is_cleared_by_answer) {
        return;
    }
    draft.emit(Event::Unblocked);
    if let Some(blocker) = still_waiting(draft) {
        draft.emit(Event::Blocked { blocker, fault: None });
    }
}
