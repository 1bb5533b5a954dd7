//! The agents of the settings: whether each can be started, which version it is, and whether it can log in.

use super::Finding;
use crate::installed::{self, person};
use crate::place;
use std::cmp::Ordering;
use tollgate_contract::config::{Adapter, Agent, Config};
use tollgate_core::role::Role;
use tollgate_host::agent::probe::{self, Login};
use tollgate_host::agent::{self, AgentAdapter};
use tollgate_host::files;
use tollgate_host::layout::Layout;

pub(super) fn findings(layout: &Layout, config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, agent) in &config.agents {
        let is_used = Role::dispatched()
            .any(|role| config.agent_for(role).is_some_and(|(player, _)| player == name));
        let look = Look { layout, name, agent, is_used };
        match agent::adapter(agent.adapter) {
            Some(adapter) => findings.extend(look.program_of(adapter)),
            None => findings.push(look.simple()),
        }
    }
    findings.extend(roles_without(config));
    findings.extend(not_described(config));
    findings
}

fn roles_without(config: &Config) -> Option<Finding> {
    let without: Vec<&str> = Role::dispatched()
        .filter(|role| config.agent_for(*role).is_none())
        .map(Role::as_str)
        .collect();
    let fix = "describe an [agent.NAME] in tollgate.toml and name it under [roles]";
    let message = || format!("nobody plays {}", without.join(", "));
    (!without.is_empty()).then(|| Finding::fail("agents", message(), fix))
}

/// Programs on this machine that could play roles too.
fn not_described(config: &Config) -> Option<Finding> {
    let is_described = |kind| config.agents.values().any(|agent| agent.adapter == kind);
    let found: Vec<&str> = installed::PROGRAMS
        .into_iter()
        .filter(|kind| !is_described(*kind))
        .filter_map(|kind| Some((kind, agent::adapter(kind)?)))
        .filter(|(_, adapter)| place::program_on_path(adapter.program()).is_some())
        .map(|(kind, _)| kind.as_str())
        .collect();
    (!found.is_empty()).then(|| {
        let message = format!("also on PATH and not in tollgate.toml: {}", found.join(", "));
        Finding::ok("agents", message)
    })
}

struct Look<'a> {
    layout: &'a Layout,
    name: &'a str,
    agent: &'a Agent,
    is_used: bool,
}

impl Look<'_> {
    fn title(&self) -> String {
        format!("agent {}", self.name)
    }

    /// An agent that nobody plays cannot stop a run.
    fn bad(&self, message: impl Into<String>, fix: impl Into<String>) -> Finding {
        if self.is_used {
            Finding::fail(self.title(), message, fix)
        } else {
            Finding::warn(self.title(), message, fix)
        }
    }

    /// People, scripts and commands.
    fn simple(&self) -> Finding {
        match self.agent.adapter {
            Adapter::Manual => {
                let message = "a person plays it and hands replies in with `tollgate submit`";
                Finding::ok(self.title(), message)
            }
            Adapter::Scripted => self.script(),
            _ => {
                let program = self.agent.command.first().map_or("", String::as_str);
                match self.found(program) {
                    Ok(path) => Finding::ok(self.title(), path),
                    Err(finding) => finding,
                }
            }
        }
    }

    fn script(&self) -> Finding {
        let script = self.agent.args.first().map_or("", String::as_str);
        if self.layout.repo_root().join(script).is_file() {
            Finding::ok(self.title(), format!("plays the script {script}"))
        } else {
            let message = format!("the script {script} is not there");
            self.bad(message, "write it, or name another in `args`")
        }
    }

    fn found(&self, program: &str) -> Result<String, Finding> {
        let found = if program.contains('/') {
            Some(self.layout.repo_root().join(program)).filter(|path| files::is_program(path))
        } else {
            place::program_on_path(program)
        };
        found.map(|path| path.display().to_string()).ok_or_else(|| {
            if program.contains('/') {
                return self.bad(
                    format!("{program} is not there or may not be run"),
                    "a path with a slash is relative to the root of the repository; `chmod +x` lets it run",
                );
            }
            self.bad(
                format!("{program} is not found on PATH"),
                "install it, or write its whole path into the settings",
            )
        })
    }

    fn program_of(&self, adapter: &dyn AgentAdapter) -> Vec<Finding> {
        let named =
            self.agent.program.as_deref().or(self.agent.command.first().map(String::as_str));
        let program = match self.found(named.unwrap_or(adapter.program())) {
            Ok(program) => program,
            Err(finding) => return vec![finding],
        };
        if self.agent.adapter == Adapter::Acp {
            let message = format!(
                "{program}; any agent that speaks ACP, so its version and login are its own"
            );
            return vec![Finding::ok(self.title(), message)];
        }
        vec![self.version(adapter, &program), self.login(adapter)]
    }

    fn version(&self, adapter: &dyn AgentAdapter, program: &str) -> Finding {
        let tested = adapter.tested();
        let command = adapter.command(program.as_ref());
        let found = match probe::version(&command, person()) {
            Ok(found) => found,
            Err(why) => {
                let fix =
                    format!("see that `{program} --version` works; it was tested with {tested}");
                return self.bad(why, fix);
            }
        };
        let (stands, words) = installed::beside_tested(&found, tested);
        let message = format!("{program}, version {found}{words}");
        match stands {
            Ordering::Equal => Finding::ok(self.title(), message),
            Ordering::Greater => {
                let how = format!("`tollgate agents test {} --stand-in` tries this one", self.name);
                Finding::ok(self.title(), format!("{message}, and {how}"))
            }
            Ordering::Less => Finding::warn(self.title(), message, "update it"),
        }
    }

    /// Looked for, never tried: a login that is used is money spent.
    fn login(&self, adapter: &dyn AgentAdapter) -> Finding {
        let title = format!("login {}", self.name);
        let variables = adapter.login_variables(self.agent).join(" or ");
        match probe::login(adapter, self.agent, person()) {
            Login::Variable(name) => {
                Finding::ok(title, format!("by {name}, which the settings let through"))
            }
            Login::File(path) => {
                Finding::ok(title, format!("by {}, lent to it for each attempt", path.display()))
            }
            Login::Withheld(names) => Finding::warn(
                title,
                format!("{} is set and does not reach the agent", names.join(", ")),
                format!("write env = [\"{}\"] below [agent.{}]", names.join("\", \""), self.name),
            ),
            Login::Unknown => Finding::warn(
                title,
                "no login was found".to_owned(),
                format!(
                    "log in with the program itself, or set {variables} and let it through with `env`"
                ),
            ),
        }
    }
}
