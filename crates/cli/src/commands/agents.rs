//! `tollgate agents`: the agents of the settings, and whether one keeps what is expected of it.

mod conformance;

use crate::exit::Exit;
use crate::failure::Failure;
use clap::{Args, Subcommand};

/// Look at the agents of tollgate.toml
#[derive(Debug, Args)]
pub struct Agents {
    #[command(subcommand)]
    command: AgentsCommand,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    Test(conformance::Test),
}

impl Agents {
    pub fn run(self) -> Result<Exit, Failure> {
        match self.command {
            AgentsCommand::Test(test) => test.run(),
        }
    }
}
