//! What the engine checks that is no command of a plan: lifecycle gates, coverage, planning files.

use super::checks::{CheckOrder, Checked};
use super::{ActivityError, StopSwitch};
use crate::context::Context;
use crate::lifecycle::{self, GateResult, GateRun, LifecycleError};
use crate::workspace::Workspace;
use tollgate_core::work::CheckResult;

/// The gates of the declared stage, on the session's tree. None when they were stopped.
pub fn lifecycle(
    context: &Context,
    order: &CheckOrder,
    workspace: &Workspace,
    stop: &StopSwitch,
) -> Result<Option<Checked>, ActivityError> {
    let (lifecycle, _) = match lifecycle::load(context.repository.root()) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(Some(cannot(order, &error))),
    };
    let logs = context.session_layout(&order.session).check(order.number, 0);
    let run = GateRun {
        root: workspace.tree(),
        program: &context.program,
        runner: &context.config.check_runner,
        timeout_ms: order.timeout_ms,
        output_bytes_max: context.config.limits.output_bytes,
        logs: logs.folder(),
    };
    let stage = lifecycle.current_stage.clone();
    match lifecycle::run_gates(&run, &lifecycle, &stage, stop, &mut |_| {}) {
        Ok(None) => Ok(None),
        Ok(Some(results)) => {
            let results = results.into_iter().map(result).collect();
            Ok(Some(Checked { results, stage: Some(stage) }))
        }
        Err(error) => Ok(Some(cannot(order, &error))),
    }
}

fn result(gate: GateResult) -> CheckResult {
    CheckResult {
        command: format!("gate {}: {}", gate.name, gate.argv.join(" ")),
        passed: gate.ok,
        exit_code: gate.exit_code,
        trouble: gate.trouble,
        output_tail: if gate.ok { String::new() } else { gate.output_tail },
        duration_ms: gate.duration_ms,
        coverage: None,
        failed_on_base: false,
    }
}

/// The file does not say which gates to run: no gate has passed.
fn cannot(order: &CheckOrder, error: &LifecycleError) -> Checked {
    let output_tail = match error {
        LifecycleError::Invalid { report, .. } => {
            let lines = report.errors().map(|e| format!("{}: {}", e.path, e.message));
            lines.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    Checked { results: vec![failed(order, error.to_string(), output_tail)], stage: None }
}

/// A check that did not come to a result of its own.
pub fn failed(order: &CheckOrder, trouble: String, output_tail: String) -> CheckResult {
    CheckResult {
        command: order.commands.first().cloned().unwrap_or_default(),
        passed: false,
        exit_code: None,
        trouble: Some(trouble),
        output_tail,
        duration_ms: 0,
        coverage: None,
        failed_on_base: false,
    }
}
