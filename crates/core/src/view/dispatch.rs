//! A dispatch as surfaces show it: who works on what, and how it stands.

use super::{SpendView, timeline};
use crate::event::{CheckPurpose, Verdict};
use crate::id::{DispatchNumber, TaskRef};
use crate::role::{Role, spelled};
use crate::session::{CheckRun, Dispatch, Session, Waiting};
use crate::time::Timestamp;
use crate::words;
use serde::Serialize;
use std::fmt;
use std::ops::Bound;

#[derive(Debug, Clone, Serialize)]
pub struct DispatchView {
    pub number: DispatchNumber,
    /// `#3 Coder T-001`, and why when it is not plain.
    pub title: String,
    pub role: Role,
    pub task: TaskRef,
    pub attempts: u32,
    pub outcome: Outcome,
    /// What its agent does right now, where somebody looked.
    pub doing: Option<String>,
    /// Who plays or played the last attempt, by the name in the settings.
    pub agent: Option<String>,
    /// Until when nobody who may play it is within its usage limit.
    pub parked_until: Option<Timestamp>,
    /// How its last attempt without a valid reply ended.
    pub last_failure: Option<String>,
    pub spend: SpendView,
}

/// How a dispatch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Accepted,
    /// The work is on the branch, and the last checks of its task fail.
    ChecksFail,
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
    ChecksFail = "checks-fail",
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

pub(super) fn all(session: &Session) -> Vec<DispatchView> {
    session.dispatches.iter().map(|(number, found)| view(session, *number, found)).collect()
}

pub(super) fn view(session: &Session, number: DispatchNumber, dispatch: &Dispatch) -> DispatchView {
    DispatchView {
        number,
        title: timeline::who(session, number),
        role: dispatch.role,
        task: dispatch.task.clone(),
        attempts: dispatch.attempts.0,
        outcome: checked(session, number, dispatch),
        doing: None,
        agent: dispatch.player().map(str::to_owned),
        parked_until: dispatch.parked_until(),
        last_failure: dispatch.last_failure().map(words::ended),
        spend: SpendView::of(&dispatch.spend),
    }
}

/// Work whose last checks are red is not called accepted.
fn checked(session: &Session, number: DispatchNumber, dispatch: &Dispatch) -> Outcome {
    let outcome = outcome(dispatch);
    if outcome != Outcome::Accepted || dispatch.role != Role::Coder {
        return outcome;
    }
    let is_same_work = |other: &Dispatch| {
        other.role == Role::Coder
            && other.task == dispatch.task
            && other.verdict() == Some(Verdict::Accepted)
    };
    let after = (Bound::Excluded(number), Bound::Unbounded);
    let is_last = !session.dispatches.range(after).any(|(_, other)| is_same_work(other));
    let of_task = |run: &&CheckRun| match &run.purpose {
        CheckPurpose::Task { task } => *task == dispatch.task,
        CheckPurpose::Acceptance { .. } | CheckPurpose::Subject { .. } => false,
    };
    let last_run = session.checks.runs.values().rfind(of_task);
    match last_run.is_some_and(|run| run.passed == Some(false)) && is_last {
        true => Outcome::ChecksFail,
        false => outcome,
    }
}

/// As far as the journal tells.
pub fn outcome(dispatch: &Dispatch) -> Outcome {
    match (dispatch.verdict(), dispatch.running(), dispatch.waiting()) {
        (Some(Verdict::Accepted), ..) => Outcome::Accepted,
        (Some(Verdict::Objected), ..) => Outcome::Objected,
        (Some(Verdict::SetAside), ..) => Outcome::SetAside,
        (Some(Verdict::Skipped), ..) => Outcome::Skipped,
        (Some(Verdict::Cancelled), ..) => Outcome::Cancelled,
        (None, Some(_), _) => Outcome::Running,
        (None, None, Some(Waiting::Until(_) | Waiting::Parked(_) | Waiting::ForHeadroom)) => {
            Outcome::Waiting
        }
        (None, None, Some(Waiting::ForResume)) => Outcome::Stopped,
        (None, None, _) if dispatch.is_ready() => Outcome::Ready,
        (None, None, _) => Outcome::Failed,
    }
}
