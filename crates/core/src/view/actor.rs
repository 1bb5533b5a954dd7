//! Who an event of the journal comes from, for those who look for what somebody did.

use crate::event::Event;
use crate::work::DispatchEnd;
use serde::Serialize;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    Person,
    Agent,
    Tollgate,
}

impl Actor {
    pub const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::Tollgate];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Tollgate => "tollgate",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|actor| actor.as_str() == name)
    }

    pub fn of(event: &Event) -> Self {
        match event {
            Event::DecisionResolved { resolution, .. } if resolution.command.is_none() => {
                Self::Tollgate
            }
            Event::SessionOpened(_)
            | Event::SessionImported(_)
            | Event::GuidanceGiven { .. }
            | Event::ScopeExtended { .. }
            | Event::ScopeRefused { .. }
            | Event::CheckWaived { .. }
            | Event::CheckTakenOn { .. }
            | Event::CheckReplaced { .. }
            | Event::CoverageSettled { .. }
            | Event::EvidenceNamed { .. }
            | Event::EvidenceWaived { .. }
            | Event::ManualChecksSettled { .. }
            | Event::BudgetExtended
            | Event::FilesEdited { .. }
            | Event::AnswerKept { .. }
            | Event::DecisionResolved { .. }
            | Event::OlderJournalAccepted { .. } => Self::Person,
            Event::AttemptEnded {
                end: DispatchEnd::Replied { .. } | DispatchEnd::Invalid { .. },
                ..
            }
            | Event::AssumptionNoted { .. }
            | Event::ManualStepNoted { .. }
            | Event::LookWanted { .. } => Self::Agent,
            _ => Self::Tollgate,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Actor;
    use crate::decision::{DecisionStatus, Resolution};
    use crate::event::Event;
    use crate::id::{CommandId, DecisionId};

    fn resolved(command: Option<&str>) -> Event {
        let resolution = Resolution {
            status: DecisionStatus::Answered,
            answer: None,
            resolved_at: None,
            reason: None,
            command: command.map(CommandId::new),
            stage: None,
        };
        Event::DecisionResolved { id: DecisionId::parse("UD-1").expect("it is an id"), resolution }
    }

    #[test]
    fn only_what_a_command_of_somebody_resolved_is_of_a_person() {
        assert_eq!(Actor::of(&resolved(Some("c-1"))), Actor::Person);
        assert_eq!(Actor::of(&resolved(None)), Actor::Tollgate);
        assert_eq!(Actor::of(&Event::SessionClosed), Actor::Tollgate);
    }

    #[test]
    fn every_actor_is_found_by_its_name() {
        assert!(Actor::ALL.iter().all(|actor| Actor::named(actor.as_str()) == Some(*actor)));
        assert_eq!(Actor::named("model"), None);
    }
}
