//! The switch by which the loop stops what runs in another thread.

use std::sync::{Mutex, MutexGuard};
use tollgate_process::{StopReason, Stopper};

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

    /// The program that runs it leaves.
    pub fn engine_ends(&self) {
        self.stop(StopReason::EngineEnds);
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

    pub(crate) fn await_person(&self) {
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

    pub(crate) fn is_left(&self) -> bool {
        self.state().goes == Goes::Left
    }

    /// The person's part is there. False when the loop has left already and may own the session no more.
    pub(crate) fn take_up(&self) -> bool {
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
