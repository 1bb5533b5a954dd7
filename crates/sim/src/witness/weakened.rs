//! Books on tests that accepted work weakens: whoever did it, a person has said yes to it or it is brought back.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::decision::DecisionKind;
use tollgate_core::event::{Event, FindingStatus, Verdict};
use tollgate_core::id::FindingId;
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::work::DispatchEnd;

#[derive(Debug, Default)]
pub(crate) struct Books {
    /// Weakened files of accepted work, as its reports name them, that nobody has decided about.
    open: BTreeSet<Option<String>>,
    /// The findings about them.
    findings: BTreeMap<FindingId, Option<String>>,
    questions: BTreeSet<DecisionId>,
    /// The last answer to such a question was a yes.
    is_accepted: bool,
}

impl Books {
    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::DispatchClosed {
                number,
                verdict: Verdict::Accepted | Verdict::Objected,
                ..
            } => {
                self.taken(*number, attempts);
            }
            Event::FindingRecorded { finding } if finding.is_weakening() => {
                self.findings.insert(finding.id, finding.report.file.clone());
            }
            Event::DecisionAsked { decision } if decision.kind == DecisionKind::Notes => {
                self.questions.insert(decision.decision_id.clone());
            }
            Event::DecisionResolved { id, resolution } if self.questions.contains(id) => {
                self.is_accepted = resolution.answer.as_deref() == Some("accept");
            }
            Event::FindingSettled { id, status, .. } => self.settled(*id, *status)?,
            Event::SessionClosed => {
                hold(self.open.is_empty(), "weakened_tests_are_for_a_person", || {
                    format!("nobody has decided about {:?}", self.open)
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn taken(&mut self, number: DispatchNumber, attempts: &attempts::Books) {
        let end = attempts.dispatches.get(&number).and_then(|record| record.last_end.as_ref());
        if let Some(DispatchEnd::Replied { work, .. }) = end {
            self.open.extend(work.code.weakened.iter().map(|report| report.file.clone()));
        }
    }

    fn settled(&mut self, id: FindingId, status: FindingStatus) -> Held {
        let Some(file) = self.findings.get(&id) else { return Ok(()) };
        let is_decided = match status {
            FindingStatus::Fixed => true,
            FindingStatus::Accepted => self.is_accepted,
            _ => false,
        };
        hold(is_decided, "weakened_tests_are_for_a_person", || format!("{id} becomes {status:?}"))?;
        self.open.remove(file);
        Ok(())
    }
}
