//! The face of Tollgate: reads the command line, calls one command, and ends with its exit code.

mod archived;
mod args;
mod candidates;
mod changes;
mod commands;
mod demo;
mod digest;
mod estimate;
mod exit;
mod explain;
mod face;
mod failure;
mod github;
mod installed;
mod interrupt;
mod outcome;
mod output;
mod pager;
mod place;
mod progress;
mod sample_git;
mod scripted;
mod summary;
mod telemetry;
mod tracking;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(bug));
    // A shell asks what can be completed; then nothing else is done.
    clap_complete::CompleteEnv::with_factory(|| candidates::with(args::public_command()))
        .complete();
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return output::usage(&error),
    };
    match args.run() {
        Ok(code) => code,
        Err(failure) => {
            output::failure(&failure);
            github::tell_failure(&failure);
            failure.exit.into()
        }
    }
}

/// A panic in any thread is a bug of ours. The journal is whole, so leaving at once loses nothing.
fn bug(panic: &std::panic::PanicHookInfo<'_>) {
    face::keyboard::give_back();
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let words = panic.payload_as_str().unwrap_or("no words");
    let message = format!("a bug in Tollgate at {place}: {words}");
    let failure = failure::Failure::new(exit::Exit::Bug, "cli.bug", message)
        .hint("the session is safe; `tollgate resume` continues from its journal");
    output::failure(&failure);
    std::process::exit(exit::Exit::Bug as i32);
}
