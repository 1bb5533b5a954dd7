//! What went wrong in the engine's own world: which part of it, what it was doing, and the cause. No agent is to blame.

use crate::decision::{Blocker, BlockerCode};
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFault {
    pub kind: FaultKind,
    /// What could not be done.
    pub what: String,
    /// Why, where more than `what` is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cause: String,
}

/// The part of the world that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// A file or a folder could not be read or written.
    Disk,
    NoSpace,
    /// Git, or the repository that it was run in.
    Git,
    /// A process could not be started, or not be waited for.
    Process,
    /// The private folder of an agent, with the login in it.
    AgentHome,
    /// tollgate.toml asks for something that is refused.
    Settings,
}

impl FaultKind {
    pub fn code(self) -> BlockerCode {
        match self {
            Self::Disk | Self::NoSpace | Self::AgentHome => BlockerCode::Persistence,
            Self::Git => BlockerCode::Git,
            Self::Process => BlockerCode::Process,
            Self::Settings => BlockerCode::Settings,
        }
    }

    /// How a person gets it to continue.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Disk => {
                "make it readable and writable, then `tollgate resume`; your answers are kept"
            }
            Self::NoSpace => "free some space, then `tollgate resume`; your answers are kept",
            Self::Git => {
                "fix what git says (`git status` and `git fsck` in the repository show more), then `tollgate resume`; \
                 your answers are kept"
            }
            Self::Process => {
                "check that this machine can start processes and that nothing kills them (`tollgate doctor` helps), then \
                 `tollgate resume`; your answers are kept"
            }
            Self::AgentHome => {
                "make the private folder of the agent readable and writable, then `tollgate resume`; your answers are kept"
            }
            Self::Settings => {
                "correct tollgate.toml, then `tollgate resume`; your answers are kept"
            }
        }
    }
}

impl HostFault {
    pub fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), cause: String::new() }
    }

    pub fn because(self, cause: impl fmt::Display) -> Self {
        Self { cause: cause.to_string(), ..self }
    }

    pub fn blocker(&self) -> Blocker {
        let remedy = self.kind.remedy().to_owned();
        Blocker { code: self.kind.code(), detail: self.to_string(), remedy }
    }
}

impl fmt::Display for HostFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause.as_str() {
            "" => f.write_str(&self.what),
            cause => write!(f, "{}: {cause}", self.what),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use crate::event::Event;

    #[test]
    fn a_record_of_an_older_version_that_names_no_fault_is_read() {
        let old = r#"{"type":"blocked","blocker":{"code":"persistence","detail":"full","remedy":"free some"}}"#;
        let read: Event = serde_json::from_str(old).unwrap();
        assert!(matches!(&read, Event::Blocked { fault: None, .. }), "{read:?}");
        assert_eq!(serde_json::to_string(&read).unwrap(), old);
    }
}
