//! Tollgate as a contender: the verbs of `xtask/peers/workload.py`, told in the same words.

use super::workflow::{Flow, GATE_AFTER, STEPS, nothing, workload};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;
use xtask::{Trouble, run};

/// The session that `park` leaves behind.
const PARKED: &str = "2026-11-15_parked";

pub fn verb(words: &[&str]) -> Result<(), Trouble> {
    let mut report = match words {
        ["run", folder, workflows] => run_workflows(Path::new(folder), workflows.parse()?)?,
        ["park", folder] => park(Path::new(folder))?,
        ["resume", folder] => resume(Path::new(folder))?,
        _ => return Err("a contender is told run FOLDER N, park FOLDER or resume FOLDER".into()),
    };
    report["peak_memory_kib"] = json!(peak_memory_kib());
    run::say(&report.to_string());
    Ok(())
}

fn run_workflows(folder: &Path, workflows: usize) -> Result<Value, Trouble> {
    let begin = Instant::now();
    for number in 0..workflows {
        whole(folder, number)?;
    }
    Ok(json!({ "steps": workflows * STEPS, "seconds": begin.elapsed().as_secs_f64() }))
}

/// One whole workflow in a session of its own.
pub fn whole(folder: &Path, number: usize) -> Result<(), Trouble> {
    let name = format!("2026-11-15_workflow-{number}");
    let mut flow = Flow::open(&folder.join(&name), &workload(&name)?)?;
    flow.work(nothing)?;
    flow.approve()?;
    flow.work(nothing)?;
    flow.expect(STEPS, false)
}

fn park(folder: &Path) -> Result<Value, Trouble> {
    let mut flow = Flow::open(&folder.join(PARKED), &workload(PARKED)?)?;
    flow.work(nothing)?;
    flow.expect(GATE_AFTER, true)?;
    Ok(json!({}))
}

fn resume(folder: &Path) -> Result<Value, Trouble> {
    let begin = Instant::now();
    let mut flow = Flow::resume(&folder.join(PARKED))?;
    let seconds = begin.elapsed().as_secs_f64();
    flow.expect(GATE_AFTER, true)?;
    flow.approve()?;
    flow.work(nothing)?;
    flow.expect(STEPS, false)?;
    Ok(json!({ "seconds": seconds }))
}

fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
