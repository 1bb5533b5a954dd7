//! What an attempt really left behind, as the host found it: the diff, the session files, and what it had no right to touch.

use crate::id::{Attempt, CommitId, ContentHash, DispatchNumber, TaskId, TaskRef};
use crate::reply::{Reply, ReplyError, ReportedFinding, Usage};
use crate::role::spelled;
use crate::task::{Criterion, TaskSpec};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How one attempt of a dispatch ended. Every way of ending is an arm with its facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum DispatchEnd {
    /// A reply that fits the contract, and what the workspace shows.
    Replied {
        reply: Box<Reply>,
        work: Box<Work>,
    },
    /// No reply, or one that breaks the contract, or outputs that do.
    Invalid {
        errors: Vec<ReplyError>,
        /// The findings of the reply.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        findings: Vec<ReportedFinding>,
    },
    /// The role's text is not there or cannot be read; nothing was started.
    MissingRole {
        name: String,
        detail: String,
    },
    /// OK was said but declared outputs are not there.
    MissingOutput {
        paths: Vec<String>,
        /// The findings of the reply.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        findings: Vec<ReportedFinding>,
    },
    /// A file that the role must read is not there or not usable; nothing was started.
    MissingContext {
        errors: Vec<ReplyError>,
    },
    Crashed {
        exit_code: Option<i32>,
        signal: Option<i32>,
        stderr_tail: String,
    },
    CouldNotStart {
        program: String,
        cause: String,
    },
    TimedOut {
        after_ms: u64,
    },
    OutputLimit {
        limit_bytes: u64,
    },
    /// A command that printed nothing and computed nothing.
    Silent {
        after_ms: u64,
    },
    PermissionRefused {
        detail: String,
    },
    /// The model service behind the agent could not be reached, refused for now, broke off or fell silent.
    Unavailable {
        detail: String,
    },
    /// The agent came to the end of the turns or the money that it was given.
    UsedUp {
        detail: String,
    },
    /// Usage limit that nobody knows the end of.
    Limited {
        detail: String,
    },
    /// Usage limit with a known reset time.
    Parked {
        until: Timestamp,
        /// What the agent said instead of a time; `until` is then when it is tried again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        no_time: Option<String>,
    },
    /// The person stopped the engine (Ctrl-C) or the session.
    Stopped,
    /// Its supervisor ended without an outcome while the engine watched. The agent may have done it.
    Unsupervised {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rescue: Option<String>,
    },
    /// Supervisor and outcome were both gone when an engine came.
    Interrupted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rescue: Option<String>,
    },
}

impl DispatchEnd {
    /// An invalid end whose reply could not be read, or reported nothing.
    pub fn invalid(errors: Vec<ReplyError>) -> Self {
        Self::Invalid { errors, findings: Vec::new() }
    }

    /// What the agent reported, however it ended.
    pub fn findings(&self) -> &[ReportedFinding] {
        match self {
            Self::Replied { reply, .. } => &reply.findings,
            Self::Invalid { findings, .. } | Self::MissingOutput { findings, .. } => findings,
            _ => &[],
        }
    }

    /// Whether the agent ran at all.
    pub fn has_begun(&self) -> bool {
        !matches!(
            self,
            Self::MissingRole { .. } | Self::MissingContext { .. } | Self::CouldNotStart { .. }
        )
    }

    /// What a reply says that it cost: all that is known from journals in which an attempt had no costs of its own.
    pub fn claimed_usage(&self) -> Usage {
        match self {
            Self::Replied { reply, .. } => reply.usage,
            _ => Usage::default(),
        }
    }
}

/// What an attempt left behind. In the journal the fields of all parts are in one object.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Work {
    #[serde(flatten)]
    pub code: CodeWork,
    #[serde(flatten)]
    pub documents: Documents,
    #[serde(flatten)]
    pub left_out: LeftOut,
}

/// What it did to the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CodeWork {
    /// Changes of the repository that the role may make; they are in `commit`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Made from `changes` on top of the last accepted commit; not yet on any branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// Paths among `changes` that the settings call sensitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<String>,
    /// Files of the repository that the step declares or that a gate has shown, as they are in `commit`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Artefact>,
    /// Tests and checks that the change weakens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened: Vec<ReportedFinding>,
    /// Names of tags that it made for a release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Tags that it made and that are not kept: the repository has them already, or their names cannot be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_tags: Vec<String>,
    /// Files called weakened before whose tests are back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<String>,
}

/// What it wrote into the session's folder, and what is read from there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Documents {
    /// Session files that the role may write and did, as taken into the dispatch's outputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<Artefact>,
    /// The plan, when the role writes tasks.yaml.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<TaskSpec>>,
    /// Questions of a plan that only a person can answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refinements: Vec<Refinement>,
    /// The criteria, when the role writes acceptance.json.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<Criterion>>,
    /// What the report names of all that it must, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reported: Vec<String>,
    /// Status changes the agent wrote into tasks.yaml: proposals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status_claims: Vec<StatusClaim>,
    /// Files that only the engine writes and the agent changed: they are put back, and the change is lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// What is odd about its documents and stops nothing, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// What it changed beyond its scope or without permission, and what is not in the commit for that.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LeftOut {
    /// What it changed without permission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaches: Vec<Breach>,
    /// Changes outside the task's scope but inside the role's: kept aside, not in `commit`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out_of_scope: Vec<FileChange>,
    /// Changes that a declaration or a person put into the scope, and those of `out_of_scope`, with their reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scoped: Vec<Scoped>,
    /// What the agent declared about files that its work item does not list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<Declaration>,
    /// Name under which refused or left-out changes are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// Files that are larger than the limits: in neither the commit nor the rescue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<SetAside>,
}

impl CodeWork {
    /// Paths at which a file is no longer found.
    pub fn gone(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().filter_map(|change| match change.change_type {
            ChangeType::Deleted => Some(change.path.as_str()),
            ChangeType::Renamed => change.old_path.as_deref(),
            ChangeType::Added | ChangeType::Modified => None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusClaim {
    pub task: TaskId,
    /// As written; it may be no status at all.
    pub status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileChange {
    pub path: String,
    pub change_type: ChangeType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeType {
    Added,
    Modified,
    Deleted,
    Renamed,
}

spelled!(ChangeType {
    Added = "added",
    Modified = "modified",
    Deleted = "deleted",
    Renamed = "renamed",
});

/// Why a changed file is in the scope of its task, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeClass {
    /// Listed in the work item.
    Primary,
    /// A test beside a file in scope.
    Test,
    /// Declared as a small consequence of a change in scope.
    Incidental,
    /// The file that the work item meant, by a scope correction.
    Corrected,
    /// A person allowed it.
    Authorized,
    Violation,
}

spelled!(ScopeClass {
    Primary = "primary",
    Test = "test",
    Incidental = "incidental",
    Corrected = "corrected",
    Authorized = "authorized",
    Violation = "violation",
});

/// A changed file that the work item does not list, and what it counts as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scoped {
    pub path: String,
    pub class: ScopeClass,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The agent spoke of it itself, in its summary or a declaration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_told: bool,
}

/// What an agent says about a file that its work item does not list. Whether it counts is judged apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Declaration {
    Incidental { path: String, motivated_by: String, reason: String },
    ScopeCorrection { listed: String, actual: String, reason: String },
}

/// What a Coder says about work of its that was taken, for whoever judges it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Implementation {
    pub dispatch: DispatchNumber,
    pub task: TaskRef,
    pub summary: String,
    /// Its answers to what it was told among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<Declaration>,
}

/// Why a Coder could not do its task, in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskBlocker {
    pub dispatch: DispatchNumber,
    pub attempt: Attempt,
    pub summary: String,
}

/// A refinement item of a plan: what only a person can settle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refinement {
    /// The name of its work item.
    pub item: String,
    pub question: String,
}

/// A file at one point in time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Artefact {
    /// Below the session folder, or the repository's root for what the repository holds; with `/`.
    pub path: String,
    pub sha256: ContentHash,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    pub path: String,
    pub why: String,
}

/// What was moved out of the tree because nothing may read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    pub path: String,
    pub size_bytes: u64,
    pub limit: SizeLimit,
    /// Where it lies now.
    pub kept: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeLimit {
    /// Of one file.
    FileBytes(u64),
    /// Of all changed files of a dispatch.
    DispatchBytes(u64),
    /// Of a file in the session folder.
    SessionFile(u64),
    /// No limit: a pipe, a socket or a device has no end.
    NotAFile,
}

impl std::fmt::Display for SetAside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, size_bytes, limit, kept } = self;
        match limit {
            SizeLimit::FileBytes(max) => {
                write!(f, "{path} has {size_bytes} bytes; limits.file_bytes is {max}")?;
            }
            SizeLimit::SessionFile(max) => {
                write!(f, "{path} has {size_bytes} bytes; the limit for a session file is {max}")?;
            }
            SizeLimit::NotAFile => {
                write!(f, "{path} is a pipe, a socket or a device, not a file")?;
            }
            SizeLimit::DispatchBytes(max) => write!(
                f,
                "the changes together exceed limits.dispatch_bytes ({max}); {path} ({size_bytes} bytes) is one of the largest"
            )?,
        }
        write!(f, "; it was left out and is kept in {kept}")
    }
}

/// What became of a member's change when all were brought together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    pub number: DispatchNumber,
    /// Its change on top of those before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitId>,
    /// Files that it and another member changed in ways that do not go together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Its declared files as they are in the last of the commits: others may have changed them too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Artefact>,
}

/// One command that the engine ran, and how it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    pub command: String,
    pub passed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Why there is no exit code: timeout, could not start, output limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The last lines of both streams, bounded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output_tail: String,
    pub duration_ms: u64,
    /// What a coverage report says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Measured>,
    /// It failed on the base revision already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed_on_base: bool,
    /// Its program, or the runner in front of it, could not be started.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub could_not_start: bool,
    /// It failed in a fresh clone and passes in the workspace: some of what the workspace has and no commit does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in_workspace: Option<Vec<String>>,
}

impl CheckResult {
    /// The commands of the settings that make a new tree fit for work count as one check of a fresh clone.
    pub const SETUP: &str = "workspace.setup";

    /// Nothing was checked: a shell says so with 126 (may not be run) and 127 (not found).
    pub fn cannot_run(&self) -> bool {
        self.could_not_start || matches!(self.exit_code, Some(126 | 127))
    }
}

/// What came of merging the person's branch, which has moved, into the session's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "came", rename_all = "snake_case")]
pub enum BaseMerge {
    /// A commit with both.
    Clean { commit: CommitId },
    /// Files that both sides changed in ways that do not go together. `start` is a commit with both sides and markers
    /// around what must be decided.
    Conflicts { files: Vec<String>, start: CommitId },
    /// The session's work has it already.
    AlreadyIn,
    /// The two have no commit in common.
    Unrelated,
}

/// Lines that tests reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    pub covered: u64,
    pub total: u64,
}

impl Measured {
    /// In hundredths of a per cent, rounded down; nothing to cover is fully covered.
    pub fn percent_hundredths(&self) -> u32 {
        if self.total == 0 {
            return 10_000;
        }
        let share = u128::from(self.covered) * 10_000 / u128::from(self.total);
        u32::try_from(share).unwrap_or(u32::MAX)
    }
}
