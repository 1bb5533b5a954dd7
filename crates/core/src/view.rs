//! The read model: what every surface shows of a session. Only this and the host know the state behind it.
//!
//! `View` is all of it, built once. `Parts` builds a part of it when it is asked for, so that a surface that follows a
//! long session pays for what it shows and not for how long the session is.

mod actor;
mod audit;
mod dispatch;
mod outcome;
mod parts;
mod question;
mod spend;
mod status;
mod steps;
mod summary;
mod timeline;

pub use actor::Actor;
pub use audit::{Audit, Auditor};
pub use audit::{
    CommandEntry, CommitEntry, DecisionEntry, Place, ReadEntry, RoleEntry, Writer, WrittenEntry,
};
pub use dispatch::DispatchView;
pub use outcome::{Outcome, outcome};
pub use parts::{AtWork, Given, Parts};
pub use question::{CodeView, Home, QuestionView, ShownFile, Since};
pub use spend::{SpendBy, SpendView};
pub use status::{CorrectionView, RepairsView, StatusView};
pub use steps::{Progress, StepDoes, StepView};
pub use summary::{AskedView, Summary};
pub use timeline::{Level, Line, Tone};

use crate::decision::{Blocker, BlockerCode};
use crate::event::{CriterionResult, Finding, FindingStatus};
use crate::id::{CheckNumber, CommitId, DispatchNumber, SessionName, TaskId, TaskRef};
use crate::notice::NoticeCode;
use crate::proof::proves_nothing;
use crate::reply::Severity;
use crate::role::{Mode, Role, State, spelled};
use crate::session::Session;
use crate::task::{Check, TaskStatus};
use crate::time::Timestamp;
use crate::work::{Artefact, FileChange};
use serde::{Deserialize, Serialize};
use std::fmt;

pub const SCHEMA_VERSION: u32 = 1;

/// All of a session, as `status --json` prints it: there the fields of all parts are in one object.
#[derive(Debug, Clone, Serialize)]
pub struct View {
    pub schema_version: u32,
    pub session: SessionName,
    #[serde(flatten)]
    pub route: RouteView,
    pub goal: String,
    /// Where the session's files are, from the repository's root.
    pub folder: String,
    #[serde(flatten)]
    pub branch: BranchView,
    pub blocker: Option<Blocker>,
    pub pending_decisions: Vec<QuestionView>,
    #[serde(flatten)]
    pub work: WorkView,
    #[serde(flatten)]
    pub results: ResultView,
    #[serde(flatten)]
    pub costs: CostView,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    #[serde(flatten)]
    pub record: RecordView,
}

/// Which way the work goes, and how far it is.
#[derive(Debug, Clone, Serialize)]
pub struct RouteView {
    pub action: String,
    pub mode: Mode,
    pub state: State,
    pub standing: Standing,
    pub steps: Vec<StepView>,
}

/// The branch that accepted work is on.
#[derive(Debug, Clone, Serialize)]
pub struct BranchView {
    #[serde(skip)]
    pub name: String,
    /// The same, once it is there: with the first accepted work.
    #[serde(rename = "branch")]
    made: Option<String>,
    /// The commit that the work started from, and the last accepted one; the same while nothing is accepted.
    pub base: CommitId,
    pub tip: CommitId,
    /// The branch that the work started from; none where no branch was checked out.
    pub started_from: Option<String>,
    /// The same, where it has moved and is in the work.
    #[serde(rename = "merged_base", skip_serializing_if = "Option::is_none")]
    pub merged: Option<MergedBase>,
    /// Tags that were made for the release, to be pushed by a person.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<TagView>,
}

#[derive(Debug, Clone, Serialize)]
pub struct TagView {
    pub name: String,
    /// The hidden ref that keeps it.
    pub kept_as: String,
}

/// A branch of the person, and the commit of it that was merged.
#[derive(Debug, Clone, Serialize)]
pub struct MergedBase {
    pub branch: String,
    pub commit: CommitId,
}

/// What must be done, and what was run for it.
#[derive(Debug, Clone, Serialize)]
pub struct WorkView {
    pub tasks: Vec<TaskView>,
    pub criteria: Vec<CriterionView>,
    pub dispatches: Vec<DispatchView>,
    pub checks: Vec<ChecksView>,
}

/// What the work led to.
#[derive(Debug, Clone, Serialize)]
pub struct ResultView {
    pub artefacts: Vec<Artefact>,
    pub changed_files: Vec<FileChange>,
    pub findings: Vec<FindingView>,
}

/// Who spent what, and who has reached a usage limit.
#[derive(Debug, Clone, Serialize)]
pub struct CostView {
    pub spend: SpendView,
    pub spend_by: SpendBy,
    pub parked: Vec<ParkedAgent>,
}

/// What was noted on the way.
#[derive(Debug, Clone, Serialize)]
pub struct RecordView {
    pub assumptions: Vec<String>,
    pub known_issues: Vec<String>,
    pub manual_steps: Vec<ManualStepView>,
    pub notices: Vec<NoticeView>,
}

/// What an agent leaves to a person to do by hand.
#[derive(Debug, Clone, Serialize)]
pub struct ManualStepView {
    /// What the action calls the role.
    pub role: String,
    pub task: TaskRef,
    pub dispatch: DispatchNumber,
    pub text: String,
}

/// Who must act next, if anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The engine has something to do.
    Working,
    /// Questions wait for a person.
    YourTurn,
    Blocked,
    Cancelled,
    Done,
}

spelled!(Standing {
    Working = "working",
    YourTurn = "your-turn",
    Blocked = "blocked",
    Cancelled = "cancelled",
    Done = "done",
});

#[derive(Debug, Clone, Serialize)]
pub struct TaskView {
    pub id: TaskId,
    pub title: String,
    pub status: TaskStatus,
    pub depends_on: Vec<TaskId>,
    pub spend: SpendView,
}

#[derive(Debug, Clone, Serialize)]
pub struct CriterionView {
    pub id: String,
    pub description: String,
    /// What proves it.
    pub verify: Vec<ProofView>,
    /// None while it is open.
    pub result: Option<CriterionResult>,
}

/// One check of a criterion.
#[derive(Debug, Clone, Serialize)]
pub struct ProofView {
    pub check: Check,
    /// It surely ends well, whatever the work is like.
    pub proves_nothing: bool,
}

/// A run of commands by the engine.
#[derive(Debug, Clone, Serialize)]
pub struct ChecksView {
    pub number: CheckNumber,
    /// What they are for: a task, `acceptance`, a subject of a step.
    pub of: String,
    pub commands: Vec<String>,
    pub started_at: Timestamp,
    /// None while they run.
    pub passed: Option<bool>,
}

#[derive(Debug, Clone, Serialize)]
pub struct FindingView {
    pub id: String,
    pub severity: Severity,
    pub source: Role,
    pub category: String,
    pub file: Option<String>,
    pub line: Option<String>,
    pub message: String,
    pub status: FindingStatus,
}

/// An agent that said until when it is out of its usage limit.
#[derive(Debug, Clone, Serialize)]
pub struct ParkedAgent {
    pub agent: String,
    pub until: Timestamp,
}

#[derive(Debug, Clone, Serialize)]
pub struct NoticeView {
    pub at: Timestamp,
    pub code: NoticeCode,
    pub message: String,
}

impl View {
    pub fn of(session: &Session) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            session: session.opening.session.clone(),
            route: RouteView {
                action: session.action_name().to_owned(),
                mode: session.route.mode,
                state: session.state(),
                standing: Standing::of(session),
                steps: steps::all(session),
            },
            goal: session.opening.goal.clone(),
            folder: session.session_path(""),
            branch: BranchView {
                name: session.branch(),
                made: session.has_accepted_work().then(|| session.branch()),
                base: session.opening.base.clone(),
                tip: session.branch.tip.clone(),
                started_from: session.opening.base_branch.clone(),
                merged: merged(session),
                tags: tags(session),
            },
            blocker: session.standing.blocker.clone(),
            pending_decisions: question::pending(session).collect(),
            work: WorkView {
                tasks: tasks(session),
                criteria: criteria(session),
                dispatches: dispatch::all(session),
                checks: checks(session),
            },
            results: ResultView {
                artefacts: artefacts(session),
                changed_files: session.branch.changed.iter().cloned().collect(),
                findings: session.record.findings.iter().map(FindingView::of).collect(),
            },
            costs: CostView {
                spend: SpendView::of(&session.budget.ledger.total),
                spend_by: SpendBy::of(&session.budget.ledger),
                parked: parked(session),
            },
            opened_at: session.opened_at,
            updated_at: session.updated_at,
            record: RecordView {
                assumptions: session.record.assumptions.clone(),
                known_issues: session.record.known_issues.clone(),
                manual_steps: manual_steps(session),
                notices: notices(session),
            },
        }
    }

    pub fn is_cancelled(&self) -> bool {
        self.route.standing == Standing::Cancelled
    }

    /// A file of the session, from the repository's root.
    pub fn path_of(&self, file: &str) -> String {
        format!("{}{file}", self.folder)
    }
}

impl BranchView {
    pub fn has_accepted_work(&self) -> bool {
        self.tip != self.base
    }

    /// What the work is compared with, so that nothing is shown that came in with the person's branch.
    pub fn compared_with(&self) -> &CommitId {
        self.merged.as_ref().map_or(&self.base, |merged| &merged.commit)
    }
}

impl Standing {
    /// Nothing more will ever happen.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }

    pub(crate) fn of(session: &Session) -> Self {
        let blocker = session.standing.blocker.as_ref().map(|blocker| blocker.code);
        match blocker {
            _ if session.standing.closed => Self::Done,
            Some(BlockerCode::Cancelled) => Self::Cancelled,
            Some(_) => Self::Blocked,
            None if session.pending_decisions().next().is_some() => Self::YourTurn,
            None => Self::Working,
        }
    }
}

impl ProofView {
    fn of(check: &Check) -> Self {
        let is_empty = matches!(check, Check::Command(command) if proves_nothing(command));
        Self { check: check.clone(), proves_nothing: is_empty }
    }
}

impl FindingView {
    pub fn of(finding: &Finding) -> Self {
        let report = &finding.report;
        Self {
            id: format!("F-{}", finding.id),
            severity: report.severity,
            source: finding.source(),
            category: report.category.clone(),
            file: report.file.clone(),
            line: report.line.clone(),
            message: report.message.clone(),
            status: finding.status,
        }
    }
}

fn tags(session: &Session) -> Vec<TagView> {
    let kept = |name: &String| format!("refs/tollgate/tags/{}/{name}", session.opening.session);
    let tags = session.branch.tags.iter();
    tags.map(|name| TagView { name: name.clone(), kept_as: kept(name) }).collect()
}

fn merged(session: &Session) -> Option<MergedBase> {
    let commit = session.branch.base.merged.clone()?;
    let branch = timeline::base_name(session).to_owned();
    Some(MergedBase { branch, commit })
}

fn tasks(session: &Session) -> Vec<TaskView> {
    session
        .plan
        .tasks
        .iter()
        .map(|task| TaskView {
            id: task.spec.id.clone(),
            title: task.spec.title.clone(),
            status: task.status,
            depends_on: task.spec.depends_on.clone(),
            spend: SpendView::of_task(session, &task.spec.id),
        })
        .collect()
}

fn criteria(session: &Session) -> Vec<CriterionView> {
    session
        .plan
        .criteria
        .iter()
        .map(|criterion| CriterionView {
            id: criterion.id.clone(),
            description: criterion.description.clone(),
            verify: criterion.verify.iter().map(ProofView::of).collect(),
            result: session.plan.criteria_results.get(&criterion.id).cloned(),
        })
        .collect()
}

fn checks(session: &Session) -> Vec<ChecksView> {
    session
        .checks
        .runs
        .iter()
        .map(|(number, run)| ChecksView {
            number: *number,
            of: run.purpose.to_string(),
            commands: run.commands.clone(),
            started_at: run.started_at,
            passed: run.passed,
        })
        .collect()
}

fn artefacts(session: &Session) -> Vec<Artefact> {
    let records = session.files.artefacts.iter();
    records
        .map(|(path, record)| Artefact { path: path.clone(), sha256: record.sha256.clone() })
        .collect()
}

fn parked(session: &Session) -> Vec<ParkedAgent> {
    let out = session.out_at(session.updated_at);
    out.map(|(agent, until)| ParkedAgent { agent: agent.to_owned(), until }).collect()
}

fn manual_steps(session: &Session) -> Vec<ManualStepView> {
    let steps = session.record.manual_steps.iter().map(|step| {
        let dispatch = &session.dispatches[&step.dispatch];
        ManualStepView {
            role: session.name_of(dispatch).to_owned(),
            task: dispatch.task.clone(),
            dispatch: step.dispatch,
            text: step.text.clone(),
        }
    });
    steps.collect()
}

fn notices(session: &Session) -> Vec<NoticeView> {
    session
        .record
        .notices
        .iter()
        .map(|notice| NoticeView {
            at: notice.at,
            code: notice.code.clone(),
            message: notice.message.clone(),
        })
        .collect()
}
