//! The read model that every surface shows: `status --json`, the screen, the summary.

mod spend;

pub use spend::{SpendBy, SpendView};

use crate::decision::{AnswerOption, Blocker, DecisionKind};
use crate::event::{FindingStatus, Verdict};
use crate::id::{DecisionId, DispatchNumber, SessionName, TaskId, TaskRef};
use crate::reply::Severity;
use crate::role::{Mode, Role, State};
use crate::session::{Dispatch, Session, Waiting};
use crate::task::TaskStatus;
use crate::time::Timestamp;
use crate::work::FileChange;
use serde::Serialize;

#[derive(Debug, Clone, Serialize)]
pub struct View {
    pub schema_version: u32,
    pub session: SessionName,
    pub action: String,
    pub mode: Mode,
    pub state: State,
    pub goal: String,
    pub branch: String,
    pub blocker: Option<Blocker>,
    pub pending_decisions: Vec<PendingDecision>,
    pub tasks: Vec<TaskView>,
    pub dispatches: Vec<DispatchView>,
    pub changed_files: Vec<FileChange>,
    pub findings: Vec<FindingView>,
    pub spend: SpendView,
    pub spend_by: SpendBy,
    /// Agents that are out of their usage limit.
    pub parked: Vec<ParkedAgent>,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
    pub known_issues: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PendingDecision {
    pub decision_id: DecisionId,
    pub kind: DecisionKind,
    pub question: String,
    pub options: Vec<AnswerOption>,
    pub state_context: State,
    pub asked_at: Timestamp,
}

#[derive(Debug, Clone, Serialize)]
pub struct TaskView {
    pub id: TaskId,
    pub title: String,
    pub status: TaskStatus,
    pub depends_on: Vec<TaskId>,
    pub spend: SpendView,
}

#[derive(Debug, Clone, Serialize)]
pub struct DispatchView {
    pub number: DispatchNumber,
    pub role: Role,
    pub task: TaskRef,
    pub attempts: u32,
    pub outcome: &'static str,
    /// What its agent does right now, where somebody looked.
    pub doing: Option<String>,
    /// Who plays or played the last attempt, by the name in the settings.
    pub agent: Option<String>,
    /// Until when nobody who may play it is within its usage limit.
    pub parked_until: Option<Timestamp>,
    pub spend: SpendView,
}

#[derive(Debug, Clone, Serialize)]
pub struct FindingView {
    pub id: String,
    pub severity: Severity,
    pub source: Role,
    pub file: Option<String>,
    pub message: String,
    pub status: FindingStatus,
}

/// An agent that said until when it is out of its usage limit.
#[derive(Debug, Clone, Serialize)]
pub struct ParkedAgent {
    pub agent: String,
    pub until: Timestamp,
}

pub const SCHEMA_VERSION: u32 = 1;

impl View {
    pub fn of(session: &Session) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            session: session.opening.session.clone(),
            action: session.opening.action.name.clone(),
            mode: session.mode,
            state: session.state(),
            goal: session.opening.goal.clone(),
            branch: session.branch(),
            blocker: session.blocker.clone(),
            pending_decisions: pending(session),
            tasks: tasks(session),
            dispatches: session.dispatches.iter().map(|(n, d)| dispatch(*n, d)).collect(),
            changed_files: session.changed.iter().cloned().collect(),
            findings: findings(session),
            spend: SpendView::of(&session.ledger.total),
            spend_by: SpendBy::of(&session.ledger),
            parked: session
                .out_at(session.updated_at)
                .map(|(agent, until)| ParkedAgent { agent: agent.to_owned(), until })
                .collect(),
            opened_at: session.opened_at,
            updated_at: session.updated_at,
            known_issues: session.known_issues.clone(),
        }
    }
}

fn pending(session: &Session) -> Vec<PendingDecision> {
    session
        .pending_decisions()
        .map(|decision| PendingDecision {
            decision_id: decision.decision_id.clone(),
            kind: decision.kind,
            question: decision.question.clone(),
            options: decision.options.clone(),
            state_context: decision.state_context,
            asked_at: decision.asked_at,
        })
        .collect()
}

fn tasks(session: &Session) -> Vec<TaskView> {
    session
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

fn dispatch(number: DispatchNumber, dispatch: &Dispatch) -> DispatchView {
    DispatchView {
        number,
        role: dispatch.role,
        task: dispatch.task.clone(),
        attempts: dispatch.attempts.0,
        outcome: outcome(dispatch),
        doing: None,
        agent: dispatch.player().map(str::to_owned),
        parked_until: dispatch.parked_until(),
        spend: SpendView::of(&dispatch.spend),
    }
}

/// One word for how a dispatch stands.
pub fn outcome(dispatch: &Dispatch) -> &'static str {
    match (dispatch.verdict, dispatch.running(), dispatch.waiting()) {
        (Some(Verdict::Accepted), ..) => "accepted",
        (Some(Verdict::Objected), ..) => "objected",
        (Some(Verdict::SetAside), ..) => "set-aside",
        (Some(Verdict::Skipped), ..) => "skipped",
        (Some(Verdict::Cancelled), ..) => "cancelled",
        (None, Some(_), _) => "running",
        (None, None, Some(Waiting::Until(_) | Waiting::ForRoom)) => "waiting",
        (None, None, Some(Waiting::ForResume)) => "stopped",
        // It has done its part and waits for those beside it.
        (None, None, _) if dispatch.ready.is_some() => "ready",
        (None, None, _) => "failed",
    }
}

fn findings(session: &Session) -> Vec<FindingView> {
    session
        .findings
        .iter()
        .map(|finding| FindingView {
            id: format!("F-{}", finding.id),
            severity: finding.report.severity,
            source: finding.source,
            file: finding.report.file.clone(),
            message: finding.report.message.clone(),
            status: finding.status,
        })
        .collect()
}
