//! Events of earlier versions, which left rulings to the fold: they are completed here, from the state before them, as
//! those versions computed them. Who changes a rule in `ruling.rs` keeps the former one here.

use super::Session;
use crate::event::{Event, Finding};
use crate::id::{FindingId, TaskRef};
use crate::time::Timestamp;

impl Session {
    pub(super) fn completed(&self, at: Timestamp, event: &Event) -> Event {
        let mut whole = event.clone();
        match &mut whole {
            Event::AttemptStarted { allowance, ruling, .. } => {
                ruling.get_or_insert_with(|| self.start_ruling(allowance));
            }
            Event::AttemptEnded { number, end, usage, ruling, .. } => {
                ruling.get_or_insert_with(|| self.end_ruling(at, *number, end, usage));
            }
            Event::DispatchClosed { number, verdict, look_again, unreviewed } => {
                let who = || self.who_looks_again(*number, *verdict).into_iter().collect();
                look_again.get_or_insert_with(who);
                unreviewed.get_or_insert_with(|| self.leaves_unreviewed(*number, *verdict));
            }
            Event::DispatchOpened { task, feedback, findings, starts_max, .. } => {
                findings.get_or_insert_with(|| self.named_in(feedback, task));
                starts_max.get_or_insert_with(|| self.policy.starts_max());
            }
            Event::RepairOpened { task, feedback, findings, .. } => {
                findings.get_or_insert_with(|| self.named_in(feedback, task));
            }
            Event::GuidanceGiven { number, text, findings, .. } => {
                let task = &self.dispatches[number].task;
                findings.get_or_insert_with(|| self.named_in(std::slice::from_ref(text), task));
            }
            Event::ChecksEnded { number, results, holds, .. } => {
                let purpose = &self.checks.runs[number].purpose;
                holds.get_or_insert_with(|| self.are_good_enough(purpose, results));
            }
            _ => {}
        }
        whole
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
