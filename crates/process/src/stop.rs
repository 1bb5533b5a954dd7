//! Why a run is ended that does not end by itself: one list for the loop, the engine's end of a run, and the supervisor.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum StopReason {
    /// The person ends the engine: Ctrl-C, or a request to end.
    EngineEnds,
    /// A person cancelled the session.
    Cancelled,
    /// The session goes another way, and does not want it any more.
    NotWanted,
    /// It is of another life of the session, or of settings that have changed.
    Outdated,
    /// The supervisor was asked by someone else: the machine shuts down.
    Signal,
    Deadline {
        after_ms: u64,
    },
    OutputLimit {
        limit_bytes: u64,
    },
    /// It printed nothing and computed nothing.
    Silence {
        after_ms: u64,
    },
}

impl StopReason {
    /// A bound of the run itself. Of all other reasons the run knows nothing.
    pub fn is_limit(self) -> bool {
        match self {
            Self::Deadline { .. } | Self::OutputLimit { .. } | Self::Silence { .. } => true,
            Self::EngineEnds
            | Self::Cancelled
            | Self::NotWanted
            | Self::Outdated
            | Self::Signal => false,
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deadline { after_ms } => write!(f, "not finished after {} s", after_ms / 1_000),
            Self::OutputLimit { limit_bytes } => {
                write!(f, "more than {limit_bytes} bytes of output")
            }
            Self::Silence { after_ms } => write!(f, "no output for {} s", after_ms / 1_000),
            Self::EngineEnds
            | Self::Cancelled
            | Self::NotWanted
            | Self::Outdated
            | Self::Signal => f.write_str("stopped"),
        }
    }
}
