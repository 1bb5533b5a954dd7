//! The twelve canonical roles and the sixteen workflow states.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Gives an enum of plain names its spellings, once.
macro_rules! spelled {
    ($name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }

            /// Exact and case-sensitive.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use spelled;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    SpecAgent,
    Architect,
    Planner,
    Designer,
    Researcher,
    Coder,
    Reviewer,
    QA,
    Security,
    Integrator,
    Docs,
    Orchestrator,
}

spelled!(Role {
    SpecAgent = "SpecAgent",
    Architect = "Architect",
    Planner = "Planner",
    Designer = "Designer",
    Researcher = "Researcher",
    Coder = "Coder",
    Reviewer = "Reviewer",
    QA = "QA",
    Security = "Security",
    Integrator = "Integrator",
    Docs = "Docs",
    Orchestrator = "Orchestrator",
});

impl Role {
    /// Everyone but the engine itself.
    pub fn dispatched() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|role| *role != Self::Orchestrator)
    }

    /// Roles that judge work of others; their BLOCKED is a verdict, not an accident.
    pub fn is_reviewing(self) -> bool {
        matches!(self, Self::Reviewer | Self::QA | Self::Security)
    }

    /// How long an attempt may take unless the settings say otherwise.
    pub fn timeout_ms(self) -> u64 {
        const MINUTE_MS: u64 = 60_000;
        MINUTE_MS
            * match self {
                Self::SpecAgent | Self::Reviewer | Self::Security | Self::Docs => 10,
                Self::Architect | Self::Planner | Self::Designer | Self::Integrator => 15,
                Self::Researcher | Self::QA => 20,
                Self::Coder | Self::Orchestrator => 30,
            }
    }
}

/// Where a session stands, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    Intake,
    IntakeLean,
    Design,
    ApproveDesign,
    Plan,
    ReviewStrategy,
    ImplementLoop,
    Integrate,
    Release,
    Done,
    AskUser,
    FixReview,
    FixTests,
    FixSecurity,
    FixBuild,
    Blocked,
}

spelled!(State {
    Intake = "INTAKE",
    IntakeLean = "INTAKE_LEAN",
    Design = "DESIGN",
    ApproveDesign = "APPROVE_DESIGN",
    Plan = "PLAN",
    ReviewStrategy = "REVIEW_STRATEGY",
    ImplementLoop = "IMPLEMENT_LOOP",
    Integrate = "INTEGRATE",
    Release = "RELEASE",
    Done = "DONE",
    AskUser = "ASK_USER",
    FixReview = "FIX_REVIEW",
    FixTests = "FIX_TESTS",
    FixSecurity = "FIX_SECURITY",
    FixBuild = "FIX_BUILD",
    Blocked = "BLOCKED",
});

/// Full delivery, or the short route for one small task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Full,
    Lean,
}

spelled!(Mode { Full = "full", Lean = "lean" });

/// What is being built; reviewing roles choose their checks by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectType {
    Web,
    Api,
    Cli,
    Lib,
    Mixed,
}

spelled!(ProjectType { Web = "web", Api = "api", Cli = "cli", Lib = "lib", Mixed = "mixed" });

/// The repair loops, each with its own counter per task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RepairLoop {
    FixReview,
    FixTests,
    FixSecurity,
    FixBuild,
}

spelled!(RepairLoop {
    FixReview = "FIX_REVIEW",
    FixTests = "FIX_TESTS",
    FixSecurity = "FIX_SECURITY",
    FixBuild = "FIX_BUILD",
});

impl RepairLoop {
    pub fn state(self) -> State {
        match self {
            Self::FixReview => State::FixReview,
            Self::FixTests => State::FixTests,
            Self::FixSecurity => State::FixSecurity,
            Self::FixBuild => State::FixBuild,
        }
    }
}
