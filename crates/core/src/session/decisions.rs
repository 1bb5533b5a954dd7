//! Questions to a person, their answers, and the correction of what a person rejected.

use super::compared::Comparisons;
use crate::action::PartIndex;
use crate::answer::{ApproveAnswer, Choice};
use crate::decision::{CorrectionStatus, Decision, Resolution};
use crate::id::{CommandId, DecisionId};
use crate::role::{Role, State};
use crate::time::Timestamp;
use crate::work::Artefact;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decisions {
    /// Every question, as it was last asked.
    pub asked: Vec<Decision>,
    /// How often each question was asked.
    pub(crate) rounds: BTreeMap<DecisionId, u32>,
    /// The first round that asked a question as it is asked now: a gate that nobody answered is asked again as it was.
    pub(crate) same_since: BTreeMap<DecisionId, u32>,
    /// What a question that was asked again had shown in the round before.
    pub(crate) shown_before: BTreeMap<DecisionId, Vec<Artefact>>,
    pub(crate) comparisons: Comparisons,
    /// Every `changes-requested` answer, in order.
    pub rejections: Vec<Rejection>,
    pub correction: Correction,
    /// A person wants another plan than the one that they were asked about.
    pub(crate) is_plan_sent_back: bool,
    pub(crate) commands_seen: BTreeSet<CommandId>,
}

/// Where the correction of a rejected design stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Correction {
    pub status: CorrectionStatus,
    /// Roles still to run, the one at work first.
    pub roles: Vec<Role>,
    /// The parts of the action that they play again, in the same order.
    pub parts: Vec<PartIndex>,
    pub agent: Option<Role>,
    pub at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub at: Timestamp,
    pub decision_id: DecisionId,
    pub answer: String,
    /// The person's words of that answer.
    pub words: String,
    pub state_context: State,
}

impl Decisions {
    pub(super) fn ask(&mut self, decision: &Decision) {
        let id = &decision.decision_id;
        let asked = decision.clone().put();
        let mut is_new = true;
        match self.asked.iter_mut().find(|known| known.decision_id == *id) {
            Some(known) => {
                is_new = known.resolution.answer.is_some() || !known.asks_the_same(&asked);
                let before = std::mem::replace(known, asked).shown;
                self.shown_before.insert(id.clone(), before);
            }
            None => self.asked.push(asked),
        }
        let round = self.rounds.entry(id.clone()).or_default();
        *round += 1;
        if is_new {
            self.same_since.insert(id.clone(), *round);
        }
    }

    pub(super) fn resolve(&mut self, at: Timestamp, id: &DecisionId, resolution: &Resolution) {
        if let Some(command) = &resolution.command {
            self.commands_seen.insert(command.clone());
        }
        let Some(decision) = self.asked.iter_mut().find(|d| d.decision_id == *id) else {
            return;
        };
        decision.resolve(resolution.clone());
        if let Some(Choice::Strategy(answer)) = decision.answered() {
            self.is_plan_sent_back = answer.strategy().is_none();
        }
        if let Some(choice @ Choice::Approve(ApproveAnswer::ChangesRequested(words))) =
            decision.answered()
        {
            self.rejections.push(Rejection {
                // One that was imported has its own time.
                at: resolution.resolved_at.unwrap_or(at),
                decision_id: id.clone(),
                answer: choice.canonical(),
                words: words.to_string(),
                state_context: decision.state_context,
            });
        }
    }
}

impl Correction {
    pub(super) fn move_to(
        &mut self,
        at: Timestamp,
        status: CorrectionStatus,
        roles: &[Role],
        parts: &[PartIndex],
        agent: Option<Role>,
    ) {
        self.status = status;
        self.roles = roles.to_vec();
        self.parts = parts.to_vec();
        self.agent = agent.or(self.agent);
        if status == CorrectionStatus::Dispatched {
            self.at = Some(at);
        }
    }

    /// The first of its roles has done its part again.
    pub(super) fn played(&mut self) {
        self.roles.remove(0);
        if !self.parts.is_empty() {
            self.parts.remove(0);
        }
    }
}
