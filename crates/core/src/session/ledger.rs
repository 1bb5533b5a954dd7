//! The ledger: who spent what, what is left of the limits, and what those at work are expected to need of it.

use super::spend::{Cost, Spend};
use super::{Dispatch, Session};
use crate::allowance::Allowance;
use crate::id::{DispatchNumber, TaskRef};
use crate::money::dollars;
use crate::policy::Policy;
use crate::role::Role;
use crate::time::Timestamp;
use std::collections::BTreeMap;

/// What was spent, who is out of its usage limit, and what a person allows beyond the limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Budget {
    pub ledger: Ledger,
    /// Agents that said until when they are out of their usage limit.
    pub(crate) out: BTreeMap<String, Timestamp>,
    /// Dispatches that a person allowed beyond the limits.
    pub(crate) consents: u32,
}

/// Every attempt is in each of the sums.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    pub total: Spend,
    pub by_task: BTreeMap<TaskRef, Spend>,
    pub by_role: BTreeMap<Role, Spend>,
    /// By the name in the settings; an attempt whose agent has no name there is in none of them.
    pub by_agent: BTreeMap<String, Spend>,
    /// The most that one attempt of a role came to.
    dearest: BTreeMap<Role, Allowance>,
}

impl Ledger {
    pub(super) fn started(&mut self, dispatch: &mut Dispatch) {
        self.each(dispatch, |spend| spend.attempts += 1);
    }

    pub(super) fn ended(&mut self, dispatch: &mut Dispatch, cost: &Cost) {
        self.each(dispatch, |spend| spend.add(cost));
        if cost.began {
            let dearest = self.dearest.entry(dispatch.role).or_default();
            dearest.micro_usd = dearest.micro_usd.max(cost.usage.micro_usd);
            dearest.tokens = dearest.tokens.max(cost.tokens());
            dearest.wall_ms = dearest.wall_ms.max(Some(cost.wall_ms));
        }
    }

    fn each(&mut self, dispatch: &mut Dispatch, change: impl Fn(&mut Spend)) {
        change(&mut self.total);
        change(self.by_task.entry(dispatch.task.clone()).or_default());
        change(self.by_role.entry(dispatch.role).or_default());
        if let Some(name) = &dispatch.who.player {
            change(self.by_agent.entry(name.to_string()).or_default());
        }
        change(&mut dispatch.spend);
    }

    /// The most that an attempt of this role came to, else of any role; where nothing is known, nothing.
    fn expected(&self, role: Role, limit: Limit) -> u64 {
        let known = self.dearest.get(&role).and_then(|most| limit.of(most));
        known.or_else(|| self.dearest.values().filter_map(|most| limit.of(most)).max()).unwrap_or(0)
    }

    /// Which limit is used up once this is spent too, in words.
    pub(super) fn over_with(&self, cost: &Cost, policy: &Policy) -> Option<String> {
        let mut after = Self { total: self.total, ..Self::default() };
        after.total.add(cost);
        after.over(policy)
    }

    /// Which limit is used up, in words.
    fn over(&self, policy: &Policy) -> Option<String> {
        let used_up = |limit: &Limit| limit.left(self, policy) == Some(0);
        let limit = Limit::ALL.into_iter().find(used_up)?;
        let (spent, max) = (limit.spent(&self.total), limit.max(policy).unwrap_or(0));
        Some(match limit {
            Limit::Usd => format!("{} of {} US dollars are spent", dollars(spent), dollars(max)),
            Limit::Tokens => format!("{spent} of {max} tokens are spent"),
            Limit::Wall => format!("agents ran for {} s of {} s", spent / 1_000, max / 1_000),
        })
    }
}

/// What can run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Usd,
    Tokens,
    Wall,
}

impl Limit {
    const ALL: [Self; 3] = [Self::Usd, Self::Tokens, Self::Wall];

    fn max(self, policy: &Policy) -> Option<u64> {
        match self {
            Self::Usd => policy.micro_usd_max,
            Self::Tokens => policy.tokens_max,
            Self::Wall => policy.wall_ms_max,
        }
    }

    /// What is known to be spent; the counts of unknown parts stand beside it.
    fn spent(self, spend: &Spend) -> u64 {
        match self {
            Self::Usd => spend.micro_usd.unwrap_or(0),
            Self::Tokens => spend.tokens().unwrap_or(0),
            Self::Wall => spend.wall_ms,
        }
    }

    pub(super) fn of(self, allowance: &Allowance) -> Option<u64> {
        match self {
            Self::Usd => allowance.micro_usd,
            Self::Tokens => allowance.tokens,
            Self::Wall => allowance.wall_ms,
        }
    }

    /// None without a limit.
    pub(super) fn left(self, ledger: &Ledger, policy: &Policy) -> Option<u64> {
        self.max(policy).map(|max| max.saturating_sub(self.spent(&ledger.total)))
    }
}

impl Session {
    /// Which limit is used up, in words.
    pub(crate) fn over_limit(&self) -> Option<String> {
        self.budget.ledger.over(&self.policy)
    }

    /// Whether an attempt fits into the limits beside those at work. Alone it does while anything is left.
    pub(crate) fn has_headroom(&self, number: DispatchNumber) -> bool {
        if self.over_limit().is_some() || self.at_work_beside(number).next().is_none() {
            return true;
        }
        let role = self.dispatches[&number].role;
        Limit::ALL.into_iter().all(|limit| {
            let free = limit.left(&self.budget.ledger, &self.policy);
            free.is_none_or(|left| {
                let free = left.saturating_sub(self.reserved(number, limit));
                free > 0 && self.budget.ledger.expected(role, limit) <= free
            })
        })
    }

    /// What is left of each limit, after those at work have had their part of it.
    pub(crate) fn allowance(&self, number: DispatchNumber) -> Allowance {
        let free = |limit: Limit| {
            let left = limit.left(&self.budget.ledger, &self.policy).filter(|left| *left > 0)?;
            // A person allowed it although it does not fit: it gets all that is not spent yet.
            match left.saturating_sub(self.reserved(number, limit)) {
                0 => Some(left),
                free => Some(free),
            }
        };
        Allowance {
            micro_usd: free(Limit::Usd),
            tokens: free(Limit::Tokens),
            wall_ms: free(Limit::Wall),
        }
    }

    fn reserved(&self, number: DispatchNumber, limit: Limit) -> u64 {
        let needs =
            self.at_work_beside(number).map(|role| self.budget.ledger.expected(role, limit));
        needs.fold(0, u64::saturating_add)
    }

    fn at_work_beside(&self, number: DispatchNumber) -> impl Iterator<Item = Role> {
        let others = self.dispatches.open.iter().filter(move |other| **other != number);
        others
            .map(|other| &self.dispatches[other])
            .filter(|dispatch| dispatch.running().is_some())
            .map(|dispatch| dispatch.role)
    }
}
