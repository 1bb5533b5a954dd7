//! The fold of an attempt: who plays it, what it is counted as, and when its agent is out of its usage limit.

use super::spend::Cost;
use super::{AttemptRecord, Session};
use crate::decide::MANUAL_FIX;
use crate::event::Event;
use crate::id::DispatchNumber;
use crate::limits::SHORT_PARK_MS;
use crate::time::Timestamp;
use crate::work::DispatchEnd;

impl Session {
    pub(super) fn start_attempt(&mut self, at: Timestamp, event: &Event) {
        let Event::AttemptStarted { number, attempt, timeout_ms, agent, stands_in_for, allowance } =
            event
        else {
            return;
        };
        if self.over_limit().is_some() {
            self.budget_consents = self.budget_consents.saturating_sub(1);
        }
        self.before_merge = None;
        let based_on = Some(self.tip.clone());
        let restored = self.allowed_aside(&self.dispatches[number]).cloned().collect();
        let role = self.dispatches[number].role;
        let player = agent.clone().or_else(|| self.policy.players.get(&role).cloned());
        let cut = self.cut_by_others(allowance);
        let dispatch = self.dispatch_mut(*number);
        dispatch.cut = cut;
        dispatch.restored = restored;
        dispatch.based_on = based_on;
        dispatch.attempts = *attempt;
        dispatch.current = Some(AttemptRecord { attempt: *attempt, started_at: at });
        dispatch.waiting = None;
        dispatch.is_parked = false;
        dispatch.starts += 1;
        dispatch.timeout_ms = *timeout_ms;
        dispatch.allowance = *allowance;
        dispatch.agent.clone_from(agent);
        dispatch.player = player;
        dispatch.stands_in_for.clone_from(stands_in_for);
        // Who only stands in is nobody's choice for what follows.
        dispatch.chosen = agent.clone().filter(|_| stands_in_for.is_none());
        let dispatch =
            self.dispatches.get_mut(number).expect("the journal opens a dispatch before it starts");
        self.ledger.started(dispatch);
    }

    pub(super) fn count(&mut self, number: DispatchNumber, cost: &Cost) {
        if let Some(dispatch) = self.dispatches.get_mut(&number) {
            self.ledger.ended(dispatch, cost);
        }
    }

    /// The agent said until when it is out.
    pub(super) fn park(&mut self, at: Timestamp, number: DispatchNumber, end: &DispatchEnd) {
        let base_ms = self.policy.transient_base_ms;
        let dispatch = self.dispatch_mut(number);
        let until = match end {
            DispatchEnd::Parked { until, .. } => *until,
            // Neither says anything about the usage limit.
            DispatchEnd::Stopped | DispatchEnd::Interrupted { .. } => return,
            _ => {
                dispatch.short_parks = 0;
                return;
            }
        };
        let is_short = until.ms_since(at) < SHORT_PARK_MS;
        dispatch.short_parks = if is_short { dispatch.short_parks + 1 } else { 0 };
        let soonest = at.plus_ms(dispatch.park_wait_ms(base_ms));
        let player = dispatch.player.clone();
        // A person who fixes by hand has no usage limit.
        if let Some(name) = player.filter(|name| name != MANUAL_FIX) {
            let known = self.out.entry(name).or_insert(soonest);
            *known = until.max(soonest).max(*known);
        }
    }
}
