//! What a kind world does not do: crashes, doubled and lost messages, meddling hands.

use super::World;
use crate::chance::Chance;
use crate::violation::Held;
use crate::workload;
use tollgate_core::fault::{FaultKind, HostFault};
use tollgate_core::id::DecisionId;
use tollgate_core::input::{Command, Edit, Input};
use tollgate_core::reply::ReplyError;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    Crash,
    CtrlC,
    DeliveredTwice,
    EarlyAnswer,
    Nonsense,
    EditDesign,
    EditPlan,
    BreakFile,
    LoseReport,
    HandOnStatus,
    DiskFull,
    GateExhausted,
    ClockBack,
    Cancel,
}

impl Fault {
    /// Mostly nothing.
    pub fn by_chance(chance: &mut Chance) -> Option<Self> {
        Some(match chance.below(260) {
            0..=3 => Self::Crash,
            4 => Self::CtrlC,
            5..=9 => Self::DeliveredTwice,
            10 => Self::EarlyAnswer,
            11..=12 => Self::Nonsense,
            13 => Self::EditDesign,
            14 => Self::EditPlan,
            15 => Self::BreakFile,
            16 if chance.percent(30) => Self::LoseReport,
            17 => Self::HandOnStatus,
            18 => Self::DiskFull,
            19..=20 => Self::GateExhausted,
            21 => Self::ClockBack,
            22 if chance.percent(20) => Self::Cancel,
            _ => return None,
        })
    }

    pub fn strike(self, world: &mut World<'_>) -> Held {
        world.say(|| format!("  FAULT {self:?}"));
        match self {
            Self::Crash => {
                world.check_replay()?;
                world.restart()
            }
            Self::CtrlC => world.stop(),
            Self::DeliveredTwice => {
                if world.delivered.is_empty() {
                    return Ok(());
                }
                let again = world.chance.pick(&world.delivered).clone();
                world.feed(vec![again.clone(), again]).map(drop)
            }
            Self::EarlyAnswer => early_answer(world),
            Self::Nonsense => nonsense(world),
            Self::EditDesign => edit(world, "architecture.md", false),
            Self::EditPlan => edit_plan(world),
            Self::BreakFile => edit(world, "spec.md", true),
            Self::LoseReport => {
                let path = "report.md".to_owned();
                let edit = Edit {
                    path,
                    now: None,
                    errors: vec![],
                    plan: None,
                    criteria: None,
                    is_ours: false,
                };
                world.feed(vec![Input::Edited(vec![edit])]).map(drop)
            }
            Self::HandOnStatus => {
                world.feed(vec![Input::PutBack { path: "status.json".to_owned() }]).map(drop)
            }
            Self::DiskFull => world
                .feed(vec![Input::HostFailed(HostFault::new(FaultKind::Git, "no repository"))])
                .map(drop),
            Self::GateExhausted => exhaust_gate(world),
            Self::ClockBack => {
                let back = world.chance.below(10_000);
                world.now = tollgate_core::time::Timestamp::from_ms(
                    world.now.as_ms() - i64::try_from(back).expect("small"),
                );
                Ok(())
            }
            Self::Cancel => {
                let id = world.command_id();
                world.command(Command::Cancel { id, reason: "enough".to_owned() })
            }
        }
    }
}

fn early_answer(world: &mut World<'_>) -> Held {
    let next = 1 + world
        .session()
        .decisions
        .asked
        .iter()
        .filter_map(|d| d.decision_id.number())
        .max()
        .unwrap_or(0);
    let ahead = u32::try_from(world.chance.below(2)).expect("small");
    let choices = [
        (DecisionId::approve_design(), "approved early"),
        (DecisionId::review_strategy(), "per-batch"),
        (DecisionId::sequential(next + ahead), "retry"),
        (DecisionId::sequential(next + ahead), "accept-risk: early"),
        (DecisionId::sequential(next + ahead), "accept"),
        (DecisionId::sequential(next + ahead), "allow"),
        (DecisionId::sequential(next + ahead), "refuse: early"),
    ];
    let (decision, answer) = world.chance.pick(&choices).clone();
    let id = world.command_id();
    // Of the round before, which is none at all for what was not asked.
    let round = world.session().round(&decision).saturating_sub(1);
    world.command(Command::Answer { id, decision, round, answer: answer.to_owned(), reason: None })
}

fn nonsense(world: &mut World<'_>) -> Held {
    let mut ids: Vec<DecisionId> =
        world.session().decisions.asked.iter().map(|d| d.decision_id.clone()).collect();
    ids.push(DecisionId::sequential(1));
    let decision = world.chance.pick(&ids).clone();
    let (id, answer) = (world.command_id(), world.people.nonsense().to_owned());
    let round = world.session().round(&decision);
    world.command(Command::Answer { id, decision, round, answer, reason: None })
}

fn exhaust_gate(world: &mut World<'_>) -> Held {
    let pending: Vec<DecisionId> =
        world.session().pending_decisions().map(|d| d.decision_id.clone()).collect();
    if pending.is_empty() {
        return Ok(());
    }
    let decision = world.chance.pick(&pending).clone();
    let id = world.command_id();
    world.command(Command::GateExhausted { id, decision })
}

pub(crate) fn edit(world: &mut World<'_>, path: &str, broken: bool) -> Held {
    let mut edits = vec![Edit {
        path: path.to_owned(),
        now: Some(world.crew.artefact(path)),
        errors: if broken {
            vec![ReplyError::new("spec.section", path, "no Goals")]
        } else {
            vec![]
        },
        plan: None,
        criteria: None,
        is_ours: false,
    }];
    if broken && world.chance.percent(50) {
        let path = "architecture.md".to_owned();
        let now = Some(world.crew.artefact(&path));
        edits.push(Edit { path, now, errors: vec![], plan: None, criteria: None, is_ours: false });
    }
    world.feed(vec![Input::Edited(edits)]).map(drop)
}

/// The plan by hand: a task more, or one less that nobody needs.
fn edit_plan(world: &mut World<'_>) -> Held {
    let mut plan: Vec<_> =
        world.session().plan.tasks.iter().map(|task| task.spec.clone()).collect();
    if plan.is_empty() {
        return Ok(());
    }
    if world.chance.percent(50) {
        let number = 100 + world.chance.below(800);
        let mut more = workload::task(&mut world.chance, number);
        more.depends_on.retain(|id| plan.iter().any(|task| task.id == *id));
        plan.retain(|task| task.id != more.id);
        plan.push(more);
    } else if plan.len() > 1 {
        let last = plan.len() - 1;
        let is_needed = plan.iter().any(|task| task.depends_on.contains(&plan[last].id));
        if !is_needed {
            plan.truncate(last);
        }
    }
    let edit = Edit {
        path: "tasks.yaml".to_owned(),
        now: Some(world.crew.artefact("tasks.yaml")),
        errors: vec![],
        plan: Some(plan),
        criteria: None,
        is_ours: false,
    };
    world.feed(vec![Input::Edited(vec![edit])]).map(drop)
}
