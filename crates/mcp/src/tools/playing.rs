//! Dispatches that the client plays: what is asked of it, and its reply.

use super::starting::{self, Begun};
use super::{Outcome, asking};
use crate::arguments::{self, NextDispatch, Object, SubmitReply};
use crate::fit;
use crate::refused::Refused;
use crate::room::Room;
use serde_json::{Value, json};
use std::thread;
use std::time::{Duration, Instant};
use tollgate_core::id::DispatchNumber;
use tollgate_core::view::View;
use tollgate_desk::Opened;
use tollgate_host::activity::manual::Assigned;

/// The rest of a longer prompt is in its file.
const PROMPT_BYTES_MAX: usize = 50_000;
/// How long a process that runs a session takes at most until it sees a reply.
const TAKEN_UP_WITHIN: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(50);

pub fn next(room: &Room, given: Object) -> Outcome {
    let given: NextDispatch = arguments::read(given)?;
    let (opened, view) = room.seen(given.repository.as_deref(), &given.session)?;
    let waiting = waiting_for_us(&opened);
    let found = match given.number.map(DispatchNumber) {
        None => waiting.first(),
        Some(number) => {
            // Says why it is not one of ours, in the words of `tollgate submit`.
            let why = opened.client().awaited(number);
            why.map_err(|why| Refused::new("cli.not_waiting", why.to_string()))?;
            waiting.iter().find(|one| one.number == number)
        }
    };
    let Some(found) = found else {
        return Ok(json!({
            "session": view.session.as_str(),
            "dispatch": null,
            "state": view.route.state,
            "standing": view.route.standing,
            "is_running": opened.is_running(),
            "questions": asking::of(&view),
            "next": "nothing waits for this client; call `wait`",
        }));
    };
    let others: Vec<Value> = waiting
        .iter()
        .filter(|one| one.number != found.number)
        .map(|one| json!({"number": one.number, "role": one.role, "task": one.task}))
        .collect();
    Ok(json!({
        "session": view.session.as_str(),
        "dispatch": dispatch(&opened, &view, found),
        "others_that_wait": others,
        "next": "play the role as `prompt` says, inside `workspace`, then call `submit_reply` with `session`, `number` and the reply",
    }))
}

/// What was not submitted yet.
pub fn waiting_for_us(opened: &Opened) -> Vec<Assigned> {
    let assigned = opened.client().assigned().into_iter();
    assigned.filter(|assigned| !assigned.is_submitted).collect()
}

/// Sees to it that somebody continues with the reply: a process that runs the session may be about to leave it.
fn taken_up(
    room: &Room,
    opened: &mut Opened,
    number: DispatchNumber,
) -> Result<&'static str, Refused> {
    let give_up = Instant::now() + TAKEN_UP_WITHIN;
    while Instant::now() < give_up {
        if !opened.is_running() {
            let begun = starting::carry_on(room, opened)?;
            return Ok(if begun == Begun::Seen { "it continues" } else { starting::NOT_SEEN });
        }
        opened.look()?;
        if !opened.client().assigned().iter().any(|one| one.number == number) {
            return Ok("the process that runs the session continues with it");
        }
        thread::sleep(LOOK);
    }
    Ok("it waits for the process that runs the session")
}

fn dispatch(opened: &Opened, view: &View, found: &Assigned) -> Value {
    let prompt = opened.prompt(found.number, found.attempt).unwrap_or_default();
    let (shown, more) = fit::page(&prompt, 0, PROMPT_BYTES_MAX);
    let workspace = &found.assignment.workspace;
    let must_write = found.assignment.outputs.iter();
    let must_write: Vec<String> =
        must_write.map(|output| workspace.join(output).display().to_string()).collect();
    json!({
        "number": found.number,
        "attempt": found.attempt,
        "role": found.role,
        "task": found.task,
        "goal": view.goal,
        "workspace": workspace.display().to_string(),
        "must_write": must_write,
        "prompt": shown,
        "prompt_is_cut": more.is_some(),
        "prompt_file": found.folder.prompt().display().to_string(),
        "input_file": found.folder.input().display().to_string(),
    })
}

pub fn submit(room: &Room, given: Object) -> Outcome {
    let given: SubmitReply = arguments::read(given)?;
    let mut opened = room.open(given.repository.as_deref(), &given.session)?;
    let reply = Value::Object(given.reply).to_string();
    room.deeds.submit(&opened.repo, &opened.name, DispatchNumber(given.number), &reply)?;
    let did = taken_up(room, &mut opened, DispatchNumber(given.number))?;
    Ok(json!({
        "session": opened.name.as_str(),
        "number": given.number,
        "submitted": true,
        "did": did,
        "next": "call `wait`: what you left in the workspace is checked now, and you are asked again if it is not as it must be",
    }))
}
