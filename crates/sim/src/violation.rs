//! What the simulator says when a rule is broken.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: &'static str,
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.detail)
    }
}

pub type Held = Result<(), Violation>;

/// A rule holds, or says how it was broken.
pub fn hold(holds: bool, rule: &'static str, detail: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(Violation { rule, detail: detail() }) }
}

/// As much of something as a line can hold.
pub fn shortened(told: &impl fmt::Debug) -> String {
    format!("{told:?}").chars().take(200).collect()
}
