//! What a journal, and the plans of the attempts beside it, tell about how a session was made.

use crate::{Opened, OpenedError};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_agents::read_plan;
use tollgate_core::event::Event;
use tollgate_core::input::Opening;
use tollgate_core::policy::Policy;
use tollgate_core::time::Timestamp;
use tollgate_host::client::Client;

#[derive(Debug)]
pub struct Facts {
    pub opening: Opening,
    /// Those that it was opened with, and every one that a resume has brought.
    pub settings: Vec<Policy>,
    pub closed_at: Option<Timestamp>,
    agents: BTreeMap<String, AgentFacts>,
}

/// What is known of an agent that played.
#[derive(Debug, Default)]
struct AgentFacts {
    roles: BTreeSet<&'static str>,
    attempts: u32,
    adapters: BTreeSet<String>,
    programs: BTreeSet<String>,
    models: BTreeSet<String>,
}

impl Facts {
    pub fn read(opened: &Opened) -> Result<Self, OpenedError> {
        let (mut opening, mut settings, mut closed_at) = (None, Vec::new(), None);
        Client::open(opened.layout().clone())?.follow(|told| match told.event {
            Event::SessionOpened(found) => {
                settings.push(found.policy.clone());
                opening = Some((**found).clone());
            }
            Event::PolicyAdopted { policy } if settings.last() != Some(policy) => {
                settings.push(policy.clone());
            }
            Event::SessionClosed => closed_at = Some(told.at),
            _ => {}
        })?;
        let opening = opening.ok_or(OpenedError::NotBegun)?;
        Ok(Self { opening, settings, closed_at, agents: agents(opened) })
    }

    /// A dependency for each agent. There is no digest: which bytes a program had that ran then, nobody recorded.
    pub fn agents(&self) -> impl Iterator<Item = Value> + '_ {
        self.agents.iter().map(|(name, agent)| {
            let mut told = Map::new();
            told.insert("tollgate_roles".to_owned(), json!(agent.roles));
            told.insert("tollgate_attempts".to_owned(), json!(agent.attempts));
            let lists = [
                ("tollgate_adapters", &agent.adapters),
                ("tollgate_programs", &agent.programs),
                ("tollgate_models", &agent.models),
            ];
            for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
                told.insert(key.to_owned(), json!(list));
            }
            json!({
                "name": format!("agent {name}"),
                "uri": format!("urn:tollgate:agent:{}", encoded(name)),
                "annotations": told,
            })
        })
    }
}

fn agents(opened: &Opened) -> BTreeMap<String, AgentFacts> {
    let mut agents: BTreeMap<String, AgentFacts> = BTreeMap::new();
    for (_, span) in opened.chronicle().attempts() {
        let Some(name) = &span.agent else { continue };
        let agent = agents.entry(name.clone()).or_default();
        agent.attempts += 1;
        agent.roles.insert(span.role.as_str());
        let folder = opened.layout().attempt(span.number, span.attempt);
        if let Some(plan) = read_plan(folder.folder()) {
            agent.adapters.insert(plan.adapter.as_str().to_owned());
            let program = plan.argv.first().and_then(|program| program.rsplit('/').next());
            agent.programs.extend(program.map(str::to_owned));
            agent.models.extend(plan.model);
        }
    }
    agents
}

/// Fit for a part of a URN.
fn encoded(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'~' => encoded.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn r194_a_name_of_an_agent_is_fit_for_a_uri() {
        assert_eq!(encoded("claude-4_x.y"), "claude-4_x.y");
        assert_eq!(encoded("a b/é#"), "a%20b%2F%C3%A9%23");
    }
}
