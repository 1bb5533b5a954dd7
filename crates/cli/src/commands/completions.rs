//! `tollgate completions`: what makes a shell ask this program what can be completed.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

/// Print a completion script for a shell
///
/// With it the shell completes commands and options, and offers sessions, open questions, actions, roles and codes as they are
/// at that moment.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  source <(tollgate completions bash)\n  tollgate completions fish > ~/.config/fish/completions/tollgate.fish"
)]
pub struct Completions {
    pub shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<Exit, Failure> {
        let name = self.shell.to_string();
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let written = shells.completer(&name).map(|shell| {
            shell.write_registration("COMPLETE", "tollgate", "tollgate", "tollgate", &mut script)
        });
        match written {
            Some(Ok(())) => {
                output::raw(&script);
                Ok(Exit::Ok)
            }
            _ => Err(Failure::new(Exit::Bug, "cli.bug", format!("there is no script for {name}"))),
        }
    }
}
