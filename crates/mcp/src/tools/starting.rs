//! Tools that let a session run.

use super::Outcome;
use crate::arguments::{self, Object, OfSession, StartSession};
use crate::refused::Refused;
use crate::room::Room;
use serde_json::json;
use std::thread;
use std::time::{Duration, Instant};
use tollgate_core::view::Standing;
use tollgate_desk::{NewSession, Opened};

/// How long a process takes at most until it owns its session.
const STARTS_WITHIN: Duration = Duration::from_secs(3);
const LOOK: Duration = Duration::from_millis(50);

pub fn start(room: &Room, given: Object) -> Outcome {
    let given: StartSession = arguments::read(given)?;
    if given.goal.trim().is_empty() {
        return Err(Refused::new("", "the goal is empty; nothing was started"));
    }
    let repo = room.repository(given.repository.as_deref())?;
    if let Some(name) = given.inputs.keys().find(|name| name.is_empty() || name.contains('=')) {
        return Err(Refused::new("", format!("{name:?} is not the name of an input")));
    }
    let new = NewSession {
        goal: given.goal,
        action: given.action,
        agent: given.agent,
        inputs: given.inputs.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        ..NewSession::default()
    };
    let name = room.deeds.start(&repo, &new)?;
    Ok(json!({
        "session": name.as_str(),
        "repository": repo.id,
        "next": "call `wait` to follow it",
    }))
}

pub fn resume(room: &Room, given: Object) -> Outcome {
    let given: OfSession = arguments::read(given)?;
    let (mut opened, view) = room.seen(given.repository.as_deref(), &given.session)?;
    let standing = view.route.standing;
    if matches!(standing, Standing::Done | Standing::Cancelled) {
        return Err(Refused::new("", format!("{} is over ({standing})", view.session)));
    }
    let how = match opened.is_running() {
        true => "a process runs it already",
        false => match (carry_on(room, &mut opened)?, standing) {
            (Begun::Seen, _) => "it continues",
            (Begun::NotSeen, Standing::YourTurn) => {
                "it waits for the person; nothing else is left to do"
            }
            (Begun::NotSeen, _) => NOT_SEEN,
        },
    };
    let view = opened.view()?;
    Ok(json!({
        "session": view.session.as_str(),
        "state": view.route.state,
        "standing": view.route.standing,
        "is_running": opened.is_running(),
        "did": how,
        "next": "call `wait` to follow it",
    }))
}

/// Whether a process was seen to run the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    Seen,
    NotSeen,
}

pub const NOT_SEEN: &str =
    "it was told to continue and has not begun; `tollgate resume` in a terminal says why";

/// Lets a process of its own continue the session, and looks whether it begins.
pub fn carry_on(room: &Room, opened: &mut Opened) -> Result<Begun, Refused> {
    room.deeds.resume(&opened.repo, &opened.name)?;
    let give_up = Instant::now() + STARTS_WITHIN;
    while Instant::now() < give_up {
        if opened.is_running() || opened.look()? {
            return Ok(Begun::Seen);
        }
        thread::sleep(LOOK);
    }
    Ok(Begun::NotSeen)
}
