//! The tasks of the session, the session as a whole, and what both have to meet.

use super::Unit;
use crate::event::CriterionResult;
use crate::id::{DispatchNumber, TaskId, TaskRef};
use crate::role::Role;
use crate::task::{Check, Criterion, TaskSpec, TaskStatus};
use crate::work::Refinement;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub tasks: Vec<Task>,
    /// The session as a whole, reviewed and repaired like a task.
    pub meta: Unit,
    pub criteria: Vec<Criterion>,
    pub criteria_results: BTreeMap<String, CriterionResult>,
    /// Manual checks that a person called met or waived.
    pub(crate) manual_settled: BTreeSet<String>,
    /// Roles that are not always needed, and who asked for them.
    pub(crate) wanted_roles: BTreeMap<Role, Vec<Recommendation>>,
    /// Commands that a person put in place of others. Work items still name the others.
    pub(crate) replaced: BTreeMap<String, String>,
    /// Questions that the plan leaves open, and the dispatch that made it.
    pub(crate) refinements: Vec<Refinement>,
    pub(crate) refined_by: Option<DispatchNumber>,
}

/// A reply that asked for a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recommendation {
    pub by: DispatchNumber,
    pub why: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub spec: TaskSpec,
    pub status: TaskStatus,
    /// What a blocked task returns to.
    pub(crate) before_block: TaskStatus,
    pub unit: Unit,
    /// A change of this task touched a path that the settings call sensitive.
    pub touched_sensitive: bool,
}

impl Task {
    /// The commands that its plan names.
    pub(crate) fn commands(&self) -> Vec<String> {
        self.spec.checks().filter_map(Check::command).collect()
    }
}

impl Plan {
    pub(super) fn for_roles(wanted: &[Role]) -> Self {
        let wanted_roles = wanted.iter().map(|role| (*role, Vec::new())).collect();
        Self { wanted_roles, ..Self::default() }
    }

    pub fn task(&self, id: &TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.spec.id == *id)
    }

    pub(super) fn task_mut(&mut self, id: &TaskId) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.spec.id == *id)
    }

    pub fn unit(&self, task: &TaskRef) -> Option<&Unit> {
        match task {
            TaskRef::Meta => Some(&self.meta),
            TaskRef::Task(id) => self.task(id).map(|task| &task.unit),
        }
    }

    pub(super) fn unit_mut(&mut self, task: &TaskRef) -> Option<&mut Unit> {
        match task {
            TaskRef::Meta => Some(&mut self.meta),
            TaskRef::Task(id) => self.task_mut(id).map(|task| &mut task.unit),
        }
    }

    /// New tasks start; tasks that were there keep how far they are.
    pub(super) fn adopt(&mut self, specs: &[TaskSpec]) {
        let mut known = std::mem::take(&mut self.tasks);
        for spec in specs {
            let position = known.iter().position(|task| task.spec.id == spec.id);
            let task = match position {
                Some(index) => Task { spec: spec.clone(), ..known.swap_remove(index) },
                None => Task {
                    spec: spec.clone(),
                    status: TaskStatus::NotStarted,
                    before_block: TaskStatus::NotStarted,
                    unit: Unit::default(),
                    touched_sensitive: false,
                },
            };
            self.tasks.push(task);
        }
        let of_items = self.tasks.iter_mut().flat_map(|task| &mut task.spec.item.checks);
        for check in of_items {
            let other = check.command().and_then(|command| self.replaced.get(&command));
            if let Some(other) = other {
                *check = Check::Command(other.clone());
            }
        }
        // What was asked of a task that left the plan is asked of the whole.
        for gone in &known {
            self.meta.take_looks_of(&gone.unit);
        }
    }

    /// What was met must be shown again. What a person waived stays waived: nobody has seen it met.
    pub(super) fn adopt_criteria(
        &mut self,
        criteria: &[Criterion],
        waived: &BTreeMap<String, String>,
    ) {
        let before = std::mem::replace(&mut self.criteria, criteria.to_vec());
        let results = std::mem::take(&mut self.criteria_results);
        let can_be_waived = |check: &&Check| match check {
            Check::Manual(_) => true,
            Check::Command(_) | Check::Test(_) => {
                check.command().is_some_and(|command| waived.contains_key(&command))
            }
        };
        for (old, result) in before.iter().filter_map(|old| Some((old, results.get(&old.id)?))) {
            let asks_the_same = |new: &&Criterion| {
                old.verify.iter().filter(can_be_waived).any(|check| new.verify.contains(check))
            };
            if matches!(result, CriterionResult::Waived { .. }) {
                let waived = criteria.iter().filter(asks_the_same).map(|new| new.id.clone());
                self.criteria_results.extend(waived.map(|id| (id, result.clone())));
            }
        }
    }

    /// Puts another command in place of one, in tasks and criteria. Tasks that have it are checked again.
    pub(super) fn replace_check(&mut self, command: &str, with: &str) {
        let is_old = |check: &&mut Check| check.command().as_deref() == Some(command);
        let new = Check::Command(with.to_owned());
        self.replaced.insert(command.to_owned(), with.to_owned());
        for task in &mut self.tasks {
            let own = task.spec.acceptance_checks.iter_mut();
            let checks = own.chain(&mut task.spec.item.checks).filter(is_old);
            task.unit.needs_checks |= checks.map(|check| check.clone_from(&new)).count() > 0;
        }
        let criteria = self.criteria.iter_mut().flat_map(|criterion| &mut criterion.verify);
        criteria.filter(is_old).for_each(|check| check.clone_from(&new));
    }

    pub(super) fn move_task(&mut self, id: &TaskId, status: TaskStatus) {
        if let Some(task) = self.task_mut(id) {
            if status == TaskStatus::Blocked {
                task.before_block = task.status;
            }
            task.status = status;
        }
    }

    /// The work begins once more; what was asked of it stays. Sensitive code that was taken before belongs to no task now,
    /// and Security has not seen it.
    pub(super) fn restart(&mut self) {
        let needs_audit =
            self.meta.needs_audit || self.tasks.iter().any(|task| task.touched_sensitive);
        let mut meta = Unit { needs_audit, ..Unit::default() };
        for unit in self.tasks.iter().map(|task| &task.unit).chain([&self.meta]) {
            meta.take_looks_of(unit);
        }
        self.tasks.clear();
        self.refinements.clear();
        self.meta = meta;
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;
    use crate::event::CriterionResult;
    use crate::task::{Check, Criterion};
    use std::collections::BTreeMap;

    #[test]
    fn what_a_person_waived_stays_waived_when_the_criteria_are_written_again() {
        let criterion = |id: &str, look: &str| Criterion {
            id: id.to_owned(),
            description: "It works".to_owned(),
            verify: vec![Check::Command("run".to_owned()), Check::Manual(look.to_owned())],
        };
        let (waived, met) = (
            CriterionResult::Waived { reason: "not now".to_owned() },
            CriterionResult::Met { evidence: "seen".to_owned() },
        );
        let mut plan = Plan::default();
        let none = BTreeMap::new();
        plan.adopt_criteria(&[criterion("AC-001", "taste"), criterion("AC-002", "listen")], &none);
        plan.criteria_results.insert("AC-001".to_owned(), waived.clone());
        plan.criteria_results.insert("AC-002".to_owned(), met);
        let again = ["taste", "listen", "smell"];
        let again: Vec<Criterion> = again.map(|look| criterion(look, look)).to_vec();
        plan.adopt_criteria(&again, &none);
        let results: Vec<_> = plan.criteria_results.into_iter().collect();
        assert_eq!(results, [("taste".to_owned(), waived)]);
    }
}
