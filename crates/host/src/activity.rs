//! What the host does for the core: run a dispatch, run checks. Each ends in one input.

pub mod adapter;
mod base;
pub mod checks;
pub mod classify;
pub mod clean;
pub mod collect;
pub mod dispatch;
pub(crate) mod driven;
pub mod failed;
pub(crate) mod fresh;
mod guard;
mod imports;
pub mod input;
mod kept_report;
pub(crate) mod left_logins;
pub mod manual;
pub mod merge;
pub mod outputs;
pub mod plan;
pub mod session_files;
pub mod setup;
mod subject;
pub(crate) mod to_end;
pub mod tree;

use crate::context::Context;
use crate::files::FileError;
use crate::process::{RunEnd, RunSpec, Stopper};
use crate::sandbox;
use crate::workspace::{Workspace, WorkspaceError};
use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use tollgate_core::id::SessionName;

/// The host itself could not do its part; the agent is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum ActivityError {
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Git(#[from] crate::git::GitError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Sandbox(#[from] sandbox::Refused),
    #[error("{what}: {cause}")]
    Io { what: String, cause: io::Error },
}

impl ActivityError {
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }
}

/// A command line of the settings or of a plan, run by the shell in the workspace with an agent's environment and sandbox.
fn shell(
    context: &Context,
    session: &SessionName,
    workspace: &Workspace,
    runner: &[String],
    command: &str,
    timeout_ms: u64,
) -> Result<RunSpec, ActivityError> {
    let mut argv = runner.to_vec();
    argv.extend(["sh".to_owned(), "-c".to_owned(), command.to_owned()]);
    Ok(RunSpec {
        argv,
        cwd: workspace.tree().to_owned(),
        env_names: Vec::new(),
        env: BTreeMap::from([("TOLLGATE_SESSION".to_owned(), session.to_string())]),
        stdin_file: None,
        timeout_ms,
        output_bytes_max: context.config.limits.output_bytes,
        isolation: None,
        sandbox: sandbox::of_tree(context, workspace.tree(), &[])?,
        secret_files: Vec::new(),
    })
}

/// The end of a command in words for people.
pub(crate) fn how_it_ended(end: &RunEnd) -> String {
    match end {
        RunEnd::Exited { code } => format!("exit code {code}"),
        RunEnd::Signalled { signal } => format!("killed by signal {signal}"),
        RunEnd::TimedOut { after_ms } => format!("not finished after {} s", after_ms / 1_000),
        RunEnd::OutputLimit { limit_bytes } => format!("more than {limit_bytes} bytes of output"),
        RunEnd::CouldNotStart { cause, .. } => format!("could not start: {cause}"),
        RunEnd::Stopped => "stopped".to_owned(),
    }
}

/// Lets the loop stop an activity that runs in another thread, whether its process is there yet or not.
#[derive(Debug, Default)]
pub struct StopSwitch {
    state: Mutex<StopState>,
}

#[derive(Debug, Default)]
struct StopState {
    is_stopped: bool,
    stopper: Option<Stopper>,
    awaits_person: bool,
    is_left: bool,
}

impl StopSwitch {
    pub fn stop(&self) {
        let mut state = self.state.lock().expect("no thread panics while it holds this lock");
        state.is_stopped = true;
        // It has to end itself now; nobody may think that it only waits.
        state.awaits_person = false;
        if let Some(stopper) = &state.stopper {
            // A run that is gone already needs no stopping.
            let _ = stopper.stop();
        }
    }

    /// Says whether the activity should continue.
    pub fn arm(&self, stopper: Stopper) -> bool {
        let mut state = self.state.lock().expect("no thread panics while it holds this lock");
        if state.is_stopped {
            let _ = stopper.stop();
        }
        state.stopper = Some(stopper);
        !state.is_stopped
    }

    pub fn is_stopped(&self) -> bool {
        self.state.lock().expect("no thread panics while it holds this lock").is_stopped
    }

    /// The activity has nothing to do until a person has done their part.
    fn await_person(&self) {
        let mut state = self.state.lock().expect("no thread panics while it holds this lock");
        state.awaits_person = !state.is_stopped;
    }

    pub fn awaits_person(&self) -> bool {
        self.state.lock().expect("no thread panics while it holds this lock").awaits_person
    }

    /// Leaves the activity to the person: it ends without a word. False when it is at work.
    pub fn leave(&self) -> bool {
        let mut state = self.state.lock().expect("no thread panics while it holds this lock");
        state.is_left |= state.awaits_person;
        state.is_left
    }

    fn is_left(&self) -> bool {
        self.state.lock().expect("no thread panics while it holds this lock").is_left
    }

    /// The person's part is there. False when the loop has left already and may own the session no more.
    fn take_up(&self) -> bool {
        let mut state = self.state.lock().expect("no thread panics while it holds this lock");
        state.awaits_person = false;
        !state.is_left
    }
}
