//! Runs the gates of a stage: every one, in order, each under a supervisor of its own that bounds its time and output.

use super::LifecycleError;
use crate::commands::{EngineRun, how_it_ended, run_to_end};
use crate::stop::StopSwitch;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_contract::lifecycle::{Lifecycle, LifecycleGate, THIS_PROGRAM};
use tollgate_core::limits::TAIL_BYTES;
use tollgate_files as files;
use tollgate_process::{RunEnd, RunOutcome, RunSpec, Sandbox, StopReason};

/// Set for every gate to its name: it tells a built-in gate that the folder it runs in is the root.
pub const GATE_VARIABLE: &str = "TOLLGATE_GATE";

/// Where and within which bounds gates run.
#[derive(Debug, Clone, Copy)]
pub struct GateRun<'a> {
    /// Gates run in this folder.
    pub root: &'a Path,
    /// The tollgate binary, which is also the supervisor.
    pub program: &'a Path,
    /// Put before every command but those of this program.
    pub runner: &'a [String],
    /// Of one gate.
    pub timeout_ms: u64,
    /// Of one gate.
    pub output_bytes_max: u64,
    /// Gate N leaves stdout.log and stderr.log in folder N of this one, counted from 1, or beside it in `N.again-M` when
    /// that is taken. Run again with the same folder, a gate that has ended is not run a second time.
    pub logs: &'a Path,
    /// Where gates may write; none for a person who runs them in their own checkout.
    pub sandbox: Option<&'a Sandbox>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateResult {
    pub name: String,
    /// With the runner before it.
    pub argv: Vec<String>,
    pub ok: bool,
    /// None when it did not get as far as an exit code; `trouble` then says why.
    pub exit_code: Option<i32>,
    pub trouble: Option<String>,
    /// The script that it should have run, where a gate that failed has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_script: Option<String>,
    /// Its program or the runner is not there.
    #[serde(skip)]
    pub could_not_start: bool,
    pub duration_ms: u64,
    /// Without secrets.
    pub output_tail: String,
}

/// What happens while gates run.
#[derive(Debug)]
pub enum Progress<'a> {
    Begins { gate: &'a LifecycleGate, number: usize, of: usize },
    Ended(&'a GateResult),
}

/// Runs every gate that the stage requires, also after one has failed. None when it was stopped.
pub fn run_gates(
    run: &GateRun<'_>,
    lifecycle: &Lifecycle,
    stage: &str,
    stop: &StopSwitch,
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<Option<Vec<GateResult>>, LifecycleError> {
    let Some(stage) = lifecycle.stage(stage) else {
        let known = lifecycle.stage_names().into_iter().map(str::to_owned).collect();
        return Err(LifecycleError::UnknownStage { name: stage.to_owned(), known });
    };
    let gates = lifecycle.required(stage);
    let mut results = Vec::with_capacity(gates.len());
    for (index, gate) in gates.iter().enumerate() {
        if stop.reason().is_some() {
            return Ok(None);
        }
        tell(Progress::Begins { gate, number: index + 1, of: gates.len() });
        let failed = |error| LifecycleError::Io {
            gate: gate.name.clone(),
            cause: std::io::Error::other(error),
        };
        let folder = run.logs.join((index + 1).to_string());
        let spec = spec(run, gate);
        let engine_run = EngineRun { folder: &folder, spec: &spec, program: run.program };
        let Some(ran) = run_to_end(&engine_run, stop, &mut || Ok(())).map_err(failed)? else {
            return Ok(None);
        };
        let result = result(run, gate, &ran.folder, &ran.outcome)?;
        tell(Progress::Ended(&result));
        results.push(result);
    }
    Ok(Some(results))
}

fn spec(run: &GateRun<'_>, gate: &LifecycleGate) -> RunSpec {
    let mut argv = argv(run, gate);
    if is_this_program(gate) {
        argv[0] = run.program.to_string_lossy().into_owned();
    }
    RunSpec {
        argv,
        cwd: run.root.to_owned(),
        env_names: Vec::new(),
        env: BTreeMap::from([(GATE_VARIABLE.to_owned(), gate.name.clone())]),
        stdin_file: None,
        timeout_ms: run.timeout_ms,
        silence_ms: None,
        output_bytes_max: run.output_bytes_max,
        isolation: None,
        sandbox: run.sandbox.cloned(),
        secret_files: Vec::new(),
    }
}

/// This program is not to be looked for in the container that a runner starts.
fn is_this_program(gate: &LifecycleGate) -> bool {
    gate.command.first().is_some_and(|program| program == THIS_PROGRAM)
}

fn argv(run: &GateRun<'_>, gate: &LifecycleGate) -> Vec<String> {
    let runner = if is_this_program(gate) { &[] } else { run.runner };
    runner.iter().chain(&gate.command).cloned().collect()
}

fn result(
    run: &GateRun<'_>,
    gate: &LifecycleGate,
    ran_in: &Path,
    outcome: &RunOutcome,
) -> Result<GateResult, LifecycleError> {
    let (exit_code, trouble) = match &outcome.end {
        RunEnd::Exited { code } => (Some(*code), None),
        other => (None, Some(trouble(other))),
    };
    let stdout = files::read_tail(&ran_in.join("stdout.log"), TAIL_BYTES / 2)?;
    let stderr = files::read_tail(&ran_in.join("stderr.log"), TAIL_BYTES / 2)?;
    let ok = exit_code == Some(0);
    let missing_script = missing_script(run.root, &gate.command).filter(|_| !ok);
    Ok(GateResult {
        name: gate.name.clone(),
        argv: argv(run, gate),
        ok,
        exit_code,
        trouble,
        missing_script: missing_script.map(str::to_owned),
        could_not_start: matches!(outcome.end, RunEnd::CouldNotStart { .. }),
        duration_ms: outcome.duration_ms,
        output_tail: [stdout.trim_end(), stderr.trim_end()].join("\n").trim().to_owned(),
    })
}

/// The file of the repository that the command hands to its interpreter, where it is not there.
fn missing_script<'a>(root: &Path, command: &'a [String]) -> Option<&'a str> {
    let [_, script, ..] = command else { return None };
    let is_script = script.contains('/') && !script.starts_with(['-', '/']);
    let has_extension = Path::new(script).extension().is_some();
    (is_script && has_extension && !root.join(script).exists()).then_some(script)
}

/// Names the setting where a bound was hit.
fn trouble(end: &RunEnd) -> String {
    match end {
        RunEnd::Stopped { why: StopReason::Deadline { after_ms } } => {
            let seconds = *after_ms as f64 / 1_000.0;
            format!(
                "not finished after {seconds} s, the limit of `[timeout] check` in tollgate.toml"
            )
        }
        RunEnd::Stopped { why: StopReason::OutputLimit { limit_bytes } } => format!(
            "more than {limit_bytes} bytes of output, the limit of `[limits] output_bytes` in tollgate.toml"
        ),
        other => how_it_ended(other),
    }
}
