//! What can happen to a session: everything the engine is ever told.

use crate::action::Action;
use crate::fault::HostFault;
use crate::given::GivenFiles;
use crate::id::{
    Attempt, CheckNumber, CommandId, CommitId, DecisionId, DispatchNumber, SessionName,
};
use crate::notice::NoticeCode;
use crate::policy::Policy;
use crate::reply::{ReplyError, Usage};
use crate::role::{Mode, ProjectType, Role};
use crate::task::{Criterion, TaskSpec};
use crate::work::{Artefact, BaseMerge, CheckResult, DispatchEnd, Merged};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A new process took the session up; the settings may have changed.
    Resumed {
        policy: Policy,
    },
    Command(Command),
    /// An attempt of a dispatch came to its end.
    Ended {
        number: DispatchNumber,
        attempt: Attempt,
        end: DispatchEnd,
        /// What it cost, however it ended.
        usage: Usage,
    },
    /// What an attempt was given, and where what it left is kept: told before its end.
    Noted {
        number: DispatchNumber,
        attempt: Attempt,
        given: Option<GivenFiles>,
        kept: Option<String>,
    },
    /// Check commands ran.
    Checked {
        number: CheckNumber,
        results: Vec<CheckResult>,
        /// The lifecycle stage whose gates were run.
        stage: Option<String>,
    },
    /// The changes of parallel members were brought together.
    Merged(Vec<Merged>),
    /// The person's branch that the session started from is at another commit.
    BaseMoved {
        commit: CommitId,
    },
    /// That commit was merged into the session's work, or not.
    BaseMerged {
        base: CommitId,
        outcome: BaseMerge,
    },
    /// The repository declares this lifecycle stage.
    StageSeen {
        stage: Option<String>,
    },
    /// Session files are not what was recorded: a person edited them.
    Edited(Vec<Edit>),
    /// A file that only the engine writes was changed by another process and has been put back.
    PutBack {
        path: String,
    },
    /// Something beside the work that a person should know; nothing follows from it.
    Told {
        code: NoticeCode,
        message: String,
    },
    /// A person continues from an older journal than was written.
    OlderJournalAccepted {
        records: u64,
        known: u64,
        forgotten: Vec<String>,
        /// Where the branch is kept that was ahead of it.
        branch: Option<String>,
    },
    /// The host could not do its part.
    HostFailed(HostFault),
    /// Time passed; deadlines may be due.
    Tick,
}

/// What a person, or a program on their behalf, asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    Answer {
        id: CommandId,
        decision: DecisionId,
        /// How often the question had been asked when the answer was given: it counts for that round and no
        /// other. 0 is never a round.
        #[serde(default)]
        round: u32,
        answer: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The person was asked and gave nothing.
    NoResponse {
        id: CommandId,
        decision: DecisionId,
    },
    /// The person was asked as often as a mandatory gate allows.
    GateExhausted {
        id: CommandId,
        decision: DecisionId,
    },
    Cancel {
        id: CommandId,
        reason: String,
    },
}

impl Command {
    pub fn id(&self) -> &CommandId {
        match self {
            Self::Answer { id, .. }
            | Self::NoResponse { id, .. }
            | Self::GateExhausted { id, .. }
            | Self::Cancel { id, .. } => id,
        }
    }
}

/// Everything a session starts from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    pub session: SessionName,
    pub goal: String,
    pub mode: Mode,
    pub action: Action,
    /// The action a lean session changes to when it turns out not to be lean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_action: Option<Action>,
    pub project_type: ProjectType,
    /// What the person gave for the action's named inputs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The lifecycle stage that the repository declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The snapshot of the checkout that was taken before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Optional roles the person asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested: Vec<Role>,
    pub base: CommitId,
    /// The branch the checkout was on; none when detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<String>,
    /// Files with instructions of the project that every agent is told to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<String>,
    pub policy: Policy,
    pub tollgate_version: String,
}

/// A session file that differs from its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub path: String,
    /// None when the file is gone.
    pub now: Option<Artefact>,
    /// What is wrong with the new content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ReplyError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<TaskSpec>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<Criterion>>,
    /// It plans what is on record: the engine wrote a check into it that a person gave in place of another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_ours: bool,
}
