//! Decide, make durable, then act: the order that nothing may break, kept by types.

use crate::decide::{self, Draft};
use crate::event::Event;
use crate::import::Import;
use crate::input::Input;
use crate::refusal::Refusal;
use crate::session::{Session, Wanted};
use crate::time::Timestamp;

/// The machine with its state. It has one owner.
#[derive(Debug)]
pub struct Engine {
    session: Session,
}

/// Events that have been decided and are not yet on disk.
#[derive(Debug)]
#[must_use = "a commit that is not written to the journal never happened"]
pub struct Commit {
    at: Timestamp,
    events: Vec<Event>,
}

/// What makes events durable. There is one for a disk and one for the simulator; `cargo xtask tidy` refuses any other, so
/// that nobody can call something durable that is not.
pub trait Journal {
    type Error;

    /// Writes the events as one commit and returns when the disk has them.
    fn append_and_sync(&mut self, at: Timestamp, events: &[Event]) -> Result<(), Self::Error>;
}

/// Proof that a commit is in a journal, synced. Without one nobody learns what should run.
#[derive(Debug)]
pub struct Durable {
    events: Vec<Event>,
}

impl Durable {
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

impl Commit {
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The only way to a `Durable`.
    pub fn write_to<J: Journal>(self, journal: &mut J) -> Result<Durable, J::Error> {
        if !self.events.is_empty() {
            journal.append_and_sync(self.at, &self.events)?;
        }
        Ok(Durable { events: self.events })
    }
}

/// What one input came to.
pub type Answered = Result<(), Refusal>;

impl Engine {
    /// A new session. The commit holds its opening.
    pub fn open(now: Timestamp, opening: &crate::input::Opening) -> (Self, Commit) {
        let mut session = Session::open(now, opening);
        let first = Event::SessionOpened(Box::new(opening.clone()));
        let mut draft = Draft::new(&mut session, now);
        draft.emit(first);
        decide::settle(&mut draft);
        let events = draft.finish();
        (Self { session }, Commit { at: now, events })
    }

    /// A session that another orchestrator began. The commit holds what is taken over, and the questions that come of it;
    /// nothing starts before the session is resumed.
    pub fn import(
        now: Timestamp,
        opening: &crate::input::Opening,
        import: Import,
    ) -> (Self, Commit) {
        let mut session = Session::open(now, opening);
        let mut draft = Draft::new(&mut session, now);
        draft.emit(Event::SessionOpened(Box::new(opening.clone())));
        decide::import::take_over(&mut draft, import);
        let events = draft.finish();
        (Self { session }, Commit { at: now, events })
    }

    /// A session as its journal tells it.
    pub fn resume(session: Session) -> Self {
        Self { session }
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Takes inputs in order and says what each came to. The state is ahead of the disk until the
    /// commit is written; an owner that cannot write must drop the engine.
    pub fn handle(&mut self, now: Timestamp, inputs: Vec<Input>) -> (Commit, Vec<Answered>) {
        // A clock that went backwards must not reorder the journal.
        let now = now.max(self.session.updated_at);
        let mut draft = Draft::new(&mut self.session, now);
        let mut answers = Vec::with_capacity(inputs.len());
        for input in inputs {
            let before = draft.len();
            let answer = decide::decide(&mut draft, input);
            assert!(
                answer.is_ok() || draft.len() == before,
                "a refused input must not leave events behind"
            );
            if answer.is_ok() {
                decide::settle(&mut draft);
            }
            answers.push(answer);
        }
        let events = draft.finish();
        (Commit { at: now, events }, answers)
    }

    /// What should be running now that the commit is on disk.
    pub fn committed(&self, _durable: &Durable) -> Vec<Wanted> {
        self.session.outstanding()
    }
}
