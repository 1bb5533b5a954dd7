//! Who plays: the agent of the role, the one that a person chose, or who takes over while that one is out of its usage limit.

use super::Session;
use crate::id::DispatchNumber;
use crate::role::Role;
use crate::time::Timestamp;

/// Who can play an attempt now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The agent that the settings or a person name.
    Own,
    /// Another one of its list, because it is out until then.
    StandIn { agent: String, of: String, until: Timestamp },
    /// Nobody before then.
    Out(Timestamp),
}

impl Session {
    /// Until when an agent is out of its usage limit.
    pub fn out_until(&self, agent: &str, now: Timestamp) -> Option<Timestamp> {
        self.out.get(agent).copied().filter(|until| *until > now)
    }

    /// Agents that are out of their usage limit at that time.
    pub fn out_at(&self, now: Timestamp) -> impl Iterator<Item = (&str, Timestamp)> {
        let out = self.out.iter().filter(move |(_, until)| **until > now);
        out.map(|(agent, until)| (agent.as_str(), *until))
    }

    pub(crate) fn seat(&self, number: DispatchNumber, now: Timestamp) -> Seat {
        let dispatch = &self.dispatches[&number];
        // Nobody takes over from the agent that a person chose.
        if let Some(chosen) = &dispatch.chosen {
            return self.out_until(chosen, now).map_or(Seat::Own, Seat::Out);
        }
        self.seat_of_role(dispatch.role, now)
    }

    /// Where no person has chosen.
    pub(crate) fn seat_of_role(&self, role: Role, now: Timestamp) -> Seat {
        let Some(own) = self.policy.players.get(&role) else {
            return Seat::Own;
        };
        let Some(until) = self.out_until(own, now) else {
            return Seat::Own;
        };
        let others = self.policy.fallbacks.get(own).map(Vec::as_slice).unwrap_or_default();
        match others.iter().find(|agent| self.out_until(agent, now).is_none()) {
            Some(agent) => Seat::StandIn { agent: agent.clone(), of: own.clone(), until },
            None => {
                let resets = others.iter().filter_map(|agent| self.out_until(agent, now));
                Seat::Out(resets.fold(until, Timestamp::min))
            }
        }
    }
}
