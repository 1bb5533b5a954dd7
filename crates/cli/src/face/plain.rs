//! Without a terminal: plain lines, and nothing is ever asked.

use super::narrate;
use crate::output;
use tollgate_core::event::Event;
use tollgate_core::input::Command;
use tollgate_core::refusal::Refusal;
use tollgate_core::session::Session;
use tollgate_host::serve::{Face, Line};

#[derive(Debug, Default)]
pub struct PlainFace {
    is_quiet: bool,
}

impl PlainFace {
    pub fn new() -> Self {
        Self::default()
    }

    /// For commands that record something and run nothing: only what a person must know is told.
    pub fn quiet() -> Self {
        Self { is_quiet: true }
    }
}

impl Face for PlainFace {
    fn is_interactive(&self) -> bool {
        false
    }

    fn happened(&mut self, session: &Session, events: &[Event]) {
        let must_be_told = |event: &Event| {
            matches!(
                event,
                Event::Noticed { .. }
                    | Event::FilesEdited { .. }
                    | Event::DecisionAsked { .. }
                    | Event::Blocked { .. }
            )
        };
        for event in events.iter().filter(|event| !self.is_quiet || must_be_told(event)) {
            if let Some(line) = narrate::line(session, event) {
                output::marked(line.style, line.mark, &line.text);
            }
        }
    }

    fn ask(&mut self, _session: &Session) -> Vec<Command> {
        Vec::new()
    }

    fn read_line(&mut self, _session: &Session, _line: &Line) -> Vec<Command> {
        Vec::new()
    }

    fn refused(&mut self, _: &Session, _: &Command, _: &Refusal) -> Option<Command> {
        None
    }

    fn tick(&mut self, _session: &Session) {}
}
