//! What has happened: the whole vocabulary of the journal, of the screen and of `--json`.

use crate::action::{CheckSubject, PartIndex};
use crate::allowance::Allowance;
use crate::decision::{Blocker, CorrectionStatus, Decision, Resolution};
use crate::fault::HostFault;
use crate::given::GivenFiles;
use crate::id::{
    Attempt, CheckNumber, CommandId, CommitId, DecisionId, DispatchNumber, FindingId, TaskId,
    TaskRef,
};
use crate::import::TakenOver;
use crate::input::{Edit, Opening};
use crate::notice::NoticeCode;
use crate::policy::Policy;
use crate::reply::{Usage, is_default};
use crate::role::{Mode, RepairLoop, Role};
use crate::task::{Criterion, TaskSpec, TaskStatus};
use crate::time::Timestamp;
use crate::work::{BaseMerge, CheckResult, DispatchEnd, Merged};
use crate::worker::Worker;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

mod ruling;

pub use crate::finding::{Finding, FindingOrigin, FindingStatus};
pub use ruling::{EndRuling, StartRuling};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    SessionOpened(Box<Opening>),
    /// The session was begun by another orchestrator, and this is what it had come to.
    SessionImported(Box<TakenOver>),
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
        /// Findings that it names. None in journals of earlier versions: `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        findings: Option<Vec<FindingId>>,
        /// Which of the lanes it works in, where tasks are worked on at the same time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lane: Option<usize>,
        /// How often it may be started. None in journals of earlier versions: `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        starts_max: Option<u32>,
    },
    /// Written before the agent starts: the intent, so that a crash never hides a start.
    AttemptStarted {
        number: DispatchNumber,
        attempt: Attempt,
        /// As the role or a person has it; less time may be left.
        timeout_ms: u64,
        /// Who plays, where it is not the agent of the role.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Worker>,
        /// Who is out of its usage limit and would play otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stands_in_for: Option<String>,
        /// What is left of the limits for it.
        #[serde(default, skip_serializing_if = "is_default")]
        allowance: Allowance,
        /// None in journals of earlier versions: `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<StartRuling>,
    },
    AttemptEnded {
        number: DispatchNumber,
        attempt: Attempt,
        end: DispatchEnd,
        /// What it cost, however it ended.
        #[serde(default, skip_serializing_if = "is_default")]
        usage: Usage,
        /// None in journals of earlier versions: `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<EndRuling>,
    },
    /// What the attempt that ends next was given, and where what it left is kept. Written with its end, because the agent
    /// does not wait for it.
    AttemptNoted {
        number: DispatchNumber,
        attempt: Attempt,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<GivenFiles>,
        /// The ref of the person's repository that keeps its changes, where they were not taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<String>,
    },
    /// What a person wants the next attempt to know.
    GuidanceGiven {
        number: DispatchNumber,
        text: String,
        /// Findings that it names. None in journals of earlier versions: `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        findings: Option<Vec<FindingId>>,
        /// Files that the person names in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        authorized: Vec<String>,
    },
    RetryScheduled {
        number: DispatchNumber,
        due: Timestamp,
        why: RetryWhy,
    },
    DispatchClosed {
        number: DispatchNumber,
        verdict: Verdict,
        /// Reviewing roles that must look at its work again. None in journals of earlier versions: `session/older.rs`
        /// fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        look_again: Option<Vec<Role>>,
        /// Whether a comprehensive review must see its work. None in journals of earlier versions: `session/older.rs`
        /// fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unreviewed: Option<bool>,
    },
    /// A member of a parallel step has done its part; the verdict counts once all have.
    MemberReady {
        number: DispatchNumber,
        verdict: Verdict,
    },
    /// All members are ready: their changes are brought together.
    MergeStarted {
        numbers: Vec<DispatchNumber>,
    },
    MergeEnded {
        merged: Vec<Merged>,
    },

    /// The person's branch that the session started from is at another commit.
    BaseMoved {
        commit: CommitId,
    },
    /// It is merged into the session's work.
    BaseMergeStarted {
        base: CommitId,
    },
    BaseMergeEnded {
        base: CommitId,
        outcome: BaseMerge,
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
        /// Findings that it names. None in journals of earlier versions: `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        findings: Option<Vec<FindingId>>,
        #[serde(default)]
        consented: bool,
        /// Files that a person names in what they want repaired.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        authorized: Vec<String>,
        /// Who repairs it, where it is not who usually does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Role>,
        /// Who plays that role, where it is not its agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<Worker>,
    },
    /// A person allowed a task to change more than its scope says.
    ScopeExtended {
        task: TaskRef,
        paths: Vec<String>,
    },
    ScopeRefused {
        task: TaskRef,
        paths: Vec<String>,
        reason: String,
    },
    /// The plan waits for a person: its step is played again with their answers.
    StepReopened {
        index: usize,
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
        #[serde(default, skip_serializing_if = "is_default")]
        tree: CheckTree,
    },
    ChecksEnded {
        number: CheckNumber,
        results: Vec<CheckResult>,
        /// The lifecycle stage whose gates were run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stage: Option<String>,
        /// Whether the results are good enough for what was checked. None in journals of earlier versions:
        /// `session/older.rs` fills it in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holds: Option<bool>,
    },
    /// A person waived a check: it is not run any more, and its failure counts for nothing.
    CheckWaived {
        command: String,
        reason: String,
    },
    /// A person wants a check repaired that would be put to them otherwise.
    CheckTakenOn {
        command: String,
    },
    /// A person gave another command in place of one of the plan; it is written into tasks.yaml and acceptance.json.
    CheckReplaced {
        command: String,
        with: String,
    },
    /// A person settled how much coverage is enough here.
    CoverageSettled {
        minimum: u32,
        reason: String,
    },
    /// A person named a command that shows whether the work works.
    EvidenceNamed {
        command: String,
    },
    /// There is no such command, and a person continues without it.
    EvidenceWaived {
        reason: String,
    },
    /// The findings at a severity gate no longer stand in the way.
    SeverityPassed {
        step: usize,
        tracked: Vec<FindingId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        justification: Option<String>,
    },
    /// The lifecycle stage that the repository declares.
    StageDeclared {
        stage: Option<String>,
    },

    FindingRecorded {
        finding: Finding,
    },
    FindingSettled {
        id: FindingId,
        status: FindingStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    AssumptionNoted {
        text: String,
    },
    /// What an agent leaves to a person to do by hand.
    ManualStepNoted {
        number: DispatchNumber,
        text: String,
    },
    /// An accepted reply asks for a reviewing role, which looks before the task or the session is finished.
    LookWanted {
        task: TaskRef,
        role: Role,
        by: DispatchNumber,
        /// What it is told to look at.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        concerns: Vec<String>,
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
    /// An answer to a question that had not been asked: journals of older versions have it. Nothing follows from it.
    AnswerKept {
        decision: DecisionId,
        answer: String,
        command: CommandId,
    },
    CorrectionMoved {
        status: CorrectionStatus,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        roles: Vec<Role>,
        /// The parts of the action that are played again, beside their roles.
        #[serde(default, rename = "places", skip_serializing_if = "Vec::is_empty")]
        parts: Vec<PartIndex>,
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
        /// What failed in the engine's own world, where that is why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<HostFault>,
    },
    Unblocked,
    FilesEdited {
        edits: Vec<Edit>,
    },
    /// Something worth telling that changes nothing.
    Noticed {
        code: NoticeCode,
        message: String,
    },
    /// A person continues from an older journal than was written. From here on the session has another life: no outcome of
    /// the former one counts.
    OlderJournalAccepted {
        /// How many records the older journal has, and how many there were.
        records: u64,
        known: u64,
        /// The hashes of the last records that were known. A note of one of them is not removed before this record is
        /// written, so a kill in between can leave it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        forgotten: Vec<String>,
        /// Where the branch is kept that was ahead of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
    SessionClosed,
}

/// Why a dispatch exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum Purpose {
    Step {
        index: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<usize>,
    },
    /// What a gate sent back, by the part of the action that made it.
    Correction {
        step: usize,
        #[serde(default, rename = "place", skip_serializing_if = "Option::is_none")]
        part: Option<PartIndex>,
    },
    /// A reviewing role looks again at what a severity gate had repaired.
    Look {
        step: usize,
    },
    Implement,
    Repair {
        repair: RepairLoop,
    },
    Review,
    Test,
    Audit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryWhy {
    Transient,
    Invalid,
    /// Nobody who may play it is within its usage limit.
    Parked,
    /// Its agent is out of its usage limit, and another one takes over.
    Fallback,
    Interrupted,
    /// It could start, and waits for a person to allow more than the limits do.
    Budget,
    /// What is left of the limits may be needed by those at work: it waits until one of them ends.
    Room,
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
    /// One subject of a checks step, by its index in the list.
    Subject {
        step: usize,
        /// None where nothing but the evidence is renewed.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "index_in_list"
        )]
        index: Option<usize>,
        subject: CheckSubject,
    },
}

/// Earlier versions wrote the largest number for no index.
fn index_in_list<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    Ok(Option::<usize>::deserialize(from)?.filter(|index| *index != usize::MAX))
}

/// The tree that checks run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum CheckTree {
    /// The session's own, with all that agents left in it. Journals that name no tree mean this one.
    #[default]
    Workspace,
    /// A clone with nothing in it but the commit, what the settings bring along, and what the checks since the one it is
    /// named after made there.
    Fresh { since: CheckNumber },
}

impl fmt::Display for CheckPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task { task } => write!(f, "{task}"),
            Self::Acceptance { .. } => f.write_str("acceptance"),
            Self::Subject { subject, .. } => write!(f, "{subject}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum CriterionResult {
    Met { evidence: String },
    Unmet { evidence: String },
    Waived { reason: String },
}
