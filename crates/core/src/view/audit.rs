//! The audit: who did what, what was read and written, and who decided, as `audit --json` prints it.

mod collect;

pub use collect::Auditor;

use super::Outcome;
use super::{SpendBy, SpendView};
use crate::decision::{DecisionKind, DecisionStatus};
use crate::given::RoleText;
use crate::id::{
    Attempt, CheckNumber, CommitId, ContentHash, DecisionId, DispatchNumber, SessionName, TaskRef,
};
use crate::role::{Mode, Role, State};
use crate::time::Timestamp;
use crate::work::{Artefact, ChangeType, FileChange};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Audit {
    pub schema_version: u32,
    pub session: SessionName,
    pub action: String,
    pub mode: Mode,
    pub goal: String,
    pub base: CommitId,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    pub state: State,
    pub records: usize,
    pub last_hash: String,
    /// In the order in which they first worked.
    pub roles: Vec<RoleEntry>,
    pub read: Vec<ReadEntry>,
    pub written: Vec<WrittenEntry>,
    pub decisions: Vec<DecisionEntry>,
    pub commands: Vec<CommandEntry>,
    pub commits: Vec<CommitEntry>,
    /// What it cost in all, and by task, role and agent.
    pub spend: SpendView,
    pub spend_by: SpendBy,
    /// Files that tell the same for people, from the repository's root.
    pub evidence: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct RoleEntry {
    pub role: Role,
    /// What the action calls it.
    pub called: String,
    pub dispatches: Vec<DispatchNumber>,
    /// The texts that it worked by, each once.
    pub role_files: Vec<RoleText>,
}

/// What one attempt was told to read first.
#[derive(Debug, Serialize)]
pub struct ReadEntry {
    pub dispatch: DispatchNumber,
    pub attempt: Attempt,
    pub role: Role,
    /// What the action calls the role.
    pub called: String,
    pub task: TaskRef,
    pub agent: Option<String>,
    pub at: Timestamp,
    /// The text that told it what it is for; none in journals of earlier versions, and while it works.
    pub role_file: Option<RoleText>,
    pub files: Vec<String>,
}

/// A file as somebody left it.
#[derive(Debug, Serialize)]
pub struct WrittenEntry {
    pub path: String,
    /// What `path` begins from.
    pub place: Place,
    /// None where a session file was removed, and of a file of the repository that no step declares: its commit has it.
    pub sha256: Option<ContentHash>,
    /// What was done to a file of the repository.
    pub change: Option<ChangeType>,
    pub by: Writer,
    pub at: Timestamp,
    /// What came of the dispatch that left it; none while it is open.
    pub outcome: Option<Outcome>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The folder of the session.
    Session,
    Repository,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    Dispatch {
        number: DispatchNumber,
        attempt: Attempt,
        role: Role,
        /// What the action calls the role.
        called: String,
    },
    Person,
    /// Another orchestrator, before the session was imported.
    Import,
}

/// One asking of a question.
#[derive(Debug, Clone, Serialize)]
pub struct DecisionEntry {
    pub decision_id: DecisionId,
    pub kind: DecisionKind,
    pub question: String,
    pub state_context: State,
    pub asked_at: Timestamp,
    /// What the person was shown, by content.
    pub shown: Vec<Artefact>,
    pub status: DecisionStatus,
    pub answer: Option<String>,
    pub reason: Option<String>,
    pub resolved_at: Option<Timestamp>,
    /// `person` where a command of somebody resolved it, `tollgate` where a rule did; null while it is open.
    pub resolved_by: Option<&'static str>,
    /// The command that resolved it.
    pub command: Option<String>,
}

/// A command that Tollgate ran itself.
#[derive(Debug, Serialize)]
pub struct CommandEntry {
    pub check: CheckNumber,
    pub of: String,
    pub command: String,
    pub passed: bool,
    pub exit_code: Option<i32>,
    pub trouble: Option<String>,
    pub duration_ms: u64,
    pub at: Timestamp,
}

/// A commit of a dispatch on the session's branch.
#[derive(Debug, Serialize)]
pub struct CommitEntry {
    pub commit: CommitId,
    pub dispatch: DispatchNumber,
    pub role: Role,
    /// What the action calls the role.
    pub called: String,
    pub task: TaskRef,
    pub at: Timestamp,
    pub outcome: Outcome,
    pub changes: Vec<FileChange>,
}
