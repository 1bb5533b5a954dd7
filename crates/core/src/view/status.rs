//! What status.json shows of a session, and how often each task was repaired.

use super::CriterionView;
use crate::decision::{Blocker, CorrectionStatus, Decision};
use crate::id::{SessionName, TaskRef};
use crate::role::{Mode, RepairLoop, Role, State};
use crate::session::{Session, Unit};
use crate::time::Timestamp;
use crate::work::FileChange;

#[derive(Debug)]
pub struct StatusView<'a> {
    pub session: &'a SessionName,
    pub mode: Mode,
    pub action: &'a str,
    pub state: State,
    /// The state that the work returns to, while a question or a blocker lies over it.
    pub resume_state: Option<State>,
    pub blocker: Option<&'a Blocker>,
    pub assumptions: &'a [String],
    pub known_issues: &'a [String],
    /// All of them, answered or not.
    pub decisions: &'a [Decision],
    pub correction: CorrectionView,
    /// Files with instructions of the project.
    pub instructions: &'a [String],
    pub repairs: Vec<RepairsView>,
    pub changed_files: Vec<&'a FileChange>,
    pub criteria: Vec<CriterionView>,
    pub last_checks_passed: Option<bool>,
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The last correction of a rejected design.
#[derive(Debug, Clone, Copy)]
pub struct CorrectionView {
    pub status: CorrectionStatus,
    pub agent: Option<Role>,
    pub at: Option<Timestamp>,
}

/// How often each repair loop of a task was begun.
#[derive(Debug)]
pub struct RepairsView {
    pub task: TaskRef,
    pub begun: Vec<(RepairLoop, u32)>,
}

pub(super) fn of(session: &Session) -> StatusView<'_> {
    let (state, correction) = (session.state(), &session.decisions.correction);
    let is_over_work = matches!(state, State::Blocked | State::AskUser);
    StatusView {
        session: &session.opening.session,
        mode: session.route.mode,
        action: session.action_name(),
        state,
        resume_state: is_over_work.then(|| session.working_state()),
        blocker: session.standing.blocker.as_ref(),
        assumptions: &session.record.assumptions,
        known_issues: &session.record.known_issues,
        decisions: &session.decisions.asked,
        correction: CorrectionView {
            status: correction.status,
            agent: correction.agent,
            at: correction.at,
        },
        instructions: &session.opening.instructions,
        repairs: repairs(session),
        changed_files: session.branch.changed.iter().collect(),
        criteria: super::criteria(session),
        last_checks_passed: session.checks.last_passed,
        opened_at: session.opened_at,
        updated_at: session.updated_at,
    }
}

/// Of every task, and of the session as a whole where it had any.
fn repairs(session: &Session) -> Vec<RepairsView> {
    let counts = |task: TaskRef, unit: &Unit| {
        let begun = RepairLoop::ALL.iter().map(|repair| (*repair, unit.repairs_done(*repair)));
        RepairsView { task, begun: begun.collect() }
    };
    let tasks = session.plan.tasks.iter();
    let mut all: Vec<RepairsView> =
        tasks.map(|task| counts(TaskRef::Task(task.spec.id.clone()), &task.unit)).collect();
    if !session.plan.meta.repairs.is_empty() {
        all.push(counts(TaskRef::Meta, &session.plan.meta));
    }
    all
}
