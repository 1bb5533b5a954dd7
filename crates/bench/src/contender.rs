//! The same workload for everyone: twelve durable steps that do nothing and one question to a person.
//!
//! A contender is a command with the three verbs of `xtask/peers/workload.py`, each in a process of
//! its own, so that syncs, memory and the cost of resuming are counted from outside in one way for all.

use super::table::Table;
use super::{scratch, timing};
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use xtask::{Trouble, run};

#[derive(Debug)]
pub struct Contender {
    pub name: String,
    /// Program and arguments that come before the verb.
    pub command: Vec<String>,
}

const RUNS: usize = 5;
const WORKFLOWS: u32 = 100;
/// Syncs are the difference between a long and a short run, so that opening a store is not counted.
const WORKFLOWS_TRACED: [u32; 2] = [10, 30];
const SYNC_CALLS: &str = "trace=fsync,fdatasync,sync,syncfs,sync_file_range,msync";

pub fn compare(contenders: &[Contender]) -> Result<(), Trouble> {
    let mut samples: Vec<Samples> = contenders.iter().map(|_| Samples::default()).collect();
    // In turns, so that whatever else the machine does is shared fairly.
    for round in 1..=RUNS {
        run::say(&format!("round {round} of {RUNS}"));
        for (contender, samples) in contenders.iter().zip(&mut samples) {
            samples.take(contender)?;
        }
    }
    let mut table =
        Table::new(&["", "steps/s", "syncs/step", "resume", "whole process", "peak memory"]);
    for (contender, samples) in contenders.iter().zip(samples) {
        table.row(samples.cells(contender)?);
    }
    run::say(&format!("\n{}\n{}", timing::machine(), table.text()));
    run::say(
        "resume: from opening the store to the question, in a new process; whole process: from its start,\n\
         through the answer, to its end. syncs: system calls counted by strace; of Tollgate's, one a session\n\
         makes the name of its journal last. peak memory: VmHWM of the run. Aim: at least 1,000 steps/s and\n\
         twice the best peer, at most 1.2 syncs/step, resume under 50 ms, under 30 MiB.\n",
    );
    Ok(())
}

#[derive(Debug, Default)]
struct Samples {
    steps_per_second: Vec<f64>,
    resume_ms: Vec<f64>,
    process_ms: Vec<f64>,
    memory_mib: Vec<f64>,
}

impl Samples {
    fn take(&mut self, contender: &Contender) -> Result<(), Trouble> {
        let folder = scratch()?;
        let report = contender.call(&[], "run", folder.path(), &[&WORKFLOWS.to_string()])?;
        self.steps_per_second.push(report.number("steps")? / report.number("seconds")?);
        self.memory_mib.push(report.number("peak_memory_kib")? / 1024.0);

        let folder = scratch()?;
        contender.call(&[], "park", folder.path(), &[])?;
        let begin = Instant::now();
        let report = contender.call(&[], "resume", folder.path(), &[])?;
        self.process_ms.push(begin.elapsed().as_secs_f64() * 1e3);
        self.resume_ms.push(report.number("seconds")? * 1e3);
        Ok(())
    }

    fn cells(mut self, contender: &Contender) -> Result<Vec<String>, Trouble> {
        let syncs = contender.syncs_per_step()?;
        Ok(vec![
            contender.name.clone(),
            format!("{:.0}", timing::middle(&mut self.steps_per_second)),
            syncs.map_or_else(|| "no strace here".into(), |count| format!("{count:.2}")),
            format!("{:.1} ms", timing::middle(&mut self.resume_ms)),
            format!("{:.0} ms", timing::middle(&mut self.process_ms)),
            format!("{:.0} MiB", timing::middle(&mut self.memory_mib)),
        ])
    }
}

impl Contender {
    fn call(
        &self,
        before: &[&str],
        verb: &str,
        folder: &Path,
        rest: &[&str],
    ) -> Result<Report, Trouble> {
        let words: Vec<&str> =
            before.iter().copied().chain(self.command.iter().map(String::as_str)).collect();
        let (program, arguments) = words.split_first().ok_or("a contender has a command")?;
        let said =
            run::read(Command::new(program).args(arguments).arg(verb).arg(folder).args(rest))?;
        let last = said.lines().last().unwrap_or_default();
        Ok(Report(
            serde_json::from_str(last).map_err(|e| format!("{} said {last:?}: {e}", self.name))?,
        ))
    }

    /// None where there is no strace to count with.
    fn syncs_per_step(&self) -> Result<Option<f64>, Trouble> {
        if !run::succeeds(Command::new("strace").arg("-V")) {
            return Ok(None);
        }
        let (mut syncs, mut steps) = ([0.0; 2], [0.0; 2]);
        for (index, workflows) in WORKFLOWS_TRACED.into_iter().enumerate() {
            let folder = scratch()?;
            let counts = folder.path().join("strace.txt");
            let strace = ["strace", "-f", "-c", "-e", SYNC_CALLS, "-o", &counts.to_string_lossy()];
            let report = self.call(&strace, "run", folder.path(), &[&workflows.to_string()])?;
            steps[index] = report.number("steps")?;
            syncs[index] = calls(&std::fs::read_to_string(&counts)?);
        }
        Ok(Some((syncs[1] - syncs[0]) / (steps[1] - steps[0])))
    }
}

/// The last line a contender printed.
struct Report(serde_json::Value);

impl Report {
    fn number(&self, name: &str) -> Result<f64, Trouble> {
        self.0[name].as_f64().ok_or_else(|| format!("a report without {name}: {}", self.0).into())
    }
}

/// Sums the `calls` column of `strace -c`; the line of totals and the heading are left out.
fn calls(summary: &str) -> f64 {
    let rows =
        summary.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let rows = rows.filter(|line| !line.ends_with("total"));
    rows.filter_map(|line| line.split_whitespace().nth(3)?.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn the_calls_of_strace_are_summed() {
        let summary = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 99.00    0.005000          41       120           fdatasync
  1.00    0.000050          25         2         1 fsync
------ ----------- ----------- --------- --------- ----------------
100.00    0.005050          41       122         1 total
";
        assert_eq!(calls(summary), 122.0);
        assert_eq!(calls(""), 0.0);
    }
}
