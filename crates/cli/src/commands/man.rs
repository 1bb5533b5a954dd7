//! `tollgate man`: manual pages, made from the command line itself.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use std::path::{Path, PathBuf};

/// Print the manual page, or write the pages of all commands into a folder
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate man\n  tollgate man --out ~/.local/share/man/man1")]
pub struct Man {
    /// Write one page per command into this folder, and create it if needed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl Man {
    pub fn run(self, command: clap::Command) -> Result<Exit, Failure> {
        let Some(folder) = self.out else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut page)
                .map_err(|cause| cannot_write(Path::new("the page"), &cause))?;
            output::raw(&page);
            return Ok(Exit::Ok);
        };
        std::fs::create_dir_all(&folder)
            .and_then(|()| clap_mangen::generate_to(command, &folder))
            .map_err(|cause| cannot_write(&folder, &cause))?;
        output::talk(&format!("manual pages are in {}", folder.display()));
        Ok(Exit::Ok)
    }
}

fn cannot_write(place: &Path, cause: &std::io::Error) -> Failure {
    Failure::usage("cli.write", format!("cannot write {}: {cause}", place.display()))
}
