//! Where an imported session continues: at the state that it names, or earlier where something for that is missing.

use crate::action::{Assignment, Step, StepKind};
use crate::decide::draft::Draft;
use crate::decide::gate;
use crate::import::ImportedDecision;
use crate::notice::NoticeCode;
use crate::role::{Role, State};
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

/// The index of the step, and a notice that says why it is this one.
pub fn of(draft: &mut Draft<'_>, recorded: Option<State>, wanted: Option<State>) -> usize {
    let steps = draft.route.steps.clone();
    // What comes after the work on tasks is done again where nobody knows how far it was.
    let reached = index_of(&steps, wanted.unwrap_or(State::Integrate));
    // A session that lacks nothing and says that it is done is checked when it closes.
    let is_whole = first_missing(draft, &steps, reached, true).is_none();
    let skips_checks = is_whole && wanted == Some(State::Done);
    let missing = first_missing(draft, &steps, reached, skips_checks);
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
fn first_missing(
    draft: &Draft<'_>,
    steps: &[Step],
    reached: usize,
    skips_checks: bool,
) -> Option<(usize, String)> {
    let before = steps.iter().enumerate().take(reached);
    before.into_iter().find_map(|(index, step)| {
        let why = match &step.kind {
            _ if step.when.is_some() => None,
            StepKind::Dispatch(part) => lacks(draft, part),
            StepKind::Parallel { members } => members.iter().find_map(|part| lacks(draft, part)),
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

/// What a role would have left behind and is not there.
fn lacks(draft: &Draft<'_>, part: &Assignment) -> Option<String> {
    let has_plan = !draft.plan.tasks.is_empty();
    let is_there = |name: &str| match name {
        "tasks.yaml" => has_plan,
        "acceptance.json" => !draft.plan.criteria.is_empty(),
        // Folders hold what is not always needed.
        name => name.ends_with('/') || draft.files.artefacts.contains_key(name),
    };
    let missing = part.outputs.iter().find(|output| !is_there(output));
    let name = match missing {
        Some(missing) => missing,
        None if part.role == Role::Planner && !has_plan => "tasks.yaml",
        None => return None,
    };
    Some(format!("{name} is missing or cannot be read"))
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
