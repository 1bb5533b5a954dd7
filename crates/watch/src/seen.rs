//! What is shown of one session: the view as of the last look, and what stands beside it.

use std::collections::BTreeMap;
use tollgate_core::allowance::Allowance;
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::time::Timestamp;
use tollgate_core::view::{DispatchView, Outcome, QuestionView, Standing, View};
use tollgate_desk::{Opened, OpenedError, Repo};

#[derive(Debug)]
pub struct Seen {
    pub repo: Repo,
    pub view: View,
    /// Some process runs it.
    pub is_running: bool,
    /// What it may spend, where anybody set it.
    pub limits: Allowance,
    /// Since when attempts run.
    pub since: BTreeMap<DispatchNumber, Timestamp>,
    /// Dispatches that a person plays, and that wait for them.
    pub to_play: Vec<DispatchNumber>,
}

impl Seen {
    pub fn of(opened: &mut Opened) -> Result<Self, OpenedError> {
        let view = opened.view()?;
        let running = opened.chronicle().attempts().filter(|(span, _)| span.until.is_none());
        let since = running.map(|(span, attempt)| (attempt.number, span.from)).collect();
        let client = opened.client();
        let waits = client.assigned().into_iter().filter(|assigned| !assigned.is_submitted);
        Ok(Self {
            repo: opened.repo.clone(),
            is_running: client.is_running(),
            limits: opened.limits(),
            since,
            to_play: waits.map(|assigned| assigned.number).collect(),
            view,
        })
    }

    /// The goal, or the name where there is none.
    pub fn title(&self) -> &str {
        match self.view.goal.trim() {
            "" => self.view.session.as_str(),
            goal => goal,
        }
    }

    /// It has something to do, and no process does it.
    pub fn is_left(&self) -> bool {
        self.view.route.standing == Standing::Working && !self.is_running
    }

    /// Who works first, then who worked last.
    pub fn dispatches(&self) -> Vec<&DispatchView> {
        let mut all: Vec<&DispatchView> = self.view.work.dispatches.iter().rev().collect();
        all.sort_by_key(|one| (!is_open(one.outcome), is_open(one.outcome).then_some(one.number)));
        all
    }

    pub fn dispatch(&self, number: DispatchNumber) -> Option<&DispatchView> {
        self.view.work.dispatches.iter().find(|one| one.number == number)
    }

    pub fn question(&self, id: &tollgate_core::id::DecisionId) -> Option<&QuestionView> {
        self.view.pending_decisions.iter().find(|one| one.decision_id == *id)
    }

    /// The attempt whose output is read first.
    pub fn attempts(&self, number: DispatchNumber) -> Attempt {
        Attempt(self.dispatch(number).map_or(0, |one| one.attempts))
    }
}

/// It is under way, whoever must do the next thing.
pub fn is_open(outcome: Outcome) -> bool {
    use Outcome::{Finished, Interrupted, Ready, Running, Stopped, Waiting};
    matches!(outcome, Running | Waiting | Finished | Interrupted | Ready | Stopped)
}
