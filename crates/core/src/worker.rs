//! Who does the work of an attempt: an agent of the settings, or a person who fixes it by hand.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Worker {
    /// A person fixes by hand what an agent left behind.
    Person,
    /// By its name in the settings.
    Agent(String),
}

/// How journals and surfaces spell a person who fixes by hand. No agent of the settings can have this name.
const PERSON: &str = "(manual-fix)";

impl Worker {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Person => PERSON,
            Self::Agent(name) => name,
        }
    }

    /// None for a person.
    pub fn agent(&self) -> Option<&str> {
        match self {
            Self::Person => None,
            Self::Agent(name) => Some(name),
        }
    }
}

impl From<String> for Worker {
    fn from(name: String) -> Self {
        if name == PERSON { Self::Person } else { Self::Agent(name) }
    }
}

impl From<Worker> for String {
    fn from(worker: Worker) -> Self {
        worker.to_string()
    }
}

impl fmt::Display for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
