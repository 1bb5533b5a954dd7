//! The fold of an attempt: who plays it, what it is counted as, and when its agent is out of its usage limit.

use super::Session;
use super::dispatch::{AttemptRecord, Life, Terms, Who};
use super::spend::Cost;
use crate::event::{EndRuling, Event, StartRuling};
use crate::id::{Attempt, DispatchNumber};
use crate::reply::Usage;
use crate::time::Timestamp;
use crate::words;
use crate::work::DispatchEnd;
use crate::worker::Worker;

impl Session {
    pub(super) fn start_attempt(&mut self, at: Timestamp, event: &Event, ruling: StartRuling) {
        let Event::AttemptStarted {
            number,
            attempt,
            timeout_ms,
            agent,
            stands_in_for,
            allowance,
            ..
        } = event
        else {
            return;
        };
        if ruling.spends_consent {
            self.budget.consents = self.budget.consents.saturating_sub(1);
        }
        self.branch.before_merge = None;
        let based_on = Some(self.starting_commit(&self.dispatches[number]));
        let restored = self.allowed_aside(&self.dispatches[number]).cloned().collect();
        let role = self.dispatches[number].role;
        // No ruling: the agent of a role is in the policy, which an event adopted.
        let of_role = || self.policy.players.get(&role).cloned().map(Worker::Agent);
        let player = agent.clone().or_else(of_role);
        let dispatch = self.dispatches.get_mut(*number);
        dispatch.terms = Terms { based_on, timeout_ms: *timeout_ms, allowance: *allowance, ruling };
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

    pub(super) fn end_attempt(
        &mut self,
        at: Timestamp,
        number: DispatchNumber,
        attempt: Attempt,
        end: &DispatchEnd,
        usage: &Usage,
        ruling: EndRuling,
    ) {
        let cost = self.cost(at, number, end, usage);
        let dispatch = self.dispatches.get_mut(number);
        dispatch.end_attempt(attempt, end, ruling);
        dispatch.past.ends.push((attempt, words::ended(end)));
        self.budget.ledger.ended(dispatch, &cost);
        // A person who fixes by hand has no usage limit.
        if let (Some(until), Some(Worker::Agent(name))) = (ruling.out_until, &dispatch.who.player) {
            self.budget.out.insert(name.clone(), until);
        }
        if let DispatchEnd::Replied { work, reply } = end {
            self.note_scope(number, work);
            self.note_implementation(number, reply, work);
            self.note_verified(number, reply);
            self.note_blocker(number, attempt, reply);
        }
    }

    /// What the running attempt came to.
    pub(super) fn cost(
        &self,
        at: Timestamp,
        number: DispatchNumber,
        end: &DispatchEnd,
        usage: &Usage,
    ) -> Cost {
        let dispatch = &self.dispatches[&number];
        let started_at = dispatch.started_at().unwrap_or(at);
        // Where nobody saw it run: it cannot have run longer than it may.
        let elapsed_ms = at.ms_since(started_at).min(dispatch.timeout_ms());
        Cost::of(end, usage, elapsed_ms, dispatch.who.player != Some(Worker::Person))
    }
}
