//! The command line: one verb, one file; the doc comment is the help.

use crate::commands;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{self, Verbosity};
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run multi-agent software delivery through gates that agents cannot talk their way past
///
/// Agents specify, design, plan, code, review and test; Tollgate checks their work, asks you at the
/// gates, records every decision, and continues after a crash exactly where it stopped.
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, max_term_width = 100)]
#[command(after_help = "Examples:\n  tollgate demo\n  tollgate init && tollgate doctor\n  \
tollgate run \"Add rate limiting to the login endpoint\"\n  tollgate status\n\n\
Exit codes: 0 done, 1 a check failed, 2 usage, 3 waits for you, 4 blocked, 5 owned by another process, \
6 damaged journal, 70 bug, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
struct Everywhere {
    /// Work as if started in this folder; other paths are relative to it
    #[arg(short = 'C', value_name = "DIR", global = true)]
    directory: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    color: ColorChoice,
    /// Tell every step of a session: starts, replies and verdicts
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Tell only questions, errors and the end
    #[arg(long, short, global = true)]
    quiet: bool,
}

impl Args {
    pub fn run(self) -> Result<ExitCode, Failure> {
        output::use_colours(self.everywhere.color);
        output::set_verbosity(self.everywhere.verbosity());
        if let Some(folder) = &self.everywhere.directory {
            std::env::set_current_dir(folder).map_err(|cause| {
                let message = format!("cannot work in {}: {cause}", folder.display());
                Failure::usage("cli.repository", message)
            })?;
        }
        self.command.run()
    }
}

impl Everywhere {
    fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }
}

/// The command line as people see it: what is hidden is not there at all.
pub fn public_command() -> clap::Command {
    let whole = Args::command();
    let empty = clap::Command::new("tollgate")
        .version(env!("CARGO_PKG_VERSION"))
        .about(whole.get_about().cloned().unwrap_or_default())
        .long_about(whole.get_long_about().cloned().unwrap_or_default())
        .after_help(whole.get_after_help().cloned().unwrap_or_default())
        .args(whole.get_arguments().cloned())
        .subcommand_required(true);
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set());
    shown.cloned().fold(empty, clap::Command::subcommand)
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Init(commands::init::Init),
    Run(commands::run::Run),
    Resume(commands::resume::Resume),
    Import(commands::import::Import),
    Answer(commands::answer::Answer),
    Submit(commands::submit::Submit),
    Cancel(commands::cancel::Cancel),
    Status(commands::status::Status),
    Sessions(commands::sessions::Sessions),
    Log(commands::log::Log),
    Logs(commands::logs::Logs),
    Findings(commands::findings::Findings),
    Audit(commands::audit::Audit),
    Report(commands::report::Report),
    Export(commands::export::Export),
    Diff(commands::diff::Diff),
    Merge(commands::merge::Merge),
    Rm(commands::rm::Rm),
    Gc(commands::gc::Gc),
    Prompt(commands::prompt::Prompt),
    Snapshot(commands::snapshot::SnapshotCommand),
    Check(commands::check::Check),
    Scope(commands::scope::Scope),
    Serve(commands::serve::Serve),
    Watch(commands::watch::Watch),
    Gates(commands::gates::Gates),
    Labels(commands::labels::Labels),
    Schema(commands::schema::Schema),
    Explain(commands::explain::Explain),
    Actions(commands::actions::Actions),
    Roles(commands::roles::Roles),
    Agents(commands::agents::Agents),
    Mcp(commands::mcp::Mcp),
    Notify(commands::notify::Notify),
    Doctor(commands::doctor::Doctor),
    Completions(commands::completions::Completions),
    Man(commands::man::Man),
    Demo(commands::demo::Demo),

    /// Own the process tree of one dispatch
    #[command(hide = true)]
    Supervise {
        folder: PathBuf,
    },
    /// Be the first process of an agent's namespace
    #[command(hide = true)]
    AgentInit {
        folder: PathBuf,
    },
    /// Talk to one agent program
    #[command(hide = true)]
    Drive {
        folder: PathBuf,
    },
    /// Play the engine's own role: write documents from their templates
    #[command(hide = true)]
    Scaffold,
    /// Play roles by a script
    #[command(hide = true)]
    Scripted {
        script: PathBuf,
    },
}

impl Command {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let exit: Exit = match self {
            Self::Init(command) => command.run()?,
            Self::Run(command) => command.run()?,
            Self::Resume(command) => command.run()?,
            Self::Import(command) => command.run()?,
            Self::Answer(command) => command.run()?,
            Self::Submit(command) => command.run()?,
            Self::Cancel(command) => command.run()?,
            Self::Status(command) => command.run()?,
            Self::Sessions(command) => command.run()?,
            Self::Log(command) => command.run()?,
            Self::Logs(command) => command.run()?,
            Self::Findings(command) => command.run()?,
            Self::Audit(command) => command.run()?,
            Self::Report(command) => command.run()?,
            Self::Export(command) => command.run()?,
            Self::Diff(command) => command.run()?,
            Self::Merge(command) => command.run()?,
            Self::Rm(command) => command.run()?,
            Self::Gc(command) => command.run()?,
            Self::Prompt(command) => command.run()?,
            Self::Snapshot(command) => command.run()?,
            Self::Check(command) => command.run()?,
            Self::Scope(command) => command.run()?,
            Self::Serve(command) => command.run()?,
            Self::Watch(command) => command.run()?,
            Self::Gates(command) => command.run()?,
            Self::Labels(command) => command.run()?,
            Self::Schema(command) => command.run()?,
            Self::Explain(command) => command.run()?,
            Self::Actions(command) => command.run()?,
            Self::Roles(command) => command.run()?,
            Self::Agents(command) => command.run()?,
            Self::Mcp(command) => command.run()?,
            Self::Notify(command) => command.run()?,
            Self::Doctor(command) => command.run()?,
            Self::Completions(command) => command.run()?,
            Self::Man(command) => command.run(public_command())?,
            Self::Demo(command) => command.run()?,
            Self::Supervise { folder } => return Ok(tollgate_process::supervise(&folder)),
            Self::AgentInit { folder } => return Ok(tollgate_process::agent_init(&folder)),
            Self::Drive { folder } => return Ok(tollgate_agents::drive(&folder)),
            Self::Scaffold => return Ok(commands::scaffold::run()),
            Self::Scripted { script } => return Ok(crate::scripted::run(&script)),
        };
        Ok(exit.into())
    }
}
