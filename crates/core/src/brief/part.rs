//! What an action says about the part that a dispatch plays.

use crate::action::{Assignment, CheckSubject, PartIndex, StepKind};
use crate::decision::DecisionKind;
use crate::event::{FindingStatus, Purpose};
use crate::role::Role;
use crate::session::{Dispatch, Session};
use crate::task::Check;
use std::collections::BTreeSet;

impl Session {
    /// The part of the action that a dispatch plays; one that looks again plays its role's last one.
    pub(super) fn part_of(&self, dispatch: &Dispatch) -> Option<&Assignment> {
        if let Some(at) = dispatch.part_index() {
            return self.assignment(at);
        }
        match dispatch.purpose {
            Purpose::Look { step } | Purpose::Correction { step, .. } => {
                self.last_part(step, dispatch.role)
            }
            _ => None,
        }
    }

    /// What the action calls who plays it.
    pub(crate) fn name_of<'a>(&'a self, dispatch: &'a Dispatch) -> &'a str {
        self.part_of(dispatch).map_or(dispatch.role.as_str(), |part| part.name())
    }

    fn last_part(&self, before: usize, role: Role) -> Option<&Assignment> {
        let steps = self.route.steps[..before].iter().enumerate().rev();
        let mut parts = steps.flat_map(|(at, step)| step.assignments(at));
        parts.find(|(_, part)| part.role == role).map(|(_, part)| part)
    }

    fn parts(&self) -> impl Iterator<Item = (PartIndex, &Assignment)> {
        self.route.steps.iter().enumerate().flat_map(|(at, step)| step.assignments(at))
    }

    /// Whether some step leaves this session file behind.
    pub(super) fn is_made_here(&self, name: &str) -> bool {
        self.files.artefacts.contains_key(name)
            || self.parts().any(|(_, part)| part.outputs.iter().any(|output| output == name))
    }

    /// What the step must read: session files by their whole path, all others as they stand.
    pub(super) fn step_inputs(&self, dispatch: &Dispatch) -> Vec<String> {
        let inputs = self.part_of(dispatch).map(|part| part.inputs.clone()).unwrap_or_default();
        let path = |input: String| match self.files.artefacts.contains_key(&input) {
            true => self.session_path(&input),
            false => input,
        };
        inputs.into_iter().map(path).collect()
    }

    /// Who repairs in an action without tasks may change what the makers of the action may, and planning where
    /// that is what was checked.
    pub(super) fn step_writes(&self, dispatch: &Dispatch) -> Option<Vec<String>> {
        let is_repair = matches!(dispatch.purpose, Purpose::Repair { .. });
        if !is_repair || self.has_task_loop() {
            return self.part_of(dispatch)?.writes.clone();
        }
        let mut writes = self.last_part(self.route.step + 1, dispatch.role)?.writes.clone()?;
        let step = self.route.steps.get(self.route.step).map(|step| &step.kind);
        if let Some(StepKind::Checks { of }) = step
            && of.contains(&CheckSubject::Planning)
        {
            writes.push("planning-mds/**".to_owned());
        }
        Some(writes)
    }

    /// A repair in an action without tasks: where its Coders may write, else the files it is about.
    pub(super) fn scope_of_steps(&self) -> Option<Vec<String>> {
        let coders: Vec<&Assignment> =
            self.parts().map(|(_, part)| part).filter(|part| part.role == Role::Coder).collect();
        let mut scope: Vec<String> =
            self.branch.changed.iter().map(|change| change.path.clone()).collect();
        if coders.is_empty() {
            let open = self.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
            scope.extend(open.filter_map(|finding| finding.report.file.clone()));
            // A finding that names no file leaves it to the role.
            return (!scope.is_empty()).then_some(scope);
        }
        for coder in coders {
            scope.extend(coder.writes.clone()?);
            scope.extend(coder.outputs.clone());
        }
        Some(scope)
    }

    /// Files of the repository that a person was shown at a gate.
    pub(super) fn watched(&self) -> Vec<String> {
        let gates = self.decisions.asked.iter().filter(|d| d.kind == DecisionKind::Approve);
        let shown = gates.flat_map(|decision| &decision.shown);
        shown.map(|a| a.path.clone()).filter(|path| self.files.outputs.contains_key(path)).collect()
    }

    pub(super) fn weakened_files(&self) -> Vec<String> {
        let open = self.record.findings.iter().filter(|f| f.status == FindingStatus::Open);
        open.filter(|f| f.is_weakening())
            .filter_map(|finding| finding.report.file.clone())
            .collect()
    }

    /// Of the criteria, of all tasks, of the action's own checks and of its evidence, each once.
    pub(super) fn check_commands(&self) -> Vec<String> {
        let criteria = self.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
        let tasks = self.plan.tasks.iter().flat_map(|task| task.spec.checks());
        let of_work = criteria.chain(tasks).filter_map(Check::command);
        let of_action = self.route.steps.iter().flat_map(|step| match &step.kind {
            StepKind::Checks { of } => of.as_slice(),
            _ => &[],
        });
        let of_action = of_action.filter_map(|subject| match subject {
            CheckSubject::Command(command) => Some(command),
            _ => None,
        });
        let mut all: BTreeSet<String> = of_work.chain(of_action.cloned()).collect();
        all.extend(self.evidence_commands());
        all.into_iter().collect()
    }

    /// Where what an agent left is kept when it is out of its re-runs.
    pub fn failed_path(&self, number: crate::id::DispatchNumber) -> String {
        format!(".artifacts-failed/{}/dispatch-{number}/", self.opening.session)
    }
}
