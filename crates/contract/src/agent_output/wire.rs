//! The universal output as it is written; its JSON Schema comes from here.

use super::plan_items::{ItemId, ItemUpdate, NewItem};
use crate::word::Word;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::earlier::EarlierState;
use tollgate_core::reply::{ReplyStatus, Severity, Usage};
use tollgate_core::role::Role;
use tollgate_judge::scope::{Incidental, ScopeCorrection};

/// What every agent may answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentOutput {
    pub status: Word<ReplyStatus>,
    /// One to three sentences.
    #[schemars(length(min = 1))]
    pub summary: String,
    pub artifacts: Artifacts,
    pub gates: Gates,
    #[serde(default)]
    pub next: Option<Next>,
    #[serde(default)]
    pub usage: Option<UsageWire>,
    #[serde(default)]
    pub scope_request: Option<Vec<ScopeRequest>>,
    /// Of a Planner: the plan as items, in place of the files.
    #[serde(default)]
    pub plan: Option<PlanWire>,
    /// Of a Coder: changes outside its scope that the work could not do without.
    #[serde(default)]
    pub incidental: Option<Vec<Incidental>>,
    /// Of a Coder: files that its work item means and does not name.
    #[serde(default)]
    pub scope_corrections: Option<Vec<ScopeCorrection>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanWire {
    pub create: Vec<NewItem>,
    pub close: Vec<ItemId>,
    pub update: Vec<ItemUpdate>,
}

/// What was made and found. Every list may be left out; further fields are tolerated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Artifacts {
    pub files_to_create_or_update: Option<Vec<String>>,
    pub files_changed: Option<Vec<String>>,
    pub tests_added_or_updated: Option<Vec<String>>,
    pub commands_to_run: Option<Vec<String>>,
    pub manual_steps: Option<Vec<String>>,
    pub review_comments: Option<Vec<ReviewComment>>,
    pub findings: Option<Vec<FindingWire>>,
    pub notes: Option<Vec<String>>,
    /// At the release: why the README needs no change.
    pub readme_unchanged: Option<String>,
    /// What the person is asked before the role continues; any role may ask.
    pub questions: Option<Vec<Question>>,
    /// Of who judges again: what became of each of `task.earlier_findings`.
    pub earlier_findings: Option<Vec<EarlierAnswer>>,
    /// Of a Reviewer: those of `task.criteria_to_verify` that the work meets, word for word.
    pub verified_criteria: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierAnswer {
    /// As in the input: `F-2`.
    #[schemars(length(min = 1))]
    pub id: String,
    pub state: Word<EarlierState>,
    #[serde(default)]
    pub note: Option<String>,
}

/// A plain text, or a question with suggested answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Question {
    Plain(String),
    Full(FullQuestion),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullQuestion {
    #[schemars(length(min = 1))]
    pub question: String,
    /// Answers to choose from; any other text is an answer too.
    #[serde(default)]
    pub options: Option<Vec<String>>,
    #[serde(default)]
    pub recommended: Option<String>,
}

/// A plain text, or a comment with its severity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ReviewComment {
    Plain(String),
    Full(FullComment),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullComment {
    #[serde(default)]
    pub severity: Option<CommentSeverity>,
    #[serde(default)]
    pub category: Option<String>,
    #[serde(default)]
    pub file: Option<String>,
    #[serde(default)]
    pub line: Option<Line>,
    #[schemars(length(min = 1))]
    pub message: String,
    #[serde(default)]
    pub suggested_fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CommentSeverity {
    Blocker,
    Major,
    Minor,
    Nit,
}

/// A line number, or text such as a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum Line {
    Number(i64),
    Text(String),
}

/// A plain text, or a finding with its severity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FindingWire {
    Plain(String),
    Full(FullFinding),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullFinding {
    #[serde(default)]
    pub severity: Option<Word<Severity>>,
    #[serde(default)]
    pub category: Option<String>,
    #[serde(default)]
    pub file: Option<String>,
    #[serde(default)]
    pub line: Option<Line>,
    #[schemars(length(min = 1))]
    pub description: String,
    #[serde(default)]
    pub recommended_fix: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gates {
    pub meets_definition_of_done: bool,
    #[serde(default)]
    pub needs_review: Option<bool>,
    #[serde(default)]
    pub needs_tests: Option<bool>,
    #[serde(default)]
    pub security_concerns: Option<Vec<serde_json::Value>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Next {
    #[serde(default)]
    pub recommended_agent: Option<Word<Role>>,
    #[serde(default)]
    pub recommended_task_id: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
}

/// What the dispatch cost, as far as the agent knows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UsageWire {
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    #[schemars(range(min = 0.0))]
    pub usd: Option<f64>,
}

impl From<UsageWire> for Usage {
    fn from(wire: UsageWire) -> Self {
        Self {
            input_tokens: wire.input_tokens,
            output_tokens: wire.output_tokens,
            micro_usd: wire.usd.map(micro_usd),
            wall_ms: None,
        }
    }
}

/// Rounded, and never below zero.
pub(crate) fn micro_usd(usd: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates and zero is the floor"
    )]
    let micro = (usd * 1_000_000.0).round() as u64;
    micro
}

/// A file outside the scope that the agent needs; at most 20 are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScopeRequest {
    /// From the root of the repository; one file, at most 512 bytes.
    #[schemars(length(min = 1))]
    pub path: String,
    /// One line of at most 1,000 characters.
    #[schemars(length(min = 1))]
    pub reason: String,
}
