//! What follows from an input: one match over what can happen, one small file per theme.

mod accept;
mod ask;
mod attempt;
mod checks;
mod close;
mod command;
mod escalate;
mod failure;
mod files;
mod gate;
mod parallel;
mod repair;
mod reply;
mod report;
mod scope;
mod severity;
mod size;
mod step;
mod tasks;
mod wave;
mod weakened;

use crate::event::Event;
use crate::input::Input;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::time::Timestamp;

pub use command::MANUAL_FIX;
pub use failure::{FailureClass, class_of};
pub use weakened::WEAKENED;

/// Events being decided, each applied as it is added, so that the next decision sees it.
pub(crate) struct Draft<'a> {
    session: &'a mut Session,
    now: Timestamp,
    events: Vec<Event>,
}

impl<'a> Draft<'a> {
    pub fn new(session: &'a mut Session, now: Timestamp) -> Self {
        Self { session, now, events: Vec::new() }
    }

    pub fn emit(&mut self, event: Event) {
        self.session.apply(self.now, &event);
        self.events.push(event);
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn finish(self) -> Vec<Event> {
        self.events
    }

    pub fn notice(&mut self, code: &str, message: impl Into<String>) {
        self.emit(Event::Noticed { code: code.to_owned(), message: message.into() });
    }
}

impl std::ops::Deref for Draft<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session
    }
}

pub(crate) fn decide(draft: &mut Draft<'_>, input: Input) -> Result<(), Refusal> {
    match input {
        Input::Command(command) => command::decide(draft, command)?,
        Input::Ended { number, attempt, end, usage } => {
            accept::ended(draft, number, attempt, end, usage)
        }
        Input::Checked { number, results, stage } => checks::ended(draft, number, results, stage),
        Input::Merged(merged) => parallel::merged(draft, merged),
        Input::StageSeen { stage } => gate::stage_seen(draft, stage),
        Input::Resumed { policy } => step::resumed(draft, policy),
        Input::Edited(edits) => files::edited(draft, edits),
        Input::PutBack { path } => files::put_back(draft, &path),
        Input::Told { code, message } => files::told(draft, &code, message),
        Input::OlderJournalAccepted { records, known, forgotten, branch } => {
            files::older_accepted(draft, records, known, forgotten, branch)
        }
        Input::PersistenceFailed { detail } => files::persistence_failed(draft, detail),
        Input::Tick => failure::start_due(draft),
    }
    Ok(())
}

/// Continues as far as the state allows: the transition table over steps.
pub(crate) fn settle(draft: &mut Draft<'_>) {
    attempt::start_roomy(draft);
    while !draft.is_held() && draft.outstanding().is_empty() && draft.next_deadline().is_none() {
        let before = draft.len();
        step::advance(draft);
        if draft.len() == before {
            break;
        }
    }
}
