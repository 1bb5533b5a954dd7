//! Commands that the engine ran, and what still holds of what they showed.

use super::Evidence;
use crate::event::{CheckPurpose, CheckTree};
use crate::id::{CheckNumber, CommitId};
use crate::time::Timestamp;
use std::collections::BTreeMap;

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
    /// What a person settled the minimum of coverage at.
    pub(crate) coverage_settled: Option<u32>,
    pub(super) evidence: Evidence,
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
