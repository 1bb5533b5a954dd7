//! What the host does for the core: run a dispatch, run checks. Each ends in one input.

pub mod adapter;
pub mod attempt;
mod base;
pub mod checks;
pub mod classify;
pub mod clean;
pub mod collect;
pub(crate) mod commands;
pub(crate) mod driven;
pub mod failed;
pub(crate) mod fresh;
mod guard;
mod kept_report;
pub(crate) mod left_logins;
pub mod manual;
pub mod merge;
pub mod order;
pub mod outputs;
pub mod plan;
mod prepare;
pub mod session_files;
mod subject;

use crate::files::FileError;
use crate::git::GitError;
use crate::process::{StopReason, Stopper};
use crate::sandbox;
use crate::workspace::WorkspaceError;
use std::io;
use std::sync::{Mutex, MutexGuard};

/// The host itself could not do its part; the agent is not to blame.
#[derive(Debug, thiserror::Error)]
pub enum ActivityError {
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Sandbox(#[from] sandbox::SandboxRefusal),
    #[error("{what}: {cause}")]
    Io { what: String, cause: io::Error },
    /// A supervisor could not be started, or not be waited for.
    #[error("{what}: {cause}")]
    Process { what: String, cause: io::Error },
    /// The private folder of an agent, with the login in it.
    #[error("{what}: {cause}")]
    AgentHome { what: String, cause: io::Error },
}

impl ActivityError {
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Io { what, cause }
    }

    pub(crate) fn process(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::Process { what, cause }
    }

    fn agent_home(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |cause| Self::AgentHome { what, cause }
    }
}

/// Lets the loop stop an activity that runs in another thread, whether its process is there yet or not.
#[derive(Debug, Default)]
pub struct StopSwitch {
    state: Mutex<StopState>,
}

#[derive(Debug, Default)]
struct StopState {
    goes: Goes,
    stopper: Option<Stopper>,
}

/// How an activity stands to the loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Goes {
    #[default]
    Works,
    /// It has nothing to do until a person has done their part.
    AwaitsPerson,
    /// It is left to the person, and ends silently.
    Left,
    Stopped(StopReason),
}

impl StopSwitch {
    /// The first reason counts.
    pub fn stop(&self, why: StopReason) {
        let mut state = self.state();
        if matches!(state.goes, Goes::Works | Goes::AwaitsPerson) {
            state.goes = Goes::Stopped(why);
        }
        if let (Goes::Stopped(why), Some(stopper)) = (state.goes, &state.stopper) {
            // A run that is gone already needs no stopping.
            let _ = stopper.stop(why);
        }
    }

    /// From now on a stop reaches this run.
    pub fn arm(&self, stopper: Stopper) {
        let mut state = self.state();
        if let Goes::Stopped(why) = state.goes {
            let _ = stopper.stop(why);
        }
        state.stopper = Some(stopper);
    }

    /// Why it was stopped, if it was.
    pub fn reason(&self) -> Option<StopReason> {
        match self.state().goes {
            Goes::Stopped(why) => Some(why),
            Goes::Works | Goes::AwaitsPerson | Goes::Left => None,
        }
    }

    fn await_person(&self) {
        let mut state = self.state();
        if state.goes == Goes::Works {
            state.goes = Goes::AwaitsPerson;
        }
    }

    pub fn awaits_person(&self) -> bool {
        self.state().goes == Goes::AwaitsPerson
    }

    /// Leaves the activity to the person. False when it is at work.
    pub fn leave(&self) -> bool {
        let mut state = self.state();
        if state.goes == Goes::AwaitsPerson {
            state.goes = Goes::Left;
        }
        state.goes == Goes::Left
    }

    fn is_left(&self) -> bool {
        self.state().goes == Goes::Left
    }

    /// The person's part is there. False when the loop has left already and may own the session no more.
    fn take_up(&self) -> bool {
        let mut state = self.state();
        if state.goes == Goes::AwaitsPerson {
            state.goes = Goes::Works;
        }
        state.goes != Goes::Left
    }

    fn state(&self) -> MutexGuard<'_, StopState> {
        self.state.lock().expect("no thread panics while it holds this lock")
    }
}
