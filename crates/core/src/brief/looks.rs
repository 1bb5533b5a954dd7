//! What a reviewing role is told of who asked for it, and why.

use crate::event::Purpose;
use crate::proof::one_line;
use crate::session::{Dispatch, Gate, Session};

impl Session {
    /// A line for each reason that an accepted reply gave for this look.
    pub(super) fn look_words(&self, dispatch: &Dispatch) -> Vec<String> {
        let Some(gate) = gate_of(dispatch) else {
            return Vec::new();
        };
        let reasons = self.reasons_to_look(&dispatch.task, gate).into_iter();
        let words = reasons.map(|reason| {
            let asker = &self.dispatches[&reason.by];
            let (who, task) = (self.name_of(asker), &asker.task);
            match (&reason.concern, gate) {
                (Some(text), _) => {
                    format!("look at this concern of {who} ({task}): {}", one_line(text))
                }
                (None, Gate::Review) => format!("{who} ({task}) asks for a review of its work"),
                (None, Gate::Test) => format!("{who} ({task}) asks for tests of its work"),
                (None, Gate::Audit) => format!("{who} ({task}) asks for an audit of its work"),
            }
        });
        words.collect()
    }

    pub(super) fn was_asked_for(&self, dispatch: &Dispatch) -> bool {
        gate_of(dispatch).is_some_and(|gate| self.is_look_wanted(&dispatch.task, gate))
    }
}

/// The gate that a dispatch plays, in the implement loop or as a part of an action.
fn gate_of(dispatch: &Dispatch) -> Option<Gate> {
    let makes = matches!(dispatch.purpose, Purpose::Implement | Purpose::Repair { .. });
    Gate::of_role(dispatch.role).filter(|_| !makes)
}
