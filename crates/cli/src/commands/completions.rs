//! `tollgate completions`: completion scripts for shells, made from the command line itself.

use crate::exit::Exit;
use crate::output;
use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  source <(tollgate completions bash)\n  tollgate completions fish > ~/.config/fish/completions/tollgate.fish"
)]
pub struct Completions {
    pub shell: Shell,
}

impl Completions {
    pub fn run(self, mut command: clap::Command) -> Exit {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "tollgate", &mut script);
        output::raw(&script);
        Exit::Ok
    }
}
