//! Every command that the engine ran, as the journal tells it, and what still counts of its result.

use std::collections::BTreeMap;
use tollgate_core::event::{CheckPurpose, CheckTree, Event};
use tollgate_core::id::CheckNumber;
use tollgate_core::time::Timestamp;
use tollgate_core::work::CheckResult;
use tollgate_files::layout::SessionLayout;
use tollgate_host::client::{Client, JournalError};

#[derive(Debug, Clone, Default)]
pub struct CheckHistory {
    pub runs: Vec<CheckedRun>,
    /// Commands that a person waived, and why.
    waived: BTreeMap<String, String>,
    /// What a person gave in place of commands.
    replaced: BTreeMap<String, String>,
}

/// One run of checks.
#[derive(Debug, Clone)]
pub struct CheckedRun {
    pub number: CheckNumber,
    pub purpose: CheckPurpose,
    pub tree: CheckTree,
    pub started_at: Timestamp,
    /// Those that it was started for.
    pub commands: Vec<String>,
    /// In the order in which they ran; none while they run.
    pub results: Vec<CheckResult>,
    /// Whether that was good enough; none while they run.
    pub held: Option<bool>,
}

/// What a result counts for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStanding<'a> {
    Passed,
    Failed,
    /// Its program is not there, or may not be run.
    CannotRun,
    Waived {
        reason: &'a str,
    },
    /// It failed, and a person gave another command in its place.
    Replaced {
        with: &'a str,
    },
    /// It failed, and a later run has a result of its own.
    RanAgain {
        run: CheckNumber,
    },
}

impl CheckHistory {
    pub fn read(layout: &SessionLayout) -> Result<Self, JournalError> {
        let mut history = Self::default();
        Client::open(layout.clone())?.follow(|told| history.take(told.at, told.event))?;
        Ok(history)
    }

    /// The next event of the journal.
    pub fn take(&mut self, at: Timestamp, event: &Event) {
        match event {
            Event::ChecksStarted { number, purpose, commands, tree } => {
                self.runs.push(CheckedRun {
                    number: *number,
                    purpose: purpose.clone(),
                    tree: *tree,
                    started_at: at,
                    commands: commands.clone(),
                    results: Vec::new(),
                    held: None,
                });
            }
            Event::ChecksEnded { number, results, holds, .. } => {
                let run = self.runs.iter_mut().rfind(|run| run.number == *number);
                if let Some(run) = run {
                    let all = || results.iter().all(|result| result.passed);
                    run.held = Some(holds.unwrap_or_else(all));
                    run.results.clone_from(results);
                }
            }
            Event::CheckWaived { command, reason } => {
                self.waived.insert(command.clone(), reason.clone());
            }
            Event::CheckReplaced { command, with } => {
                self.replaced.insert(command.clone(), with.clone());
            }
            _ => {}
        }
    }

    /// The index of a run, and one of its results.
    pub fn standing(&self, index: usize, result: &CheckResult) -> CheckStanding<'_> {
        if result.passed {
            return CheckStanding::Passed;
        }
        if let Some(reason) = self.waived.get(&result.command) {
            return CheckStanding::Waived { reason };
        }
        if let Some(with) = self.replaced.get(&result.command) {
            return CheckStanding::Replaced { with };
        }
        match self.next(index, &result.command) {
            Some(run) => CheckStanding::RanAgain { run },
            None if result.cannot_run() => CheckStanding::CannotRun,
            None => CheckStanding::Failed,
        }
    }

    /// No later run has a result of any of its commands.
    pub fn is_last(&self, index: usize) -> bool {
        let commands = self.runs[index].results.iter().map(|result| &result.command);
        commands.into_iter().all(|command| self.next(index, command).is_none())
    }

    /// Every result that counts now and is no pass, with the run that it is of.
    pub fn failed(&self) -> Vec<(&CheckedRun, &CheckResult)> {
        let counts = |at: usize, result: &CheckResult| {
            matches!(self.standing(at, result), CheckStanding::Failed | CheckStanding::CannotRun)
        };
        let runs = self.runs.iter().enumerate();
        runs.flat_map(|(at, run)| run.results.iter().map(move |result| (at, run, result)))
            .filter(|(at, _, result)| counts(*at, result))
            .map(|(_, run, result)| (run, result))
            .collect()
    }

    /// The next run of a command that shows what this one was to show: one for the same purpose, or the acceptance checks, which
    /// are all of them.
    fn next(&self, index: usize, command: &str) -> Option<CheckNumber> {
        let purpose = &self.runs[index].purpose;
        let later = self.runs[index + 1..].iter().find(|run| {
            let is_same = run.purpose == *purpose;
            let has_it = run.results.iter().any(|result| result.command == command);
            has_it && (is_same || matches!(run.purpose, CheckPurpose::Acceptance { .. }))
        });
        later.map(|run| run.number)
    }
}
