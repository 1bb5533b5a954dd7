//! `tollgate agents`: one line for each agent of the settings.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use serde::Serialize;
use std::io::Read;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tollgate_contract::config::{Adapter, Agent};
use tollgate_core::role::Role;
use tollgate_host::activity::adapter;
use tollgate_host::agent::trust::{self, Inherited};
use tollgate_host::context::Context;

/// Some programs need seconds to say their version.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(20);
const VERSION_BYTES_MAX: u64 = 4 * 1024;

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    adapter: &'static str,
    /// What is started; none where a person plays.
    program: Option<String>,
    version: Option<String>,
    /// Why it cannot be started.
    problem: Option<String>,
    roles: Vec<Role>,
    inherit: bool,
    /// Whether you have agreed to what it would run; none where nothing is inherited.
    trusted: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Answer {
    agents: Vec<Row>,
}

pub fn list(json: bool) -> Result<Exit, Failure> {
    let context = place::context()?;
    let agents: Vec<Row> = thread::scope(|scope| {
        let rows = context.config.agents.iter().map(|(name, agent)| {
            let context = &context;
            scope.spawn(move || row(context, name, agent))
        });
        let rows: Vec<_> = rows.collect();
        rows.into_iter().map(|row| row.join().expect("a row is made without a panic")).collect()
    });
    match json {
        true => output::json(&Answer { agents }),
        false => agents.iter().for_each(show),
    }
    Ok(Exit::Ok)
}

fn row(context: &Context, name: &str, agent: &Agent) -> Row {
    let plays = |role: &Role| context.config.agent_for(*role).is_some_and(|(n, _)| n == name);
    let mut row = Row {
        name: name.to_owned(),
        adapter: agent.adapter.as_str(),
        program: None,
        version: None,
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
        Ok(argv) => {
            row.version = version(&argv);
            row.program = argv.into_iter().next();
        }
    }
    if agent.inherit {
        row.trusted = Some(is_trusted(context, &driven).unwrap_or(false));
    }
    row
}

fn is_trusted(context: &Context, driven: &adapter::Driven) -> Result<bool, Failure> {
    let head = context.repository.head()?;
    let found = Inherited::from_commit(context, (driven.adapter, &driven.agent), &head.commit);
    let trusted = found.and_then(|inherited| trust::is_trusted(context, &driven.name, &inherited));
    trusted.map_err(|error| Failure::usage("cli.untrusted", error.to_string()))
}

/// The first line that the program says of its version, away from every settings file.
fn version(argv: &[String]) -> Option<String> {
    let (program, before) = argv.split_first()?;
    let mut child = Command::new(program)
        .args(before)
        .arg("--version")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let said = thread::spawn(move || {
        let mut text = Vec::new();
        let _as_far_as_it_came = stdout.take(VERSION_BYTES_MAX).read_to_end(&mut text);
        text
    });
    let begun = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if begun.elapsed() > PATIENCE {
            let _gone = child.kill();
            let _reaped = child.wait();
            return None;
        }
        thread::sleep(LOOK);
    }
    let text = String::from_utf8_lossy(&said.join().ok()?).into_owned();
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn show(row: &Row) {
    let (style, mark) = match (&row.problem, row.trusted) {
        (Some(_), _) => (output::BAD, "missing"),
        (None, Some(false)) => (output::WARN, "untrusted"),
        _ => (output::GOOD, "ok"),
    };
    let who = match (&row.program, &row.problem) {
        (_, Some(problem)) => problem.clone(),
        (Some(program), None) => match &row.version {
            Some(version) => format!("{program} ({version})"),
            None => program.clone(),
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
