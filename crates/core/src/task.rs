//! The plan: tasks with their scope and checks, and the criteria that decide whether the work is done.

use crate::id::TaskId;
use crate::role::spelled;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSpec {
    pub id: TaskId,
    pub kind: TaskKind,
    pub title: String,
    pub goal: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub non_goals: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context_files: Vec<String>,
    /// Paths, globs, or folders ending in `/`: what the task may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_expected: Vec<String>,
    /// `cmd: …` is run by the engine, `manual: …` is put to a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance_checks: Vec<Check>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risk_flags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done_when: Vec<String>,
    /// The session file that describes it, from the session's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<String>,
    /// What the work item lists in scope; it counts instead of `files_expected`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_scope: Vec<String>,
    /// What the work item excludes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out_of_scope: Vec<String>,
    /// Tasks that may change a file that this one may change: they never work at the same time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<TaskId>,
}

impl TaskSpec {
    /// What the task may change, as its work item or else the plan says.
    pub fn scope(&self) -> &[String] {
        if self.in_scope.is_empty() { &self.files_expected } else { &self.in_scope }
    }

    pub fn is_flagged(&self, flag: &str) -> bool {
        self.risk_flags.iter().any(|f| f == flag)
    }

    pub fn has_command_check(&self) -> bool {
        self.acceptance_checks.iter().any(|c| matches!(c, Check::Command(_)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    Feat,
    Fix,
    Refactor,
    Chore,
    Test,
    Docs,
}

spelled!(TaskKind {
    Feat = "feat",
    Fix = "fix",
    Refactor = "refactor",
    Chore = "chore",
    Test = "test",
    Docs = "docs",
});

/// What may go wrong with a task; `none` is how an author says that there is nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RiskFlag {
    Security,
    Perf,
    BreakingChange,
    None,
}

spelled!(RiskFlag {
    Security = "security",
    Perf = "perf",
    BreakingChange = "breaking-change",
    None = "none",
});

impl TaskKind {
    /// Tasks that change behaviour are tested by QA.
    pub fn is_behaviour(self) -> bool {
        matches!(self, Self::Feat | Self::Fix | Self::Refactor | Self::Test)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskStatus {
    NotStarted,
    InProgress,
    Implemented,
    Completed,
    Blocked,
}

spelled!(TaskStatus {
    NotStarted = "not-started",
    InProgress = "in-progress",
    Implemented = "implemented",
    Completed = "completed",
    Blocked = "blocked",
});

impl TaskStatus {
    /// The lifecycle, as one table: what is not written here is illegal.
    pub fn may_become(self, next: Self) -> bool {
        use TaskStatus::{Blocked, Completed, Implemented, InProgress, NotStarted};
        matches!(
            (self, next),
            (NotStarted, InProgress | Blocked)
                | (InProgress, Implemented | Blocked)
                | (Implemented, Completed | Blocked)
                | (Blocked, NotStarted | InProgress | Implemented)
        )
    }
}

/// One acceptance check, in the form people write it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Check {
    Command(String),
    Manual(String),
}

impl From<String> for Check {
    /// Text without a prefix is a command.
    fn from(text: String) -> Self {
        let trimmed = text.trim();
        if let Some(rest) = trimmed.strip_prefix("manual:") {
            Self::Manual(rest.trim().to_owned())
        } else {
            Self::Command(trimmed.strip_prefix("cmd:").unwrap_or(trimmed).trim().to_owned())
        }
    }
}

impl From<Check> for String {
    fn from(check: Check) -> Self {
        check.to_string()
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(text) => write!(f, "cmd: {text}"),
            Self::Manual(text) => write!(f, "manual: {text}"),
        }
    }
}

/// One acceptance criterion of acceptance.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    pub id: String,
    pub description: String,
    pub verify: Vec<Check>,
}

/// How the changes of a run are reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    PerBatch,
    SingleFinal,
}

spelled!(Strategy { PerBatch = "per-batch", SingleFinal = "single-final" });
