//! What a story starts from: its settings, its plan and criteria, and the usual routes.

use super::words::Word;
use super::{costs, route};
use tollgate_core::action::{
    APPROVE_DESIGN, Action, Assignment, CheckSubject, ChooseGate, Step, StepKind, When,
};
use tollgate_core::id::{CommitId, SessionName, TaskId};
use tollgate_core::input::Opening;
use tollgate_core::role::{Mode, ProjectType, Role, State};
use tollgate_core::task::{Check, Criterion, ItemTerms, Priority, TaskKind, TaskSpec};

pub fn opening(story: &[Word]) -> Opening {
    let is_lean = story.iter().any(|word| matches!(word, Word::Lean));
    let mode = if is_lean { Mode::Lean } else { Mode::Full };
    let usual = if is_lean { lean() } else { deliver() };
    let mut opening = Opening {
        session: SessionName::parse("2026-11-15_story").expect("a good name"),
        goal: "Tell a story".to_owned(),
        mode,
        action: route::told(story).map_or(usual, action),
        full_action: is_lean.then(deliver),
        project_type: ProjectType::Mixed,
        inputs: std::collections::BTreeMap::new(),
        stage: None,
        snapshot: None,
        requested: Vec::new(),
        base: CommitId::parse(&"0".repeat(40)).expect("40 digits"),
        base_branch: Some("main".to_owned()),
        instructions: Vec::new(),
        policy: costs::policy(story),
        tollgate_version: "0.0.0".to_owned(),
    };
    for word in story {
        match word {
            Word::Ask(role) => opening.requested.push(*role),
            Word::Declared(stage) => opening.stage = Some(stage.clone()),
            _ => {}
        }
    }
    opening
}

/// The plan that a story names, or one plain task.
pub fn plan(story: &[Word]) -> Vec<TaskSpec> {
    let told = story.iter().filter_map(|word| match word {
        Word::Task(spec) => Some(TaskSpec::clone(spec)),
        _ => None,
    });
    let plan: Vec<TaskSpec> = told.collect();
    if plan.is_empty() { vec![task("T-001 feat").expect("a task")] } else { plan }
}

pub fn task(line: &str) -> Result<TaskSpec, String> {
    let mut parts = line.split('|').map(str::trim);
    let (id, kind) =
        parts.next().and_then(|p| p.split_once(' ')).ok_or("a task has an id and a kind")?;
    let task_id = |id: &str| TaskId::parse(id).map_err(|error| error.to_string());
    let mut spec = TaskSpec {
        id: task_id(id)?,
        kind: TaskKind::parse(kind).ok_or_else(|| format!("{kind:?} is not a kind of task"))?,
        title: id.to_owned(),
        goal: "Do it".to_owned(),
        depends_on: Vec::new(),
        non_goals: Vec::new(),
        context_files: Vec::new(),
        files_expected: vec!["src/".to_owned()],
        acceptance_checks: Vec::new(),
        risk_flags: Vec::new(),
        done_when: Vec::new(),
        work_item: None,
        in_scope: Vec::new(),
        out_of_scope: Vec::new(),
        overlaps: Vec::new(),
        item: ItemTerms::default(),
    };
    for part in parts {
        match part.split_once(' ').unwrap_or((part, "")) {
            ("beside", id) => spec.overlaps.push(task_id(id)?),
            ("after", id) => spec.depends_on.push(task_id(id)?),
            ("flag", flag) => spec.risk_flags.push(flag.to_owned()),
            ("check", check) => spec.acceptance_checks.push(Check::from(check.to_owned())),
            ("criterion", text) => spec.item.criteria.push(text.to_owned()),
            ("waits", name) => spec.item.waits_for.push(name.to_owned()),
            ("priority", word) => spec.item.priority = Priority::parse(word),
            _ => {
                let known = "beside after flag check criterion waits priority";
                return Err(format!("{part:?} is none of: {known}"));
            }
        }
    }
    Ok(spec)
}

pub fn criteria(story: &[Word]) -> Vec<Criterion> {
    let told = story.iter().filter_map(|word| match word {
        Word::Criterion(check) => Some(check),
        _ => None,
    });
    told.enumerate()
        .map(|(index, check)| Criterion {
            id: format!("AC-{:03}", index + 1),
            description: "It works".to_owned(),
            verify: vec![Check::from(check.clone())],
        })
        .collect()
}

fn deliver() -> Action {
    let requested = |step: Step| Step { when: Some(When::Requested), ..step };
    action(vec![
        dispatch(State::Intake, Role::SpecAgent),
        requested(dispatch(State::Design, Role::Researcher)),
        dispatch(State::Design, Role::Architect),
        requested(dispatch(State::Design, Role::Designer)),
        step(
            State::ApproveDesign,
            StepKind::Approve {
                gate: APPROVE_DESIGN.to_owned(),
                shows: vec!["spec.md".to_owned(), "architecture.md".to_owned()],
                corrects: vec![Role::SpecAgent, Role::Architect, Role::Designer],
            },
        ),
        dispatch(State::Plan, Role::Planner),
        step(State::ReviewStrategy, StepKind::Choose { gate: ChooseGate::ReviewStrategy }),
        step(State::ImplementLoop, StepKind::Tasks),
        dispatch(State::Integrate, Role::Integrator),
        step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
        step(State::Release, StepKind::Dispatch(Assignment::new(Role::Docs, &["report.md"]))),
        dispatch(State::Release, Role::Integrator),
        step(State::Done, StepKind::Close),
    ])
}

fn lean() -> Action {
    action(vec![
        dispatch(State::IntakeLean, Role::SpecAgent),
        step(State::ImplementLoop, StepKind::Tasks),
        step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
        step(State::Done, StepKind::Close),
    ])
}

fn action(steps: Vec<Step>) -> Action {
    Action {
        name: "story".to_owned(),
        description: String::new(),
        intent: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        steps,
    }
}

fn dispatch(state: State, role: Role) -> Step {
    step(state, StepKind::Dispatch(Assignment::new(role, &[])))
}

fn step(state: State, kind: StepKind) -> Step {
    Step { state, kind, when: None }
}
