//! A program for tests: the two hidden commands of `tollgate` that run a gate.

use std::path::Path;
use std::process::ExitCode;
use tollgate_process::{agent_init, supervise};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["supervise", run_dir] => supervise(Path::new(run_dir)),
        ["agent-init", run_dir] => agent_init(Path::new(run_dir)),
        _ => ExitCode::FAILURE,
    }
}
