//! The broom: `cargo xtask test` is what people and CI run; `tidy`, `claims` and `bench` are its parts.

mod agents;
mod browser;
mod claims;
mod deny;
mod source;
mod test;
mod tidy;

use std::process::ExitCode;
use xtask::{Trouble, root, run};

const HELP: &str = "\
usage: cargo xtask COMMAND

  test             everything that must hold before a change is merged
  tidy             the promises of the crates and the habits of the sources
  claims           write docs/claims.md and docs/reference/compliance.md again from the tests in the sources
  agents           install the agent programs that the tests run, and say where they are
  browser          install the browser of the page's tests (Debian: chromium and chromium-driver), and say where it is
  agents --lock    write xtask/agents/package-lock.json again from the package.json beside it
  bench [--peers | --only PART]  measure; prints a table, asserts nothing
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::run(&root()),
        ["tidy"] => tidy::run(&root()),
        ["claims"] => claims::run(&root()),
        ["agents"] => agents::run(),
        ["browser"] => browser::run(),
        ["agents", "--lock"] => agents::lock(&root()),
        ["bench", options @ ..] => bench(options),
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

/// A program of its own: it needs the whole engine, which the other commands would have to wait for.
fn bench(options: &[&str]) -> Result<(), Trouble> {
    let packages = ["--package", "tollgate", "--package", "tollgate-bench"];
    run::must(run::cargo(&["build", "--release"]).args(packages).current_dir(root()))?;
    let start = ["run", "--release", "--quiet", "--package", "tollgate-bench", "--"];
    run::must(run::cargo(&start).args(options).current_dir(root()))
}
