//! What a seed asks of the machine: a route, a plan, and how much trouble there will be.

use crate::chance::Chance;
use crate::{action, costs, route};
use tollgate_core::id::{CommitId, SessionName, TaskId};
use tollgate_core::input::Opening;
use tollgate_core::policy::Policy;
use tollgate_core::role::{Mode, ProjectType, Role};
use tollgate_core::task::{Check, Criterion, ItemTerms, TaskKind, TaskSpec};

#[derive(Debug, Clone)]
pub struct Workload {
    pub opening: Opening,
    pub plan: Vec<TaskSpec>,
    pub criteria: Vec<Criterion>,
    /// How often agents and checks may go wrong before they all behave.
    pub trouble: u32,
    /// How often people may be difficult before they all help.
    pub whims: u32,
    /// How often the project declares another lifecycle stage.
    pub stage_changes: u32,
    /// How often Coders look beyond the scope of their task.
    pub wishes: u32,
    /// How often a plan leaves something to a person.
    pub refinements: u32,
    /// How often an agent is out of its usage limit.
    pub parkings: u32,
}

impl Workload {
    pub fn of_seed(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        if chance.percent(40) {
            return Self::of_route(&mut chance);
        }
        let lean = chance.percent(25);
        let tasks = if lean { 1 } else { 1 + chance.below(6) };
        let mut plan: Vec<TaskSpec> = (1..=tasks).map(|number| task(&mut chance, number)).collect();
        overlap(&mut chance, &mut plan);
        let mut opening = opening(&mut chance, lean);
        opening.policy.parallel_tasks = parallel_tasks(&mut chance);
        Self {
            opening,
            plan,
            criteria: criteria(&mut chance),
            trouble: u32::try_from(chance.below(14)).expect("small"),
            whims: u32::try_from(chance.below(8)).expect("small"),
            stage_changes: 0,
            wishes: few(&mut chance, 40, 4),
            refinements: few(&mut chance, 20, 2),
            parkings: few(&mut chance, 30, 6),
        }
    }

    /// An action of a project of its own, without an implement loop.
    fn of_route(chance: &mut Chance) -> Self {
        let mut opening = opening(chance, false);
        opening.action = route::by_chance(chance);
        opening.requested =
            [Role::Coder, Role::Docs].into_iter().filter(|_| chance.percent(50)).collect();
        let has_stage = chance.percent(50);
        opening.stage = has_stage.then(|| "planning".to_owned());
        opening.policy.coverage_minimum = chance.percent(60).then_some(8_000);
        Self {
            opening,
            plan: Vec::new(),
            criteria: criteria(chance),
            trouble: u32::try_from(chance.below(14)).expect("small"),
            whims: u32::try_from(chance.below(8)).expect("small"),
            stage_changes: if has_stage {
                u32::try_from(chance.below(3)).expect("small")
            } else {
                0
            },
            wishes: few(chance, 20, 2),
            refinements: 0,
            parkings: few(chance, 30, 6),
        }
    }
}

/// None at all, or with some chance from one to `most`.
fn few(chance: &mut Chance, share: u64, most: u64) -> u32 {
    let some = chance.percent(share);
    if some { u32::try_from(1 + chance.below(most)).expect("small") } else { 0 }
}

/// Most settings leave tasks to come one after the other.
pub fn parallel_tasks(chance: &mut Chance) -> u32 {
    if chance.percent(40) { 1 } else { u32::try_from(2 + chance.below(3)).expect("small") }
}

/// What someone changes in the settings before they resume.
pub fn change_settings(chance: &mut Chance, policy: &mut Policy) {
    if chance.percent(10) {
        policy.tokens_max = policy.tokens_max.map(|max| max * 2);
        policy.micro_usd_max = policy.micro_usd_max.map(|max| max * 2);
    }
    if chance.percent(20) && !policy.players.is_empty() {
        policy.fallbacks = costs::fallbacks(chance);
    }
    if chance.percent(10) {
        policy.parallel_tasks = parallel_tasks(chance);
    }
}

/// Tasks that could change the same file, as one of them or both say.
fn overlap(chance: &mut Chance, plan: &mut [TaskSpec]) {
    for later in 1..plan.len() {
        for earlier in 0..later {
            let (a, b) = (plan[earlier].id.clone(), plan[later].id.clone());
            let by = chance.below(12);
            if matches!(by, 0 | 2) {
                plan[earlier].overlaps.push(b);
            }
            if matches!(by, 1 | 2) {
                plan[later].overlaps.push(a);
            }
        }
    }
}

fn opening(chance: &mut Chance, lean: bool) -> Opening {
    let optional = [Role::Researcher, Role::Designer];
    let requested = if lean {
        Vec::new()
    } else {
        optional.into_iter().filter(|_| chance.percent(30)).collect()
    };
    let mut policy = Policy::default();
    costs::fill(chance, &mut policy);
    Opening {
        session: SessionName::parse("2026-11-15_doubt").expect("a good name"),
        goal: "Doubt everything".to_owned(),
        mode: if lean { Mode::Lean } else { Mode::Full },
        action: if lean { action::lean() } else { action::deliver() },
        full_action: lean.then(action::deliver),
        project_type: ProjectType::Mixed,
        inputs: std::collections::BTreeMap::new(),
        stage: None,
        snapshot: None,
        requested,
        base: CommitId::parse(&"0".repeat(40)).expect("40 digits"),
        base_branch: None,
        instructions: Vec::new(),
        policy,
        tollgate_version: "0.0.0".to_owned(),
    }
}

/// A task that depends on some of those before it.
pub fn task(chance: &mut Chance, number: u64) -> TaskSpec {
    let kinds = [
        TaskKind::Feat,
        TaskKind::Fix,
        TaskKind::Refactor,
        TaskKind::Chore,
        TaskKind::Test,
        TaskKind::Docs,
    ];
    let id = |number: u64| TaskId::parse(&format!("T-{number:03}")).expect("a good id");
    let mut acceptance_checks = Vec::new();
    if chance.percent(40) {
        acceptance_checks.push(Check::Command(format!("test-{number}")));
    }
    if chance.percent(15) {
        acceptance_checks.push(Check::Manual(format!("look at {number}")));
    }
    TaskSpec {
        id: id(number),
        kind: *chance.pick(&kinds),
        title: format!("Task {number}"),
        goal: format!("Do {number}"),
        depends_on: (1..number).filter(|_| chance.percent(30)).map(id).collect(),
        non_goals: Vec::new(),
        context_files: Vec::new(),
        files_expected: vec![format!("src/{number}/")],
        acceptance_checks,
        risk_flags: if chance.percent(15) { vec!["security".to_owned()] } else { Vec::new() },
        done_when: Vec::new(),
        work_item: None,
        in_scope: Vec::new(),
        out_of_scope: Vec::new(),
        overlaps: Vec::new(),
        item: ItemTerms::default(),
    }
}

pub fn criteria(chance: &mut Chance) -> Vec<Criterion> {
    (1..=1 + chance.below(2))
        .map(|number| {
            let mut verify = vec![Check::Command(format!("accept-{number}"))];
            if chance.percent(20) {
                verify.push(Check::Manual(format!("see {number}")));
            }
            Criterion { id: format!("AC-{number:03}"), description: "It works".to_owned(), verify }
        })
        .collect()
}
