//! Makes the steps of an action out of the stages of a flow. A gate is never left out: one of an unknown kind asks a person,
//! and what reviewers find always meets a severity gate.

use super::Reader;
use super::parts::{Part, Parts};
use super::stage::{GateKind, Stage, StageKind};
use std::collections::BTreeSet;
use tollgate_core::action::{Assignment, CheckSubject, Step, StepKind};
use tollgate_core::role::{Role, State};

/// Words of a gate that say nothing about what it is for.
const EMPTY_WORDS: [&str; 9] =
    ["user", "reviews", "and", "approves", "the", "each", "agent", "their", "person"];
const NAME_WORDS_MAX: usize = 4;

pub(super) fn of(reader: &mut Reader<'_>, stages: &[Stage], parts: &Parts) -> Vec<Step> {
    let last_work = parts.keys().next_back().copied().unwrap_or_default();
    let mut route =
        Route { steps: Vec::new(), names: BTreeSet::new(), action: reader.name.to_owned() };
    for (at, stage) in stages.iter().enumerate() {
        match &stage.kind {
            StageKind::Work(_) => {
                let members = parts.get(&at).map(Vec::as_slice).unwrap_or_default();
                route.work(members);
            }
            StageKind::Gate { kind, label } => {
                explain(reader, stage.line, *kind);
                route.gate(*kind, label, at > last_work);
            }
        }
    }
    let has_gate = stages.iter().any(|stage| matches!(stage.kind, StageKind::Gate { .. }));
    if !has_gate {
        built_in_checks(reader, &mut route);
    }
    route.judge("");
    route.push(State::Done, StepKind::Close);
    route.steps
}

/// What a gate becomes where that is not plain.
fn explain(reader: &mut Reader<'_>, line: u32, kind: GateKind) {
    let words = match kind {
        GateKind::SelfReview => {
            "what a role says of its own work is not asked again: its reply and its files have been checked, and here \
             Tollgate runs the commands that are the evidence, and the gates of the lifecycle stage"
        }
        GateKind::Clarification => {
            "this gate is a question to you: answer changes-requested and say what is unclear, or approve"
        }
        GateKind::Other => "the kind of this gate is not known; you are asked to approve",
        GateKind::Approval | GateKind::Severity => return,
    };
    reader.taken_as(line, words);
}

/// A file without any gate keeps the checks that Tollgate makes in the built-in action.
fn built_in_checks(reader: &mut Reader<'_>, route: &mut Route) {
    let steps = reader.built_in.iter().flat_map(|built_in| built_in.steps.clone());
    let checks: Vec<Step> =
        steps.filter(|step| matches!(step.kind, StepKind::Checks { .. })).collect();
    for step in checks {
        if let StepKind::Checks { of } = &step.kind {
            let subjects: Vec<String> = of.iter().map(ToString::to_string).collect();
            let words = format!(
                "no gate is named, so Tollgate checks {} as in the built-in action",
                subjects.join(", ")
            );
            reader.supplied(None, &words);
        }
        route.steps.push(step);
    }
}

struct Route {
    steps: Vec<Step>,
    /// Names of gates that are taken.
    names: BTreeSet<String>,
    action: String,
}

impl Route {
    fn push(&mut self, state: State, kind: StepKind) {
        self.steps.push(Step { state, kind, when: None });
    }

    fn work(&mut self, parts: &[Part]) {
        let mut members: Vec<Assignment> =
            parts.iter().map(|part| part.assignment.clone()).collect();
        let mut state = members.iter().map(|member| state_of(member.role)).fold(None, later);
        // Who looks at a design belongs to it.
        let worked = self.worked();
        if members.iter().all(|member| member.role.is_reviewing())
            && worked.is_some_and(|worked| worked < State::ImplementLoop)
        {
            state = worked;
        }
        let kind = match members.len() {
            0 => return,
            1 => StepKind::Dispatch(members.swap_remove(0)),
            _ => StepKind::Parallel { members },
        };
        self.push(state.unwrap_or(State::ImplementLoop), kind);
    }

    fn gate(&mut self, kind: GateKind, label: &str, is_after_work: bool) {
        let name = name_of(label);
        match kind {
            GateKind::SelfReview => {
                let is_built = self.worked() == Some(State::ImplementLoop);
                let of = match is_built {
                    true => vec![
                        CheckSubject::Evidence,
                        CheckSubject::Lifecycle,
                        CheckSubject::Coverage,
                    ],
                    false => vec![CheckSubject::Lifecycle],
                };
                self.push(State::Integrate, StepKind::Checks { of });
            }
            GateKind::Severity => self.severity(""),
            _ => {
                self.judge(&name);
                let state = self.state_of_approval(is_after_work);
                let gate = match (kind, name.as_str()) {
                    (GateKind::Clarification, "") => self.free("CLARIFICATION".to_owned()),
                    (GateKind::Clarification, name) => self.free(name.to_owned()),
                    (_, "") => self.free(format!("APPROVE_{}", shouted(&self.action))),
                    (_, name) => self.free(format!("APPROVE_{name}")),
                };
                let corrects = self.correctors();
                self.push(state, StepKind::Approve { gate, shows: Vec::new(), corrects });
            }
        }
    }

    /// Findings that no gate has seen meet one here.
    fn judge(&mut self, name: &str) {
        let is_severity = |step: &Step| matches!(step.kind, StepKind::Severity { .. });
        let since = self.steps.iter().rposition(is_severity).map_or(0, |at| at + 1);
        let mut roles = self.steps[since..].iter().flat_map(|step| step.assignments(0));
        if roles.any(|(_, part)| part.role.is_reviewing()) {
            self.severity(name);
        }
    }

    fn severity(&mut self, name: &str) {
        let base = if name.is_empty() { shouted(&self.action) } else { name.to_owned() };
        let gate = self.free(format!("{base}_SEVERITY"));
        self.push(State::Integrate, StepKind::Severity { gate });
    }

    /// How far those who make something have come.
    fn worked(&self) -> Option<State> {
        let parts = self.steps.iter().flat_map(|step| step.assignments(0));
        let makers = parts.map(|(_, part)| part.role).filter(|role| !role.is_reviewing());
        makers.map(state_of).fold(None, later)
    }

    /// Before anything is built it is the design that is approved, and at the end the release.
    fn state_of_approval(&self, is_after_work: bool) -> State {
        match self.worked() {
            Some(State::Intake | State::Design | State::Plan) => State::ApproveDesign,
            _ if is_after_work => State::Release,
            _ => State::Integrate,
        }
    }

    /// Where only reviewers worked since the last approval, the work goes back to who made it before, if anybody did.
    fn correctors(&self) -> Vec<Role> {
        let is_approval = |step: &Step| matches!(step.kind, StepKind::Approve { .. });
        let since = self.steps.iter().rposition(is_approval).map_or(0, |at| at + 1);
        let makes = |role: &Role| !role.is_reviewing() && *role != Role::Orchestrator;
        let roles = |steps: &[Step]| -> Vec<Role> {
            let mut found = Vec::new();
            for (_, part) in steps.iter().flat_map(|step| step.assignments(0)) {
                if !found.contains(&part.role) {
                    found.push(part.role);
                }
            }
            found
        };
        let recent = roles(&self.steps[since..]);
        if recent.iter().any(makes) {
            return Vec::new();
        }
        let before: Vec<Role> = roles(&self.steps[..since]).into_iter().filter(makes).collect();
        if before.is_empty() { recent } else { before }
    }

    /// The name, with a number where another gate has it.
    fn free(&mut self, name: String) -> String {
        let numbered = (2_u32..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let free = names.find(|name| !self.names.contains(name)).unwrap_or(name);
        self.names.insert(free.clone());
        free
    }
}

/// The state that the work of a role shows as.
fn state_of(role: Role) -> State {
    match role {
        Role::SpecAgent => State::Intake,
        Role::Architect | Role::Designer | Role::Researcher => State::Design,
        Role::Planner => State::Plan,
        Role::Coder => State::ImplementLoop,
        Role::Reviewer | Role::QA | Role::Security | Role::Integrator | Role::Orchestrator => {
            State::Integrate
        }
        Role::Docs => State::Release,
    }
}

/// Building shows as building, whoever works beside it; else the later state counts.
fn later(known: Option<State>, next: State) -> Option<State> {
    match known {
        None => Some(next),
        Some(State::ImplementLoop) => known,
        Some(_) if next == State::ImplementLoop => Some(next),
        Some(state) => Some(state.max(next)),
    }
}

/// `User reviews code quality` is CODE_QUALITY.
fn name_of(label: &str) -> String {
    let words = super::names::words_of(label);
    let words = words.into_iter().skip_while(|word| EMPTY_WORDS.contains(&word.as_str()));
    let words = words.take_while(|word| word != "and" && word.is_ascii());
    let words: Vec<String> = words.take(NAME_WORDS_MAX).collect();
    match words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
        true => String::new(),
        false => shouted(&words.join("_")),
    }
}

fn shouted(name: &str) -> String {
    name.replace('-', "_").to_uppercase()
}
