//! The way through the work: every step of the action, and how far the session is on it.

use crate::action::{Assignment, Step, StepKind};
use crate::role::State;
use crate::session::Session;
use serde::Serialize;

/// A step of the action, as a picture of the workflow shows it.
#[derive(Debug, Clone, Serialize)]
pub struct StepView {
    pub state: State,
    /// What happens in it.
    pub does: StepDoes,
    /// Who plays in it, as the action calls them.
    pub roles: Vec<String>,
    pub progress: Progress,
    /// It runs only when somebody asks for it.
    pub on_request: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepDoes {
    Dispatch,
    Parallel,
    Approve,
    Choose,
    Tasks,
    Severity,
    Checks,
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    Done,
    /// Nobody needed it.
    Skipped,
    Current,
    Ahead,
}

pub(super) fn all(session: &Session) -> Vec<StepView> {
    let at = session.route.step;
    let progress = |index: usize| match index.cmp(&at) {
        _ if session.route.skipped.contains(&index) => Progress::Skipped,
        _ if session.standing.closed => Progress::Done,
        std::cmp::Ordering::Less => Progress::Done,
        std::cmp::Ordering::Equal => Progress::Current,
        std::cmp::Ordering::Greater => Progress::Ahead,
    };
    let steps = session.route.steps.iter().enumerate();
    steps.map(|(index, step)| view(step, progress(index))).collect()
}

fn view(step: &Step, progress: Progress) -> StepView {
    let name =
        |part: &Assignment| part.called.clone().unwrap_or_else(|| part.role.as_str().to_owned());
    let (does, roles) = match &step.kind {
        StepKind::Dispatch(part) => (StepDoes::Dispatch, vec![name(part)]),
        StepKind::Parallel { members } => (StepDoes::Parallel, members.iter().map(name).collect()),
        StepKind::Approve { .. } => (StepDoes::Approve, Vec::new()),
        StepKind::Choose { .. } => (StepDoes::Choose, Vec::new()),
        StepKind::Tasks => (StepDoes::Tasks, Vec::new()),
        StepKind::Severity { .. } => (StepDoes::Severity, Vec::new()),
        StepKind::Checks { .. } => (StepDoes::Checks, Vec::new()),
        StepKind::Close => (StepDoes::Close, Vec::new()),
    };
    StepView { state: step.state, does, roles, progress, on_request: step.when.is_some() }
}
