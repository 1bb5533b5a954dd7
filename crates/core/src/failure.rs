//! The failure table: what can happen to an attempt, its class, its blocker and its words.

use crate::decision::BlockerCode;
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
        | DispatchEnd::Silent { .. }
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

pub fn blocker_code(end: &DispatchEnd) -> BlockerCode {
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
