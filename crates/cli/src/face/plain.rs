//! Without a terminal: plain lines, and nothing is ever asked.

use super::at_work::PlainLines;
use super::narrate::{Narrator, must_be_told};
use crate::output;
use std::path::Path;
use tollgate_core::event::Event;
use tollgate_core::input::Command;
use tollgate_core::refusal::Refusal;
use tollgate_core::view::Parts;
use tollgate_host::serve::{Alert, Face, TypedLine};

#[derive(Debug, Default)]
pub struct PlainFace {
    narrator: Narrator,
    /// None where nothing runs.
    long_work: Option<PlainLines>,
    is_quiet: bool,
    is_silent: bool,
}

impl PlainFace {
    pub fn new(root: &Path) -> Self {
        Self { long_work: Some(PlainLines::new(root)), ..Self::default() }
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

    fn tick(&mut self, now: Parts<'_>) {
        if let Some(long_work) = &mut self.long_work {
            long_work.look(now);
        }
    }

    fn alert(&mut self, alert: &Alert) {
        output::alert(alert.rings, alert.shows.as_deref());
    }
}
