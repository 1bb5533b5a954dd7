//! Money in stories: limits, what attempts cost, who plays and who takes over.

use super::words::Word;
use std::collections::BTreeMap;
use tollgate_core::policy::Policy;
use tollgate_core::reply::Usage;
use tollgate_core::role::Role;
use tollgate_core::session::{Session, Waiting};
use tollgate_core::view::{SpendView, View};
use tollgate_core::work::DispatchEnd;

pub struct Costs {
    micro_usd: BTreeMap<Role, u64>,
    wall_ms: BTreeMap<Role, u64>,
}

impl Costs {
    pub fn new(story: &[Word]) -> Self {
        let (mut micro_usd, mut wall_ms) = (BTreeMap::new(), BTreeMap::new());
        for word in story {
            match word {
                Word::Costs(role, amount) => micro_usd.insert(*role, *amount),
                Word::Lasts(role, amount) => wall_ms.insert(*role, *amount),
                _ => None,
            };
        }
        Self { micro_usd, wall_ms }
    }

    pub fn usage(&self, role: Role, end: &DispatchEnd) -> Usage {
        if !end.has_begun() {
            return Usage::default();
        }
        Usage {
            micro_usd: self.micro_usd.get(&role).copied(),
            wall_ms: self.wall_ms.get(&role).copied(),
            ..end.claimed_usage()
        }
    }
}

pub fn policy(story: &[Word]) -> Policy {
    let mut policy = Policy::default();
    for word in story {
        match word {
            Word::Tokens(tokens) => policy.tokens_max = Some(*tokens),
            Word::Usd(micro) => policy.micro_usd_max = Some(*micro),
            Word::Wall(ms) => policy.wall_ms_max = Some(*ms),
            Word::Parallel(tasks) => policy.parallel_tasks = *tasks,
            Word::Covered(_) => policy.coverage_minimum = Some(8_000),
            Word::Played(name) => {
                policy.players = Role::dispatched().map(|role| (role, name.clone())).collect();
            }
            Word::List(first, others) => {
                policy.fallbacks.insert(first.clone(), others.clone());
            }
            _ => {}
        }
    }
    policy
}

/// Who is at work or waits, and what is left for it.
pub fn who(session: &Session) -> Vec<String> {
    let open = session.dispatches.values().filter(|dispatch| dispatch.verdict().is_none());
    open.map(|dispatch| {
        let player = dispatch.player().unwrap_or("somebody");
        let stands_in = dispatch.stands_in_for().map(|of| format!(" for {of}")).unwrap_or_default();
        let (mark, how) = match (dispatch.running(), dispatch.waiting()) {
            (Some(_), _) if dispatch.asked_again().is_some() => ("plays", " again".to_owned()),
            (Some(_), _) => ("plays", String::new()),
            (None, None) => ("ready", String::new()),
            (None, Some(Waiting::Until(due) | Waiting::Parked(due))) => {
                ("waits", format!(" until {due}"))
            }
            (None, Some(Waiting::ForHeadroom)) => ("waits", " for headroom".to_owned()),
            (None, Some(other)) => ("waits", format!(" {other:?}")),
        };
        let allowance = dispatch.allowance();
        let usd = allowance.micro_usd.map(|micro| format!(" usd {}", micro as f64 / 1_000_000.0));
        let tokens = allowance.tokens.map(|tokens| format!(" tokens {tokens}"));
        let wall = allowance.wall_ms.map(|_| format!(" at most {} ms", dispatch.timeout_ms()));
        let left = [usd, tokens, wall].into_iter().flatten().collect::<String>();
        let (role, task) = (dispatch.role, dispatch.task.as_str());
        format!("{mark}     {role} {task}: {player}{stands_in}{left}{how}")
    })
    .collect()
}

pub fn ledger(session: &Session) -> Vec<String> {
    let view = View::of(session);
    let line = |name: &str, spend: &SpendView| format!("spent     {name}: {spend}");
    let mut lines = vec![line("all", &view.costs.spend)];
    lines.extend(view.costs.spend_by.role.iter().map(|(role, spend)| line(role.as_str(), spend)));
    lines.extend(view.costs.spend_by.task.iter().map(|(task, spend)| line(task.as_str(), spend)));
    lines.extend(view.costs.spend_by.agent.iter().map(|(name, spend)| line(name, spend)));
    let dispatches = view.work.dispatches.iter();
    lines.extend(dispatches.map(|d| line(&format!("dispatch {}", d.number), &d.spend)));
    lines
}

pub fn notices(session: &Session) -> Vec<String> {
    let line = |notice: &tollgate_core::session::Notice| {
        format!("notice    {} {}", notice.code, notice.message)
    };
    session.record.notices.iter().map(line).collect()
}
