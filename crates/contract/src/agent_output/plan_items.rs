//! The items of a plan as a Planner writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
