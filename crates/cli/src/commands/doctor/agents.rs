//! The agents of the settings: whether each can be started, which version it is, and whether it can log in.

use super::DoctorCheck;
use crate::installed::{self, person};
use crate::place;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::iter;
use std::path::Path;
use tollgate_agents::probe::{self, LoginState};
use tollgate_agents::{self as agent, AgentAdapter};
use tollgate_contract::config::{Adapter, AgentConfig, Config};
use tollgate_core::role::Role;
use tollgate_host::activity::adapter::{self, Driven, Missing};
use tollgate_host::context::Context;

pub(super) fn findings(context: &Context) -> Vec<DoctorCheck> {
    let config = &context.config;
    let used = used(config);
    let mut findings = Vec::new();
    for (name, agent) in &config.agents {
        let look = AgentProbe { context, name, agent, is_used: used.contains(name.as_str()) };
        match adapter::driven(context, name) {
            Some(driven) => findings.extend(look.program_of(&driven)),
            None => findings.push(look.simple()),
        }
    }
    findings.extend(roles_without(config));
    findings.extend(not_described(config));
    findings
}

/// Who plays a role, and who takes over from those: without any of them a run is refused.
fn used(config: &Config) -> BTreeSet<&str> {
    let players = Role::dispatched().filter_map(|role| config.agent_for(role));
    let with_others = players.flat_map(|(name, agent)| {
        iter::once(name).chain(agent.fallback.iter().map(String::as_str))
    });
    with_others.collect()
}

fn roles_without(config: &Config) -> Option<DoctorCheck> {
    let without: Vec<&str> = Role::dispatched()
        .filter(|role| config.agent_for(*role).is_none())
        .map(Role::as_str)
        .collect();
    let fix = "describe an [agent.NAME] in tollgate.toml and name it under [roles]";
    let message = || format!("no agent plays {}", without.join(", "));
    (!without.is_empty()).then(|| DoctorCheck::fail("agents", message(), fix))
}

/// Programs on this machine that could play roles too.
fn not_described(config: &Config) -> Option<DoctorCheck> {
    let is_described = |kind| config.agents.values().any(|agent| agent.adapter == kind);
    let found: Vec<&str> = agent::installable()
        .filter(|adapter| !is_described(adapter.kind()))
        .filter(|adapter| place::program_on_path(adapter.program()).is_some())
        .map(|adapter| adapter.kind().as_str())
        .collect();
    (!found.is_empty()).then(|| {
        let message = format!("also on PATH but not in tollgate.toml: {}", found.join(", "));
        DoctorCheck::ok("agents", message)
    })
}

struct AgentProbe<'a> {
    context: &'a Context,
    name: &'a str,
    agent: &'a AgentConfig,
    is_used: bool,
}

impl AgentProbe<'_> {
    fn title(&self) -> String {
        format!("agent {}", self.name)
    }

    /// An agent that nobody plays cannot stop a run.
    fn bad(&self, message: impl Into<String>, fix: impl Into<String>) -> DoctorCheck {
        if self.is_used {
            DoctorCheck::fail(self.title(), message, fix)
        } else {
            DoctorCheck::warn(self.title(), message, fix)
        }
    }

    /// People and commands.
    fn simple(&self) -> DoctorCheck {
        match self.agent.adapter {
            Adapter::Manual => {
                let message = "a person plays it and submits replies with `tollgate submit`";
                DoctorCheck::ok(self.title(), message)
            }
            _ => {
                let program = self.agent.command.first().map_or("", String::as_str);
                match adapter::find(self.context, program, self.name) {
                    Ok(path) => DoctorCheck::ok(self.title(), path.display().to_string()),
                    Err(missing) => self.missing(&missing),
                }
            }
        }
    }

    fn missing(&self, missing: &Missing) -> DoctorCheck {
        self.bad(missing.to_string(), missing.how_to_fix())
    }

    fn program_of(&self, driven: &Driven) -> Vec<DoctorCheck> {
        let program = match driven.found(self.context) {
            Ok(program) => program,
            Err(missing) => return vec![self.missing(&missing)],
        };
        let adapter = driven.adapter;
        let is_login_known = !adapter.login_variables(self.agent).is_empty();
        let login = is_login_known.then(|| self.login(adapter));
        let first = match self.agent.adapter {
            Adapter::Acp => {
                let own = if is_login_known { "version is" } else { "version and login are" };
                let program = program.display();
                let words =
                    format!("{program}; any agent that speaks ACP, so its {own} not checked");
                DoctorCheck::ok(self.title(), words)
            }
            _ => self.version(adapter, &program),
        };
        iter::once(first).chain(login).collect()
    }

    fn version(&self, adapter: &dyn AgentAdapter, program: &Path) -> DoctorCheck {
        let tested = adapter.tested();
        let command = adapter.command(program);
        let program = program.display();
        let found = match probe::version(&command, person()) {
            Ok(found) => found,
            Err(why) => {
                let fix = format!(
                    "check that `{program} --version` works; the tested version is {tested}"
                );
                return self.bad(why, fix);
            }
        };
        let (stands, words) = installed::beside_tested(&found, tested);
        let message = format!("{program}, version {found}{words}");
        match stands {
            Ordering::Equal => DoctorCheck::ok(self.title(), message),
            Ordering::Greater => {
                let how =
                    format!("test this one with `tollgate agents test {} --stand-in`", self.name);
                DoctorCheck::ok(self.title(), format!("{message}, and {how}"))
            }
            Ordering::Less => {
                let how = adapter.how_to_install().unwrap_or_else(|| "update it".to_owned());
                DoctorCheck::warn(self.title(), message, how)
            }
        }
    }

    /// Looked for, never tried: a login that is used is money spent.
    fn login(&self, adapter: &dyn AgentAdapter) -> DoctorCheck {
        let title = format!("login {}", self.name);
        let variables = adapter.login_variables(self.agent).join(" or ");
        match probe::login(adapter, self.agent, person()) {
            LoginState::Variable(name) => {
                DoctorCheck::ok(title, format!("with {name}, which the settings pass on"))
            }
            LoginState::File(path) => {
                DoctorCheck::ok(title, format!("with {}, copied for each attempt", path.display()))
            }
            LoginState::Withheld(names) => DoctorCheck::warn(
                title,
                format!("{} is set but not passed on to the agent", names.join(", ")),
                format!("write env = [\"{}\"] under [agent.{}]", names.join("\", \""), self.name),
            ),
            LoginState::Unknown => {
                let fix = match adapter.login(self.agent).is_empty() {
                    true => format!("set {variables} and pass it on with `env`"),
                    false => "log in with the program itself".to_owned(),
                };
                DoctorCheck::warn(title, "no login was found", fix)
            }
        }
    }
}
