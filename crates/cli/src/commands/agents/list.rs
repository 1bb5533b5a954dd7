//! `tollgate agents`: one line for each agent of the settings.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{installed, output, place};
use serde::Serialize;
use std::thread;
use tollgate_agents::probe;
use tollgate_agents::trust::{self, Inherited};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_core::role::Role;
use tollgate_host::activity::adapter;
use tollgate_host::context::Context;

#[derive(Debug, Serialize)]
struct AgentRow {
    name: String,
    adapter: &'static str,
    /// What is started; none where a person plays.
    program: Option<String>,
    version: Option<String>,
    /// The version that it was tested with; none where every program has its own.
    tested: Option<&'static str>,
    /// Why it cannot be started.
    problem: Option<String>,
    roles: Vec<Role>,
    inherit: bool,
    /// Whether you have agreed to what it would run; none where nothing is inherited.
    trusted: Option<bool>,
}

#[derive(Debug, Serialize)]
struct AgentsOutput {
    agents: Vec<AgentRow>,
}

pub fn list(json: bool) -> Result<Exit, Failure> {
    let context = place::context()?;
    let agents: Vec<AgentRow> = thread::scope(|scope| {
        let rows = context.config.agents.iter().map(|(name, agent)| {
            let context = &context;
            scope.spawn(move || row(context, name, agent))
        });
        let rows: Vec<_> = rows.collect();
        rows.into_iter().map(|row| row.join().expect("a row is made without a panic")).collect()
    });
    match json {
        true => output::json(&AgentsOutput { agents }),
        false if agents.is_empty() => {
            output::talk(
                "tollgate.toml defines no agents; `tollgate init` writes one for the agents it finds",
            );
        }
        false => agents.iter().for_each(show),
    }
    Ok(Exit::Ok)
}

fn row(context: &Context, name: &str, agent: &AgentConfig) -> AgentRow {
    let plays = |role: &Role| context.config.agent_for(*role).is_some_and(|(n, _)| n == name);
    let mut row = AgentRow {
        name: name.to_owned(),
        adapter: agent.adapter.as_str(),
        program: None,
        version: None,
        tested: None,
        problem: None,
        roles: Role::dispatched().filter(plays).collect(),
        inherit: agent.inherit,
        trusted: None,
    };
    let Some(driven) = adapter::driven(context, name) else {
        if agent.adapter == Adapter::Command {
            row.program = agent.command.first().map(|word| context.from_root(word));
        }
        return row;
    };
    match driven.command_line(context) {
        Err(why) => row.problem = Some(why),
        // What speaks ACP is any program: it may know no `--version`, and work instead.
        Ok(argv) if agent.adapter == Adapter::Acp => row.program = argv.into_iter().next(),
        Ok(argv) => {
            row.tested = Some(driven.adapter.tested());
            match probe::version(&argv, installed::person()) {
                Ok(version) => row.version = Some(version),
                Err(why) => row.problem = Some(format!("{}: {why}", argv.join(" "))),
            }
            row.program = argv.into_iter().next();
        }
    }
    if agent.inherit {
        let untrusted = Inherited::at_head(context.inheritance(), (driven.adapter, agent))
            .and_then(|inherited| trust::untrusted(context.inheritance(), name, &inherited));
        row.trusted = Some(matches!(untrusted, Ok(None)));
        row.problem = row.problem.or(untrusted.err().map(|error| error.to_string()));
    }
    row
}

fn show(row: &AgentRow) {
    let (style, mark) = match (&row.problem, row.trusted) {
        (Some(_), _) if row.program.is_none() => (output::BAD, "missing"),
        (Some(_), _) => (output::BAD, "broken"),
        (None, Some(false)) => (output::WARN, "untrusted"),
        _ => (output::GOOD, "ok"),
    };
    let who = match (&row.program, &row.problem) {
        (_, Some(problem)) => problem.clone(),
        (Some(program), None) => match (&row.version, row.tested) {
            (Some(version), Some(tested)) => {
                let (_, words) = installed::beside_tested(version, tested);
                format!("{program}, version {version}{words}")
            }
            _ => program.clone(),
        },
        (None, None) => "no program of its own".to_owned(),
    };
    let mark = format!("{mark:<9}");
    output::row("", style, &mark, &format!("{:<12} {:<9} {who}", row.name, row.adapter));
    let roles: Vec<&str> = row.roles.iter().map(|role| role.as_str()).collect();
    if !roles.is_empty() {
        output::row("          ", output::NOTE, "plays", &roles.join(", "));
    }
    match row.trusted {
        None => {}
        Some(true) => output::row("          ", output::NOTE, "inherits", "what you agreed to"),
        Some(false) => {
            let words = format!("settings; look at them with `tollgate agents trust {}`", row.name);
            output::row("          ", output::NOTE, "inherits", &words);
        }
    }
}
