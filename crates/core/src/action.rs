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
    /// An optional dispatch may be skipped by the person when it fails.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
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
    /// One role, with the session files it must leave behind.
    Dispatch {
        role: Role,
        /// Paths below the session folder; a folder ends in `/`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        outputs: Vec<String>,
    },
    /// A person approves what is shown, or sends it back.
    Approve {
        gate: ApproveGate,
        /// Paths below the session folder that the gate shows when they exist.
        shows: Vec<String>,
        /// Roles that a correction without a named role runs again, in this order.
        corrects: Vec<Role>,
    },
    /// A person chooses one of the known values.
    Choose { gate: ChooseGate },
    /// The implement loop over the plan.
    Tasks,
    /// The engine runs the acceptance checks.
    Checks,
    /// The Definition of Done.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ApproveGate {
    ApproveDesign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChooseGate {
    ReviewStrategy,
}
