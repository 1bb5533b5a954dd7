//! The broom: `cargo xtask test` is what people and CI run; `tidy`, `claims` and `bench` are its parts.

mod agents;
mod bench;
mod cache;
mod claims;
mod compliance;
mod deny;
mod run;
mod source;
mod test;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a command did not do what was asked, in words for the person at the terminal.
type Trouble = Box<dyn std::error::Error>;

const HELP: &str = "\
usage: cargo xtask COMMAND

  test             everything that must hold before a change is merged
  tidy             the promises of the crates and the habits of the sources
  claims           write docs/claims.md and docs/reference/compliance.md again from the tests in the sources
  agents           install the agent programs that the tests run, and say where they are
  agents --lock    write xtask/agents/package-lock.json again from the package.json beside it
  bench [--peers]  measure; prints a table, asserts nothing
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::run(&root()),
        ["tidy"] => tidy::run(&root()),
        ["claims"] => claims::run(&root()),
        ["agents"] => agents::run(),
        ["agents", "--lock"] => agents::lock(&root()),
        ["bench", options @ ..] => bench::run(&root(), options),
        _ => Err(HELP.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            run::say(&format!("{trouble}"));
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace; this crate lies directly below it.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask is a folder of the workspace").to_owned()
}
