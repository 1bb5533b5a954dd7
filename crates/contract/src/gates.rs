//! The built-in gates of a lifecycle: what each looks at in a repository, and what is wrong there.
//!
//! One rule for all: what is there must be good. In the strict form something must also be there.

mod api;
mod boundary;
mod evidence;
mod infrastructure;
mod planning;
mod security_planning;
mod terms;

use crate::diagnostic::{Report, gates as say};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// No term of the solution is in the generic `agents/`.
    Boundary,
    /// The documents that everything else is planned from exist.
    PlanningFiles,
    /// The API contracts parse and say what they describe.
    ApiContract,
    /// The security evidence is more than a placeholder.
    SecurityEvidence,
    /// What builds, starts and checks the application exists and does something.
    Infrastructure,
    /// How the solution is kept safe is planned, decided and reviewed.
    SecurityPlanning,
}

impl Builtin {
    pub const ALL: &'static [Self] = &[
        Self::Boundary,
        Self::PlanningFiles,
        Self::ApiContract,
        Self::SecurityEvidence,
        Self::Infrastructure,
        Self::SecurityPlanning,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boundary => "boundary",
            Self::PlanningFiles => "planning-files",
            Self::ApiContract => "api-contract",
            Self::SecurityEvidence => "security-evidence",
            Self::Infrastructure => "infrastructure",
            Self::SecurityPlanning => "security-planning",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|gate| gate.as_str() == name)
    }

    pub fn inspector(self, is_strict: bool) -> Box<dyn Inspector> {
        match self {
            Self::Boundary => Box::new(boundary::Boundary::new(is_strict)),
            Self::PlanningFiles => Box::new(planning::PlanningFiles::new(is_strict)),
            Self::ApiContract => Box::new(api::ApiContract::new(is_strict)),
            Self::SecurityEvidence => Box::new(evidence::SecurityEvidence::new(is_strict)),
            Self::Infrastructure => Box::new(infrastructure::Infrastructure::new(is_strict)),
            Self::SecurityPlanning => Box::new(security_planning::SecurityPlanning::new(is_strict)),
        }
    }
}

/// Looks at the files that are brought to it.
pub trait Inspector {
    /// Files and folders below the root of the repository, to be brought in this order.
    fn places(&self) -> &'static [&'static str];

    /// Whether a file of those places must be read.
    fn wants(&self, path: &str) -> bool;

    fn see(&mut self, path: &str, bytes: &[u8], report: &mut Report);

    /// Every file was brought.
    fn finish(&mut self, report: &mut Report);
}

/// A file that nobody could look at must not count as good.
pub fn could_not_look(path: &str, why: &str, report: &mut Report) {
    report.push(say::unseen(path, why));
}

fn is_blank(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes)
        .trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
        .is_empty()
}

/// As git tells: text has no zero byte near its beginning.
fn is_binary(bytes: &[u8]) -> bool {
    const LOOKED_AT_BYTES: usize = 8000;
    bytes.iter().take(LOOKED_AT_BYTES).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests;
