//! The clone in which whatever the end rests on is checked: made of nothing but the commit, set up like any new workspace, and
//! gone when the session needs it no more.

use super::CheckOrder;
use crate::activity::{ActivityError, StopSwitch};
use crate::commands::{self, EngineRun, NotSetUp, run_to_end};
use crate::context::{Context, WorkspaceId, is_of_clone};
use tollgate_core::event::CheckTree;
use tollgate_core::id::SessionName;
use tollgate_core::session::{CheckRun, Session};
use tollgate_core::work::{CheckResult, SetAside};
use tollgate_git::workspace::{self, Workspace};
use tollgate_process::RunEnd;

/// So many names say what the matter is.
const NAMES_MAX: usize = 10;

/// Whether checks can begin in a tree.
#[derive(Debug)]
pub enum Ready {
    Yes,
    Stopped,
    /// Setup failed: nothing else was run.
    No(Box<CheckResult>),
}

/// Where a check of a session runs.
pub fn workspace_id(session: &Session, run: &CheckRun) -> WorkspaceId {
    match run.tree {
        CheckTree::Workspace => WorkspaceId::Session,
        CheckTree::Fresh { since } => {
            let first = session.checks.runs.get(&since).unwrap_or(run);
            WorkspaceId::Fresh(first.started_at)
        }
    }
}

/// Sets a new clone up. The session's own workspace was set up before its first dispatch.
pub fn set_up(
    context: &Context,
    order: &CheckOrder,
    workspace: &Workspace,
    stop: &StopSwitch,
) -> Result<Ready, ActivityError> {
    if order.workspace_id == WorkspaceId::Session {
        return Ok(Ready::Yes);
    }
    Ok(match commands::set_up(context, &order.session, order.workspace_id, workspace, stop)? {
        Ok(()) => Ready::Yes,
        Err(NotSetUp::Stopped) => Ready::Stopped,
        Err(NotSetUp::Failed { command, how, output_tail, cannot_run }) => {
            let failed = super::failed(order, format!("`{command}`: {how}"), output_tail);
            let command = CheckResult::SETUP.to_owned();
            Ready::No(Box::new(CheckResult { command, could_not_start: cannot_run, ..failed }))
        }
    })
}

/// What a command that failed in a clone came to in the session's workspace.
#[derive(Debug)]
pub struct InWorkspace {
    /// Where it passes, something that is in no commit makes the difference: some of the names that the workspace has and
    /// the clone has not.
    pub only_here: Option<Vec<String>>,
    /// Files that were too large and that these checks left behind so far.
    pub set_aside: Vec<SetAside>,
}

/// Runs a command that failed in a clone once more in the session's workspace.
pub fn in_workspace(
    context: &Context,
    order: &CheckOrder,
    (index, command): (usize, &str),
    clone: &Workspace,
    stop: &StopSwitch,
) -> Result<InWorkspace, ActivityError> {
    let workspace = super::workspace(context, order, WorkspaceId::Session)?;
    let checks = context.session_layout(&order.session).checks();
    let folder = checks.join(order.number.to_string()).join(format!("{index}-workspace"));
    let spec = super::spec(context, order, &workspace, command)?;
    let engine_run = EngineRun { folder: &folder, spec: &spec, program: &context.program };
    let ran = run_to_end(&engine_run, stop, &mut || super::tidy(&workspace, order))?;
    super::tidy(&workspace, order)?;
    let set_aside = workspace.set_aside_as_large()?;
    if ran.is_none_or(|ran| ran.outcome.end != (RunEnd::Exited { code: 0 })) {
        return Ok(InWorkspace { only_here: None, set_aside });
    }
    let mut names = workspace.in_no_commit()?;
    names.retain(|name| clone.tree().join(name).symlink_metadata().is_err());
    names.truncate(NAMES_MAX);
    Ok(InWorkspace { only_here: Some(names), set_aside })
}

/// Removes the clones of a session but the one that is in use. Called when nothing is being made: on some disks a tree that is
/// removed makes the next one slow. What cannot be removed now is removed the next time.
pub fn remove_all_but(context: &Context, session: &SessionName, in_use: Option<WorkspaceId>) {
    let kept = in_use.map(|id| context.workspace_home(session, id));
    let homes = context.workspace_homes(session).unwrap_or_default();
    for home in homes.into_iter().filter(|home| Some(home) != kept.as_ref()) {
        if is_of_clone(&home) {
            let _ = workspace::remove(&home);
        }
    }
}
