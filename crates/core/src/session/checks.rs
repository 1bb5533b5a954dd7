//! Commands that the engine ran, and what still holds of what they showed.

use super::judged::Judged;
use super::{Evidence, ReplacedCheck, Session};
use crate::action::{CheckSubject, StepKind};
use crate::event::{CheckPurpose, CheckTree};
use crate::id::{CheckNumber, CommitId};
use crate::task::Check;
use crate::time::Timestamp;
use crate::work::CheckResult;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checks {
    pub runs: BTreeMap<CheckNumber, CheckRun>,
    /// The fresh clone that checks ran in last, while all of them held, and its commit.
    pub(crate) clone: Option<(CheckNumber, CommitId)>,
    /// Subjects of checks steps that hold, by step and index in its list, and on which commit.
    pub(crate) subjects_hold: BTreeMap<(usize, usize), CommitId>,
    /// How the acceptance checks went since something last changed; none: they must run.
    pub(crate) acceptance: Option<bool>,
    /// The commit on which the acceptance checks last passed, in a fresh clone of it.
    pub(crate) checked_tip: Option<CommitId>,
    pub last_passed: Option<bool>,
    /// What the last checks were for, where they failed.
    pub(crate) last_failed: Option<CheckPurpose>,
    /// The lifecycle stage that the repository declares.
    pub stage: Option<String>,
    /// The stage under which lifecycle gates last ran, and whether all held.
    pub lifecycle: Option<LifecycleRun>,
    /// Commands that a person waived, and why.
    pub(crate) waived: BTreeMap<String, String>,
    /// Commands that a person wants repaired although they cannot run here or failed before the session began.
    pub(crate) taken_on: BTreeSet<String>,
    /// What a person gave in place of commands.
    pub(super) replaced: BTreeMap<String, String>,
    /// Commands that passed at least once: what fails later was broken by the work.
    pub(crate) seen_passing: BTreeSet<String>,
    /// What a person settled the minimum of coverage at.
    pub(crate) coverage_settled: Option<u32>,
    pub(super) evidence: Evidence,
    pub(super) judged: Judged,
}

impl Checks {
    /// What the last checks were for, in words, where they failed.
    pub fn last_failed_step(&self) -> Option<String> {
        Some(match self.last_failed.as_ref()? {
            CheckPurpose::Task { task } => format!("checks of {task:#}"),
            CheckPurpose::Acceptance { .. } => "acceptance checks".to_owned(),
            CheckPurpose::Subject { subject, .. } => subject.to_string(),
        })
    }

    /// What showed last that all of the work holds, or else everything that passed.
    pub fn final_commands(&self) -> Vec<String> {
        let passed = || self.runs.values().filter(|run| run.passed == Some(true));
        let is_last = |run: &&CheckRun| matches!(run.purpose, CheckPurpose::Acceptance { .. });
        let runs: Vec<&CheckRun> = match passed().rfind(is_last) {
            Some(last) => vec![last],
            None => passed().collect(),
        };
        let mut commands: Vec<String> = Vec::new();
        for command in runs.into_iter().flat_map(|run| &run.commands) {
            if !commands.contains(command) && !self.waived.contains_key(command) {
                commands.push(command.clone());
            }
        }
        commands
    }

    /// The work that waits for acceptance has changed.
    pub(super) fn forget_acceptance(&mut self) {
        self.acceptance = None;
        self.checked_tip = None;
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    pub purpose: CheckPurpose,
    pub commands: Vec<String>,
    pub tree: CheckTree,
    /// The commit that they run on.
    pub tip: CommitId,
    pub started_at: Timestamp,
    pub passed: Option<bool>,
}

/// How the gates of a lifecycle stage went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LifecycleRun {
    pub stage: String,
    pub passed: bool,
}

impl Session {
    /// It passed, or a person waived it.
    pub(crate) fn is_good(&self, result: &CheckResult) -> bool {
        result.passed || self.checks.waived.contains_key(&result.command)
    }

    /// The files of the plan that name a command as a check.
    pub fn files_with_check(&self, command: &str) -> Vec<&'static str> {
        let is_it = |check: &Check| check.command().as_deref() == Some(command);
        let mut tasks = self.plan.tasks.iter().flat_map(|task| &task.spec.acceptance_checks);
        let mut criteria = self.plan.criteria.iter().flat_map(|criterion| &criterion.verify);
        let files = [("tasks.yaml", tasks.any(is_it)), ("acceptance.json", criteria.any(is_it))];
        files.into_iter().filter(|(_, is_in)| *is_in).map(|(path, _)| path).collect()
    }

    /// Another command takes the place of one: in the plan, in its files, and in what a step checks.
    pub(super) fn replace_check(&mut self, command: &str, with: &str) {
        for path in self.files_with_check(command) {
            let replaced = ReplacedCheck { command: command.to_owned(), with: with.to_owned() };
            self.files.rewritten.entry(path.to_owned()).or_default().push(replaced);
        }
        self.plan.replace_check(command, with);
        self.checks.replaced.insert(command.to_owned(), with.to_owned());
        let of_steps = self.route.steps.iter_mut().filter_map(|step| match &mut step.kind {
            StepKind::Checks { of } => Some(of),
            _ => None,
        });
        let old = CheckSubject::Command(command.to_owned());
        let subjects = of_steps.flatten().filter(|subject| **subject == old);
        subjects.for_each(|subject| *subject = CheckSubject::Command(with.to_owned()));
        self.checks.forget_acceptance();
    }
}
