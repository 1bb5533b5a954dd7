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
    /// `cmd: …` and `test: …` are run by the engine, `manual: …` is put to a person.
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
    /// What the work item says beyond its scope.
    #[serde(default, skip_serializing_if = "ItemTerms::is_empty")]
    pub item: ItemTerms,
}

/// What a work item says about when its task may start and when it is done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ItemTerms {
    /// None counts as medium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Open refinements that the task waits for, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// Criteria that say how they are checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Criteria that do not: the Reviewer verifies each by name, or a person is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
}

impl ItemTerms {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The urgent ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

spelled!(Priority { High = "high", Medium = "medium", Low = "low" });

impl TaskSpec {
    /// What the plan and its work item check, each once.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        let more = self.item.checks.iter().filter(|check| !self.acceptance_checks.contains(check));
        self.acceptance_checks.iter().chain(more)
    }

    /// What only a person or the Reviewer can say is met: every such text once.
    pub fn by_hand(&self) -> Vec<&str> {
        let manual = self.checks().filter_map(|check| match check {
            Check::Manual(text) => Some(text.as_str()),
            Check::Command(_) | Check::Test(_) => None,
        });
        let mut texts: Vec<&str> = Vec::new();
        for text in manual.chain(self.item.criteria.iter().map(String::as_str)) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }

    pub fn priority(&self) -> Priority {
        self.item.priority.unwrap_or_default()
    }

    /// What the task may change, as its work item or else the plan says.
    pub fn scope(&self) -> &[String] {
        if self.in_scope.is_empty() { &self.files_expected } else { &self.in_scope }
    }

    pub fn is_flagged(&self, flag: &str) -> bool {
        self.risk_flags.iter().any(|f| f == flag)
    }

    pub fn has_command_check(&self) -> bool {
        self.checks().any(|check| check.command().is_some())
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
    /// A file of tests; the host knows how it is run.
    Test(String),
}

impl Check {
    /// What the engine runs for it; a test by its name.
    pub fn command(&self) -> Option<String> {
        match self {
            Self::Command(command) => Some(command.clone()),
            Self::Test(_) => Some(self.to_string()),
            Self::Manual(_) => None,
        }
    }
}

/// The path of `Test: path passes`, in any capitals.
fn test_path(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once(':')?;
    let rest = rest.trim().trim_end_matches('.');
    let path = rest.strip_suffix("passes").unwrap_or(rest).trim().trim_matches('`');
    let is_path = !path.is_empty() && !path.contains(char::is_whitespace);
    (name.trim().eq_ignore_ascii_case("test") && is_path).then_some(path)
}

impl From<String> for Check {
    /// Text without a prefix is a command.
    fn from(text: String) -> Self {
        let trimmed = text.trim();
        if let Some(rest) = trimmed.strip_prefix("manual:") {
            Self::Manual(rest.trim().to_owned())
        } else if let Some(path) = test_path(trimmed) {
            Self::Test(path.to_owned())
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
            Self::Test(path) => write!(f, "test: {path}"),
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
