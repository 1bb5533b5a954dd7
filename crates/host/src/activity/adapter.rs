//! From an agent of the settings to who plays a role: a command line, or a person.

use super::ActivityError;
use crate::context::Context;
use std::fmt;
use std::path::PathBuf;
use tollgate_agents::{self as agent, AgentAdapter};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_contract::reply_form::Way;
use tollgate_core::role::Role;
use tollgate_core::work::DispatchEnd;
use tollgate_core::worker::Worker;
use tollgate_files::FileError;

/// Who plays a role.
#[derive(Debug, Clone)]
pub enum Player {
    Program(Launch),
    Driven(Driven),
    Person,
}

impl Player {
    /// How it submits its reply.
    pub fn replies_by(&self) -> Way {
        match self {
            Self::Driven(driven) => driven.adapter.replies_by(),
            Self::Program(_) | Self::Person => Way::LastMessage,
        }
    }
}

/// An agent program that we talk to in its own way.
#[derive(Clone)]
pub struct Driven {
    pub name: String,
    pub agent: AgentConfig,
    pub adapter: &'static dyn AgentAdapter,
}

impl Driven {
    /// The program and what must come before its arguments; or why it cannot be started.
    pub fn command_line(&self, context: &Context) -> Result<Vec<String>, String> {
        let found = self
            .found(context)
            .map_err(|missing| format!("{missing}; {}", missing.how_to_fix()))?;
        let rest = self.agent.command.iter().skip(1).map(|word| context.from_root(word));
        Ok(self.adapter.command(&found).into_iter().chain(rest).collect())
    }

    /// The program as the person has it.
    pub fn found(&self, context: &Context) -> Result<PathBuf, Missing> {
        let named =
            self.agent.program.as_deref().or(self.agent.command.first().map(String::as_str));
        let own = self.adapter.program();
        find(context, named.unwrap_or(own), &self.name).map_err(|missing| match missing {
            Missing::NotOnPath { program, agent, .. } if program == own => {
                Missing::NotOnPath { program, agent, install: self.adapter.how_to_install() }
            }
            other => other,
        })
    }

    /// The end of an attempt that never began.
    pub fn could_not_start(&self, cause: String) -> DispatchEnd {
        DispatchEnd::CouldNotStart { program: self.name.clone(), cause }
    }
}

/// A program that cannot be started, and whose agent needs it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("{program} is not on PATH")]
    NotOnPath { program: String, agent: String, install: Option<String> },
    #[error("{program} does not exist or is not executable")]
    NotThere { program: String, agent: String },
}

impl Missing {
    pub fn how_to_fix(&self) -> String {
        match self {
            Self::NotOnPath { agent, install: None, .. } => {
                format!("give its full path under [agent.{agent}]")
            }
            Self::NotOnPath { install: Some(how), .. } => format!("`{how}`"),
            Self::NotThere { agent, .. } => format!(
                "[agent.{agent}] names it; a path with a slash is relative to the root of the repository, and `chmod +x` makes it executable"
            ),
        }
    }
}

/// The program of a word of the settings.
pub fn find(context: &Context, word: &str, agent: &str) -> Result<PathBuf, Missing> {
    let program = context.from_root(word);
    context.program(&program).ok_or_else(|| {
        let agent = agent.to_owned();
        match program.contains('/') {
            true => Missing::NotThere { program, agent },
            false => Missing::NotOnPath { program, agent, install: None },
        }
    })
}

impl fmt::Debug for Driven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driven").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How to start an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    pub argv: Vec<String>,
    pub env_names: Vec<String>,
    /// Outside the workspace, what this kind of agent cannot do without; it is there.
    pub writable: Vec<PathBuf>,
    /// Files with its login.
    pub secret_files: Vec<PathBuf>,
    /// How long it may say nothing, where nobody who speaks with it watches that.
    pub silence_ms: Option<u64>,
}

/// Why a role cannot be played; words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAgent {
    #[error("no agent of tollgate.toml plays {role}; name one under [roles]")]
    NotNamed { role: Role },
    #[error("there is no [agent.{name}] in tollgate.toml")]
    Unknown { name: String },
}

/// The agent that a person chose, or else the one that the settings name for the role. The engine's own role is played
/// by the program itself.
pub fn player(context: &Context, role: Role, chosen: Option<&Worker>) -> Result<Player, NoAgent> {
    if chosen == Some(&Worker::Person) {
        return Ok(Player::Person);
    }
    if role == Role::Orchestrator {
        let argv = vec![context.program.display().to_string(), "scaffold".to_owned()];
        return Ok(Player::Program(Launch { argv, ..Launch::default() }));
    }
    let (name, agent) = match chosen.and_then(Worker::agent) {
        Some(name) => {
            context.config.agent(name).ok_or_else(|| NoAgent::Unknown { name: name.to_owned() })?
        }
        None => context.config.agent_for(role).ok_or(NoAgent::NotNamed { role })?,
    };
    if agent.adapter == Adapter::Manual {
        return Ok(Player::Person);
    }
    if let Some(driven) = driven(context, name) {
        return Ok(Player::Driven(driven));
    }
    let words = agent.command.iter().chain(&agent.args);
    let argv = words.map(|word| context.from_root(word)).collect();
    let env_names = agent.env.clone();
    let silence_ms = Some(context.config.limits.silence_ms);
    Ok(Player::Program(Launch { argv, env_names, silence_ms, ..Launch::default() }))
}

/// The agent program of this name in the settings; none where it is no program that we talk to.
pub fn driven(context: &Context, name: &str) -> Option<Driven> {
    let (name, agent) = context.config.agent(name)?;
    let adapter = agent::adapter(agent.adapter)?;
    Some(Driven { name: name.to_owned(), agent: agent.clone(), adapter })
}

/// Why nothing begins.
#[derive(Debug)]
pub(super) enum NotBegun {
    /// The attempt ends with this.
    End(DispatchEnd),
    /// The host could not do its part.
    Fault(ActivityError),
}

impl From<DispatchEnd> for NotBegun {
    fn from(end: DispatchEnd) -> Self {
        Self::End(end)
    }
}

impl From<ActivityError> for NotBegun {
    fn from(fault: ActivityError) -> Self {
        Self::Fault(fault)
    }
}

impl From<FileError> for NotBegun {
    fn from(error: FileError) -> Self {
        Self::Fault(error.into())
    }
}
