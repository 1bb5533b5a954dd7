//! What has happened: the whole vocabulary of the journal, of the screen and of `--json`.

use crate::decision::{Blocker, CorrectionStatus, Decision, Resolution};
use crate::id::{Attempt, CheckNumber, CommandId, DecisionId, DispatchNumber, TaskId, TaskRef};
use crate::input::{Edit, Opening};
use crate::policy::Policy;
use crate::reply::ReportedFinding;
use crate::role::{Mode, RepairLoop, Role, spelled};
use crate::task::{Criterion, TaskSpec, TaskStatus};
use crate::time::Timestamp;
use crate::work::{CheckResult, DispatchEnd};
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    SessionOpened(Box<Opening>),
    PolicyAdopted {
        policy: Policy,
    },
    ModeChanged {
        mode: Mode,
        reason: String,
    },
    StepEntered {
        index: usize,
    },
    StepSkipped {
        index: usize,
        reason: String,
    },

    DispatchOpened {
        number: DispatchNumber,
        role: Role,
        task: TaskRef,
        purpose: Purpose,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        feedback: Vec<String>,
    },
    /// Written before the agent starts: the intent, so that a crash never hides a start.
    AttemptStarted {
        number: DispatchNumber,
        attempt: Attempt,
        timeout_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
    },
    AttemptEnded {
        number: DispatchNumber,
        attempt: Attempt,
        end: DispatchEnd,
    },
    /// What a person wants the next attempt to know.
    GuidanceGiven {
        number: DispatchNumber,
        text: String,
    },
    RetryScheduled {
        number: DispatchNumber,
        due: Timestamp,
        why: RetryWhy,
    },
    DispatchClosed {
        number: DispatchNumber,
        verdict: Verdict,
    },

    PlanAdopted {
        tasks: Vec<TaskSpec>,
    },
    CriteriaAdopted {
        criteria: Vec<Criterion>,
    },
    TaskMoved {
        task: TaskId,
        status: TaskStatus,
    },
    RepairOpened {
        task: TaskRef,
        repair: RepairLoop,
        feedback: Vec<String>,
        #[serde(default)]
        consented: bool,
    },
    /// A reviewing role has nothing left to object to.
    GatePassed {
        task: TaskRef,
        role: Role,
    },
    ChecksStarted {
        number: CheckNumber,
        purpose: CheckPurpose,
        commands: Vec<String>,
    },
    ChecksEnded {
        number: CheckNumber,
        results: Vec<CheckResult>,
    },

    FindingRecorded {
        finding: Finding,
    },
    FindingSettled {
        id: u32,
        status: FindingStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    AssumptionNoted {
        text: String,
    },
    KnownIssueNoted {
        text: String,
    },
    CriterionSettled {
        id: String,
        result: CriterionResult,
    },

    DecisionAsked {
        decision: Box<Decision>,
    },
    DecisionResolved {
        id: DecisionId,
        resolution: Resolution,
    },
    /// An answer to a question that has not been asked yet.
    AnswerKept {
        decision: DecisionId,
        answer: String,
        command: CommandId,
    },
    CorrectionMoved {
        status: CorrectionStatus,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        roles: Vec<Role>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Role>,
    },

    /// Checks that only a person can make were called met, or waived.
    ManualChecksSettled {
        checks: Vec<String>,
    },
    /// A person allowed one more dispatch beyond the limits.
    BudgetExtended,

    Blocked {
        blocker: Blocker,
    },
    Unblocked,
    FilesEdited {
        edits: Vec<Edit>,
    },
    /// Something worth telling that changes nothing.
    Noticed {
        code: String,
        message: String,
    },
    SessionClosed,
}

/// Why a dispatch exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Purpose {
    Step { index: usize },
    Correction { step: usize },
    Implement,
    Repair { repair: RepairLoop },
    Review,
    Test,
    Audit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryWhy {
    Transient,
    Invalid,
    Parked,
    Interrupted,
    /// It could start, and waits for a person to allow more than the limits do.
    Budget,
    Consented,
}

/// What came of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its work is taken.
    Accepted,
    /// A reviewing role found something; what it wrote itself is taken.
    Objected,
    /// Nothing of it is taken: it asked for information or another route.
    SetAside,
    Skipped,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum CheckPurpose {
    /// The checks of one task after its Coder, or of all after a repair of `meta`.
    Task { task: TaskRef },
    /// Acceptance criteria and all tasks' checks, at integration.
    Acceptance { step: usize },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub id: u32,
    pub source: Role,
    pub task: TaskRef,
    pub report: ReportedFinding,
    pub status: FindingStatus,
    /// How often it was reported.
    pub times: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingStatus {
    /// Must be repaired or decided.
    Open,
    Fixed,
    /// A person took the risk.
    Accepted,
    /// Kept for later; it stops nothing.
    Tracked,
}

spelled!(FindingStatus {
    Open = "open",
    Fixed = "fixed",
    Accepted = "accepted",
    Tracked = "tracked",
});

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum CriterionResult {
    Met { evidence: String },
    Unmet { evidence: String },
    Waived { reason: String },
}
