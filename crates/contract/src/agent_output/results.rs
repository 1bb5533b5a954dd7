//! The typed results of planner, implementor and reviewer as they are written.

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

/// A work item to be created; others of the same result refer to it by its tempID.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewItem {
    #[serde(rename = "tempID")]
    #[schemars(length(min = 1))]
    pub temp_id: String,
    #[schemars(length(min = 1))]
    pub title: String,
    #[schemars(length(min = 1))]
    pub body: String,
    pub labels: Vec<String>,
    #[serde(rename = "blockedBy")]
    pub blocked_by: Vec<ItemId>,
}

/// The name of an existing item, or a tempID.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum ItemId {
    Number(u64),
    Text(String),
}

impl std::fmt::Display for ItemId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl ItemId {
    /// `T-001` and `R-001` name items of a session, and a number, with or without `#`, one of a tracker.
    pub fn is_existing(&self) -> bool {
        match self {
            Self::Number(_) => true,
            Self::Text(text) => {
                let marks = ["T-", "R-", "#"];
                let digits = marks.iter().find_map(|mark| text.strip_prefix(mark));
                let digits = digits.unwrap_or(text);
                !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemUpdate {
    #[serde(rename = "workItemID")]
    pub work_item_id: ItemId,
    #[serde(default)]
    pub body: Option<String>,
    #[serde(default)]
    pub labels: Option<Vec<String>>,
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
