//! What agents of an imported session are told of the time before.

use crate::answer::{Choice, EscalationAnswer};
use crate::decision::{Decision, Subject};
use crate::id::TaskRef;
use crate::limits::IMPORTED_ANSWERS_MAX;
use crate::session::{Dispatch, Session};

impl Session {
    /// Decisions of people from before the import, and what the list of changed files does not have.
    pub(super) fn imported_words(&self, dispatch: &Dispatch) -> Vec<String> {
        if self.record.imported.is_none() {
            return Vec::new();
        }
        let mut words: Vec<String> =
            self.decisions.asked.iter().filter_map(|decision| told(decision, dispatch)).collect();
        words.drain(..words.len().saturating_sub(IMPORTED_ANSWERS_MAX));
        if dispatch.role.is_reviewing() {
            words.push(
                "the session was begun by another orchestrator: code from that time is in the tree and needs your eye too, \
                 although no list of changed files has it"
                    .to_owned(),
            );
        }
        words
    }
}

fn told(decision: &Decision, dispatch: &Dispatch) -> Option<String> {
    let Subject::Imported { task } = &decision.subject else { return None };
    let answer = decision.answered()?;
    match (task, answer) {
        (None, Choice::Info(_)) => Some(decision.with_answer()),
        (Some(task), Choice::Escalation(EscalationAnswer::RetryWithGuidance(words)))
            if dispatch.task == TaskRef::Task(task.clone()) =>
        {
            Some(format!("the person says: {}", &**words))
        }
        _ => None,
    }
}
