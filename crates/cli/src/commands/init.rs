//! `tollgate init`: settings to start from, and on request the built-in actions and roles as files.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use anstyle::Style;
use clap::Args;
use std::io;
use std::path::Path;
use tollgate_agents::{self as agent, AgentAdapter};
use tollgate_contract::config::AgentConfig;
use tollgate_contract::pack;
use tollgate_files::layout::Layout;
use tollgate_files::{self as files, FileError};
use tollgate_host::settings::actions;

const SETTINGS: &str = "tollgate.toml";

/// An agent on this machine.
#[derive(Debug)]
struct FoundAgent {
    name: &'static str,
    /// Variables with a key of its own model service that are set now.
    variables: Vec<&'static str>,
    /// Variables that it could log in with too and that are set now, made for others as well.
    withheld: Vec<&'static str>,
}

fn found() -> Vec<FoundAgent> {
    let look = |adapter: &dyn AgentAdapter| {
        place::program_on_path(adapter.program())?;
        let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let variables =
            adapter.login_variables(&AgentConfig::plain(adapter.kind())).iter().copied();
        let (variables, withheld) =
            variables.filter(is_set).partition(|name| is_own_key(adapter, name));
        Some(FoundAgent { name: adapter.kind().as_str(), variables, withheld })
    };
    agent::installable().filter_map(look).collect()
}

fn is_own_key(adapter: &dyn AgentAdapter, variable: &str) -> bool {
    adapter.own_variables().iter().any(|beginning| variable.starts_with(beginning))
}

/// Write a tollgate.toml to start from; files that exist are never overwritten
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate init\n  tollgate init --eject")]
pub struct Init {
    /// Also write the built-in actions and roles to agents/, so that you can read and change them
    #[arg(long)]
    pub eject: bool,
}

impl Init {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Checkout::find()?.layout;
        if is_there(&layout.settings()) && !self.eject {
            return Err(exists());
        }
        let found = found();
        let is_new = write_new(&layout, SETTINGS, &settings(&found))?;
        if self.eject {
            for (path, text) in ejected() {
                write_new(&layout, &path, text)?;
            }
            output::talk(
                "Actions and roles are read from agents/ from now on. To use a built-in one again, delete the \
                 role's folder, or the action's file and its line in agents/actions/README.md.",
            );
        }
        tell_looked_for(&found);
        if is_new {
            tell_variables(&found);
        }
        tell_next(&found);
        Ok(Exit::Ok)
    }
}

/// Every file of the pack that a person may change, with its path in the repository; what is not here is not written.
fn ejected() -> Vec<(String, &'static str)> {
    let mut files = vec![(actions::INDEX.to_owned(), pack::ACTIONS_INDEX)];
    let actions = pack::ACTIONS.iter();
    files.extend(actions.map(|file| (format!("agents/actions/{}.md", file.name), file.text)));
    let roles = pack::ROLES.iter();
    files.extend(roles.map(|file| (format!("agents/{}/SKILL.md", file.name), file.text)));
    files.push(("lifecycle-stage.yaml".to_owned(), pack::LIFECYCLE));
    files
}

fn exists() -> Failure {
    Failure::usage("cli.exists", format!("{SETTINGS} already exists; nothing was written"))
        .hint(format!(
            "`tollgate check {SETTINGS}` checks it, `tollgate doctor` tries its agents out"
        ))
        .hint("`tollgate init --eject` leaves it alone and writes the built-in actions and roles")
        .hint(format!("move it away first to get a new one: `mv {SETTINGS} {SETTINGS}.old`"))
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Whether it was written; what is there is kept.
fn write_new(layout: &Layout, relative: &str, text: &str) -> Result<bool, Failure> {
    if is_there(&layout.repo_root().join(relative)) {
        output::marked(output::DIM, "kept", &format!("{relative} already exists"));
        return Ok(false);
    }
    files::write_beneath(layout.repo_root(), relative, text.as_bytes()).map_err(cannot_write)?;
    output::marked(output::GOOD, "wrote", relative);
    Ok(true)
}

fn cannot_write(error: FileError) -> Failure {
    let failure = Failure::usage("cli.write", error.to_string());
    match error {
        FileError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            failure.hint("make the repository's folder writable")
        }
        _ => failure,
    }
}

/// Tells the person which agent sees which key.
fn tell_variables(found: &[FoundAgent]) {
    for agent in found {
        let name = agent.name;
        if !agent.variables.is_empty() {
            let variables = agent.variables.join(", ");
            let words = format!("{name} may see {variables}, because of `env` of [agent.{name}]");
            output::marked(output::WARN, "note:", &words);
        }
        if !agent.withheld.is_empty() {
            let variables = agent.withheld.join(", ");
            let words = format!(
                "{name} does not see {variables}; add it to `env` of [agent.{name}] to pass it on"
            );
            output::marked(output::DIM, "note:", &words);
        }
    }
}

/// What was looked for, what was found of it, and how to get the rest.
fn tell_looked_for(found: &[FoundAgent]) {
    output::talk("looked on PATH for programs that can play roles:");
    let names = found.iter().map(|agent| agent.name);
    for (index, name) in names.enumerate() {
        let plays = if index == 0 { "plays every role" } else { "can play roles too" };
        tell_program(output::GOOD, name, &format!("found; it {plays}"));
    }
    let is_found = |name| found.iter().any(|agent| agent.name == name);
    for adapter in agent::installable().filter(|one| !is_found(one.kind().as_str())) {
        let how = adapter.how_to_install();
        let how = how.map_or("not found".to_owned(), |how| format!("not found; `{how}`"));
        tell_program(output::DIM, adapter.kind().as_str(), &how);
    }
}

fn tell_program(style: Style, name: &str, text: &str) {
    output::marked(style, &format!("  {name:<9}"), text);
}

fn tell_next(found: &[FoundAgent]) {
    let first = match found {
        [] => format!("install one of them, or describe your own command in {SETTINGS}"),
        _ => "`tollgate doctor` shows what is missing".to_owned(),
    };
    output::marked(output::BOLD, "next:", &format!("{first}, then `tollgate run \"GOAL\"`"));
    output::talk("      `tollgate demo` shows a complete run without any agent.");
}

/// Who is found is put to work; everything else is comment. A line without a space after `#` is an example.
fn settings(found: &[FoundAgent]) -> String {
    let mut text = String::from(
        "# Tollgate settings for this repository.\n\
         # `tollgate check tollgate.toml` checks them, `tollgate doctor` tries them out, `tollgate schema config` lists every key.\n",
    );
    if let Some(first) = found.first() {
        text.push_str("\n# Who plays which role; by name, such as Coder, Reviewer or QA, or all others by `default`.\n");
        text.push_str(&format!("[roles]\ndefault = \"{}\"\n", first.name));
        text.push_str(
            "\n# Agents on this machine. Each attempt gets a copy of your login; their own settings, hooks and servers, yours\n\
             # and the repository's, do not run. `env` passes variables on to them by name.\n",
        );
    }
    for agent in found {
        text.push_str(&format!("[agent.{0}]\nadapter = \"{0}\"\n", agent.name));
        if !agent.variables.is_empty() {
            text.push_str(&format!("env = [\"{}\"]\n", agent.variables.join("\", \"")));
        }
        text.push('\n');
    }
    text.push_str(EXAMPLES);
    if found.is_empty() {
        text.push_str("\n# With several agents, say who plays what:\n#[roles]\n#default = \"crew\"\n#Reviewer = \"me\"\n");
    }
    text
}

const EXAMPLES: &str = r#"
# An agent can also be any command: it gets its prompt on standard input, works in its current folder, and prints one JSON
# object as its reply (`tollgate schema agent-output`). Remove the # and put your program in:
#[agent.crew]
#adapter = "command"
#command = ["./crew.sh"]        # a path with a slash is relative to the root of the repository
#env = []                       # names of variables that it may see, such as keys of an API

# You can play a role yourself: the run writes the prompt and stops, and `tollgate submit` submits your reply.
#[agent.me]
#adapter = "manual"

#[timeout]
#Coder = "30m"
#check = "10m"

#[limits]
#usd = 20.0
#wall = "8h"
"#;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use tollgate_contract::config::{self, Adapter};

    fn read(text: &str) -> Option<config::Config> {
        let (config, report) = config::read(text, SETTINGS);
        assert!(report.diagnostics.is_empty(), "{report:?}\n{text}");
        config
    }

    fn examples_of(text: &str) -> String {
        let lines = text.lines().map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with(' ') => example,
            _ => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn without_an_agent_nothing_is_said_that_nobody_chose_and_the_examples_are_good() {
        let text = settings(&[]);
        assert_eq!(read(&text), Some(config::Config::default()));
        assert_eq!(read(&examples_of(&text)).map(|config| config.agents.len()), Some(2));
    }

    #[test]
    fn the_first_that_is_found_plays_every_role_and_its_login_is_let_through() {
        let found =
            |name, variables| FoundAgent { name, variables, withheld: vec!["GITHUB_TOKEN"] };
        let text = settings(&[found("codex", vec!["CODEX_API_KEY"]), found("goose", Vec::new())]);
        let config = read(&text).expect("it parses");
        assert_eq!(config.default_agent.as_deref(), Some("codex"));
        assert_eq!(config.agents["codex"].env, ["CODEX_API_KEY"]);
        assert_eq!(config.agents.len(), 2);
        assert!(!text.contains("GITHUB_TOKEN"), "{text}");
        assert_eq!(read(&examples_of(&text)).map(|config| config.agents.len()), Some(4));
    }

    #[test]
    fn only_keys_of_the_makers_own_service_are_let_through() {
        let own = |kind: Adapter| -> Vec<&str> {
            let adapter = agent::adapter(kind).unwrap();
            let variables = adapter.login_variables(&AgentConfig::plain(kind));
            variables.iter().copied().filter(|name| is_own_key(adapter, name)).collect()
        };
        assert_eq!(own(Adapter::Codex), ["CODEX_API_KEY", "OPENAI_API_KEY"]);
        assert_eq!(own(Adapter::Gemini), ["GEMINI_API_KEY"]);
        assert_eq!(own(Adapter::Opencode), ["OPENCODE_API_KEY"]);
        assert!(own(Adapter::Copilot).iter().all(|name| name.starts_with("COPILOT_")));
        assert!(own(Adapter::Goose).is_empty() && own(Adapter::Qwen).is_empty());
        assert_eq!(own(Adapter::Claude).len(), 3);
    }
}
