//! What is intended: an action as a list of steps, valid by construction.

use crate::role::{Role, State};
use serde::{Deserialize, Serialize};

/// A named route of delivery. Frozen into the session when it opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    pub name: String,
    pub description: String,
    /// Verbs that choose this action when a goal begins with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intent: Vec<String>,
    /// Names of inputs that must be given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The workflow state that this step shows as.
    pub state: State,
    pub kind: StepKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

/// When a step that is not always needed runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// The person asked for this role, or an agent before recommended it.
    Requested,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// One role.
    Dispatch(Assignment),
    /// Several roles at once, and a barrier behind them.
    Parallel { members: Vec<Assignment> },
    /// A person approves what is shown, or sends it back.
    Approve {
        gate: String,
        /// What the gate shows when it exists; empty: what the steps since the last gate made.
        shows: Vec<String>,
        /// Roles that a correction without a named role runs again, in this order; empty: who made it.
        corrects: Vec<Role>,
    },
    /// A person chooses one of the known values.
    Choose { gate: ChooseGate },
    /// The implement loop over the plan.
    Tasks,
    /// What reviewing roles found decides whether the work continues.
    Severity { gate: String },
    /// The engine checks for itself, one subject after the other.
    Checks { of: Vec<CheckSubject> },
    /// The Definition of Done.
    Close,
}

/// One role's part in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    pub role: Role,
    /// The name the action calls it by, where that is not the canonical one; its text is looked up under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// Paths of the repository, or of the session folder, that it must read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Paths that must be there afterwards; a folder ends in `/`. Those of the role's own session
    /// files lie in the session folder, all others in the repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Globs of the repository that it may change instead of the role's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Vec<String>>,
    /// The person may continue without it when it fails.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Assignment {
    /// A role with nothing said about it but what it leaves behind.
    pub fn new(role: Role, outputs: &[&str]) -> Self {
        Self {
            role,
            called: None,
            inputs: Vec::new(),
            outputs: outputs.iter().map(|output| (*output).to_owned()).collect(),
            writes: None,
            optional: false,
        }
    }

    /// The name people know it by in this action.
    pub fn name(&self) -> &str {
        self.called.as_deref().unwrap_or(self.role.as_str())
    }
}

/// Something that the engine checks itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckSubject {
    /// The acceptance criteria and the tasks' checks.
    Acceptance,
    /// The gates of the declared lifecycle stage.
    Lifecycle,
    /// Test coverage against the minimum of the settings.
    Coverage,
    /// The planning files are complete and refer to what exists.
    Planning,
    /// Commands that show what the work does: of the settings, else those that the roles named for it.
    Evidence,
    /// A command line of the action file.
    Command(String),
}

impl CheckSubject {
    /// It starts programs of the project, which may leave something in the tree.
    pub fn runs_commands(&self) -> bool {
        matches!(self, Self::Command(_) | Self::Lifecycle | Self::Evidence)
    }

    /// What failed before the session began is not held against the work. Gates are about what is there now, and evidence
    /// about what the work does: red on the base, it shows nothing.
    pub fn excuses_old_failures(&self) -> bool {
        !matches!(self, Self::Lifecycle | Self::Evidence)
    }
}

impl std::fmt::Display for CheckSubject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Acceptance => f.write_str("acceptance"),
            Self::Lifecycle => f.write_str("lifecycle gates"),
            Self::Coverage => f.write_str("coverage"),
            Self::Planning => f.write_str("planning files"),
            Self::Evidence => f.write_str("evidence"),
            Self::Command(command) => write!(f, "`{command}`"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChooseGate {
    ReviewStrategy,
}

/// The gate whose approval has an id of its own.
pub const APPROVE_DESIGN: &str = "APPROVE_DESIGN";

/// Names a part of an action: a step, or one member of a parallel step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartIndex {
    pub step: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<usize>,
}

impl Step {
    /// The parts of this step that roles play, each with its index.
    pub fn assignments(&self, step: usize) -> Vec<(PartIndex, &Assignment)> {
        match &self.kind {
            StepKind::Dispatch(assignment) => vec![(PartIndex { step, member: None }, assignment)],
            StepKind::Parallel { members } => members
                .iter()
                .enumerate()
                .map(|(index, member)| (PartIndex { step, member: Some(index) }, member))
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl Action {
    /// Every role's part, in order.
    pub fn assignments(&self) -> impl Iterator<Item = (PartIndex, &Assignment)> {
        self.steps.iter().enumerate().flat_map(|(index, step)| step.assignments(index))
    }
}
