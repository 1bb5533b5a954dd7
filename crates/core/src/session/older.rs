//! Events of earlier versions, which left rulings to the fold: they are completed here, from the state before them, as
//! those versions computed them. Who changes a rule in `ruling.rs` keeps the former one here.

use super::Session;
use crate::event::Event;
use crate::time::Timestamp;
use std::borrow::Cow;

impl Session {
    pub(super) fn completed<'e>(&self, at: Timestamp, event: &'e Event) -> Cow<'e, Event> {
        let mut whole = event.clone();
        match &mut whole {
            Event::AttemptStarted { allowance, ruling: ruling @ None, .. } => {
                *ruling = Some(self.start_ruling(allowance));
            }
            Event::AttemptEnded { number, end, usage, ruling: ruling @ None, .. } => {
                *ruling = Some(self.end_ruling(at, *number, end, usage));
            }
            Event::DispatchClosed { number, verdict, look_again: look_again @ None } => {
                *look_again = Some(self.who_looks_again(*number, *verdict).into_iter().collect());
            }
            _ => return Cow::Borrowed(event),
        }
        Cow::Owned(whole)
    }
}
