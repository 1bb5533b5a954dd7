//! Who plays: the agent of the role, the one that a person chose, or who takes over while that one is out of its usage limit.

use super::Session;
use crate::id::DispatchNumber;
use crate::limits::UNTOLD_PARK_MS;
use crate::role::Role;
use crate::time::Timestamp;
use crate::work::DispatchEnd;

/// Who can play an attempt now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Availability {
    /// The agent that the settings or a person name.
    Own,
    /// Another one of its list, because it is out until then.
    Fallback { agent: String, of: String, until: Timestamp },
    /// Nobody before then.
    Out(Timestamp),
}

impl Session {
    /// Until when an agent is out of its usage limit.
    pub fn out_until(&self, agent: &str, now: Timestamp) -> Option<Timestamp> {
        self.budget.out.get(agent).copied().filter(|until| *until > now)
    }

    /// Agents that are out of their usage limit at that time.
    pub fn out_at(&self, now: Timestamp) -> impl Iterator<Item = (&str, Timestamp)> {
        let out = self.budget.out.iter().filter(move |(_, until)| **until > now);
        out.map(|(agent, until)| (agent.as_str(), *until))
    }

    /// A usage limit that nobody knows the end of counts for a while where another agent is free meanwhile.
    pub(crate) fn with_time(
        &self,
        number: DispatchNumber,
        end: DispatchEnd,
        now: Timestamp,
    ) -> DispatchEnd {
        match end {
            DispatchEnd::Limited { detail } if self.is_another_free(number, now) => {
                DispatchEnd::Parked { until: now.plus_ms(UNTOLD_PARK_MS), no_time: Some(detail) }
            }
            end => end,
        }
    }

    /// Whether somebody may continue with a dispatch whose player is out.
    fn is_another_free(&self, number: DispatchNumber, now: Timestamp) -> bool {
        let dispatch = &self.dispatches[&number];
        let (Some(player), None) = (&dispatch.who.player, &dispatch.who.chosen) else {
            return false;
        };
        let own = self.policy.players.get(&dispatch.role);
        let others = own.and_then(|own| self.policy.fallbacks.get(own)).into_iter().flatten();
        let mut agents = own.into_iter().chain(others);
        agents.any(|agent| {
            player.agent() != Some(agent.as_str()) && self.out_until(agent, now).is_none()
        })
    }

    pub(crate) fn availability(&self, number: DispatchNumber, now: Timestamp) -> Availability {
        let dispatch = &self.dispatches[&number];
        // Nobody takes over from the agent that a person chose.
        if let Some(chosen) = &dispatch.who.chosen {
            let until = chosen.agent().and_then(|agent| self.out_until(agent, now));
            return until.map_or(Availability::Own, Availability::Out);
        }
        self.availability_of_role(dispatch.role, now)
    }

    /// Where no person has chosen.
    pub(crate) fn availability_of_role(&self, role: Role, now: Timestamp) -> Availability {
        let Some(own) = self.policy.players.get(&role) else {
            return Availability::Own;
        };
        let Some(until) = self.out_until(own, now) else {
            return Availability::Own;
        };
        let others = self.policy.fallbacks.get(own).map(Vec::as_slice).unwrap_or_default();
        match others.iter().find(|agent| self.out_until(agent, now).is_none()) {
            Some(agent) => Availability::Fallback { agent: agent.clone(), of: own.clone(), until },
            None => {
                let resets = others.iter().filter_map(|agent| self.out_until(agent, now));
                Availability::Out(resets.fold(until, Timestamp::min))
            }
        }
    }
}
