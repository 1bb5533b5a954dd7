//! `tollgate mcp`: an agent program of the person starts, follows and plays sessions by it, and answers no decision.

use crate::exit::Exit;
use crate::explain;
use crate::failure::Failure;
use crate::{output, place};
use clap::{Args, ValueEnum};
use std::io::IsTerminal;
use tollgate_contract::nearest::nearest;
use tollgate_files::layout::state_home;
use tollgate_mcp::{ClientKind, SKILL, Settings, Start};

/// Serve sessions to your own agent program over MCP, on standard input and output
///
/// Your agent program starts this command by itself once its settings name it; --config prints what to write there. It can
/// start and follow sessions, show findings and changes, put questions to you, and play roles that `adapter = "manual"` gives it.
/// It cannot answer a decision, merge or cancel. By default it sees only the sessions of this repository.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate mcp --config claude\n  test -e .mcp.json || tollgate mcp --config claude > .mcp.json\n  \
tollgate mcp --config codex >> ~/.codex/config.toml\n  \
tollgate mcp --skill > .claude/skills/tollgate/SKILL.md\n  tollgate mcp --all"
)]
pub struct Mcp {
    /// Show the sessions of all repositories used on this machine
    #[arg(long, conflicts_with = "skill")]
    pub all: bool,
    /// Print what to write into the settings of an agent program, and tell where
    #[arg(long, value_name = "PROGRAM", conflicts_with = "skill")]
    pub config: Option<Program>,
    /// Print a skill that tells an agent how to work with the server, and what it leaves to you
    #[arg(long)]
    pub skill: bool,
}

/// An agent program that speaks MCP.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Program {
    Claude,
    Codex,
    /// GitHub Copilot on the command line
    Copilot,
    /// GitHub Copilot in Visual Studio Code
    Vscode,
    Gemini,
}

impl Mcp {
    pub fn run(self) -> Result<Exit, Failure> {
        if self.skill {
            output::raw(SKILL.as_bytes());
            return Ok(Exit::Ok);
        }
        if let Some(program) = self.config {
            return configure(program.kind(), self.all);
        }
        let settings = settings(self.all)?;
        if std::io::stdin().is_terminal() {
            output::talk(
                "An agent program starts this command and speaks MCP with it; `tollgate mcp --config PROGRAM` prints its settings. \
                 Ctrl-D ends it.",
            );
        }
        tollgate_mcp::serve(&settings).map_err(|cause| {
            let message = format!("the MCP server ended: {cause}");
            Failure::new(Exit::Fails, "cli.mcp", message)
                .hint("`tollgate mcp --config PROGRAM` prints how an agent program starts it")
        })?;
        Ok(Exit::Ok)
    }
}

impl Program {
    fn kind(self) -> ClientKind {
        match self {
            Self::Claude => ClientKind::Claude,
            Self::Codex => ClientKind::Codex,
            Self::Copilot => ClientKind::Copilot,
            Self::Vscode => ClientKind::VsCode,
            Self::Gemini => ClientKind::Gemini,
        }
    }
}

/// Where sessions have their workspaces. A client that is not told would look elsewhere.
const PLACES: [&str; 2] = ["TOLLGATE_STATE_HOME", "XDG_STATE_HOME"];

fn configure(client: ClientKind, all: bool) -> Result<Exit, Failure> {
    let me = program()?;
    // The short name lasts longer than the place where this version happens to be installed.
    let is_on_path = place::program_on_path("tollgate").is_some_and(|found| found == me);
    let program = if is_on_path { "tollgate".to_owned() } else { me.display().to_string() };
    let args: &[&str] = if all { &["mcp", "--all"] } else { &["mcp"] };
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let set =
        PLACES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let start = Start { program, args, env: set.collect() };
    output::data(&client.snippet(&start));
    let command = client.command(&start).unwrap_or_default();
    let command = shlex::try_join(command.iter().map(String::as_str)).unwrap_or_default();
    let command = if command.is_empty() { command } else { format!(", or do it with: {command}") };
    output::talk(&format!("it belongs into {}{command}", client.place()));
    Ok(Exit::Ok)
}

fn settings(all: bool) -> Result<Settings, Failure> {
    let here = match place::Checkout::find() {
        Ok(checkout) => Some(checkout.layout.repo_root().to_owned()),
        Err(_) if all => None,
        Err(failure) => return Err(failure.hint("`tollgate mcp --all` serves every repository")),
    };
    let state = if all { Some(state_home(|name| std::env::var_os(name))?) } else { None };
    Ok(Settings {
        here,
        state,
        program: program()?,
        version: env!("CARGO_PKG_VERSION"),
        explain: page,
        talk: output::talk,
    })
}

fn program() -> Result<std::path::PathBuf, Failure> {
    std::env::current_exe().map_err(|cause| {
        let message = format!("cannot find the tollgate program itself: {cause}");
        Failure::usage("cli.repository", message)
    })
}

fn page(code: &str) -> Result<String, String> {
    explain::page(code).map(|(_, text)| text.to_owned()).ok_or_else(|| {
        let near = nearest(code, explain::pages().map(|(known, _)| known));
        let near = near.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        format!("there is no code {code:?}{near}")
    })
}
