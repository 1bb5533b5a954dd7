//! `tollgate agents`: the agents of the settings, what they may run, and whether one keeps what is expected of it.

mod conformance;
mod list;
mod trust;

use crate::exit::Exit;
use crate::failure::Failure;
use clap::{Args, Subcommand};

pub use trust::refuse_untrusted;

/// Show the agents of tollgate.toml: their programs, versions and roles, and what they inherit
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  tollgate agents\n  tollgate agents test claude --stand-in\n  tollgate agents trust claude"
)]
pub struct Agents {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    what: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    Test(conformance::Test),
    Trust(trust::Trust),
}

impl Agents {
    pub fn run(self) -> Result<Exit, Failure> {
        match self.what {
            None => list::list(self.json),
            Some(AgentsCommand::Test(command)) => command.run(),
            Some(AgentsCommand::Trust(command)) => command.run(),
        }
    }
}
