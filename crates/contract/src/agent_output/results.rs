//! The typed results of planner, implementor and reviewer as they are written.

pub use super::plan_items::{ItemId, ItemUpdate, NewItem};
use super::wire::{Line, ScopeRequest, UsageWire};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_judge::scope::{Incidental, ScopeCorrection};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannerResult {
    pub role: PlannerRole,
    pub create: Vec<NewItem>,
    pub close: Vec<ItemId>,
    pub update: Vec<ItemUpdate>,
    #[serde(default)]
    pub usage: Option<UsageWire>,
    #[serde(default)]
    pub scope_request: Option<Vec<ScopeRequest>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum PlannerRole {
    Planner,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImplementorResult {
    pub role: ImplementorRole,
    pub outcome: Outcome,
    #[schemars(length(min = 1))]
    pub summary: String,
    #[serde(default)]
    pub incidental: Option<Vec<Incidental>>,
    #[serde(default)]
    pub scope_corrections: Option<Vec<ScopeCorrection>>,
    #[serde(default)]
    pub usage: Option<UsageWire>,
    #[serde(default)]
    pub scope_request: Option<Vec<ScopeRequest>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ImplementorRole {
    Implementor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Outcome {
    Completed,
    Blocked,
    ValidationFailure,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewerResult {
    pub role: ReviewerRole,
    pub review: Review,
    #[serde(default)]
    pub usage: Option<UsageWire>,
    #[serde(default)]
    pub scope_request: Option<Vec<ScopeRequest>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ReviewerRole {
    Reviewer,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub verdict: ReviewVerdict,
    #[schemars(length(min = 1))]
    pub summary: String,
    pub comments: Vec<ResultComment>,
    /// Those of `task.criteria_to_verify` that the work meets, word for word.
    #[serde(default)]
    pub verified_criteria: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ReviewVerdict {
    Approve,
    NeedsChanges,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultComment {
    pub path: String,
    #[serde(default)]
    pub line: Option<Line>,
    #[schemars(length(min = 1))]
    pub body: String,
}
