//! Events of earlier versions, which left rulings to the fold: they are completed here, from the state before them, as
//! those versions computed them. Who changes a rule in `ruling.rs` keeps the former one here.

use super::Session;
use crate::event::{Event, Finding};
use crate::id::{FindingId, TaskRef};
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
            Event::DispatchOpened { task, feedback, findings: findings @ None, .. }
            | Event::RepairOpened { task, feedback, findings: findings @ None, .. } => {
                *findings = Some(self.named_in(feedback, task));
            }
            Event::GuidanceGiven { number, text, findings: findings @ None, .. } => {
                let task = &self.dispatches[number].task;
                *findings = Some(self.named_in(std::slice::from_ref(text), task));
            }
            _ => return Cow::Borrowed(event),
        }
        Cow::Owned(whole)
    }

    /// Earlier versions knew only by the text who was told of a finding.
    fn named_in(&self, lines: &[String], task: &TaskRef) -> Vec<FindingId> {
        let is_named = |finding: &&Finding| {
            let words = finding.report.in_words();
            finding.task == *task && lines.iter().any(|line| line.contains(&words))
        };
        self.record.findings.iter().filter(is_named).map(|finding| finding.id).collect()
    }
}
