//! Commands of the settings that make a new workspace fit for work, each run once.

use super::{ActivityError, StopSwitch};
use crate::context::{Context, Room};
use crate::files;
use crate::process::{self, Attached, RunEnd, RunOutcome, Waited};
use crate::workspace::Workspace;
use std::path::Path;
use tollgate_core::id::SessionName;
use tollgate_core::limits::TAIL_BYTES;
use tollgate_core::work::DispatchEnd;

/// The inner error is how the attempt ended instead. A failed command is tried again the next time.
pub fn run(
    context: &Context,
    session: &SessionName,
    room: Room,
    workspace: &Workspace,
    stop: &StopSwitch,
) -> Result<Result<(), DispatchEnd>, ActivityError> {
    let home = context.workspace_home(session, room);
    for (index, command) in context.config.workspace.setup.iter().enumerate() {
        let done = home.join(format!("setup-{}.done", index + 1));
        if done.exists() {
            continue;
        }
        let folder = home.join(format!("setup-{}", index + 1));
        let outcome = run_one(context, session, workspace, &folder, command, stop)?;
        if outcome.end != (RunEnd::Exited { code: 0 }) {
            let tail = files::read_tail(&folder.join("stderr.log"), TAIL_BYTES)?;
            files::remove_tree(&folder)?;
            if outcome.end == RunEnd::Stopped {
                return Ok(Err(DispatchEnd::Stopped));
            }
            let how = super::how_it_ended(&outcome.end);
            return Ok(Err(DispatchEnd::CouldNotStart {
                program: "workspace.setup".to_owned(),
                cause: format!("`{command}` failed, {how}: {}", tail.trim()),
            }));
        }
        files::write_atomic(&done, command.as_bytes())?;
    }
    Ok(Ok(()))
}

fn run_one(
    context: &Context,
    session: &SessionName,
    workspace: &Workspace,
    folder: &Path,
    command: &str,
    stop: &StopSwitch,
) -> Result<RunOutcome, ActivityError> {
    let problem = || ActivityError::io(format!("cannot run the setup command `{command}`"));
    loop {
        let run = match process::attach(folder).map_err(problem())? {
            Attached::Finished(outcome) => return Ok(outcome),
            Attached::Running(run) => run,
            Attached::Lost => {
                files::remove_tree(folder)?;
                continue;
            }
            Attached::NeverStarted => {
                let timeout_ms = context.config.policy().check_timeout_ms;
                let spec = super::shell(context, session, workspace, &[], command, timeout_ms);
                process::start(folder, &spec, &context.program).map_err(problem())?
            }
        };
        stop.arm(run.stopper());
        if let Waited::Finished(outcome) = run.wait().map_err(problem())? {
            return Ok(outcome);
        }
    }
}
