//! How what runs beside the dispatches changes the state: checks, and the merge of parallel members.

use super::dispatch::{Failure, Life};
use super::{CheckRun, LifecycleRun, Session, Waiting};
use crate::action::{CheckSubject, StepKind};
use crate::event::{CheckPurpose, CheckTree};
use crate::id::CheckNumber;
use crate::reply::ReplyError;
use crate::work::{CheckResult, DispatchEnd, Merged};

impl Session {
    /// What held under another lifecycle stage must be shown again.
    pub(super) fn declare_stage(&mut self, stage: Option<&str>) {
        self.checks.stage = stage.map(str::to_owned);
        let steps = &self.route.steps;
        self.checks.subjects_hold.retain(|(step, index), _| {
            match steps.get(*step).map(|s| &s.kind) {
                Some(StepKind::Checks { of }) => of.get(*index) != Some(&CheckSubject::Lifecycle),
                _ => false,
            }
        });
    }

    /// What goes together takes its new commit; what does not is an invalid delivery of its member.
    pub(super) fn end_merge(&mut self, merged: &[Merged]) {
        self.branch.before_merge = Some(self.has_accepted_work().then(|| self.branch.tip.clone()));
        self.branch.merging.clear();
        let session = self.opening.session.clone();
        for one in merged {
            let dispatch = self.dispatches.get_mut(one.number);
            if one.conflicts.is_empty() {
                if let Life::Delivered(delivered) | Life::Ready { delivered, .. } =
                    &mut dispatch.life
                {
                    delivered.work.code.commit.clone_from(&one.commit);
                    for output in &mut delivered.work.code.outputs {
                        let merged = one.outputs.iter().find(|other| other.path == output.path);
                        merged.into_iter().for_each(|now| output.sha256.clone_from(&now.sha256));
                    }
                }
                continue;
            }
            let kept = format!("refs/tollgate/keep/{session}/member-{}", one.number);
            dispatch.past.stopped_for_scope = false;
            dispatch.life = Life::Idle;
            if dispatch.lane.is_some() {
                let task = dispatch.task.clone();
                let words = one.conflicts.iter().map(|file| clash_words(file, &kept));
                let clash: Vec<String> = words.collect();
                if let Some(unit) = self.plan.unit_mut(&task) {
                    unit.clash = clash;
                }
                continue;
            }
            let errors = conflict_errors(&one.conflicts, &kept);
            dispatch.tries.invalid += 1;
            dispatch.life = Life::Waiting(Waiting::ForPerson);
            dispatch.given.previous_errors.clone_from(&errors);
            let end = DispatchEnd::invalid(errors);
            dispatch.past.failure = Some(Failure { end, is_clash: true });
        }
    }

    pub(super) fn start_checks(
        &mut self,
        number: CheckNumber,
        purpose: &CheckPurpose,
        commands: &[String],
        tree: CheckTree,
    ) {
        if let CheckTree::Fresh { since } = tree {
            self.checks.clone = Some((since, self.branch.tip.clone()));
        }
        let run = CheckRun {
            purpose: purpose.clone(),
            commands: commands.to_vec(),
            tree,
            tip: self.branch.tip.clone(),
            started_at: self.updated_at,
            passed: None,
        };
        self.checks.runs.insert(number, run);
    }

    pub(super) fn end_checks(
        &mut self,
        number: CheckNumber,
        results: &[CheckResult],
        stage: Option<&str>,
        holds: bool,
    ) {
        let passed = results.iter().all(|result| self.is_good(result));
        let green = results.iter().filter(|result| result.passed);
        self.checks.seen_passing.extend(green.map(|result| result.command.clone()));
        self.checks.last_passed = Some(passed);
        let Some(run) = self.checks.runs.get_mut(&number) else {
            return;
        };
        run.passed = Some(passed);
        let (is_fresh, tip) = (run.tree != CheckTree::Workspace, run.tip.clone());
        let purpose = run.purpose.clone();
        self.judge(&purpose, results, holds);
        self.checks.last_failed = (!passed).then(|| purpose.clone());
        match purpose {
            CheckPurpose::Task { task } => {
                if let Some(unit) = self.plan.unit_mut(&task).filter(|_| passed) {
                    unit.needs_checks = false;
                }
            }
            CheckPurpose::Acceptance { .. } => {
                self.checks.acceptance = Some(passed);
                if passed && is_fresh {
                    self.checks.checked_tip = Some(tip);
                }
                if !passed {
                    self.checks.clone = None;
                }
            }
            CheckPurpose::Subject { step, index, subject } => {
                if subject == CheckSubject::Evidence {
                    self.checks.evidence.last = Some((tip.clone(), results.to_vec()));
                }
                if let Some(index) = index.filter(|_| holds && is_fresh) {
                    self.checks.subjects_hold.insert((step, index), tip);
                }
                if !holds && subject.runs_commands() {
                    // The next run of it has a new clone, without what those before it made: they run there too.
                    self.checks.clone = None;
                    self.checks.subjects_hold.retain(|(other, _), _| *other != step);
                }
                if let (CheckSubject::Lifecycle, Some(stage)) = (&subject, stage) {
                    self.checks.lifecycle = Some(LifecycleRun { stage: stage.to_owned(), passed });
                }
            }
        }
    }

    /// Lifecycle gates ran under a stage that is no longer the declared one.
    pub(crate) fn is_evidence_stale(&self) -> bool {
        let declared = self.checks.stage.as_ref();
        let is_other = |run: &LifecycleRun| declared.is_some_and(|stage| *stage != run.stage);
        self.checks.lifecycle.as_ref().is_some_and(is_other)
    }

    /// The minimum of coverage that counts: what a person settled, else the settings.
    pub fn coverage_minimum(&self) -> Option<u32> {
        self.checks.coverage_settled.or(self.policy.coverage_minimum)
    }

    pub(crate) fn covers_enough(&self, result: &CheckResult) -> bool {
        let minimum = self.coverage_minimum().unwrap_or(0);
        // Overridden: it need not even be measurable.
        if minimum == 0 {
            return true;
        }
        result.coverage.is_some_and(|measured| measured.percent_hundredths() >= minimum)
    }
}

/// Two members changed the same lines: the later one is told and does its part again.
fn conflict_errors(files: &[String], kept: &str) -> Vec<ReplyError> {
    let other = "another member of this step";
    let words = |file: &String| match file.starts_with(".agents-work/") {
        true => format!(
            "{other} wrote this session file too, with different content; leave it to them or write another one"
        ),
        false => format!(
            "{other} changed the same lines; its change is in your workspace now, yours is kept as {kept}"
        ),
    };
    files.iter().map(|file| ReplyError::new("work.conflict", file.clone(), words(file))).collect()
}

/// Two tasks changed the same lines: the later one is done again.
fn clash_words(file: &str, kept: &str) -> String {
    format!(
        "another task that ran at the same time changed the same lines in {file}; its change is in your tree now, so make yours on top of it (your first one is kept as {kept})"
    )
}
