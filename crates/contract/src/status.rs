//! status.json: what it holds, and whether a file that claims to be one is.

mod rules;

pub use rules::makes_design;

use crate::agent_input::{ChangedFile, CiStatus};
use crate::diagnostic::Report;
use crate::json_file;
use crate::word::Word;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tollgate_core::decision::{Blocker, BlockerCode, CorrectionStatus, Decision, DecisionStatus};
use tollgate_core::role::{Mode, Role, State};
use tollgate_core::time::Timestamp;

/// The fields in the order they are written. Everything below `last_update` is ours, and a
/// file of another origin may lack it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusFile {
    pub current_state: Word<State>,
    /// `YYYY-MM-DD_slug`.
    pub session: String,
    pub assumptions: Vec<String>,
    pub user_decisions: Vec<DecisionRecord>,
    #[serde(default)]
    pub gate_tracking: Option<GateTracking>,
    #[serde(default)]
    pub runtime_flags: Option<RuntimeFlags>,
    /// Repairs per task and loop.
    pub retry_counts: BTreeMap<String, LoopCounts>,
    pub known_issues: Vec<String>,
    pub last_ci_result: CiStatus,
    /// RFC 3339.
    pub last_update: String,
    #[serde(default = "first_version")]
    pub schema_version: u32,
    #[serde(default)]
    pub mode: Option<Word<Mode>>,
    #[serde(default)]
    pub action: Option<String>,
    #[serde(default)]
    pub blocker: Option<BlockerRecord>,
    /// Where a blocked or asking session continues.
    #[serde(default)]
    pub resume_state: Option<Word<State>>,
    #[serde(default)]
    pub session_changed_files: Vec<ChangedFile>,
    #[serde(default)]
    pub ac_results: Vec<CriterionRecord>,
}

fn first_version() -> u32 {
    StatusFile::SCHEMA_VERSION
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionRecord {
    /// `UD-<n>`, `UD-APPROVE-DESIGN` or `UD-REVIEW-STRATEGY`.
    pub decision_id: String,
    pub question: String,
    pub status: Word<DecisionStatus>,
    #[serde(default)]
    pub answer: Option<String>,
    pub asked_at: String,
    #[serde(default)]
    pub resolved_at: Option<String>,
    /// The state to return to.
    pub state_context: Word<State>,
    #[serde(default)]
    pub resolution_reason: Option<String>,
}

impl From<&Decision> for DecisionRecord {
    fn from(decision: &Decision) -> Self {
        let resolution = &decision.resolution;
        Self {
            decision_id: decision.decision_id.to_string(),
            question: decision.question.clone(),
            status: resolution.status.into(),
            answer: resolution.answer.clone(),
            asked_at: decision.asked_at.to_string(),
            resolved_at: resolution.resolved_at.as_ref().map(Timestamp::to_string),
            state_context: decision.state_context.into(),
            resolution_reason: resolution.reason.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateTracking {
    #[serde(rename = "APPROVE_DESIGN", default)]
    pub approve_design: Option<DesignTracking>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignTracking {
    #[serde(default)]
    pub correction_status: Option<Word<CorrectionStatus>>,
    #[serde(default)]
    pub last_correction_dispatch: Option<CorrectionDispatch>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectionDispatch {
    #[serde(default)]
    pub agent: Option<Word<Role>>,
    #[serde(default)]
    pub task_id: Option<String>,
    #[serde(default)]
    pub at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuntimeFlags {
    #[serde(default)]
    pub copilot_instructions_exists: Option<bool>,
    #[serde(default)]
    pub copilot_checked_at: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "SCREAMING_SNAKE_CASE")]
pub struct LoopCounts {
    pub fix_review: u32,
    pub fix_tests: u32,
    pub fix_security: u32,
    pub fix_build: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockerRecord {
    pub code: Word<BlockerCode>,
    pub detail: String,
    pub remedy: String,
}

impl From<&Blocker> for BlockerRecord {
    fn from(blocker: &Blocker) -> Self {
        let Blocker { code, detail, remedy } = blocker.clone();
        Self { code: code.into(), detail, remedy }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CriterionRecord {
    pub id: String,
    pub result: CriterionState,
    /// The command with its exit code, a person's word, or the reason of a waiver.
    #[serde(default)]
    pub evidence: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CriterionState {
    Open,
    Met,
    Unmet,
    Waived,
}

impl StatusFile {
    pub const SCHEMA_VERSION: u32 = 1;

    /// What is not said counts as none.
    pub fn correction_status(&self) -> CorrectionStatus {
        let gate = self.gate_tracking.as_ref().and_then(|gates| gates.approve_design.as_ref());
        gate.and_then(|gate| gate.correction_status).map_or(CorrectionStatus::None, |word| word.0)
    }
}

/// The status when there is no error.
pub fn read(bytes: &[u8], path: &str) -> (Option<StatusFile>, Report) {
    let (node, mut report) = json_file::parse_bytes(bytes, path);
    let Some(node) = node else { return (None, report) };
    let status = json_file::typed(&node, path, &mut report, |f| rules::words(f, &node, path));
    rules::check(&node, path, &mut report);
    (status.filter(|_| report.is_ok()), report)
}

#[cfg(test)]
mod tests;
