//! Questions to a person and their durable records.

pub use crate::answer::DecisionKind;

use crate::answer::{self, AnswerOption, Asked, CheckAnswer, Choice, InfoAnswer, Way};
use crate::id::{CheckNumber, CommandId, DecisionId, DispatchNumber, FindingId, TaskId, TaskRef};
use crate::refusal::Refusal;
use crate::role::{RepairLoop, State, spelled};
use crate::time::Timestamp;
use crate::work::Artefact;
use serde::{Deserialize, Deserializer, Serialize};
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
    /// What the answer on record means. Read when it is applied, so that nobody compares its text.
    #[serde(skip)]
    pub decided: Option<Choice>,
}

impl Decision {
    pub fn is_pending(&self) -> bool {
        self.resolution.status == DecisionStatus::Pending
    }

    /// Whoever read the other question knows this one.
    pub(crate) fn asks_the_same(&self, other: &Self) -> bool {
        (self.kind, &self.question, &self.options, &self.shown)
            == (other.kind, &other.question, &other.options, &other.shown)
    }

    /// What was decided, where the question was answered, not cancelled or skipped.
    pub fn answered(&self) -> Option<&Choice> {
        self.decided.as_ref().filter(|_| self.resolution.status == DecisionStatus::Answered)
    }

    /// A question for information with what the person said to it, as an agent is told.
    pub(crate) fn with_answer(&self) -> String {
        let answer = match self.answered() {
            Some(Choice::Info(InfoAnswer::Text(text))) => text.to_string(),
            Some(Choice::Check(CheckAnswer::FixCheck(command))) => {
                format!("run the tests with `{}`", &**command)
            }
            _ => "no answer was given".to_owned(),
        };
        format!("{} The person says: {answer}", self.question)
    }

    /// The person gave a command in place of one, or where there was none.
    pub(crate) fn names_a_command(&self) -> bool {
        matches!(self.answered(), Some(Choice::Check(CheckAnswer::FixCheck(_))))
    }

    /// Whether a person may answer this way.
    pub fn offers(&self, way: impl Way) -> bool {
        self.asked().offers(way)
    }

    /// What a person means by what they said, or why it is no answer to this question.
    pub fn read(&self, given: &str, reason: Option<&str>) -> Result<Choice, Refusal> {
        answer::read(&self.asked(), given, reason)
    }

    fn asked(&self) -> Asked<'_> {
        Asked { id: &self.decision_id, kind: self.kind, options: &self.options }
    }

    /// Takes a question out of a journal; earlier versions say less of its options.
    pub(crate) fn put(mut self) -> Self {
        answer::complete(self.kind, &mut self.options);
        let resolution = std::mem::take(&mut self.resolution);
        self.resolve(resolution);
        self
    }

    pub(crate) fn resolve(&mut self, resolution: Resolution) {
        let text = resolution.answer.as_deref();
        self.decided = text.and_then(|text| answer::recall(self.kind, text));
        self.resolution = resolution;
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
        /// None where Security asks something without a finding.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "finding_asked_about"
        )]
        finding: Option<FindingId>,
    },
    /// A dispatch that is out of its budget or cannot continue.
    Dispatch {
        dispatch: DispatchNumber,
    },
    /// The session's money, tokens or time are used up.
    Budget,
    /// Session files that no longer hold what they must.
    Files,
    /// Asked under the orchestrator that the session was imported from, or about what it left.
    Imported {
        /// The task that it left blocked, where it is about that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    },
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
    /// A check that shows nothing about the work before a person has decided about it.
    Check {
        task: TaskRef,
        /// None where QA has no way to run tests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
        cause: CheckCause,
        /// The loop that a repair of it belongs to.
        repair: RepairLoop,
    },
    /// No command shows whether the work works.
    Evidence,
    /// Checks that only a person can make, after the checks of this number or after the tasks.
    Manual {
        checks: Vec<String>,
        after: Option<CheckNumber>,
    },
}

/// Why a check is put to a person instead of being repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckCause {
    /// Its program is not there, or may not be run.
    CannotRun,
    /// It failed on the base revision already.
    Old,
}

/// Earlier versions wrote 0 for no finding.
fn finding_asked_about<'de, D: Deserializer<'de>>(from: D) -> Result<Option<FindingId>, D::Error> {
    Ok(Option::<FindingId>::deserialize(from)?.filter(|id| *id >= FindingId::FIRST))
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
    Git,
    Process,
    Settings,
    NonConvergence,
    Budget,
    Cancelled,
}

impl BlockerCode {
    /// The engine's own world failed. Only `resume` clears it: the next try will say whether it is over.
    pub fn is_host_fault(self) -> bool {
        matches!(self, Self::Persistence | Self::Git | Self::Process | Self::Settings)
    }
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
    Git = "git",
    Process = "process",
    Settings = "settings",
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
