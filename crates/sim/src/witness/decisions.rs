//! Books on questions: their ids, their answers, and the corrections that follow a rejection.

use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::decision::{
    CorrectionStatus, Decision, DecisionKind, DecisionStatus, Resolution,
};
use tollgate_core::event::{Event, Purpose, Verdict};
use tollgate_core::id::{CommandId, DecisionId, DispatchNumber};
use tollgate_core::input::{Command, Input};
use tollgate_core::role::Role;
use tollgate_core::session::Session;
use tollgate_core::task::Strategy;

#[derive(Debug, Default)]
pub(crate) struct Books {
    asked: BTreeMap<DecisionId, (DecisionKind, Resolution)>,
    /// How often each question was asked, and since which time it is the one that is asked now.
    rounds: BTreeMap<DecisionId, Rounds>,
    /// How often its question had been asked as who gave the answer saw it.
    given: BTreeMap<CommandId, u32>,
    /// What each command resolved.
    heard: BTreeSet<(CommandId, DecisionId)>,
    /// Records that changed since they were last looked at.
    touched: Vec<DecisionId>,
    highest: u32,
    pub strategies: u32,
    /// Kind and id of the last question that a person resolved.
    pub last_resolved: Option<(DecisionKind, DecisionId)>,
    /// Roles that the running correction still owes, and its dispatch in the air.
    owed: Vec<Role>,
    correcting: Option<DispatchNumber>,
}

#[derive(Debug, Default)]
struct Rounds {
    now: u32,
    same_since: u32,
    /// All that a person is asked and shown.
    shown: String,
}

impl Books {
    pub fn heard(&mut self, input: &Input) {
        if let Input::Command(Command::Answer { id, round, .. }) = input {
            self.given.entry(id.clone()).or_insert(*round);
        }
    }

    pub fn see(&mut self, event: &Event) -> Held {
        match event {
            Event::DecisionAsked { decision } => self.asked(decision),
            Event::DecisionResolved { id, resolution } => self.resolved(id, resolution),
            Event::CorrectionMoved { status: CorrectionStatus::Queued, roles, .. } => {
                self.owed.clone_from(roles);
                Ok(())
            }
            Event::DispatchOpened { number, role, purpose: Purpose::Correction { .. }, .. } => {
                self.each_correction_is_sent_once(*number, *role)
            }
            Event::DispatchClosed { number, verdict, .. } if self.correcting == Some(*number) => {
                self.correcting = None;
                if matches!(verdict, Verdict::Accepted) && !self.owed.is_empty() {
                    self.owed.remove(0);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub fn is_approved(&self) -> bool {
        self.asked.get(&DecisionId::approve_design()).is_some_and(|(_, resolution)| {
            resolution.status == DecisionStatus::Answered
                && resolution.answer.as_deref().is_some_and(is_approval)
        })
    }

    pub fn strategy(&self) -> Option<Strategy> {
        let (_, resolution) = self.asked.get(&DecisionId::review_strategy())?;
        (resolution.status == DecisionStatus::Answered)
            .then_some(resolution.answer.as_deref())
            .flatten()
            .and_then(Strategy::parse)
    }

    /// R017 and R018: well-known ids stand once, the others count up.
    fn asked(&mut self, decision: &Decision) -> Held {
        let id = &decision.decision_id;
        // A gate is put again under the id it has.
        let is_again = self.asked.get(id).is_some_and(|_| decision.kind == DecisionKind::Approve);
        if let Some(number) = id.number().filter(|_| !is_again) {
            let last = std::mem::replace(&mut self.highest, number);
            hold(number == last + 1, "sequential_ids_count_up", || {
                format!("{id} after UD-{last}")
            })?;
        }
        hold(decision.is_pending(), "a_question_is_asked_open", || format!("{id}"))?;
        let shown = format!("{:?} {:?} {:?}", decision.question, decision.options, decision.shown);
        let was_answered =
            self.asked.get(id).is_some_and(|(_, resolution)| resolution.answer.is_some());
        let rounds = self.rounds.entry(id.clone()).or_default();
        rounds.now += 1;
        if was_answered || rounds.shown != shown {
            rounds.same_since = rounds.now;
        }
        rounds.shown = shown;
        self.touched.push(id.clone());
        self.asked.insert(id.clone(), (decision.kind, decision.resolution.clone()));
        Ok(())
    }

    fn resolved(&mut self, id: &DecisionId, resolution: &Resolution) -> Held {
        let Some((kind, known)) = self.asked.get_mut(id) else {
            return hold(false, "only_what_was_asked_is_resolved", || format!("{id}"));
        };
        let kind = *kind;
        let was_pending = known.status == DecisionStatus::Pending;
        hold(was_pending || kind == DecisionKind::Strategy, "an_answer_stands", || {
            format!("{id} was {}", known.status)
        })?;
        *known = resolution.clone();
        if let Some(command) = &resolution.command {
            let once = self.heard.insert((command.clone(), id.clone()));
            hold(once, "a_command_counts_once", || format!("{command} for {id}"))?;
        }
        self.no_answer_comes_before_its_question(id, resolution)?;
        self.touched.push(id.clone());
        self.answers_are_canonical(kind, resolution)?;
        if kind == DecisionKind::Strategy && resolution.status == DecisionStatus::Answered {
            self.strategies += 1;
        }
        self.last_resolved = Some((kind, id.clone()));
        Ok(())
    }

    /// R121: words count for the question as it stood when they were given, also when nobody answered it and it is asked again
    /// as it was.
    fn no_answer_comes_before_its_question(
        &self,
        id: &DecisionId,
        resolution: &Resolution,
    ) -> Held {
        let Some(command) = resolution.command.as_ref().filter(|_| resolution.answer.is_some())
        else {
            return Ok(());
        };
        let (given, rounds) = (self.given.get(command), self.rounds.get(id));
        let fits = given.zip(rounds);
        let fits = fits.is_some_and(|(given, now)| (now.same_since..=now.now).contains(given));
        hold(fits, "no_answer_comes_before_its_question", || {
            format!("{command} was given in round {given:?} of {id}, and it is in {rounds:?}")
        })
    }

    /// R023 and R026.
    fn answers_are_canonical(&self, kind: DecisionKind, resolution: &Resolution) -> Held {
        let Some(answer) =
            resolution.answer.as_deref().filter(|_| resolution.status == DecisionStatus::Answered)
        else {
            return Ok(());
        };
        let fits = match kind {
            DecisionKind::Approve => {
                is_approval(answer)
                    || answer.strip_prefix("changes-requested: ").is_some_and(|t| !t.is_empty())
            }
            DecisionKind::Strategy => {
                Strategy::parse(answer).is_some() || answer.starts_with("changes-requested: ")
            }
            _ => !answer.is_empty(),
        };
        hold(fits, "answers_are_canonical", || format!("{kind}: {answer:?}"))
    }

    /// R032.
    fn each_correction_is_sent_once(&mut self, number: DispatchNumber, role: Role) -> Held {
        hold(self.correcting.is_none(), "each_correction_is_sent_once", || {
            format!("dispatch {number} beside {:?}", self.correcting)
        })?;
        hold(self.owed.first() == Some(&role), "each_correction_is_sent_once", || {
            format!("{role} is not owed: {:?}", self.owed)
        })?;
        self.correcting = Some(number);
        Ok(())
    }

    /// R018 and R033: each id stands once, and what changed fits the table of validity.
    pub fn records_are_valid(&mut self, session: &Session) -> Held {
        hold(session.decisions.asked.len() == self.asked.len(), "each_id_stands_once", || {
            format!("{} records of {} questions", session.decisions.asked.len(), self.asked.len())
        })?;
        for id in std::mem::take(&mut self.touched) {
            let decision = session.decisions.asked.iter().rev().find(|d| d.decision_id == id);
            let valid = decision.is_some_and(|decision| is_valid(&decision.resolution));
            hold(valid, "records_are_valid", || format!("{decision:?}"))?;
        }
        Ok(())
    }
}

fn is_valid(resolution: &Resolution) -> bool {
    let Resolution { status, answer, resolved_at, reason, .. } = resolution;
    let full = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    match status {
        DecisionStatus::Pending => answer.is_none() && resolved_at.is_none() && reason.is_none(),
        DecisionStatus::Answered => full(answer) && resolved_at.is_some(),
        DecisionStatus::Cancelled | DecisionStatus::Skipped => {
            resolved_at.is_some() && full(reason)
        }
    }
}

fn is_approval(answer: &str) -> bool {
    let rest = answer.strip_prefix("approved");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
}
