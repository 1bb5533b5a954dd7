//! What a session of another orchestrator brings along: what its files say, before anything is decided about it.

use crate::decision::{CorrectionStatus, DecisionStatus};
use crate::id::{ContentHash, DecisionId};
use crate::role::{RepairLoop, State};
use crate::task::{Criterion, TaskSpec, TaskStatus};
use crate::time::Timestamp;
use crate::work::Artefact;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that is read out of the folder of such a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    pub origin: Origin,
    pub documents: Vec<Artefact>,
    pub criteria: Vec<Criterion>,
    /// With the statuses that its files have.
    pub tasks: Vec<ImportedTask>,
    /// Repairs of the session as a whole.
    pub repairs: Repairs,
    pub assumptions: Vec<String>,
    pub known_issues: Vec<String>,
    /// In the order in which they were recorded, each id once.
    pub decisions: Vec<ImportedDecision>,
    /// Answers that asked for changes of the design, before the last one.
    pub rejections: Vec<Rejection>,
    pub correction: CorrectionStatus,
    /// Why it was BLOCKED, in its own words.
    pub blocker: Option<String>,
    /// What had to be repaired to read it.
    pub repaired: Vec<String>,
}

/// Where an imported session comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The folder, as a person is shown it.
    pub folder: String,
    /// One hash for all files of the folder, so that nobody imports the same twice by mistake.
    pub fingerprint: ContentHash,
    /// The state that its status.json names; none where it names none that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
}

pub type Repairs = BTreeMap<RepairLoop, u32>;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedTask {
    pub spec: TaskSpec,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: Repairs,
}

/// A question to a person, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDecision {
    pub id: DecisionId,
    pub question: String,
    pub status: DecisionStatus,
    pub answer: Option<String>,
    pub reason: Option<String>,
    /// None where nobody wrote it down.
    pub asked_at: Option<Timestamp>,
    pub resolved_at: Option<Timestamp>,
    /// The state to return to.
    pub state_context: Option<State>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    pub at: Option<Timestamp>,
    pub answer: String,
}

/// What of an import is taken over as it is. The first thing that happens to an imported session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenOver {
    pub origin: Origin,
    /// The step that it had come to: what those before it make is not made again as long as it is there.
    #[serde(default)]
    pub reached: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Artefact>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// With the statuses from which the work continues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<ImportedTask>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: Repairs,
}
