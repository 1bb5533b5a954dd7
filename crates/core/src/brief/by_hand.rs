//! What the report must tell a person to do by hand.

use crate::proof::one_line;
use crate::session::Session;

impl Session {
    /// A line for each step that an agent left to a person.
    pub(super) fn manual_step_words(&self) -> Vec<String> {
        let steps = self.record.manual_steps.iter().map(|step| {
            let dispatch = &self.dispatches[&step.dispatch];
            let (who, task) = (self.name_of(dispatch), &dispatch.task);
            let text = one_line(&step.text);
            format!("the report names this step that {who} ({task}) leaves to a person: {text}")
        });
        steps.collect()
    }
}
