//! `tollgate agents test NAME`: lets an installed agent deliver a small change in a repository of its own, and says what it can.

mod cases;
mod record;
mod stage;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use stage::TestSetup;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tollgate_agents as agent;
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_host::context::Context;

/// Test an installed agent for everything that a session needs, and print pass or fail for each
#[derive(Debug, Args)]
#[command(after_help = "\
With its own model the agent makes one small change in a temporary repository, which costs a little money. \
With --stand-in a scripted model on this machine answers instead: that is free, needs no login, and also tests failures.\n\n\
Examples:\n  \
tollgate agents test claude\n  \
tollgate agents test codex --stand-in")]
pub struct Test {
    /// An [agent.NAME] of tollgate.toml, or the name of an adapter
    name: String,
    /// Use a scripted model on this machine instead of the real one
    #[arg(long)]
    stand_in: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One capability, and whether the agent has it.
#[derive(Debug, Clone, Serialize)]
struct CapabilityResult {
    capability: &'static str,
    grade: Grade,
    detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    Pass,
    Fail,
    /// The agent does not have it, and a session does without.
    None,
}

#[derive(Serialize)]
struct ConformanceOutput<'a> {
    agent: &'a str,
    adapter: &'a str,
    stand_in: bool,
    ok: bool,
    capabilities: &'a [CapabilityResult],
}

impl Test {
    pub fn run(self) -> Result<Exit, Failure> {
        let agent = self.agent()?;
        let adapter = agent::adapter(agent.adapter).ok_or_else(|| self.not_driven(&agent))?;
        if agent.inherit {
            let words =
                "it is tested without `inherit`: its own settings, hooks and servers do not run";
            output::marked(output::WARN, "note:", words);
        }
        let stop = stop_switch().map_err(|cause| {
            Failure::new(Exit::Bug, "cli.bug", format!("cannot listen for signals: {cause}"))
        })?;
        let mut verdicts = Vec::new();
        let stage = TestSetup { stop: &stop, agent: &agent, adapter, stand_in: self.stand_in };
        cases::play(&stage, &mut |verdict| {
            if !self.json {
                show(&verdict);
            }
            verdicts.push(verdict);
        })?;
        let ok = verdicts.iter().all(|verdict| verdict.grade != Grade::Fail);
        let (agent, adapter) = (self.name.as_str(), agent.adapter.as_str());
        if self.json {
            let capabilities = &verdicts;
            let stand_in = self.stand_in;
            output::json(&ConformanceOutput { agent, adapter, stand_in, ok, capabilities });
        }
        Ok(if ok { Exit::Ok } else { Exit::Fails })
    }

    /// As the settings describe it; outside of any repository an adapter's name is enough.
    fn agent(&self) -> Result<AgentConfig, Failure> {
        let unknown = match place::context() {
            Ok(context) => match context.config.agent(&self.name) {
                Some((_, agent)) => return Ok(found_from_anywhere(&context, agent)),
                None => Failure::unknown_agent(&self.name, &context.config),
            },
            Err(failure) if failure.code == "cli.settings" => return Err(failure),
            Err(failure) => failure,
        };
        let plain = Adapter::parse(&self.name).map(AgentConfig::plain);
        plain.ok_or_else(|| {
            unknown.hint(format!(
                "you can also give the name of an adapter: {}",
                adapters().join(", ")
            ))
        })
    }

    fn not_driven(&self, agent: &AgentConfig) -> Failure {
        let adapter = agent.adapter.as_str();
        Failure::usage(
            "cli.no_agent",
            format!(
                "[agent.{}] has adapter = \"{adapter}\", which is not an agent program",
                self.name
            ),
        )
        .hint("test a command with a run: `tollgate run --lean \"GOAL\"` in a small repository")
    }
}

/// Paths below the repository in full: it is tried in another one.
fn found_from_anywhere(context: &Context, agent: &AgentConfig) -> AgentConfig {
    let mut agent = agent.clone();
    for word in agent.program.iter_mut().chain(&mut agent.command) {
        *word = context.from_root(word);
    }
    agent
}

/// Those that need no words of the settings.
fn adapters() -> Vec<&'static str> {
    agent::installable().map(|adapter| adapter.kind().as_str()).collect()
}

/// Set by Ctrl-C; asked twice, this program leaves at once.
fn stop_switch() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let exit = Exit::Interrupted as i32;
        signal_hook::flag::register_conditional_shutdown(signal, exit, stop.clone())?;
        signal_hook::flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

fn show(verdict: &CapabilityResult) {
    let (style, mark) = match verdict.grade {
        Grade::Pass => (output::GOOD, "pass"),
        Grade::None => (output::WARN, "none"),
        Grade::Fail => (output::BAD, "FAIL"),
    };
    output::row("", style, mark, &format!("{:<22} {}", verdict.capability, verdict.detail));
}
