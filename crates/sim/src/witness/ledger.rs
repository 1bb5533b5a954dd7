//! Books on what was spent: every sum is what was told, and nothing starts beyond what is left.

use super::{Truth, attempts};
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::allowance::Allowance;
use tollgate_core::event::{Event, RetryWhy};
use tollgate_core::id::{Attempt, DispatchNumber, TaskRef};
use tollgate_core::input::Opening;
use tollgate_core::notice::NoticeCode;
use tollgate_core::policy::Policy;
use tollgate_core::reply::Usage;
use tollgate_core::role::Role;
use tollgate_core::session::{Session, Spend, Waiting};
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;

/// Money, tokens and time.
type Amounts = [Option<u64>; 3];

#[derive(Debug)]
pub(crate) struct Books {
    policy: Policy,
    total: Spend,
    by_task: BTreeMap<TaskRef, Spend>,
    by_role: BTreeMap<Role, Spend>,
    by_agent: BTreeMap<String, Spend>,
    by_dispatch: BTreeMap<DispatchNumber, Spend>,
    running: BTreeMap<DispatchNumber, Running>,
    dearest: BTreeMap<Role, Amounts>,
    /// Dispatches that a person allows beyond the limits.
    consents: u32,
    by_person: BTreeSet<DispatchNumber>,
    /// Who was at work when a limit was reached: only they may cost more than it.
    beyond: Option<BTreeSet<DispatchNumber>>,
    /// Whose costs are not known although there is a limit for them.
    untold: BTreeSet<(String, &'static str)>,
    told: BTreeSet<(String, &'static str)>,
    met_a_limit: bool,
}

#[derive(Debug)]
struct Running {
    role: Role,
    task: TaskRef,
    agent: Option<Worker>,
    at: Timestamp,
    timeout_ms: u64,
    is_cut: bool,
    allowance: Allowance,
    /// It got less money or fewer tokens than were left, because of others.
    shares_money: bool,
    /// It got less time than was left, because of others.
    shares_time: bool,
    consented: bool,
}

impl Running {
    /// Whether it ended for want of what others were expected to need.
    fn gave_way(&self, end: &DispatchEnd, usage: &Usage) -> bool {
        let tokens = usage.input_tokens.into_iter().chain(usage.output_tokens).sum::<u64>();
        let is_spent = |given: Option<u64>, spent: u64| given.is_some_and(|most| spent >= most);
        match end {
            DispatchEnd::UsedUp { .. } => {
                let has_spent = is_spent(self.allowance.micro_usd, usage.micro_usd.unwrap_or(0))
                    || is_spent(self.allowance.tokens, tokens);
                self.shares_money && has_spent
            }
            DispatchEnd::TimedOut { .. } => self.shares_time && self.is_cut,
            _ => false,
        }
    }
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        Self {
            policy: opening.policy.clone(),
            total: Spend::default(),
            by_task: BTreeMap::new(),
            by_role: BTreeMap::new(),
            by_agent: BTreeMap::new(),
            by_dispatch: BTreeMap::new(),
            running: BTreeMap::new(),
            dearest: BTreeMap::new(),
            consents: 0,
            by_person: BTreeSet::new(),
            beyond: None,
            untold: BTreeSet::new(),
            told: BTreeSet::new(),
            met_a_limit: false,
        }
    }

    pub fn see(
        &mut self,
        at: Timestamp,
        event: &Event,
        attempts: &attempts::Books,
        truth: &Truth,
    ) -> Held {
        match event {
            Event::PolicyAdopted { policy } => {
                self.policy = policy.clone();
                self.beyond = self.is_over().then(|| self.running.keys().copied().collect());
            }
            Event::BudgetExtended => self.consents += 1,
            Event::RetryScheduled { number, why: RetryWhy::Consented, .. } => {
                self.by_person.insert(*number);
            }
            Event::RetryScheduled { number, why: RetryWhy::Room, .. } => {
                let role = attempts.dispatches[number].role;
                let fits = self.fits(*number, role);
                return hold(!fits, "nobody_waits_without_need", || format!("dispatch {number}"));
            }
            Event::AttemptStarted { number, .. } => {
                let Some(record) = attempts.dispatches.get(number) else {
                    return Ok(());
                };
                return self.started(at, event, record.role, &record.task);
            }
            Event::AttemptEnded { number, attempt, end, usage, .. } => {
                return self.ended(at, (*number, *attempt), end, *usage, truth);
            }
            Event::DispatchClosed { number, .. } => {
                self.running.remove(number);
            }
            Event::Noticed { code: NoticeCode::BudgetUnknown, message } => {
                let is_meant = |(who, limit): &(String, &str)| {
                    message.starts_with(who.as_str()) && message.contains(limit)
                };
                self.told.extend(self.untold.iter().filter(|untold| is_meant(untold)).cloned());
            }
            _ => {}
        }
        Ok(())
    }

    fn limits(&self) -> Amounts {
        [self.policy.micro_usd_max, self.policy.tokens_max, self.policy.wall_ms_max]
    }

    fn spent(&self) -> [u64; 3] {
        let Spend { micro_usd, input_tokens, output_tokens, wall_ms, .. } = self.total;
        [micro_usd.unwrap_or(0), input_tokens.unwrap_or(0) + output_tokens.unwrap_or(0), wall_ms]
    }

    fn is_over(&self) -> bool {
        let mut limits = self.limits().into_iter().zip(self.spent());
        limits.any(|(limit, spent)| limit.is_some_and(|limit| spent >= limit))
    }

    fn expected(&self, role: Role, of: usize) -> u64 {
        let known = self.dearest.get(&role).and_then(|amounts| amounts[of]);
        let any = || self.dearest.values().filter_map(|amounts| amounts[of]).max();
        known.or_else(any).unwrap_or(0)
    }

    fn reserved(&self, number: DispatchNumber, of: usize) -> u64 {
        let others = self.running.iter().filter(|(other, _)| **other != number);
        others.map(|(_, running)| self.expected(running.role, of)).sum()
    }

    fn fits(&self, number: DispatchNumber, role: Role) -> bool {
        if self.is_over() || self.running.is_empty() {
            return true;
        }
        let spent = self.spent();
        self.limits().into_iter().enumerate().all(|(of, limit)| {
            let taken = spent[of] + self.reserved(number, of);
            limit.is_none_or(|limit| taken < limit && taken + self.expected(role, of) <= limit)
        })
    }

    fn left(&self, number: DispatchNumber) -> Allowance {
        let spent = self.spent();
        let amount = |of: usize| {
            let left = self.limits()[of]?.checked_sub(spent[of]).filter(|left| *left > 0)?;
            let free = left.saturating_sub(self.reserved(number, of));
            Some(if free == 0 { left } else { free })
        };
        Allowance { micro_usd: amount(0), tokens: amount(1), wall_ms: amount(2) }
    }

    /// R106.
    fn started(&mut self, at: Timestamp, event: &Event, role: Role, task: &TaskRef) -> Held {
        let Event::AttemptStarted { number, timeout_ms, agent, allowance, .. } = event else {
            return Ok(());
        };
        let (number, is_over) = (*number, self.is_over());
        let by_person = self.by_person.remove(&number);
        let consented = by_person || self.consents > 0;
        hold(!is_over || consented, "no_attempt_starts_beyond_a_limit", || {
            format!("dispatch {number} starts with {:?} of {:?}", self.spent(), self.limits())
        })?;
        hold(by_person || self.fits(number, role), "an_attempt_fits_beside_the_others", || {
            format!("dispatch {number} starts beside {:?}", self.running)
        })?;
        let left = self.left(number);
        hold(*allowance == left, "the_allowance_is_what_is_left", || {
            format!("dispatch {number} gets {allowance:?} instead of {left:?}")
        })?;
        if is_over {
            self.consents = self.consents.saturating_sub(1);
        }
        let spent = self.spent();
        let given = [allowance.micro_usd, allowance.tokens, allowance.wall_ms];
        let shares = |of: usize| {
            let whole = self.limits()[of].map(|limit| limit.saturating_sub(spent[of]));
            given[of].is_some() && given[of] < whole
        };
        let (shares_money, shares_time) = (shares(0) || shares(1), shares(2));
        let agent =
            agent.clone().or_else(|| self.policy.players.get(&role).cloned().map(Worker::Agent));
        let cut_ms = allowance.wall_ms.map_or(*timeout_ms, |left| left.min(*timeout_ms));
        let running = Running {
            role,
            task: task.clone(),
            agent,
            at,
            timeout_ms: cut_ms,
            is_cut: cut_ms < *timeout_ms,
            allowance: *allowance,
            shares_money,
            shares_time,
            consented: is_over || by_person,
        };
        self.count(number, &running, |spend| spend.attempts += 1);
        self.running.insert(number, running);
        Ok(())
    }

    fn ended(
        &mut self,
        at: Timestamp,
        of: (DispatchNumber, Attempt),
        end: &DispatchEnd,
        usage: Usage,
        truth: &Truth,
    ) -> Held {
        let told = truth.usages.get(&of).copied();
        hold(told == Some(usage), "a_cost_is_what_was_told", || {
            format!("attempt {} of dispatch {}: {usage:?} instead of {told:?}", of.1, of.0)
        })?;
        let Some(running) = self.running.remove(&of.0) else {
            return Ok(());
        };
        let was_over = self.is_over();
        let elapsed_ms = at.ms_since(running.at).min(running.timeout_ms);
        let began = end.has_begun() && running.agent != Some(Worker::Person);
        // Where nothing is told beside it, a reply speaks for itself.
        let is_untold = usage == Usage::default();
        let known = if is_untold { end.claimed_usage() } else { usage };
        self.charge(of.0, &running, began, known, known.wall_ms.unwrap_or(elapsed_ms));
        let was_there = self.beyond.as_ref().is_none_or(|there| there.contains(&of.0));
        let is_fair = !was_over || was_there || running.consented;
        hold(is_fair, "a_limit_is_overrun_by_what_is_in_flight", || {
            format!("dispatch {} came after {:?} and spends", of.0, self.beyond)
        })?;
        if !was_over && self.is_over() {
            self.beyond = Some(self.running.keys().copied().collect());
        }
        let is_cut = match end {
            DispatchEnd::UsedUp { .. } => true,
            DispatchEnd::TimedOut { .. } => running.is_cut,
            _ => false,
        };
        self.met_a_limit = is_cut && (self.is_over() || running.gave_way(end, &usage));
        if began {
            self.must_tell(&running, &usage);
        }
        Ok(())
    }

    /// Whether the attempt that ended last came to the end of a limit.
    pub fn met_a_limit(&self) -> bool {
        self.met_a_limit
    }

    fn must_tell(&mut self, running: &Running, usage: &Usage) {
        let who = running.agent.as_ref().map(ToString::to_string);
        let who = who.unwrap_or_else(|| format!("the agent of {}", running.role));
        if self.policy.micro_usd_max.is_some() && usage.micro_usd.is_none() {
            self.untold.insert((who.clone(), "limits.usd"));
        }
        let has_tokens = usage.input_tokens.is_some() && usage.output_tokens.is_some();
        if self.policy.tokens_max.is_some() && !has_tokens {
            self.untold.insert((who, "limits.tokens"));
        }
    }

    fn count(&mut self, number: DispatchNumber, running: &Running, add: impl Fn(&mut Spend)) {
        add(&mut self.total);
        add(self.by_task.entry(running.task.clone()).or_default());
        add(self.by_role.entry(running.role).or_default());
        if let Some(agent) = &running.agent {
            add(self.by_agent.entry(agent.to_string()).or_default());
        }
        add(self.by_dispatch.entry(number).or_default());
    }

    fn charge(
        &mut self,
        number: DispatchNumber,
        running: &Running,
        began: bool,
        usage: Usage,
        wall_ms: u64,
    ) {
        let sum = |known: &mut Option<u64>, more: Option<u64>| {
            if more.is_some() {
                *known = Some(known.unwrap_or(0) + more.unwrap_or(0));
            }
        };
        let has_tokens = usage.input_tokens.is_some() && usage.output_tokens.is_some();
        self.count(number, running, |spend| {
            sum(&mut spend.micro_usd, usage.micro_usd);
            sum(&mut spend.input_tokens, usage.input_tokens);
            sum(&mut spend.output_tokens, usage.output_tokens);
            spend.wall_ms += wall_ms;
            spend.price_unknown += u32::from(began && usage.micro_usd.is_none());
            spend.tokens_unknown += u32::from(began && !has_tokens);
        });
        if began {
            let mut tokens = usage.input_tokens;
            sum(&mut tokens, usage.output_tokens);
            let most = self.dearest.entry(running.role).or_default();
            for (most, cost) in most.iter_mut().zip([usage.micro_usd, tokens, Some(wall_ms)]) {
                *most = (*most).max(cost);
            }
        }
    }

    pub fn after_commit(&self, session: &Session) -> Held {
        let ledger = &session.budget.ledger;
        let is_same = ledger.total == self.total
            && ledger.by_task == self.by_task
            && ledger.by_role == self.by_role
            && ledger.by_agent == self.by_agent;
        hold(is_same, "the_ledger_is_what_was_told", || format!("{ledger:?} and not {self:?}"))?;
        let none = Spend::default();
        let wrong = session.dispatches.iter().find(|(number, dispatch)| {
            dispatch.spend != *self.by_dispatch.get(number).unwrap_or(&none)
        });
        hold(wrong.is_none(), "the_ledger_is_what_was_told", || format!("{wrong:?}"))?;
        hold(self.untold.is_subset(&self.told), "an_unknown_price_is_told", || {
            format!("{:?} and told {:?}", self.untold, self.told)
        })?;
        let is_held =
            session.standing.blocker.is_some() || session.pending_decisions().next().is_some();
        let waits = session.dispatches.iter().find(|(number, dispatch)| {
            dispatch.waiting() == Some(Waiting::ForHeadroom) && self.fits(**number, dispatch.role)
        });
        hold(is_held || waits.is_none(), "who_has_room_starts", || format!("{waits:?}"))
    }
}
