//! Without a terminal: plain lines, and nothing is ever asked.

use super::narrate::{Narrator, must_be_told};
use tollgate_core::event::Event;
use tollgate_core::input::Command;
use tollgate_core::refusal::Refusal;
use tollgate_core::view::Parts;
use tollgate_host::serve::{Face, TypedLine};

#[derive(Debug, Default)]
pub struct PlainFace {
    narrator: Narrator,
    is_quiet: bool,
    is_silent: bool,
}

impl PlainFace {
    pub fn new() -> Self {
        Self::default()
    }

    /// For commands that record something and run nothing: only what a person must know is told.
    pub fn quiet() -> Self {
        Self { is_quiet: true, ..Self::default() }
    }

    /// For a command that tells everything itself.
    pub fn silent() -> Self {
        Self { is_quiet: true, is_silent: true, ..Self::default() }
    }
}

impl Face for PlainFace {
    fn is_interactive(&self) -> bool {
        false
    }

    fn happened(&mut self, now: Parts<'_>, events: &[Event]) {
        if self.is_silent {
            return;
        }
        for event in events.iter().filter(|event| !self.is_quiet || must_be_told(event)) {
            self.narrator.tell(now, event);
        }
    }

    fn ask(&mut self, _: Parts<'_>) -> Vec<Command> {
        Vec::new()
    }

    fn read_line(&mut self, _: Parts<'_>, _: &TypedLine) -> Vec<Command> {
        Vec::new()
    }

    fn refused(&mut self, _: Parts<'_>, _: &Command, _: &Refusal) -> Option<Command> {
        None
    }

    fn tick(&mut self, _: Parts<'_>) {}
}
