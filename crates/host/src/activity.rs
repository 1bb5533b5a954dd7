//! What the host does for the core: run a dispatch, run checks. Each ends in one input.

pub mod adapter;
pub mod checks;
pub mod classify;
pub mod collect;
pub mod dispatch;
pub mod input;
pub mod session_files;
pub mod setup;

use crate::files::FileError;
use crate::process::Stopper;
use crate::workspace::WorkspaceError;
use std::io;
use std::sync::Mutex;

/// The host itself could not do its part; the agent is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum ActivityError {
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{what}: {cause}")]
    Io { what: String, cause: io::Error },
}

impl ActivityError {
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
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
}

impl StopSwitch {
    pub fn stop(&self) {
        let mut state = self.state.lock().expect("no thread panics while it holds this lock");
        state.is_stopped = true;
        if let Some(stopper) = &state.stopper {
            // A run that is gone already needs no stopping.
            let _ = stopper.stop();
        }
    }

    /// Says whether the activity should go on.
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
}
