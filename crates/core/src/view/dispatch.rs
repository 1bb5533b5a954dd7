//! A dispatch as surfaces show it: who works on what, and how it stands.

use super::outcome::{Outcome, checked};
use super::{SpendView, timeline};
use crate::id::{DispatchNumber, TaskRef};
use crate::role::Role;
use crate::session::{Dispatch, Session};
use crate::time::Timestamp;
use crate::words;
use serde::Serialize;

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
