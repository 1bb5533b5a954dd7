//! Money in stories: limits, what attempts cost, who plays and who takes over.

use std::collections::BTreeMap;
use tollgate_core::policy::Policy;
use tollgate_core::reply::Usage;
use tollgate_core::role::Role;
use tollgate_core::session::{Session, Waiting};
use tollgate_core::view::{SpendView, View};
use tollgate_core::work::DispatchEnd;

pub struct Purse {
    micro_usd: BTreeMap<Role, u64>,
    wall_ms: BTreeMap<Role, u64>,
}

impl Purse {
    pub fn new(story: &str) -> Self {
        let costs = |word: &str, factor: f64| {
            let lines = story.lines().filter_map(|line| line.trim().strip_prefix(word));
            let pair = |line: &str| {
                let (role, amount) = line.trim().split_once(' ')?;
                Some((Role::parse(role)?, scaled(amount, factor)?))
            };
            lines.filter_map(pair).collect()
        };
        Self { micro_usd: costs("costs ", 1_000_000.0), wall_ms: costs("lasts ", 1_000.0) }
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

pub fn policy(story: &str) -> Policy {
    let told = |word: &str| story.lines().find_map(|line| line.trim().strip_prefix(word));
    let lists = story.lines().filter_map(|line| line.trim().strip_prefix("list "));
    Policy {
        micro_usd_max: told("usd ").and_then(|amount| scaled(amount, 1_000_000.0)),
        wall_ms_max: told("wall ").and_then(|amount| scaled(amount, 1_000.0)),
        players: told("played ")
            .map(|name| Role::dispatched().map(|role| (role, name.to_owned())).collect())
            .unwrap_or_default(),
        fallbacks: lists.filter_map(list).collect(),
        ..Policy::default()
    }
}

/// `alpha beta gamma`: who takes over from the first.
pub fn list(line: &str) -> Option<(String, Vec<String>)> {
    let (name, others) = line.split_once(' ')?;
    Some((name.to_owned(), others.split_whitespace().map(str::to_owned).collect()))
}

fn scaled(amount: &str, factor: f64) -> Option<u64> {
    amount.trim().parse::<f64>().ok().map(|amount| (amount * factor).round() as u64)
}

/// Who is at work or waits, and what is left for it.
pub fn who(session: &Session) -> Vec<String> {
    let open = session.dispatches.values().filter(|dispatch| dispatch.verdict.is_none());
    open.map(|dispatch| {
        let player = dispatch.player().unwrap_or("somebody");
        let stands_in = dispatch.stands_in_for().map(|of| format!(" for {of}")).unwrap_or_default();
        let (mark, how) = match (dispatch.running(), dispatch.waiting()) {
            (Some(_), _) if dispatch.asked_again().is_some() => ("plays", " again".to_owned()),
            (Some(_), _) => ("plays", String::new()),
            (None, None) => ("ready", String::new()),
            (None, Some(Waiting::Until(due))) => ("waits", format!(" until {due}")),
            (None, Some(Waiting::ForRoom)) => ("waits", " for room".to_owned()),
            (None, Some(other)) => ("waits", format!(" {other:?}")),
        };
        let allowance = dispatch.allowance();
        let usd = allowance.micro_usd.map(|micro| format!(" usd {}", micro as f64 / 1_000_000.0));
        let tokens = allowance.tokens.map(|tokens| format!(" tokens {tokens}"));
        let wall = allowance.wall_ms.map(|_| format!(" at most {} ms", dispatch.timeout_ms()));
        let left = [usd, tokens, wall].into_iter().flatten().collect::<String>();
        let (role, task) = (dispatch.role, &dispatch.task);
        format!("{mark}     {role} {task}: {player}{stands_in}{left}{how}")
    })
    .collect()
}

pub fn ledger(session: &Session) -> Vec<String> {
    let view = View::of(session);
    let line = |name: &str, spend: &SpendView| format!("spent     {name}: {spend}");
    let mut lines = vec![line("all", &view.spend)];
    lines.extend(view.spend_by.role.iter().map(|(role, spend)| line(role.as_str(), spend)));
    lines.extend(view.spend_by.task.iter().map(|(task, spend)| line(task, spend)));
    lines.extend(view.spend_by.agent.iter().map(|(name, spend)| line(name, spend)));
    let dispatches = view.dispatches.iter();
    lines.extend(dispatches.map(|d| line(&format!("dispatch {}", d.number), &d.spend)));
    lines
}

pub fn notices(session: &Session) -> Vec<String> {
    let line = |notice: &tollgate_core::session::Notice| {
        format!("notice    {} {}", notice.code, notice.message)
    };
    session.notices.iter().map(line).collect()
}
