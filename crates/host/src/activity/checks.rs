//! Runs check commands one after another, each under its own supervisor, on the accepted tree or on a fresh clone of it.

mod base;
pub(crate) mod fresh;
mod kept_report;
mod subject;
mod test_runner;

use super::{ActivityError, StopSwitch, clean};
use crate::commands::{self, EngineRun, run_to_end};
use crate::context::{Context, WorkspaceId};
use fresh::Ready;
use tollgate_core::action::CheckSubject;
use tollgate_core::event::CheckPurpose;
use tollgate_core::id::{CheckNumber, CommitId, SessionName};
use tollgate_core::limits::TAIL_BYTES;
use tollgate_core::work::{CheckResult, SetAside};
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_files::layout::RunFolder;
use tollgate_git::workspace::Workspace;
use tollgate_process::{self as process, RunEnd, RunOutcome, RunSpec};

#[derive(Debug, Clone)]
pub struct CheckOrder {
    pub number: CheckNumber,
    /// The hash of the record that opened them.
    pub opened_by: String,
    pub purpose: CheckPurpose,
    pub commands: Vec<String>,
    pub workspace_id: WorkspaceId,
    pub timeout_ms: u64,
    pub session: SessionName,
    pub base: CommitId,
    pub tip: CommitId,
}

/// What checks came to.
#[derive(Debug)]
pub struct Checked {
    pub results: Vec<CheckResult>,
    /// The lifecycle stage whose gates were run.
    pub stage: Option<String>,
    /// Files that were too large and that the checks left behind.
    pub set_aside: Vec<SetAside>,
}

impl Checked {
    pub fn new(results: Vec<CheckResult>) -> Self {
        Self { results, stage: None, set_aside: Vec::new() }
    }
}

/// None when it was stopped.
pub fn run(
    context: &Context,
    order: &CheckOrder,
    stop: &StopSwitch,
) -> Result<Option<Checked>, ActivityError> {
    // Where only a person can judge, no clone is made.
    if order.commands.is_empty() {
        return Ok(Some(Checked::new(Vec::new())));
    }
    let runs = context.session_layout(&order.session).checks().join(order.number.to_string());
    process::belong(&runs, &order.opened_by)
        .map_err(ActivityError::io(format!("cannot look at {}", runs.display())))?;
    let workspace = workspace(context, order, order.workspace_id)?;
    let mut checked = match &order.purpose {
        CheckPurpose::Subject { subject: CheckSubject::Lifecycle, .. } => {
            tidy(&workspace, order)?;
            subject::lifecycle(context, order, &workspace, stop)?
        }
        CheckPurpose::Subject { subject: CheckSubject::Coverage, .. } => {
            Some(subject::coverage(context, order, &workspace))
        }
        CheckPurpose::Subject { subject: CheckSubject::Planning, .. } => {
            tidy(&workspace, order)?;
            Some(subject::planning(order, &workspace))
        }
        _ => run_commands(context, order, &workspace, stop)?,
    };
    if let Some(checked) = &mut checked {
        clean::results(&context.redactor, &mut checked.results);
    }
    crash::point("checks.ended");
    tidy(&workspace, order)?;
    if let Some(checked) = &mut checked {
        if order.workspace_id == WorkspaceId::Session {
            checked.set_aside = workspace.set_aside_as_large()?;
        } else {
            fresh::remove_all_but(context, &order.session, Some(order.workspace_id));
        }
        clean::set_aside(&context.redactor, &mut checked.set_aside);
    }
    Ok(checked)
}

fn run_commands(
    context: &Context,
    order: &CheckOrder,
    workspace: &Workspace,
    stop: &StopSwitch,
) -> Result<Option<Checked>, ActivityError> {
    match fresh::set_up(context, order, workspace, stop)? {
        Ready::Yes => {}
        Ready::Stopped => return Ok(None),
        Ready::No(result) => return Ok(Some(Checked::new(vec![*result]))),
    }
    let layout = context.session_layout(&order.session);
    let is_fresh = order.workspace_id != WorkspaceId::Session;
    let kept_report = subject::kept_report(context, order).filter(|_| is_fresh);
    let mut checked = Checked::new(Vec::with_capacity(order.commands.len()));
    for (index, command) in order.commands.iter().enumerate() {
        if stop.reason().is_some() {
            return Ok(None);
        }
        let folder = layout.check(order.number, index + 1);
        let mut prepare = || {
            tidy(workspace, order)?;
            if let Some(report) = &kept_report {
                report.make_room(workspace, index + 1)?;
            }
            crash::point("checks.before_start");
            Ok(())
        };
        let spec = spec(context, order, workspace, command)?;
        let engine_run =
            EngineRun { folder: folder.folder(), spec: &spec, program: &context.program };
        let Some(ran) = run_to_end(&engine_run, stop, &mut prepare)? else {
            return Ok(None);
        };
        if let Some(report) = &kept_report {
            report.keep(workspace.tree(), order.number, index + 1)?;
        }
        let outcome = take(&folder, &ran.folder, ran.outcome)?;
        let mut result = result(command, &folder, &outcome)?;
        if !result.passed {
            // What cannot run here says nothing about the base either.
            result.failed_on_base = !result.cannot_run()
                && base::fails(context, order, command, workspace.tree(), stop)?;
            // What was red before stops no action, so it needs no explanation.
            let is_told = matches!(order.purpose, CheckPurpose::Subject { .. });
            if is_fresh && !(is_told && result.failed_on_base) {
                let place = (index + 1, command.as_str());
                let found = fresh::in_workspace(context, order, place, workspace, stop)?;
                result.only_in_workspace = found.only_here;
                checked.set_aside = found.set_aside;
            }
        }
        checked.results.push(result);
    }
    if stop.reason().is_some() {
        return Ok(None);
    }
    Ok(Some(checked))
}

/// A tree of the session, which keeps for these checks what they leave in it.
fn workspace(
    context: &Context,
    order: &CheckOrder,
    workspace_id: WorkspaceId,
) -> Result<Workspace, ActivityError> {
    let workspace = context.workspace(&order.session, workspace_id, &order.base, &order.tip)?;
    Ok(workspace.labelled(&rescue_name(order)))
}

fn rescue_name(order: &CheckOrder) -> String {
    format!("{LEFT_BY_CHECKS}{}", order.number)
}

/// How the names begin under which is kept what checks leave behind.
const LEFT_BY_CHECKS: &str = "checks-";

/// Whether what is kept under a name was left behind by a check, so that it is nobody's work.
pub(crate) fn is_left_by_checks(name: &str) -> bool {
    name.starts_with(LEFT_BY_CHECKS) || name.starts_with(base::LEFT_BY_CHECKS)
}

/// What a check leaves behind is nobody's work.
fn tidy(workspace: &Workspace, order: &CheckOrder) -> Result<(), ActivityError> {
    if workspace.rescue(&rescue_name(order), "left behind by checks")?.is_some() {
        workspace.reset(&order.tip)?;
    }
    Ok(())
}

/// The outcome's logs stand where they are looked for.
fn take(
    folder: &RunFolder,
    ran_in: &std::path::Path,
    outcome: RunOutcome,
) -> Result<RunOutcome, ActivityError> {
    if ran_in != folder.folder() {
        for log in [folder.stdout(), folder.stderr()] {
            if let Some(name) = log.file_name() {
                std::fs::copy(ran_in.join(name), &log)
                    .map_err(ActivityError::io(format!("cannot write {}", log.display())))?;
            }
        }
    }
    Ok(outcome)
}

fn spec(
    context: &Context,
    order: &CheckOrder,
    workspace: &Workspace,
    command: &str,
) -> Result<RunSpec, ActivityError> {
    let runner = &context.config.check_runner;
    let command =
        test_runner::shell_command(&context.config.test_command, workspace.tree(), command);
    commands::shell(context, &order.session, workspace, runner, &command, order.timeout_ms)
}

fn result(
    command: &str,
    folder: &RunFolder,
    outcome: &RunOutcome,
) -> Result<CheckResult, ActivityError> {
    let (exit_code, trouble) = match &outcome.end {
        RunEnd::Exited { code } => (Some(*code), None),
        other => (None, Some(commands::how_it_ended(other))),
    };
    let passed = exit_code == Some(0);
    let output_tail = if passed {
        String::new()
    } else {
        let stdout = files::read_tail(&folder.stdout(), TAIL_BYTES / 2)?;
        let stderr = files::read_tail(&folder.stderr(), TAIL_BYTES / 2)?;
        [stdout.trim_end(), stderr.trim_end()].join("\n").trim().to_owned()
    };
    Ok(CheckResult {
        command: command.to_owned(),
        passed,
        exit_code,
        trouble,
        output_tail,
        duration_ms: outcome.duration_ms,
        coverage: None,
        failed_on_base: false,
        could_not_start: matches!(outcome.end, RunEnd::CouldNotStart { .. }),
        only_in_workspace: None,
    })
}

/// A check that did not come to a result of its own.
fn failed(order: &CheckOrder, trouble: String, output_tail: String) -> CheckResult {
    CheckResult {
        command: order.commands.first().cloned().unwrap_or_default(),
        passed: false,
        exit_code: None,
        trouble: Some(trouble),
        output_tail,
        duration_ms: 0,
        coverage: None,
        failed_on_base: false,
        could_not_start: false,
        only_in_workspace: None,
    }
}
