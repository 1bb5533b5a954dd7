//! What the engine checks that is no command of a plan: lifecycle gates, coverage, planning files.

use super::fresh::{self, Ready};
use super::kept_report::KeptReport;
use super::{CheckOrder, Checked, failed};
use crate::activity::outputs::WorkTree;
use crate::activity::{ActivityError, StopSwitch};
use crate::context::{Context, WorkspaceId};
use crate::lifecycle::{self, GateResult, GateRun, LifecycleError};
use tollgate_contract::artefact::{self, RepositoryFiles as _};
use tollgate_contract::coverage::{self, Coverage, Measurement};
use tollgate_contract::diagnostic::Report;
use tollgate_core::work::{CheckResult, Measured};
use tollgate_git::workspace::Workspace;

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
    let stage = lifecycle.current_stage.clone();
    match fresh::set_up(context, order, workspace, stop)? {
        Ready::Yes => {}
        Ready::Stopped => return Ok(None),
        Ready::No(result) => {
            return Ok(Some(Checked { stage: Some(stage), ..Checked::new(vec![*result]) }));
        }
    }
    let logs = context.session_layout(&order.session).check(order.number, 0);
    let sandbox = context.sandbox_of(workspace.tree(), &[])?;
    let run = GateRun {
        root: workspace.tree(),
        program: &context.program,
        runner: &context.config.check_runner,
        timeout_ms: order.timeout_ms,
        output_bytes_max: context.config.limits.output_bytes,
        logs: logs.folder(),
        sandbox: sandbox.as_ref(),
    };
    match lifecycle::run_gates(&run, &lifecycle, &stage, stop, &mut |_| {}) {
        Ok(None) => Ok(None),
        Ok(Some(results)) => {
            let results = results.into_iter().map(result).collect();
            Ok(Some(Checked { stage: Some(stage), ..Checked::new(results) }))
        }
        Err(error) => Ok(Some(cannot(order, &error))),
    }
}

/// What the coverage report says that the last check commands left, about files that are in the clone they ran in.
pub fn coverage(context: &Context, order: &CheckOrder, workspace: &Workspace) -> Checked {
    let Some((table, kept)) = context.config.coverage.as_ref().zip(kept_report(context, order))
    else {
        let trouble = "tollgate.toml does not name a coverage report".to_owned();
        return Checked::new(vec![failed(order, trouble, String::new())]);
    };
    let result = match kept.find() {
        Ok(None) => {
            let trouble = format!("no check has written {}", table.report);
            let why =
                "only a report written by a check command counts, not one written by an agent";
            failed(order, trouble, why.to_owned())
        }
        Err(error) => failed(order, error.to_string(), String::new()),
        Ok(Some(bytes)) => {
            let tree = WorkTree { root: workspace.tree() };
            let text = String::from_utf8_lossy(&bytes);
            let root = tree.root.to_string_lossy();
            match coverage::read(&text, &table.report, &root, &|path| tree.is_file(path)) {
                Ok(Measurement { coverage: Coverage { covered, total }, absent }) => CheckResult {
                    coverage: Some(Measured { covered, total }),
                    passed: true,
                    output_tail: not_counted(&absent),
                    ..measure_of(order)
                },
                Err(report) => {
                    failed(order, format!("{} cannot be read", table.report), words(&report))
                }
            }
        }
    };
    Checked::new(vec![result])
}

fn not_counted(absent: &[String]) -> String {
    match absent.first() {
        None => String::new(),
        Some(first) => format!(
            "{} files in the report are not in the workspace and do not count, such as {first}",
            absent.len()
        ),
    }
}

/// Where the report of this order's revision is kept; none when no report is named.
pub fn kept_report<'a>(context: &'a Context, order: &'a CheckOrder) -> Option<KeptReport<'a>> {
    let table = context.config.coverage.as_ref()?;
    let home = context.workspace_home(&order.session, WorkspaceId::Session);
    Some(KeptReport::new(&home, &table.report, &order.tip))
}

/// The planning files are complete and refer to what exists.
pub fn planning(order: &CheckOrder, workspace: &Workspace) -> Checked {
    let report = artefact::check_planning(&WorkTree { root: workspace.tree() });
    let result = match report.is_ok() {
        true => CheckResult { passed: true, ..measure_of(order) },
        false => {
            let count = report.errors().count();
            failed(
                order,
                format!("{} in planning-mds/", tollgate_core::count::counted(count, "error")),
                words(&report),
            )
        }
    };
    Checked::new(vec![result])
}

fn measure_of(order: &CheckOrder) -> CheckResult {
    CheckResult { trouble: None, ..failed(order, String::new(), String::new()) }
}

/// Every error with its place, one a line.
fn words(report: &Report) -> String {
    let lines = report.errors().map(|error| match error.line {
        Some(line) => format!("{}:{line}: {}", error.path, error.message),
        None => format!("{}: {}", error.path, error.message),
    });
    lines.collect::<Vec<_>>().join("\n")
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
        could_not_start: gate.could_not_start,
        only_in_workspace: None,
    }
}

/// The file does not say which gates to run: no gate has passed.
fn cannot(order: &CheckOrder, error: &LifecycleError) -> Checked {
    let output_tail = match error {
        LifecycleError::Invalid { report, .. } => words(report),
        _ => String::new(),
    };
    Checked::new(vec![failed(order, error.to_string(), output_tail)])
}
