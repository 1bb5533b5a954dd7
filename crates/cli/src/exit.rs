//! The exit codes people's scripts rely on.

use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Ok = 0,
    /// What was asked does not hold.
    Fails = 1,
    /// Wrong usage, bad configuration, or a refused command.
    Usage = 2,
    Waiting = 3,
    Blocked = 4,
    Owned = 5,
    Damaged = 6,
    Bug = 70,
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
