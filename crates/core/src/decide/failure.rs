//! The failure table: what happened, its class, what is done by itself and when a person is asked.

use super::draft::Draft;
use super::moves::{attempt, escalate};
use crate::event::{Event, RetryWhy};
use crate::failure::{self as table, FailureClass};
use crate::id::DispatchNumber;
use crate::limits::SUPERVISORS_LOST_MAX;
use crate::mutant::Mutant;
use crate::work::DispatchEnd;

/// What follows a failed attempt that has just been recorded.
pub(super) fn follow(draft: &mut Draft<'_>, number: DispatchNumber, end: &DispatchEnd) {
    let Some(class) = table::class_of(end) else {
        return;
    };
    let dispatch = &draft.dispatches[&number];
    let has_start = dispatch.tries.starts < dispatch.tries.starts_max
        || Mutant::RetriesWithoutAStartLeft.is_planted();
    let may_rerun = dispatch.tries.invalid <= draft.policy.invalid_reruns;
    match class {
        FailureClass::Transient
            if has_start
                && dispatch.tries.starts < draft.policy.transient_attempts
                && dispatch.tries.supervisors_lost < SUPERVISORS_LOST_MAX =>
        {
            let doublings = dispatch.tries.starts.saturating_sub(1).min(20);
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
            let again = draft.dispatches[&number].tries.interruptions.saturating_sub(1);
            if again == 0 {
                return attempt::start(draft, number);
            }
            let wait_ms = draft.policy.transient_base_ms.saturating_mul(1 << (again - 1).min(6));
            let due = draft.now().plus_ms(wait_ms);
            draft.emit(Event::RetryScheduled { number, due, why: RetryWhy::Interrupted });
        }
        FailureClass::Transient | FailureClass::Recoverable | FailureClass::Permanent => {
            escalate::escalation(draft, number, table::blocker_code(end));
        }
    }
}

/// Starts every attempt whose time has come.
pub(super) fn start_due(draft: &mut Draft<'_>) {
    if draft.is_held() {
        return;
    }
    let now = draft.now();
    let due: Vec<DispatchNumber> = draft
        .dispatches
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
