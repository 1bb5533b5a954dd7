//! Books on who plays: nobody who is out of its usage limit, and nobody who is not on the list.

use super::attempts;
use crate::violation::{Held, hold};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::decision::Subject;
use tollgate_core::event::{Event, RetryWhy};
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::input::Opening;
use tollgate_core::limits::{PARK_BACKOFF_MS_MAX, SHORT_PARK_MS, UNTOLD_PARK_MS};
use tollgate_core::policy::Policy;
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;

#[derive(Debug)]
pub(crate) struct Books {
    policy: Policy,
    out: BTreeMap<String, Timestamp>,
    players: BTreeMap<DispatchNumber, Worker>,
    /// Who plays because a person asked for it.
    chosen: BTreeSet<DispatchNumber>,
    by_person: BTreeSet<DispatchNumber>,
    escalations: BTreeMap<DecisionId, DispatchNumber>,
    /// Short waits for a usage limit in a row.
    short_parks: BTreeMap<DispatchNumber, u32>,
    /// When a dispatch may continue at the soonest whose agent told a time that was over already.
    stale: BTreeMap<DispatchNumber, Timestamp>,
    /// Whom a person named for a dispatch.
    named: BTreeSet<(DispatchNumber, String)>,
}

impl Books {
    pub fn new(opening: &Opening) -> Self {
        Self {
            policy: opening.policy.clone(),
            out: BTreeMap::new(),
            players: BTreeMap::new(),
            chosen: BTreeSet::new(),
            by_person: BTreeSet::new(),
            escalations: BTreeMap::new(),
            short_parks: BTreeMap::new(),
            stale: BTreeMap::new(),
            named: BTreeSet::new(),
        }
    }

    pub fn see(&mut self, at: Timestamp, event: &Event, attempts: &attempts::Books) -> Held {
        match event {
            Event::PolicyAdopted { policy } => self.policy = policy.clone(),
            Event::DecisionAsked { decision } => {
                if let Subject::Dispatch { dispatch } = decision.subject {
                    self.escalations.insert(decision.decision_id.clone(), dispatch);
                }
            }
            Event::DecisionResolved { id, resolution } => {
                let answer = resolution.answer.as_deref().unwrap_or_default();
                let name = answer.strip_prefix("retry-with:").map(str::trim);
                if let (Some(name), Some(number)) = (name, self.escalations.get(id)) {
                    self.named.insert((*number, name.to_owned()));
                }
            }
            Event::RetryScheduled { number, due, why } => {
                if *why == RetryWhy::Consented {
                    self.by_person.insert(*number);
                    self.short_parks.remove(number);
                }
                let role = attempts.dispatches[number].role;
                return self.scheduled(at, *number, role, *due, *why);
            }
            Event::AttemptStarted { number, agent, stands_in_for, .. } => {
                let Some(record) = attempts.dispatches.get(number) else {
                    return Ok(());
                };
                self.started(at, *number, record.role, agent.as_ref(), stands_in_for.as_deref())?;
            }
            Event::AttemptEnded { number, end: DispatchEnd::Parked { until, no_time }, .. } => {
                if no_time.is_some() {
                    let is_hour = *until == at.plus_ms(UNTOLD_PARK_MS);
                    let is_right = is_hour && self.is_another_free(at, *number, attempts);
                    hold(is_right, "without_a_time_only_where_another_continues", || {
                        format!("dispatch {number} is parked until {until}: {:?}", self.out)
                    })?;
                }
                self.parked(at, *number, *until);
            }
            Event::AttemptEnded { number, end: DispatchEnd::Limited { .. }, .. } => {
                hold(
                    !self.is_another_free(at, *number, attempts),
                    "another_one_continues",
                    || format!("dispatch {number} is tried again by who is out: {:?}", self.out),
                )?;
                self.short_parks.remove(number);
            }
            Event::AttemptEnded {
                end: DispatchEnd::Stopped | DispatchEnd::Interrupted { .. },
                ..
            } => {}
            Event::AttemptEnded { number, .. } => {
                self.short_parks.remove(number);
            }
            _ => {}
        }
        Ok(())
    }

    fn is_out(&self, agent: &str, at: Timestamp) -> bool {
        self.out.get(agent).is_some_and(|until| *until > at)
    }

    fn parked(&mut self, at: Timestamp, number: DispatchNumber, until: Timestamp) {
        let in_a_row = self.short_parks.entry(number).or_insert(0);
        *in_a_row = if until.ms_since(at) < SHORT_PARK_MS { *in_a_row + 1 } else { 0 };
        let doubled = self.policy.transient_base_ms << in_a_row.saturating_sub(1);
        let soonest = at.plus_ms(doubled.min(PARK_BACKOFF_MS_MAX));
        self.stale.remove(&number);
        if until <= at {
            self.stale.insert(number, soonest);
        }
        let player = self.players.get(&number);
        if let Some(Worker::Agent(name)) = player.cloned() {
            let until = until.max(soonest);
            let known = self.out.entry(name).or_insert(until);
            *known = until.max(*known);
        }
    }

    /// Whether someone else of the list could continue.
    fn is_another_free(
        &self,
        at: Timestamp,
        number: DispatchNumber,
        attempts: &attempts::Books,
    ) -> bool {
        let Some(player) = self.players.get(&number) else { return false };
        let seats = self.seats(attempts.dispatches[&number].role);
        let mut others = seats.into_iter().filter(|agent| player.agent() != Some(agent.as_str()));
        !self.chosen.contains(&number) && others.any(|agent| !self.is_out(agent, at))
    }

    /// The agent of the role and those who may take over from it.
    fn seats(&self, role: Role) -> Vec<&String> {
        let own = self.policy.players.get(&role);
        let list = own.and_then(|own| self.policy.fallbacks.get(own));
        own.into_iter().chain(list.into_iter().flatten()).collect()
    }

    /// R107: until the first of them is back, and not where one of them is not out.
    fn scheduled(
        &self,
        at: Timestamp,
        number: DispatchNumber,
        role: Role,
        due: Timestamp,
        why: RetryWhy,
    ) -> Held {
        let seats = self.seats(role);
        let is_known = !self.chosen.contains(&number)
            && !seats.is_empty()
            && self.players.get(&number).is_none_or(|worker| *worker != Worker::Person);
        if why != RetryWhy::Parked || !is_known {
            return Ok(());
        }
        let back = |agent: &&String| if self.is_out(agent, at) { self.out[*agent] } else { at };
        let first = seats.iter().map(back).min();
        let is_stale = first == Some(at) && self.stale.get(&number) == Some(&due);
        hold(is_stale || first == Some(due), "parked_until_the_first_is_back", || {
            format!("dispatch {number} waits until {due} and not {first:?}: {:?}", self.out)
        })
    }

    fn started(
        &mut self,
        at: Timestamp,
        number: DispatchNumber,
        role: Role,
        agent: Option<&Worker>,
        stands_in_for: Option<&str>,
    ) -> Held {
        let by_person = self.by_person.remove(&number);
        let own = self.policy.players.get(&role).cloned();
        let player = agent.cloned().or_else(|| own.clone().map(Worker::Agent));
        let name = player.as_ref().and_then(Worker::agent);
        let is_out = name.is_some_and(|name| self.is_out(name, at));
        hold(by_person || !is_out, "a_parked_agent_is_not_started", || {
            format!("{player:?} plays dispatch {number} and is out: {:?}", self.out)
        })?;
        let is_right = match (agent, stands_in_for) {
            (Some(agent), Some(of)) => {
                let next = self.seats(role).into_iter().find(|name| !self.is_out(name, at));
                let is_out = own.as_deref() == Some(of) && self.is_out(of, at);
                is_out && next.is_some_and(|next| agent.agent() == Some(next.as_str()))
            }
            (Some(Worker::Person), None) => true,
            (Some(Worker::Agent(name)), None) => self.named.contains(&(number, name.clone())),
            (None, stands_in_for) => stands_in_for.is_none(),
        };
        hold(is_right, "only_the_list_takes_over", || {
            format!("{agent:?} plays dispatch {number} for {stands_in_for:?}: {:?}", self.out)
        })?;
        if agent.is_some() && stands_in_for.is_none() {
            self.chosen.insert(number);
        } else {
            self.chosen.remove(&number);
        }
        match player {
            Some(player) => self.players.insert(number, player),
            None => self.players.remove(&number),
        };
        Ok(())
    }
}
