//! `tollgate init`: settings to start from, and on request the built-in actions and roles as files.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use std::io;
use std::path::Path;
use tollgate_contract::pack;
use tollgate_host::files::{self, FileError};
use tollgate_host::layout::Layout;
use tollgate_host::settings::actions;

const SETTINGS: &str = "tollgate.toml";

/// Coding agents that people have installed, by the names of their programs.
const KNOWN_AGENTS: [&str; 7] =
    ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "goose"];

/// Write a tollgate.toml to start from; files that exist are never overwritten
#[derive(Debug, Args)]
pub struct Init {
    /// Also write the built-in actions and roles below agents/, to read and to change
    #[arg(long)]
    pub eject: bool,
}

impl Init {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Place::find()?.layout;
        if is_there(&layout.settings()) && !self.eject {
            return Err(exists());
        }
        let found: Vec<&str> = KNOWN_AGENTS
            .into_iter()
            .filter(|name| place::program_on_path(name).is_some())
            .collect();
        write_new(&layout, SETTINGS, &settings(&found))?;
        if self.eject {
            for (path, text) in ejected() {
                write_new(&layout, &path, text)?;
            }
            output::talk(
                "Actions and roles are read from agents/ from now on. To have a built-in one again, take away the role's \
                 folder, or the action's file and its line in agents/actions/README.md.",
            );
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
    Failure::usage("cli.exists", format!("{SETTINGS} is there already; nothing was written"))
        .hint(format!(
            "`tollgate check {SETTINGS}` checks it, `tollgate doctor` tries out what it says"
        ))
        .hint("`tollgate init --eject` leaves it alone and writes the built-in actions and roles")
        .hint(format!("move it away first to get a fresh one: `mv {SETTINGS} {SETTINGS}.old`"))
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn write_new(layout: &Layout, relative: &str, text: &str) -> Result<(), Failure> {
    if is_there(&layout.repo_root().join(relative)) {
        output::marked(output::DIM, "kept", &format!("{relative} is there already"));
        return Ok(());
    }
    files::write_beneath(layout.repo_root(), relative, text.as_bytes()).map_err(cannot_write)?;
    output::marked(output::GOOD, "wrote", relative);
    Ok(())
}

fn cannot_write(error: FileError) -> Failure {
    let failure = Failure::usage("cli.write", error.to_string());
    match error {
        FileError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            failure.hint("make the repository's folder writable for you")
        }
        _ => failure,
    }
}

fn tell_next(found: &[&str]) {
    if !found.is_empty() {
        let names = found.join(", ");
        output::talk(&format!(
            "Found on PATH: {names}. This version drives agents that are commands, so they are in the file as examples."
        ));
    }
    output::marked(
        output::BOLD,
        "next:",
        &format!(
            "describe your agent in {SETTINGS}, then `tollgate doctor`, then `tollgate run \"GOAL\"`"
        ),
    );
    output::talk("      `tollgate demo` shows a whole run without any agent.");
}

/// All of it is comment, so that it says nothing that nobody chose. A line without a space after `#` is an example.
fn settings(found: &[&str]) -> String {
    let mut text = String::from(
        r#"# Settings of Tollgate for this repository.
# `tollgate check tollgate.toml` checks them, `tollgate doctor` tries them out, `tollgate schema config` lists every key.

# An agent is a program that plays roles. One that is a command gets its prompt on standard input, works in its
# current folder, and prints one JSON object as its reply (`tollgate schema agent-output`).
# Take the # away and put your program in:
#[agent.crew]
#adapter = "command"
#command = ["./crew.sh"]        # a path with a slash is relative to the root of the repository
#env = []                       # names of variables that it may see, such as keys of an API

# You can play a role yourself: the run stops with the prompt written, and `tollgate submit` hands your reply in.
#[agent.me]
#adapter = "manual"

# With several agents, say who plays what:
#[roles]
#default = "crew"
#Reviewer = "me"

#[timeout]
#Coder = "30m"
#check = "10m"

#[limits]
#usd = 20.0
#wall = "8h"
"#,
    );
    if !found.is_empty() {
        text.push_str(
            "\n# Found on this machine. This version drives agents with adapter = \"command\" only and refuses to start these;\n\
             # until it can drive them, call them from a command of your own.\n",
        );
    }
    for name in found {
        text.push_str(&format!("#[agent.{name}]\n#adapter = \"{name}\"\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_contract::config;

    fn read(text: &str) -> Option<config::Config> {
        let (config, report) = config::read(text, SETTINGS);
        assert!(report.diagnostics.is_empty(), "{report:?}\n{text}");
        config
    }

    #[test]
    fn what_is_written_is_good_and_so_are_its_examples() {
        for found in [&[][..], &KNOWN_AGENTS[..]] {
            let text = settings(found);
            assert_eq!(read(&text), Some(config::Config::default()));
            let lines = text.lines().map(|line| match line.strip_prefix('#') {
                Some(example) if !example.starts_with(' ') => example,
                _ => line,
            });
            let examples = read(&lines.collect::<Vec<_>>().join("\n"));
            assert_eq!(examples.map(|config| config.agents.len()), Some(found.len() + 2));
        }
    }
}
