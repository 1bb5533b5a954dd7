//! How a dispatch stands, in one word.

use crate::event::Verdict;
use crate::id::DispatchNumber;
use crate::role::spelled;
use crate::session::{ChecksStanding, Dispatch, Session, Waiting};
use serde::Serialize;
use std::fmt;

/// How a dispatch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Accepted,
    /// The work is on the branch, and its checks have not run yet.
    Unchecked,
    /// The work is on the branch, and of the checks that ran on it last some are red.
    ChecksFailed,
    Objected,
    SetAside,
    Skipped,
    Cancelled,
    Running,
    /// The agent has ended, and the engine that would take the result up does not run.
    Finished,
    /// The agent is gone without a result, and the engine does not run.
    Interrupted,
    Waiting,
    Stopped,
    /// It has done its part and waits for those beside it.
    Ready,
    Failed,
}

spelled!(Outcome {
    Accepted = "accepted",
    Unchecked = "unchecked",
    ChecksFailed = "checks-failed",
    Objected = "objected",
    SetAside = "set-aside",
    Skipped = "skipped",
    Cancelled = "cancelled",
    Running = "running",
    Finished = "finished",
    Interrupted = "interrupted",
    Waiting = "waiting",
    Stopped = "stopped",
    Ready = "ready",
    Failed = "failed",
});

/// Work whose last checks are red is not called accepted, nor is work before they have run.
pub(super) fn checked(session: &Session, number: DispatchNumber, dispatch: &Dispatch) -> Outcome {
    match (outcome(dispatch), session.standing_of_checks(number)) {
        (Outcome::Accepted, ChecksStanding::Fails) => Outcome::ChecksFailed,
        (Outcome::Accepted, ChecksStanding::Open) => Outcome::Unchecked,
        (outcome, _) => outcome,
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accepted => Self::Accepted,
            Verdict::Objected => Self::Objected,
            Verdict::SetAside => Self::SetAside,
            Verdict::Skipped => Self::Skipped,
            Verdict::Cancelled => Self::Cancelled,
        }
    }
}

/// As far as the journal tells.
pub fn outcome(dispatch: &Dispatch) -> Outcome {
    match (dispatch.verdict(), dispatch.running(), dispatch.waiting()) {
        (Some(verdict), ..) => verdict.into(),
        (None, Some(_), _) => Outcome::Running,
        (None, None, Some(Waiting::Until(_) | Waiting::Parked(_) | Waiting::ForHeadroom)) => {
            Outcome::Waiting
        }
        (None, None, Some(Waiting::ForResume)) => Outcome::Stopped,
        (None, None, _) if dispatch.is_ready() => Outcome::Ready,
        (None, None, _) => Outcome::Failed,
    }
}
