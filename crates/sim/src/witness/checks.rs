//! Books on checks that show nothing about the work: a person decides about each before it is repaired, and what is waived
//! is waived by them.

use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::decision::{DecisionStatus, Subject};
use tollgate_core::event::{CheckPurpose, Event};
use tollgate_core::id::{CheckNumber, DecisionId, TaskId, TaskRef};
use tollgate_core::work::CheckResult;

#[derive(Debug, Default)]
pub(crate) struct Books {
    planned: BTreeSet<TaskId>,
    runs: BTreeMap<CheckNumber, CheckPurpose>,
    passed: BTreeSet<String>,
    taken_on: BTreeSet<String>,
    pub waived: BTreeSet<String>,
    /// Commands that a person must be asked about in this commit.
    owed: BTreeSet<String>,
    questions: BTreeMap<DecisionId, Subject>,
    /// A person said in this commit that they can do without a check.
    may_waive: bool,
}

impl Books {
    pub fn see(&mut self, event: &Event) -> Held {
        match event {
            Event::ModeChanged { .. } => self.planned.clear(),
            Event::PlanAdopted { tasks } => {
                self.planned = tasks.iter().map(|task| task.id.clone()).collect();
            }
            Event::ChecksStarted { number, purpose, .. } => {
                self.runs.insert(*number, purpose.clone());
            }
            Event::ChecksEnded { number, results, .. } => self.ended(*number, results),
            Event::DecisionAsked { decision } => {
                if let Subject::Check { command: Some(command), .. } = &decision.subject {
                    self.owed.remove(command);
                }
                self.questions.insert(decision.decision_id.clone(), decision.subject.clone());
            }
            Event::DecisionResolved { id, resolution } => {
                let answer = resolution.answer.as_deref().unwrap_or_default();
                let words = match self.questions.get(id) {
                    Some(Subject::Check { .. }) => "waive: ",
                    Some(Subject::Repair { .. }) => "accept-with-known-issues: ",
                    _ => return Ok(()),
                };
                self.may_waive =
                    resolution.status == DecisionStatus::Answered && answer.starts_with(words);
            }
            Event::CheckTakenOn { command } => {
                self.taken_on.insert(command.clone());
            }
            Event::CheckWaived { command, .. } => {
                self.waived.insert(command.clone());
                return hold(self.may_waive, "only_a_person_waives_a_check", || command.clone());
            }
            _ => {}
        }
        Ok(())
    }

    fn ended(&mut self, number: CheckNumber, results: &[CheckResult]) {
        let task = match self.runs.get(&number) {
            Some(CheckPurpose::Task { task }) => task.clone(),
            Some(CheckPurpose::Acceptance { .. }) => TaskRef::Meta,
            _ => return self.note_passed(results),
        };
        let is_planned = match &task {
            TaskRef::Task(id) => self.planned.contains(id),
            TaskRef::Meta => true,
        };
        self.note_passed(results);
        let shows_nothing = |result: &&CheckResult| {
            let is_old = result.failed_on_base && !self.passed.contains(&result.command);
            !result.passed
                && (result.cannot_run() || is_old)
                && !self.taken_on.contains(&result.command)
                && !self.waived.contains(&result.command)
        };
        let owed = results.iter().filter(shows_nothing).filter(|_| is_planned);
        let owed: Vec<String> = owed.map(|result| result.command.clone()).collect();
        self.owed.extend(owed);
    }

    fn note_passed(&mut self, results: &[CheckResult]) {
        let passed = results.iter().filter(|result| result.passed);
        self.passed.extend(passed.map(|result| result.command.clone()));
    }

    pub fn after_commit(&mut self) -> Held {
        self.may_waive = false;
        let owed = std::mem::take(&mut self.owed);
        hold(owed.is_empty(), "a_check_that_shows_nothing_is_asked_about", || format!("{owed:?}"))
    }
}
