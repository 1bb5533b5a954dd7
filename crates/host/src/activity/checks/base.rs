//! Runs a check that failed once more on the revision the session started from: did it fail there already?

use super::{CheckOrder, test_runner};
use crate::activity::{ActivityError, StopSwitch};
use crate::commands::{self, EngineRun, run_to_end};
use crate::context::{Context, WorkspaceId};
use std::path::Path;
use tollgate_files as files;
use tollgate_process::RunEnd;

/// The name under which is kept what they leave behind there.
pub(super) const LEFT_BY_CHECKS: &str = "base-checks";

/// Every command runs there once for each base; its outcome stays in a folder named after it.
pub fn fails(
    context: &Context,
    order: &CheckOrder,
    command: &str,
    work: &Path,
    stop: &StopSwitch,
) -> Result<bool, ActivityError> {
    let session = &order.session;
    let workspace = context.workspace(session, WorkspaceId::Base, &order.base, &order.base)?;
    // Making the workspace has moved what is kept from `git gc` to the base.
    context.repository.keep_commits(session, &order.base, &order.tip)?;
    if commands::set_up(context, session, WorkspaceId::Base, &workspace, stop)?.is_err() {
        return Ok(false);
    }
    // What is about files that the work brings did not fail before it.
    if test_runner::is_about_new_files(workspace.tree(), work, command) {
        return Ok(false);
    }
    let home = context.workspace_home(session, WorkspaceId::Base);
    // The base may be another one by now.
    let name = files::hash_bytes(format!("{}\n{command}", order.base).as_bytes());
    let folder = home.join("checks").join(name.as_str());
    let spec = super::spec(context, order, &workspace, command)?;
    let engine_run = EngineRun { folder: &folder, spec: &spec, program: &context.program };
    let ran = run_to_end(&engine_run, stop, &mut || {
        if workspace.rescue(LEFT_BY_CHECKS, "left behind by checks")?.is_some() {
            workspace.reset(&order.base)?;
        }
        Ok(())
    })?;
    Ok(ran.is_some_and(|ran| is_failure(&ran.outcome.end)))
}

/// What could not run there, or was stopped, says nothing about the base.
fn is_failure(end: &RunEnd) -> bool {
    match end {
        RunEnd::Exited { code } => !matches!(code, 0 | 126 | 127),
        RunEnd::Signalled { .. } => true,
        RunEnd::Stopped { why } => why.is_limit(),
        RunEnd::CouldNotStart { .. } => false,
    }
}
