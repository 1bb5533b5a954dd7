//! The command line: one verb, one file; the doc comment is the help.

use crate::commands;
use crate::exit::Exit;
use crate::failure::Failure;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run multi-agent software delivery as a machine that cannot be talked past
///
/// Agents specify, design, plan, code, review and test; Tollgate checks what comes back, asks you at the
/// gates, keeps every decision, and picks up after a crash exactly where it stood.
#[derive(Debug, Parser)]
#[command(name = "tollgate", version, max_term_width = 100)]
#[command(
    after_help = "Start with `tollgate demo`. Exit codes: 0 done, 1 does not hold, 2 usage, \
3 waits for you, 4 blocked, 5 owned by another process, 6 damaged journal, 70 bug, 130 interrupted."
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Run(commands::run::Run),
    Resume(commands::resume::Resume),
    Answer(commands::answer::Answer),
    Cancel(commands::cancel::Cancel),
    Status(commands::status::Status),
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
    /// Play roles by a script
    #[command(hide = true)]
    Scripted {
        script: PathBuf,
    },
}

impl Command {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let exit: Exit = match self {
            Self::Run(command) => command.run()?,
            Self::Resume(command) => command.run()?,
            Self::Answer(command) => command.run()?,
            Self::Cancel(command) => command.run()?,
            Self::Status(command) => command.run()?,
            Self::Demo(command) => command.run()?,
            Self::Supervise { folder } => return Ok(tollgate_host::process::supervise(&folder)),
            Self::AgentInit { folder } => return Ok(tollgate_host::process::agent_init(&folder)),
            Self::Scripted { script } => return Ok(crate::scripted::run(&script)),
        };
        Ok(exit.into())
    }
}
