//! The face of Tollgate: reads the command line, calls one command, and ends with its exit code.

mod args;
mod commands;
mod demo;
mod exit;
mod explain;
mod face;
mod failure;
mod output;
mod place;
mod scripted;
mod summary;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match args::Args::parse().command.run() {
        Ok(code) => code,
        Err(failure) => {
            output::failure(&failure);
            failure.exit.into()
        }
    }
}
