//! The failure table: what happened, its class, what is done by itself and when a person is asked.

use super::{Draft, attempt, escalate};
use crate::decision::BlockerCode;
use crate::event::{Event, RetryWhy};
use crate::id::DispatchNumber;
use crate::limits::SUPERVISORS_LOST_MAX;
use crate::work::DispatchEnd;

/// How a failure is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// Tried again after a wait.
    Transient,
    /// Run again at once with the errors.
    Recoverable,
    /// Never tried again without a person.
    Permanent,
    /// Waits for a known time and spends nothing.
    Parked,
    /// Not the agent's doing: started again and spends nothing.
    Interrupted,
}

/// The class of an end; none for a valid reply.
pub fn class_of(end: &DispatchEnd) -> Option<FailureClass> {
    Some(match end {
        DispatchEnd::Replied { .. } => return None,
        DispatchEnd::Crashed { .. }
        | DispatchEnd::CouldNotStart { .. }
        | DispatchEnd::Unavailable { .. }
        | DispatchEnd::Unsupervised { .. }
        | DispatchEnd::Limited { .. } => FailureClass::Transient,
        DispatchEnd::Invalid { .. } => FailureClass::Recoverable,
        DispatchEnd::MissingOutput { .. }
        | DispatchEnd::MissingContext { .. }
        | DispatchEnd::MissingRole { .. }
        | DispatchEnd::TimedOut { .. }
        | DispatchEnd::OutputLimit { .. }
        | DispatchEnd::PermissionRefused { .. }
        | DispatchEnd::UsedUp { .. } => FailureClass::Permanent,
        DispatchEnd::Parked { .. } => FailureClass::Parked,
        DispatchEnd::Stopped | DispatchEnd::Interrupted { .. } => FailureClass::Interrupted,
    })
}

/// What follows a failed attempt that has just been recorded.
pub(super) fn follow(draft: &mut Draft<'_>, number: DispatchNumber, end: &DispatchEnd) {
    let Some(class) = class_of(end) else {
        return;
    };
    // Not the agent's failure: the limit is used up, and that is a question of its own.
    if draft.met_a_limit(number, end) {
        return attempt::start(draft, number);
    }
    let dispatch = &draft.dispatches[&number];
    let has_start = dispatch.starts < dispatch.starts_max;
    let may_rerun = dispatch.invalid <= draft.policy.invalid_reruns;
    match class {
        FailureClass::Transient
            if has_start
                && dispatch.starts < draft.policy.transient_attempts
                && dispatch.supervisors_lost < SUPERVISORS_LOST_MAX =>
        {
            let doublings = dispatch.starts.saturating_sub(1).min(20);
            let wait_ms = draft.policy.transient_base_ms.saturating_mul(1 << doublings);
            let due = draft.now().plus_ms(wait_ms);
            draft.emit(Event::RetryScheduled { number, due, why: RetryWhy::Transient });
        }
        FailureClass::Recoverable if has_start && may_rerun => {
            attempt::start(draft, number);
        }
        FailureClass::Parked => {
            if let DispatchEnd::Parked { until, .. } = end {
                attempt::park(draft, number, *until);
            }
        }
        // A stopped attempt waits for `resume`; an interrupted one continues at once.
        FailureClass::Interrupted => {
            if matches!(end, DispatchEnd::Stopped) {
                return;
            }
            // Once is an accident; again and again is a machine in trouble, and gets time.
            let again = draft.dispatches[&number].interruptions.saturating_sub(1);
            if again == 0 {
                return attempt::start(draft, number);
            }
            let wait_ms = draft.policy.transient_base_ms.saturating_mul(1 << (again - 1).min(6));
            let due = draft.now().plus_ms(wait_ms);
            draft.emit(Event::RetryScheduled { number, due, why: RetryWhy::Interrupted });
        }
        FailureClass::Transient | FailureClass::Recoverable | FailureClass::Permanent => {
            escalate::escalation(draft, number, blocker_code(end));
        }
    }
}

pub(super) fn blocker_code(end: &DispatchEnd) -> BlockerCode {
    match end {
        DispatchEnd::MissingOutput { .. } => BlockerCode::MissingOutput,
        DispatchEnd::MissingContext { .. } | DispatchEnd::MissingRole { .. } => {
            BlockerCode::MissingContext
        }
        DispatchEnd::TimedOut { .. } => BlockerCode::Timeout,
        DispatchEnd::OutputLimit { .. } => BlockerCode::OutputLimit,
        DispatchEnd::PermissionRefused { .. } => BlockerCode::Permission,
        _ => BlockerCode::SubagentFailure,
    }
}

/// Starts every attempt whose time has come.
pub(super) fn start_due(draft: &mut Draft<'_>) {
    if draft.is_held() {
        return;
    }
    let now = draft.now();
    let due: Vec<DispatchNumber> = draft
        .open
        .iter()
        .copied()
        .filter(|number| draft.dispatches[number].due().is_some_and(|due| due <= now))
        .collect();
    for number in due {
        if draft.is_held() {
            return;
        }
        attempt::start(draft, number);
    }
}

/// The failure in one sentence.
pub(super) fn describe(end: &DispatchEnd) -> String {
    match end {
        DispatchEnd::Replied { reply, .. } => reply.summary.clone(),
        DispatchEnd::Invalid { errors, .. } | DispatchEnd::MissingContext { errors } => {
            let list: Vec<String> =
                errors.iter().map(|e| format!("{}: {}", e.path, e.message)).collect();
            list.join("; ")
        }
        DispatchEnd::MissingRole { name, detail } => {
            format!("the text of role {name} is not usable: {detail}")
        }
        DispatchEnd::MissingOutput { paths, .. } => {
            format!("it said OK but did not write {}", paths.join(", "))
        }
        DispatchEnd::Crashed { exit_code, signal, stderr_tail } => {
            let how = match (exit_code, signal) {
                (Some(code), _) => format!("it ended with exit code {code}"),
                (None, Some(signal)) => format!("it was killed by signal {signal}"),
                (None, None) => "it ended without a reply".to_owned(),
            };
            match stderr_tail.trim().lines().next_back() {
                Some(line) if !line.is_empty() => format!("{how}; its last words: {line}"),
                _ => how,
            }
        }
        DispatchEnd::CouldNotStart { program, cause } => {
            format!("{program} could not be started: {cause}")
        }
        DispatchEnd::TimedOut { after_ms } => {
            format!("it ran longer than its limit of {} s and was ended", after_ms / 1_000)
        }
        DispatchEnd::OutputLimit { limit_bytes } => {
            format!("it wrote more than {limit_bytes} bytes and was ended")
        }
        DispatchEnd::PermissionRefused { detail } => {
            format!("it was refused a permission: {detail}")
        }
        DispatchEnd::Unavailable { detail } => {
            format!("the model service did not do its part: {detail}")
        }
        DispatchEnd::UsedUp { detail } => format!("it used up what it was given: {detail}"),
        DispatchEnd::Limited { detail } => {
            format!("it is out of its usage limit, and nobody knows until when: {detail}")
        }
        DispatchEnd::Parked { until, no_time: None } => {
            format!("its usage limit resets at {until}")
        }
        DispatchEnd::Parked { until, no_time: Some(detail) } => {
            format!("it is out of its usage limit and tried again at {until}: {detail}")
        }
        DispatchEnd::Stopped => "it was stopped".to_owned(),
        DispatchEnd::Unsupervised { .. } => {
            "its supervisor was killed while the agent ran, by the agent or by someone else; everything it had started was stopped"
                .to_owned()
        }
        DispatchEnd::Interrupted { .. } => "it was interrupted".to_owned(),
    }
}
