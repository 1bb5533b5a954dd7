//! Questions to a person and their durable records.

use crate::id::{CheckNumber, CommandId, DecisionId, DispatchNumber, TaskRef};
use crate::role::{RepairLoop, State, spelled};
use crate::time::Timestamp;
use crate::work::Artefact;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub decision_id: DecisionId,
    pub kind: DecisionKind,
    pub question: String,
    pub options: Vec<AnswerOption>,
    pub asked_at: Timestamp,
    /// The state to return to.
    pub state_context: State,
    pub subject: Subject,
    /// What the person was shown, by content. A change reopens the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Artefact>,
    #[serde(default)]
    pub resolution: Resolution,
}

impl Decision {
    pub fn is_pending(&self) -> bool {
        self.resolution.status == DecisionStatus::Pending
    }

    /// The answer of a decision that was answered, not cancelled or skipped.
    pub fn answered(&self) -> Option<&str> {
        (self.resolution.status == DecisionStatus::Answered)
            .then_some(self.resolution.answer.as_deref())
            .flatten()
    }
}

/// The part of a record that changes when it is resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resolution {
    pub status: DecisionStatus,
    pub answer: Option<String>,
    pub resolved_at: Option<Timestamp>,
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandId>,
    /// The lifecycle stage that was declared when a gate was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionStatus {
    #[default]
    Pending,
    Answered,
    Cancelled,
    Skipped,
}

spelled!(DecisionStatus {
    Pending = "pending",
    Answered = "answered",
    Cancelled = "cancelled",
    Skipped = "skipped",
});

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerOption {
    /// What to answer; `…: TEXT` where text is needed.
    pub answer: String,
    pub label: String,
    pub consequence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionKind {
    Approve,
    Strategy,
    Notes,
    Repair,
    Security,
    Justify,
    Escalation,
    Info,
    Scope,
    ManualCheck,
    Coverage,
}

spelled!(DecisionKind {
    Approve = "approve",
    Strategy = "strategy",
    Notes = "notes",
    Repair = "repair",
    Security = "security",
    Justify = "justify",
    Escalation = "escalation",
    Info = "info",
    Scope = "scope",
    ManualCheck = "manual-check",
    Coverage = "coverage",
});

/// What a decision is about, so that its answer finds the way back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Subject {
    /// An approve gate, by the index of its step.
    Gate {
        step: usize,
    },
    Strategy,
    Notes {
        task: TaskRef,
        dispatch: DispatchNumber,
    },
    Repair {
        task: TaskRef,
        repair: RepairLoop,
    },
    /// One finding of Security.
    Finding {
        task: TaskRef,
        dispatch: DispatchNumber,
        finding: u32,
    },
    /// A dispatch that is out of its budget or cannot continue.
    Dispatch {
        dispatch: DispatchNumber,
    },
    /// The session's money, tokens or time are used up.
    Budget,
    /// Session files that no longer hold what they must.
    Files,
    /// A question of an agent.
    Info {
        dispatch: DispatchNumber,
    },
    /// Files outside its scope that a Coder asks for.
    Scope {
        dispatch: DispatchNumber,
        paths: Vec<String>,
    },
    /// A refinement item of a plan.
    Refinement {
        dispatch: DispatchNumber,
        item: String,
    },
    /// Findings at a severity gate, by the index of its step.
    Severity {
        step: usize,
    },
    /// Coverage below its minimum, as measured by these checks.
    Coverage {
        check: CheckNumber,
    },
    /// Checks that only a person can make, after the checks of this number or after the tasks.
    Manual {
        checks: Vec<String>,
        after: Option<CheckNumber>,
    },
}

/// Why a session does not continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocker {
    pub code: BlockerCode,
    pub detail: String,
    pub remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockerCode {
    SubagentFailure,
    MandatoryUserDecisionMissing,
    AgentBlocked,
    MissingContext,
    MissingOutput,
    InvalidOutput,
    Timeout,
    OutputLimit,
    Permission,
    Persistence,
    NonConvergence,
    Budget,
    Cancelled,
}

spelled!(BlockerCode {
    SubagentFailure = "subagent_failure",
    MandatoryUserDecisionMissing = "mandatory_user_decision_missing",
    AgentBlocked = "agent_blocked",
    MissingContext = "missing_context",
    MissingOutput = "missing_output",
    InvalidOutput = "invalid_output",
    Timeout = "timeout",
    OutputLimit = "output_limit",
    Permission = "permission",
    Persistence = "persistence",
    NonConvergence = "non_convergence",
    Budget = "budget",
    Cancelled = "cancelled",
});

/// Where the correction of a rejected design stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CorrectionStatus {
    #[default]
    None,
    Queued,
    Dispatched,
    Completed,
}

spelled!(CorrectionStatus {
    None = "none",
    Queued = "queued",
    Dispatched = "dispatched",
    Completed = "completed",
});
