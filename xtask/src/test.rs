//! `cargo xtask test`: what must hold before a change is merged, cheapest first, stopping at the first failure.

use crate::{Trouble, deny, run, tidy};
use std::path::Path;
use std::time::Instant;

pub fn run(root: &Path) -> Result<(), Trouble> {
    let begin = Instant::now();
    let mut counts = Counts::default();
    let mut stages = Stages { entered: 0, total: 7 };
    stages.run("format", || {
        component("rustfmt", "fmt")?;
        in_root(root, &["fmt", "--all", "--check"])
    })?;
    stages.run("tidy", || tidy::run(root))?;
    stages.run("clippy", || {
        component("clippy", "clippy")?;
        in_root(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
    })?;
    stages.run("build", || in_root(root, &["build", "--workspace"]))?;
    stages.run("tests", || tests(root, &mut counts))?;
    stages.run("doc tests", || doc_tests(root, &mut counts))?;
    stages.run("dependencies", || deny::check(root))?;
    let Counts { passed, failed, skipped } = counts;
    let seconds = begin.elapsed().as_secs_f64();
    run::say(&format!(
        "\neverything holds: {passed} tests passed, {failed} failed, {skipped} skipped, in {seconds:.1} s"
    ));
    Ok(())
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

fn tests(root: &Path, counts: &mut Counts) -> Result<(), Trouble> {
    let arguments: &[&str] = if run::succeeds(&mut run::cargo(&["nextest", "--version"])) {
        &["nextest", "run", "--workspace", "--no-fail-fast", "--status-level", "fail"]
    } else {
        &["test", "--workspace", "--all-targets", "--no-fail-fast", "--quiet"]
    };
    counted(root, arguments, counts)
}

fn doc_tests(root: &Path, counts: &mut Counts) -> Result<(), Trouble> {
    counted(root, &["test", "--workspace", "--doc", "--quiet"], counts)
}

fn counted(root: &Path, arguments: &[&str], counts: &mut Counts) -> Result<(), Trouble> {
    let heard = run::overhear(run::cargo(arguments).current_dir(root))?;
    heard.lines().for_each(|line| counts.add(line));
    Ok(())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl Counts {
    /// Takes a summary line of nextest or of cargo's own test runner; any other line is nothing.
    fn add(&mut self, line: &str) {
        let line = line.trim();
        let summary = line.strip_prefix("test result:").or_else(|| {
            line.strip_prefix("Summary")
                .and_then(|rest| rest.split_once("run:"))
                .map(|(_, rest)| rest)
        });
        let Some(summary) = summary else { return };
        for part in summary.split([',', ';', '.']) {
            // "12 passed (1 slow)": the count is before the word, remarks follow it.
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
    fn counts_are_read_from_both_runners() {
        let mut counts = Counts::default();
        counts
            .add("     Summary [   2.391s] 41 tests run: 40 passed (2 slow), 1 failed, 3 skipped");
        counts.add("test result: ok. 7 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.03s");
        counts.add("running 7 tests");
        assert_eq!(counts, Counts { passed: 47, failed: 1, skipped: 5 });
    }
}
