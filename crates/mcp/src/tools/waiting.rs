//! Waiting for a session, a look at a time, so that a client that goes away or asks something else is not kept.

use super::{Outcome, asking, playing};
use crate::arguments::{self, Object, Wait};
use crate::refused::Refused;
use crate::room::Room;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tollgate_core::view::{Standing, View};
use tollgate_desk::Opened;

pub const LOOK: Duration = Duration::from_millis(200);
const SECONDS_DEFAULT: u16 = 45;
const SECONDS_MAX: u16 = 600;
/// So long a process may take to come back before the session counts as left.
const COMES_BACK_WITHIN: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub struct Waiting {
    opened: Opened,
    until_answered: Option<String>,
    give_up: Instant,
    /// Since when nobody runs a session that has something to do.
    left_since: Option<Instant>,
}

impl Waiting {
    pub fn begin(room: &Room, given: Object) -> Result<Self, Refused> {
        let given: Wait = arguments::read(given)?;
        let opened = room.open(given.repository.as_deref(), &given.session)?;
        if let Some(id) = &given.until_answered {
            was_asked(&opened, id)?;
        }
        let seconds = given.timeout_seconds.unwrap_or(SECONDS_DEFAULT).min(SECONDS_MAX);
        Ok(Self {
            opened,
            until_answered: given.until_answered,
            give_up: Instant::now() + Duration::from_secs(seconds.into()),
            left_since: None,
        })
    }

    /// None while there is nothing to tell.
    pub fn look(&mut self) -> Result<Option<Value>, Refused> {
        let is_running = self.opened.is_running();
        let view = self.opened.view()?;
        let reason = self.reason(&view, is_running);
        let is_late = Instant::now() >= self.give_up;
        let reason = reason.or(is_late.then_some(Reason::Timeout));
        Ok(reason.map(|reason| self.tell(reason, &view, is_running)))
    }

    /// What is told where the waiting is interrupted.
    pub fn stopped(&mut self) -> Outcome {
        let view = self.opened.view()?;
        Ok(self.tell(Reason::Timeout, &view, self.opened.is_running()))
    }

    fn reason(&mut self, view: &View, is_running: bool) -> Option<Reason> {
        let is_open =
            |id: &str| view.pending_decisions.iter().any(|one| one.decision_id.as_str() == id);
        match view.route.standing {
            Standing::Done => return Some(Reason::Done),
            Standing::Cancelled => return Some(Reason::Cancelled),
            Standing::Blocked => return Some(Reason::Blocked),
            Standing::YourTurn | Standing::Working => {}
        }
        if !playing::waiting_for_us(&self.opened).is_empty() {
            return Some(Reason::Dispatch);
        }
        match &self.until_answered {
            Some(id) if !is_open(id) => return Some(Reason::Answered),
            Some(_) => return None,
            None if !view.pending_decisions.is_empty() => return Some(Reason::Question),
            None => {}
        }
        if is_running || view.route.standing != Standing::Working {
            self.left_since = None;
            return None;
        }
        let since = *self.left_since.get_or_insert_with(Instant::now);
        (since.elapsed() >= COMES_BACK_WITHIN).then_some(Reason::Stopped)
    }

    fn tell(&self, reason: Reason, view: &View, is_running: bool) -> Value {
        json!({
            "session": view.session.as_str(),
            "reason": reason.name(),
            "state": view.route.state,
            "standing": view.route.standing,
            "is_running": is_running,
            "blocker": view.blocker,
            "questions": asking::of(view),
            "next": reason.next(),
        })
    }
}

/// A question that was never asked is not answered either.
fn was_asked(opened: &Opened, id: &str) -> Result<(), Refused> {
    let audit = opened.audit()?;
    match audit.decisions.iter().any(|one| one.decision_id.as_str() == id) {
        true => Ok(()),
        false => Err(Refused::new("", format!("{} was never asked {id:?}", opened.name))
            .hint("the tool open_questions lists what waits for an answer")),
    }
}

#[derive(Debug, Clone, Copy)]
enum Reason {
    Done,
    Cancelled,
    Blocked,
    Dispatch,
    Question,
    Answered,
    /// Nobody runs it.
    Stopped,
    Timeout,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
            Self::Dispatch => "dispatch",
            Self::Question => "question",
            Self::Answered => "answered",
            Self::Stopped => "stopped",
            Self::Timeout => "timeout",
        }
    }

    fn next(self) -> &'static str {
        match self {
            Self::Done => {
                "tell the person what came of it; `diff` shows the change, and the person takes it over with `tollgate merge`"
            }
            Self::Cancelled => "it is over; tell the person",
            Self::Blocked => {
                "tell the person about `blocker` and its remedy; `explain` knows its code"
            }
            Self::Dispatch => "call `next_dispatch` and play it",
            Self::Question => asking::FOR_THE_PERSON,
            Self::Answered => {
                "the question is not open any more; call `wait`, or `resume_session` if no process runs it"
            }
            Self::Stopped => "no process runs it; call `resume_session`",
            Self::Timeout => "nothing to do yet; call `wait` again",
        }
    }
}
