//! Books on what a plan leaves to a person: it is asked, the plan is made again, and nobody builds on it before.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::BTreeMap;
use tollgate_core::decision::{Resolution, Subject};
use tollgate_core::event::{Event, Purpose, Verdict};
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::role::Role;
use tollgate_core::work::DispatchEnd;

#[derive(Debug, Default)]
pub(crate) struct Books {
    step: usize,
    /// Items of accepted plans that nobody has been asked about.
    unasked: Vec<(DispatchNumber, String)>,
    /// Every question about an item, and what was said.
    asked: BTreeMap<DecisionId, Option<String>>,
    /// The step whose plan must be made again.
    reopened: Option<usize>,
}

impl Books {
    pub fn see(&mut self, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::ModeChanged { .. } => {
                self.reopened = None;
                self.asked.clear();
            }
            Event::StepEntered { index } | Event::StepSkipped { index, .. } => {
                hold(self.reopened.is_none(), "a_plan_is_made_again_first", || {
                    format!("step {index} is entered and {:?} is open", self.reopened)
                })?;
                self.step = *index;
            }
            Event::DispatchClosed { number, verdict: Verdict::Accepted, .. } => {
                self.taken(*number, attempts);
            }
            Event::StepReopened { index } => self.reopened = Some(*index),
            Event::DecisionAsked { decision } => {
                if let Subject::Refinement { dispatch, item } = &decision.subject {
                    self.unasked.retain(|(by, open)| by != dispatch || open != item);
                    self.asked.insert(decision.decision_id.clone(), None);
                }
            }
            Event::DecisionResolved { id, resolution } => self.resolved(id, resolution)?,
            Event::DispatchOpened { role, purpose, feedback, .. } => {
                self.opened(*role, purpose, feedback)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn taken(&mut self, number: DispatchNumber, attempts: &attempts::Books) {
        let end = attempts.dispatches.get(&number).and_then(|record| record.last_end.as_ref());
        if let Some(DispatchEnd::Replied { work, .. }) = end {
            let items = work.documents.refinements.iter().map(|open| (number, open.item.clone()));
            self.unasked.extend(items);
        }
    }

    /// R092: silence does not settle it.
    fn resolved(&mut self, id: &DecisionId, resolution: &Resolution) -> Held {
        let Some(said) = self.asked.get_mut(id) else {
            return Ok(());
        };
        said.clone_from(&resolution.answer);
        let is_silence = resolution.reason.as_deref() == Some("no response provided");
        hold(!is_silence, "a_person_settles_a_refinement", || format!("{id}: {resolution:?}"))
    }

    /// Nobody works on an open plan, and who makes it again is told every answer.
    fn opened(&mut self, role: Role, purpose: &Purpose, feedback: &[String]) -> Held {
        let open = self.asked.iter().find(|(_, said)| said.is_none());
        let plans = matches!(purpose, Purpose::Step { index, .. } if Some(*index) == self.reopened);
        let is_work = !matches!(purpose, Purpose::Correction { .. }) && !plans;
        hold(!(self.reopened.is_some() && is_work), "nobody_builds_on_an_open_plan", || {
            format!("{role} starts with {open:?}")
        })?;
        if !plans {
            return Ok(());
        }
        hold(open.is_none(), "nobody_builds_on_an_open_plan", || {
            format!("{role} plans again with {open:?}")
        })?;
        let is_told = |said: &String| feedback.iter().any(|line| line.ends_with(said.as_str()));
        let untold = self.asked.values().flatten().find(|said| !is_told(said));
        self.reopened = None;
        hold(untold.is_none(), "an_answer_reaches_the_plan", || format!("{untold:?}"))
    }

    /// In the same breath in which the plan is taken, and its step is open again.
    pub fn all_is_asked(&self) -> Held {
        hold(self.unasked.is_empty(), "a_refinement_is_asked", || format!("{:?}", self.unasked))?;
        let open = self.asked.iter().find(|(_, said)| said.is_none());
        hold(open.is_none() || self.reopened.is_some(), "a_plan_is_made_again_first", || {
            format!("{open:?} is open and the step is done")
        })
    }
}
