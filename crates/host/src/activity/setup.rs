//! Commands of the settings that make a new workspace fit for work, each run once.

use super::to_end::{Errand, Ran, run_to_end};
use super::{ActivityError, StopSwitch};
use crate::context::{Context, Room};
use crate::files;
use crate::process::RunEnd;
use crate::workspace::Workspace;
use tollgate_core::id::SessionName;
use tollgate_core::limits::TAIL_BYTES;
use tollgate_core::work::{CheckResult, DispatchEnd};

/// Why a workspace is not fit for work.
#[derive(Debug)]
pub enum NotSetUp {
    Stopped,
    Failed { command: String, how: String, output_tail: String },
}

impl From<NotSetUp> for DispatchEnd {
    fn from(why: NotSetUp) -> Self {
        match why {
            NotSetUp::Stopped => Self::Stopped,
            NotSetUp::Failed { command, how, output_tail } => Self::CouldNotStart {
                program: CheckResult::SETUP.to_owned(),
                cause: format!("`{command}` failed, {how}: {output_tail}"),
            },
        }
    }
}

/// A failed command is tried again the next time.
pub fn run(
    context: &Context,
    session: &SessionName,
    room: Room,
    workspace: &Workspace,
    stop: &StopSwitch,
) -> Result<Result<(), NotSetUp>, ActivityError> {
    let home = context.workspace_home(session, room);
    for (index, command) in context.config.workspace.setup.iter().enumerate() {
        let done = home.join(format!("setup-{}.done", index + 1));
        if done.exists() {
            continue;
        }
        let folder = home.join(format!("setup-{}", index + 1));
        let timeout_ms = context.config.policy().check_timeout_ms;
        let spec = super::shell(context, session, workspace, &[], command, timeout_ms)?;
        let errand = Errand { folder: &folder, spec: &spec, program: &context.program };
        let Some(Ran { folder, outcome }) = run_to_end(&errand, stop, &mut || Ok(()))? else {
            return Ok(Err(NotSetUp::Stopped));
        };
        if outcome.end != (RunEnd::Exited { code: 0 }) {
            let tail = files::read_tail(&folder.join("stderr.log"), TAIL_BYTES)?;
            files::remove_tree(&folder)?;
            let how = super::how_it_ended(&outcome.end);
            return Ok(Err(NotSetUp::Failed {
                command: command.clone(),
                how,
                output_tail: tail.trim().to_owned(),
            }));
        }
        files::write_atomic(&done, command.as_bytes())?;
    }
    Ok(Ok(()))
}
