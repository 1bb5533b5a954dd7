//! A program for tests: the two hidden commands, and an engine that does nothing but start a run and wait for it.

use std::path::Path;
use std::process::ExitCode;
use tollgate_process::{adopt_orphans, agent_init, start, supervise};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["supervise", run_dir] => supervise(Path::new(run_dir)),
        ["agent-init", run_dir] => agent_init(Path::new(run_dir)),
        ["engine", run_dir, spec] => engine(Path::new(run_dir), spec),
        _ => ExitCode::FAILURE,
    }
}

fn engine(run_dir: &Path, spec: &str) -> ExitCode {
    adopt_orphans().expect("a process may adopt its orphans");
    let spec = serde_json::from_str(spec).expect("a test passes a good spec");
    let program = std::env::current_exe().expect("this program has a path");
    let run = start(run_dir, &spec, &program).expect("the supervisor can be started");
    let waited = run.wait();
    if let Ok(script) = std::env::var("AFTERWARDS") {
        let ran = std::process::Command::new("sh").args(["-c", &script]).status();
        ran.expect("there is a shell");
    }
    waited.map_or(ExitCode::FAILURE, |_| ExitCode::SUCCESS)
}
