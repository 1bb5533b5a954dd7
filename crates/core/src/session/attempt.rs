//! The fold of an attempt: who plays it, what it is counted as, and when its agent is out of its usage limit.

use super::Session;
use super::dispatch::{AttemptRecord, Life, Terms, Who};
use super::spend::Cost;
use crate::event::Event;
use crate::id::DispatchNumber;
use crate::limits::SHORT_PARK_MS;
use crate::time::Timestamp;
use crate::work::DispatchEnd;
use crate::worker::Worker;

impl Session {
    pub(super) fn start_attempt(&mut self, at: Timestamp, event: &Event) {
        let Event::AttemptStarted { number, attempt, timeout_ms, agent, stands_in_for, allowance } =
            event
        else {
            return;
        };
        if self.over_limit().is_some() {
            self.budget.consents = self.budget.consents.saturating_sub(1);
        }
        self.branch.before_merge = None;
        let based_on = Some(self.branch.tip.clone());
        let restored = self.allowed_aside(&self.dispatches[number]).cloned().collect();
        let role = self.dispatches[number].role;
        let of_role = || self.policy.players.get(&role).cloned().map(Worker::Agent);
        let player = agent.clone().or_else(of_role);
        let cut = self.cut_by_others(allowance);
        let dispatch = self.dispatches.get_mut(*number);
        dispatch.terms = Terms { based_on, timeout_ms: *timeout_ms, allowance: *allowance, cut };
        dispatch.given.restored = restored;
        dispatch.attempts = *attempt;
        dispatch.life = Life::Running(AttemptRecord { attempt: *attempt, started_at: at });
        dispatch.tries.starts += 1;
        dispatch.who = Who {
            // Who only stands in is nobody's choice for what follows.
            chosen: agent.clone().filter(|_| stands_in_for.is_none()),
            agent: agent.clone(),
            player,
            stands_in_for: stands_in_for.clone(),
        };
        self.budget.ledger.started(dispatch);
    }

    pub(super) fn count(&mut self, number: DispatchNumber, cost: &Cost) {
        self.budget.ledger.ended(self.dispatches.get_mut(number), cost);
    }

    /// The agent said until when it is out.
    pub(super) fn park(&mut self, at: Timestamp, number: DispatchNumber, end: &DispatchEnd) {
        let base_ms = self.policy.transient_base_ms;
        let dispatch = self.dispatches.get_mut(number);
        let until = match end {
            DispatchEnd::Parked { until, .. } => *until,
            // Neither says anything about the usage limit.
            DispatchEnd::Stopped | DispatchEnd::Interrupted { .. } => return,
            _ => {
                dispatch.tries.short_parks = 0;
                return;
            }
        };
        let is_short = until.ms_since(at) < SHORT_PARK_MS;
        let short_parks = &mut dispatch.tries.short_parks;
        *short_parks = if is_short { *short_parks + 1 } else { 0 };
        let soonest = at.plus_ms(dispatch.park_wait_ms(base_ms));
        let player = dispatch.who.player.clone();
        // A person who fixes by hand has no usage limit.
        if let Some(Worker::Agent(name)) = player {
            let known = self.budget.out.entry(name).or_insert(soonest);
            *known = until.max(soonest).max(*known);
        }
    }
}
