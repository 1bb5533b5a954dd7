//! Random routes: any order of roles, parallel steps, gates and checks that an action file could ask for.

use crate::chance::Chance;
use tollgate_core::action::{Action, Assignment, CheckSubject, Step, StepKind, When};
use tollgate_core::role::{Role, State};

const MAKERS: [Role; 8] = [
    Role::Coder,
    Role::Coder,
    Role::Architect,
    Role::Designer,
    Role::Researcher,
    Role::Integrator,
    Role::Docs,
    Role::Docs,
];
const JUDGES: [Role; 3] = [Role::Reviewer, Role::QA, Role::Security];

/// Two to seven steps without an implement loop, then the end.
pub fn by_chance(chance: &mut Chance) -> Action {
    let mut steps = Vec::new();
    if chance.percent(15) {
        let spec = Assignment::new(Role::SpecAgent, &["spec.md", "acceptance.json"]);
        steps.push(step(StepKind::Dispatch(spec)));
    }
    for index in 0..2 + chance.below(6) {
        let kind = kind(chance, index);
        let may_be_asked_for = matches!(kind, StepKind::Dispatch(_)) && chance.percent(10);
        let when = may_be_asked_for.then_some(When::Requested);
        steps.push(Step { when, ..step(kind) });
    }
    steps.push(Step { state: State::Done, kind: StepKind::Close, when: None });
    Action {
        name: "route".to_owned(),
        description: "any way".to_owned(),
        intent: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        steps,
    }
}

fn step(kind: StepKind) -> Step {
    Step { state: State::Integrate, kind, when: None }
}

fn kind(chance: &mut Chance, index: u64) -> StepKind {
    match chance.below(12) {
        0..=3 => StepKind::Dispatch(part(chance, &format!("{index}"), true)),
        4..=6 => {
            let members = 2 + chance.below(3);
            let member = |member| part(chance, &format!("{index}-{member}"), false);
            StepKind::Parallel { members: (0..members).map(member).collect() }
        }
        7..=8 => StepKind::Approve {
            gate: format!("GATE_{index}"),
            shows: if chance.percent(50) { shows(chance) } else { Vec::new() },
            corrects: if chance.percent(20) { vec![*chance.pick(&MAKERS)] } else { Vec::new() },
        },
        9..=10 => StepKind::Severity { gate: format!("SEVERITY_{index}") },
        _ => StepKind::Checks { of: subjects(chance) },
    }
}

/// One role's part. What is made alone may be made by several steps; members each have a file of their own.
fn part(chance: &mut Chance, name: &str, is_alone: bool) -> Assignment {
    let role = *if chance.percent(35) { chance.pick(&JUDGES) } else { chance.pick(&MAKERS) };
    let mut outputs = Vec::new();
    if !role.is_reviewing() && chance.percent(40) {
        let shared = is_alone && chance.percent(50);
        outputs.push(if shared { "out/shared.md".to_owned() } else { format!("out/{name}.md") });
    }
    if is_alone && role == Role::Architect {
        outputs.push("architecture.md".to_owned());
    }
    if is_alone && role == Role::Docs && chance.percent(50) {
        outputs.push("report.md".to_owned());
    }
    let optional = chance.percent(20);
    Assignment { outputs, optional, ..Assignment::new(role, &[]) }
}

fn shows(chance: &mut Chance) -> Vec<String> {
    let all = ["out/", "out/shared.md", "architecture.md", "spec.md"];
    all.into_iter().filter(|_| chance.percent(50)).map(str::to_owned).collect()
}

fn subjects(chance: &mut Chance) -> Vec<CheckSubject> {
    let all = [
        CheckSubject::Lifecycle,
        CheckSubject::Coverage,
        CheckSubject::Planning,
        CheckSubject::Command("lint".to_owned()),
        CheckSubject::Acceptance,
    ];
    let mut of: Vec<CheckSubject> = all.into_iter().filter(|_| chance.percent(45)).collect();
    if of.is_empty() {
        of.push(CheckSubject::Command("build".to_owned()));
    }
    of
}
