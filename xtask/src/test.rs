//! `cargo xtask test`: what must hold before a change is merged, cheapest first, stopping at the first failure.

mod programs;

use crate::{agents, browser, deny, tidy};
use std::path::Path;
use std::time::Instant;
use xtask::{Trouble, run};

pub fn run(root: &Path) -> Result<(), Trouble> {
    let begin = Instant::now();
    let mut counts = Counts::default();
    let mut stages = Stages { entered: 0, total: 9 };
    stages.run("format", || {
        component("rustfmt", "fmt")?;
        in_root(root, &["fmt", "--all", "--check"])
    })?;
    stages.run("tidy", || tidy::run(root))?;
    let tools = std::thread::spawn(fetch_tools);
    stages.run("clippy", || {
        component("clippy", "clippy")?;
        in_root(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
        in_root(root, &["clippy", "--workspace", "--test", AGENTS, "--", "-D", "warnings"])
    })?;
    // As the tests have it, hooks for them included: what people run is built by whoever runs it.
    stages.run("build", || {
        BUILDS.iter().try_for_each(|build| {
            in_root(root, &[&["test", "--no-run", "--quiet"], *build].concat())
        })
    })?;
    // Before the tests, which would all wait for it, and each tell the same failure.
    stages.run("agent programs", || {
        tools.join().map_err(|_| "fetching the tools panicked")?;
        agents::run()
    })?;
    stages.run("browser", browser::run)?;
    stages.run("tests", || programs::run(root, &BUILDS, &mut counts))?;
    stages.run("doc tests", || doc_tests(root, &mut counts))?;
    stages.run("dependencies", || deny::check(root))?;
    let Counts { passed, failed, skipped } = counts;
    let seconds = begin.elapsed().as_secs_f64();
    run::say(&format!("\neverything holds, in {seconds:.1} s"));
    run::say(&format!("tests: {passed} passed, {failed} failed, {skipped} skipped"));
    Ok(())
}

/// What is downloaded comes while the compiler works. A failure is not told here: the stage that needs the tool
/// fetches it again and tells it.
fn fetch_tools() {
    std::thread::scope(|scope| {
        scope.spawn(browser::fetch);
        let _ = agents::fetch();
        let _ = deny::program();
    });
}

struct Stages {
    entered: usize,
    total: usize,
}

impl Stages {
    fn run(
        &mut self,
        name: &str,
        stage: impl FnOnce() -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        self.entered += 1;
        let heading = format!("== {}/{} {name}", self.entered, self.total);
        run::say(&format!("\n{heading}"));
        let begin = Instant::now();
        let outcome = stage();
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        run::say(&format!("{heading}: {word}, {:.1} s", begin.elapsed().as_secs_f64()));
        outcome
    }
}

fn in_root(root: &Path, arguments: &[&str]) -> Result<(), Trouble> {
    run::must(run::cargo(arguments).current_dir(root))
}

/// A minimal toolchain comes without rustfmt and clippy; rustup can add them.
fn component(name: &str, subcommand: &str) -> Result<(), Trouble> {
    if run::succeeds(&mut run::cargo(&[subcommand, "--version"])) {
        return Ok(());
    }
    run::must(std::process::Command::new("rustup").args(["component", "add", name])).map_err(|trouble| {
        format!("cargo {subcommand} is missing and could not be added: {trouble}\ninstall {name} for your toolchain and run again").into()
    })
}

/// The tests that start real agent programs; they have a target that other runs leave out.
const AGENTS: &str = "agents";

/// Of the whole workspace, so that no crate is built again with fewer features.
const BUILDS: [&[&str]; 2] =
    [&["--workspace", "--all-targets"], &["--workspace", "--test", AGENTS]];

fn doc_tests(root: &Path, counts: &mut Counts) -> Result<(), Trouble> {
    let arguments = ["test", "--workspace", "--doc", "--quiet"];
    let said = run::read(run::cargo(&arguments).current_dir(root))?;
    said.lines().for_each(|line| counts.add(line));
    Ok(())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl Counts {
    /// Takes a summary line of cargo's test runner; any other line is nothing.
    fn add(&mut self, line: &str) {
        let Some(summary) = line.trim().strip_prefix("test result:") else { return };
        for part in summary.split([',', ';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(number), Some(word)) = (words.next(), words.next()) else { continue };
            let Ok(number) = number.parse::<u32>() else { continue };
            match word {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "skipped" | "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn counts_are_read_from_the_summary() {
        let mut counts = Counts::default();
        counts.add("test result: ok. 7 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.03s");
        counts.add("running 7 tests");
        assert_eq!(counts, Counts { passed: 7, failed: 1, skipped: 2 });
    }
}
