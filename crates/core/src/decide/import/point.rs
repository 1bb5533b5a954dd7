//! Where an imported session continues: at the state that it names, or earlier where something for that is missing.

use crate::action::{Step, StepKind};
use crate::decide::draft::Draft;
use crate::decide::gate;
use crate::decide::moves::made;
use crate::import::ImportedDecision;
use crate::notice::NoticeCode;
use crate::role::State;
use crate::session::Task;
use crate::task::TaskStatus;

/// The state that the work was in; none where nobody can tell.
pub fn wanted(recorded: Option<State>, decisions: &[ImportedDecision]) -> Option<State> {
    match recorded? {
        State::AskUser | State::Blocked => returns_to(decisions).and_then(working),
        state => working(state),
    }
}

/// The state to return to is only in the decisions: in one that is open, else in the last one that was resolved.
fn returns_to(decisions: &[ImportedDecision]) -> Option<State> {
    let open = decisions.iter().find(|d| d.resolved_at.is_none() && d.answer.is_none());
    let open = open.and_then(|decision| decision.state_context);
    let last = || {
        let resolved = decisions.iter().filter(|d| d.state_context.is_some());
        resolved.max_by_key(|d| d.resolved_at).and_then(|decision| decision.state_context)
    };
    open.or_else(last)
}

/// A repair that was under way is begun again by whoever finds the fault again.
fn working(state: State) -> Option<State> {
    match state {
        State::FixReview | State::FixTests | State::FixSecurity => Some(State::ImplementLoop),
        State::FixBuild => Some(State::Integrate),
        State::AskUser | State::Blocked => None,
        other => Some(other),
    }
}

/// The step that the session had come to. What follows the tasks is done again where nobody knows how far it was.
pub fn reached(draft: &Draft<'_>, wanted: Option<State>) -> usize {
    index_of(&draft.route.steps, wanted.unwrap_or(State::Integrate))
}

/// The index of the step to continue with, and a notice that says why it is this one.
pub fn of(
    draft: &mut Draft<'_>,
    recorded: Option<State>,
    wanted: Option<State>,
    reached: usize,
) -> usize {
    let steps = draft.route.steps.clone();
    // A session that lacks nothing and says that it is done is checked when it closes.
    let is_whole = first_missing(draft, reached, true).is_none();
    let skips_checks = is_whole && wanted == Some(State::Done);
    let missing = first_missing(draft, reached, skips_checks);
    let (index, why) = missing.map_or((reached, None), |(index, why)| (index, Some(why)));
    let state = steps.get(index).map_or(State::Intake, |step| step.state);
    draft.notice(NoticeCode::ImportContinues, words(recorded, state, why.as_deref()));
    index
}

fn words(recorded: Option<State>, state: State, why: Option<&str>) -> String {
    let said = match recorded {
        Some(recorded) => format!("status.json says {recorded}"),
        None => "the state is not known".to_owned(),
    };
    match why {
        Some(why) => format!("{said}, but {why}; it continues at {state}"),
        None => format!("{said}; it continues at {state}"),
    }
}

fn index_of(steps: &[Step], state: State) -> usize {
    let place = |state: State| match state {
        State::Intake | State::IntakeLean => 0,
        State::Design => 1,
        State::ApproveDesign => 2,
        State::Plan => 3,
        State::ReviewStrategy => 4,
        State::Integrate | State::FixBuild => 6,
        State::Release => 7,
        State::Done => 8,
        State::ImplementLoop
        | State::FixReview
        | State::FixTests
        | State::FixSecurity
        | State::AskUser
        | State::Blocked => 5,
    };
    let found = steps.iter().position(|step| place(step.state) >= place(state));
    found.unwrap_or(steps.len().saturating_sub(1))
}

/// The first step before `reached` whose result is not there.
pub fn first_missing(
    draft: &Draft<'_>,
    reached: usize,
    skips_checks: bool,
) -> Option<(usize, String)> {
    let before = draft.route.steps.iter().enumerate().take(reached);
    before.into_iter().find_map(|(index, step)| {
        let why = match &step.kind {
            _ if step.when.is_some() => None,
            StepKind::Dispatch(part) => made::lacks(draft, part),
            StepKind::Parallel { members } => {
                members.iter().find_map(|part| made::lacks(draft, part))
            }
            StepKind::Approve { .. } => {
                let is_open = !gate::is_passed(draft, index);
                is_open.then(|| "the design is not approved".to_owned())
            }
            StepKind::Choose { .. } => {
                draft.strategy().is_none().then(|| "no review strategy is chosen".to_owned())
            }
            StepKind::Tasks => open_tasks(draft),
            StepKind::Checks { .. } if skips_checks => None,
            StepKind::Checks { .. } => {
                Some("Tollgate has not run the acceptance checks yet".to_owned())
            }
            StepKind::Severity { .. } | StepKind::Close => None,
        };
        why.map(|why| (index, why))
    })
}

fn open_tasks(draft: &Draft<'_>) -> Option<String> {
    let is_open = |task: &&Task| task.status != TaskStatus::Completed;
    let open: Vec<String> = draft
        .plan
        .tasks
        .iter()
        .filter(is_open)
        .map(|task| format!("{} is {}", task.spec.id, task.status))
        .collect();
    (!open.is_empty()).then(|| open.join(", "))
}
