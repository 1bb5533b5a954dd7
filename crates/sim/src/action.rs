//! The two built-in routes of delivery, built by hand so that the simulator reads no file.

use tollgate_core::action::{
    APPROVE_DESIGN, Action, Assignment, CheckSubject, ChooseGate, Step, StepKind, When,
};
use tollgate_core::role::{Role, State};

pub fn deliver() -> Action {
    let requested = |step: Step| Step { when: Some(When::Requested), ..step };
    Action {
        name: "deliver".to_owned(),
        description: "the whole way".to_owned(),
        intent: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        steps: vec![
            dispatch(State::Intake, Role::SpecAgent, &["spec.md", "acceptance.json"]),
            requested(dispatch(State::Design, Role::Researcher, &["research/"])),
            dispatch(State::Design, Role::Architect, &["architecture.md"]),
            requested(dispatch(State::Design, Role::Designer, &["design-specs/"])),
            step(
                State::ApproveDesign,
                StepKind::Approve {
                    gate: APPROVE_DESIGN.to_owned(),
                    shows: ["spec.md", "acceptance.json", "architecture.md", "design-specs/"]
                        .map(str::to_owned)
                        .to_vec(),
                    corrects: vec![Role::SpecAgent, Role::Architect, Role::Designer],
                },
            ),
            dispatch(State::Plan, Role::Planner, &["tasks.yaml"]),
            step(State::ReviewStrategy, StepKind::Choose { gate: ChooseGate::ReviewStrategy }),
            step(State::ImplementLoop, StepKind::Tasks),
            dispatch(State::Integrate, Role::Integrator, &[]),
            step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
            dispatch(State::Release, Role::Docs, &["report.md"]),
            dispatch(State::Release, Role::Integrator, &[]),
            step(State::Done, StepKind::Close),
        ],
    }
}

pub fn lean() -> Action {
    Action {
        name: "lean".to_owned(),
        description: "the short way".to_owned(),
        intent: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        steps: vec![
            dispatch(
                State::IntakeLean,
                Role::SpecAgent,
                &["spec.md", "acceptance.json", "tasks.yaml"],
            ),
            step(State::ImplementLoop, StepKind::Tasks),
            step(State::Integrate, StepKind::Checks { of: vec![CheckSubject::Acceptance] }),
            step(State::Done, StepKind::Close),
        ],
    }
}

fn dispatch(state: State, role: Role, outputs: &[&str]) -> Step {
    step(state, StepKind::Dispatch(Assignment::new(role, outputs)))
}

fn step(state: State, kind: StepKind) -> Step {
    Step { state, kind, when: None }
}
