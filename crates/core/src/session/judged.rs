//! What checks came to on the work of Coders.

use super::Session;
use crate::event::{CheckPurpose, Verdict};
use crate::id::{DispatchNumber, TaskRef};
use crate::role::Role;
use crate::work::CheckResult;
use std::collections::{BTreeMap, BTreeSet};

/// The commands that are red on the work of a dispatch, by the last run of each; no entry where none ran on it.
pub(crate) type Judged = BTreeMap<DispatchNumber, BTreeSet<String>>;

/// How the checks of accepted work stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChecksStanding {
    /// They pass, or there are none.
    Holds,
    Fails,
    /// They have not run yet.
    Open,
}

impl Session {
    /// Whoever worked last on a task is judged by what runs on it; who worked before them has been judged.
    pub(super) fn judge(&mut self, purpose: &CheckPurpose, results: &[CheckResult], holds: bool) {
        let red = self.red_commands(purpose, results, holds);
        for (task, number) in self.last_coders() {
            if !concerns(purpose, &task) {
                continue;
            }
            let is_its = |command: &&String| self.is_check_of(&task, command);
            let new: Vec<String> = red.iter().filter(is_its).cloned().collect();
            let known = self.checks.judged.entry(number).or_default();
            known.retain(|command| results.iter().all(|result| result.command != *command));
            known.extend(new);
        }
    }

    fn red_commands(
        &self,
        purpose: &CheckPurpose,
        results: &[CheckResult],
        holds: bool,
    ) -> Vec<String> {
        let excuses_old = matches!(purpose, CheckPurpose::Subject { .. });
        if excuses_old && holds {
            return Vec::new();
        }
        let is_excused = |result: &CheckResult| excuses_old && result.failed_on_base;
        let red = results.iter().filter(|result| !self.is_good(result) && !is_excused(result));
        red.map(|result| result.command.clone()).collect()
    }

    /// The accepted Coder dispatch that came last for each task.
    fn last_coders(&self) -> BTreeMap<TaskRef, DispatchNumber> {
        let accepted = self.dispatches.iter().filter(|(_, dispatch)| {
            dispatch.role == Role::Coder && dispatch.verdict() == Some(Verdict::Accepted)
        });
        accepted.map(|(number, dispatch)| (dispatch.task.clone(), *number)).collect()
    }

    /// A command of no task is a check of all of the work.
    fn is_check_of(&self, task: &TaskRef, command: &str) -> bool {
        let mut owners = self
            .plan
            .tasks
            .iter()
            .filter(|task| task.commands().iter().any(|known| known == command));
        let TaskRef::Task(id) = task else { return true };
        let is_of_none = owners.clone().next().is_none();
        is_of_none || owners.any(|owner| owner.spec.id == *id)
    }

    /// How the checks of accepted work stand.
    pub(crate) fn standing_of_checks(&self, number: DispatchNumber) -> ChecksStanding {
        let Some(dispatch) = self.dispatches.get(&number).filter(|found| found.role == Role::Coder)
        else {
            return ChecksStanding::Holds;
        };
        match self.checks.judged.get(&number) {
            Some(red) if red.iter().any(|command| self.is_still_asked_for(command)) => {
                ChecksStanding::Fails
            }
            Some(_) => ChecksStanding::Holds,
            None if self.awaits_checks(&dispatch.task) => ChecksStanding::Open,
            None => ChecksStanding::Holds,
        }
    }

    fn is_still_asked_for(&self, command: &str) -> bool {
        !self.checks.waived.contains_key(command) && !self.checks.replaced.contains_key(command)
    }

    fn awaits_checks(&self, task: &TaskRef) -> bool {
        let has_commands = match task {
            TaskRef::Meta => {
                let mut checks = self.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
                !self.task_commands().is_empty() || checks.any(|check| check.command().is_some())
            }
            TaskRef::Task(id) => {
                self.plan.task(id).is_some_and(|task| !self.commands_of(task).is_empty())
            }
        };
        let waits = self.plan.unit(task).is_some_and(|unit| unit.needs_checks);
        has_commands && waits && !self.is_over()
    }
}

fn concerns(purpose: &CheckPurpose, task: &TaskRef) -> bool {
    match purpose {
        CheckPurpose::Task { task: TaskRef::Meta }
        | CheckPurpose::Acceptance { .. }
        | CheckPurpose::Subject { .. } => true,
        CheckPurpose::Task { task: of } => of == task,
    }
}
