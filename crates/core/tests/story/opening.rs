//! What a story starts from: its settings, its plan and criteria, and the usual routes.

use super::{purse, route};
use tollgate_core::action::{
    APPROVE_DESIGN, Action, Assignment, CheckSubject, ChooseGate, Step, StepKind, When,
};
use tollgate_core::id::{CommitId, SessionName, TaskId};
use tollgate_core::input::Opening;
use tollgate_core::policy::Policy;
use tollgate_core::role::{Mode, ProjectType, Role, State};
use tollgate_core::task::{Check, Criterion, TaskKind, TaskSpec};

pub fn opening(story: &str) -> Opening {
    let has = |word: &str| story.lines().any(|line| line.trim() == word);
    let mode = if has("lean") { Mode::Lean } else { Mode::Full };
    let asked = story.lines().filter_map(|line| line.trim().strip_prefix("ask "));
    let tokens = story.lines().find_map(|line| line.trim().strip_prefix("tokens "));
    let parallel = story.lines().find_map(|line| line.trim().strip_prefix("parallel "));
    let covered = story.lines().any(|line| line.trim().starts_with("covered "));
    let stage = story.lines().find_map(|line| line.trim().strip_prefix("declared "));
    let usual = if mode == Mode::Lean { lean() } else { deliver() };
    Opening {
        session: SessionName::parse("2026-11-15_story").expect("a good name"),
        goal: "Tell a story".to_owned(),
        mode,
        action: route::told(story).map_or(usual, action),
        full_action: (mode == Mode::Lean).then(deliver),
        project_type: ProjectType::Mixed,
        inputs: std::collections::BTreeMap::new(),
        stage: stage.map(str::to_owned),
        snapshot: None,
        requested: asked.filter_map(Role::parse).collect(),
        base: CommitId::parse(&"0".repeat(40)).expect("40 digits"),
        base_branch: None,
        instructions: Vec::new(),
        policy: Policy {
            tokens_max: tokens.and_then(|n| n.parse().ok()),
            coverage_minimum: covered.then_some(8_000),
            parallel_tasks: parallel.and_then(|n| n.parse().ok()).unwrap_or(1),
            ..purse::policy(story)
        },
        tollgate_version: "0.0.0".to_owned(),
    }
}

/// The plan that a story names, or one plain task.
pub fn plan(story: &str) -> Vec<TaskSpec> {
    let lines = story.lines().filter_map(|line| line.trim().strip_prefix("task "));
    let plan: Vec<TaskSpec> = lines.map(task).collect();
    if plan.is_empty() { vec![task("T-001 feat")] } else { plan }
}

pub fn task(line: &str) -> TaskSpec {
    let mut parts = line.split('|').map(str::trim);
    let (id, kind) = parts.next().and_then(|p| p.split_once(' ')).expect("an id and a kind");
    let mut spec = TaskSpec {
        id: TaskId::parse(id).expect("a task id"),
        kind: TaskKind::parse(kind).expect("a kind"),
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
    };
    for part in parts {
        match part.split_once(' ').expect("a word and its value") {
            ("beside", id) => spec.overlaps.push(TaskId::parse(id).expect("a task id")),
            ("after", id) => spec.depends_on.push(TaskId::parse(id).expect("a task id")),
            ("flag", flag) => spec.risk_flags.push(flag.to_owned()),
            ("check", check) => spec.acceptance_checks.push(Check::from(check.to_owned())),
            other => panic!("a task has no {other:?}"),
        }
    }
    spec
}

pub fn criteria(story: &str) -> Vec<Criterion> {
    let lines = story.lines().filter_map(|line| line.trim().strip_prefix("criterion "));
    lines
        .enumerate()
        .map(|(index, check)| Criterion {
            id: format!("AC-{:03}", index + 1),
            description: "It works".to_owned(),
            verify: vec![Check::from(check.to_owned())],
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
                corrects: vec![Role::SpecAgent, Role::Architect],
            },
        ),
        dispatch(State::Plan, Role::Planner),
        step(State::ReviewStrategy, StepKind::Choose { gate: ChooseGate::ReviewStrategy }),
        step(State::ImplementLoop, StepKind::Tasks),
        dispatch(State::Integrate, Role::Integrator),
        step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
        dispatch(State::Release, Role::Docs),
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
