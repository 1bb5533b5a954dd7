//! What one attempt of a dispatch is told, and how it ended.

use crate::context::Room;
use crate::journal::Lineage;
use tollgate_core::brief::Brief;
use tollgate_core::id::{Attempt, CommitId, DispatchNumber, SessionName};
use tollgate_core::reply::Usage;
use tollgate_core::role::{Mode, ProjectType};
use tollgate_core::session::{Dispatch, Session, Wanted};
use tollgate_core::work::{DispatchEnd, SetAside};

/// How an attempt ended and what it cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub end: DispatchEnd,
    pub usage: Usage,
    /// Files that were too large, where `end` has no room for them.
    pub set_aside: Vec<SetAside>,
}

impl Ended {
    /// Nothing ran.
    pub(super) fn uncounted(end: DispatchEnd) -> Self {
        Self::new(end, Usage::default())
    }

    pub fn new(end: DispatchEnd, usage: Usage) -> Self {
        Self { end, usage, set_aside: Vec::new() }
    }
}

/// Everything an attempt needs, taken from the state when it was ordered.
#[derive(Debug, Clone)]
pub struct DispatchOrder {
    pub number: DispatchNumber,
    pub attempt: Attempt,
    /// The hash of the record that opened it.
    pub opened_by: String,
    pub brief: Brief,
    pub timeout_ms: u64,
    pub agent: Option<String>,
    pub session: SessionName,
    /// Where it works; parallel members have workspaces of their own.
    pub room: Room,
    pub mode: Mode,
    pub project_type: ProjectType,
    pub base: CommitId,
    pub tip: CommitId,
    pub branch: String,
    pub ci_status: &'static str,
    pub last_failed_step: Option<String>,
    pub instructions: Vec<String>,
    pub artefacts: Vec<String>,
    /// The dispatches that are not over; the private folders of all others go.
    pub open: Vec<DispatchNumber>,
}

impl DispatchOrder {
    pub fn of(
        session: &Session,
        lineage: &Lineage,
        number: DispatchNumber,
        attempt: Attempt,
    ) -> Option<Self> {
        let dispatch = session.dispatches.get(&number)?;
        let base_branch = session.opening.base_branch.clone();
        Some(Self {
            number,
            attempt,
            opened_by: lineage.opened_by(Wanted::Dispatch(number, attempt)).to_owned(),
            brief: session.brief(number)?,
            timeout_ms: dispatch.timeout_ms(),
            agent: dispatch.agent().map(str::to_owned),
            session: session.opening.session.clone(),
            room: room_of(dispatch),
            mode: session.mode,
            project_type: session.opening.project_type,
            base: session.opening.base.clone(),
            tip: dispatch.based_on.clone().unwrap_or_else(|| session.tip.clone()),
            branch: match base_branch {
                Some(branch) if !session.has_accepted_work() => branch,
                _ => session.branch(),
            },
            ci_status: match session.last_checks {
                None => "unknown",
                Some(true) => "green",
                Some(false) => "red",
            },
            last_failed_step: session.last_failed_step.clone(),
            instructions: session.opening.instructions.clone(),
            artefacts: session.artefacts.keys().cloned().collect(),
            open: open_dispatches(session),
        })
    }

    pub(super) fn rescue_name(&self) -> String {
        rescue_name(self.number, self.attempt)
    }
}

fn open_dispatches(session: &Session) -> Vec<DispatchNumber> {
    let open = session.dispatches.iter().filter(|(_, dispatch)| dispatch.verdict.is_none());
    open.map(|(number, _)| *number).collect()
}

fn room_of(dispatch: &Dispatch) -> Room {
    dispatch.room().map_or(Room::Session, Room::Member)
}

/// Under what name the changes of an attempt that was not accepted are kept.
pub fn rescue_name(number: DispatchNumber, attempt: Attempt) -> String {
    format!("dispatch-{number}-attempt-{attempt}")
}
