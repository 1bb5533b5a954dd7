//! Any agent that speaks the Agent Client Protocol, version 1, on its standard input and output.

mod boundary;
mod choice;
mod conversation;
mod failure;
mod files;
mod message;
mod permission;
mod rpc;
mod spent;
mod terminals;
#[cfg(test)]
mod tests;
mod tools;
mod wrapped;

pub use wrapped::OverAcp;
pub(crate) use wrapped::unwritten;

use super::{
    AgentAdapter, AgentStart, DriverPlan, Job, LoginFile, NotStarted, StandIn, Stdin, Talk,
};
use conversation::AcpConversation;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};
use wrapped::Wrapped;

pub struct Acp;

impl AgentAdapter for Acp {
    fn kind(&self) -> Adapter {
        Adapter::Acp
    }

    /// The settings must name one; this is only told where they do not.
    fn program(&self) -> &'static str {
        "the first of `command`"
    }

    /// Each agent has its own; this is the version of the protocol.
    fn tested(&self) -> &'static str {
        "1"
    }

    fn login(&self, agent: &AgentConfig) -> &'static [LoginFile] {
        Wrapped::of(&agent.command).login(agent)
    }

    fn login_variables(&self, agent: &AgentConfig) -> &'static [&'static str] {
        Wrapped::of(&agent.command).login_variables(agent)
    }

    fn stand_in(&self, agent: &AgentConfig, address: &str) -> StandIn {
        Wrapped::of(&agent.command).stand_in(agent, address)
    }

    fn inherited(&self, agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        Wrapped::of(&agent.command).inherited(agent, person_home, root)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let mut argv = job.program.clone();
        argv.extend(job.agent.args.iter().cloned());
        let wrapped = Wrapped::of(&argv);
        let (mut env, mut writable) = (BTreeMap::new(), Vec::new());
        if job.agent.inherit {
            env.extend(wrapped.trusting());
            writable
                .extend(job.person_home.map(|home| wrapped.own_places(home)).unwrap_or_default());
        } else {
            env = wrapped.apart(job)?;
            argv.extend(wrapped.words_apart().iter().map(|word| (*word).to_owned()));
        }
        if wrapped.needs_cache() {
            env.extend(job.cache_variable());
        }
        Ok(AgentStart { argv, env, stdin: Stdin::Talk, writable })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        Box::new(AcpConversation::new(plan))
    }
}
