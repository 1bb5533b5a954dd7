//! The front matter of an action file as it is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActionFile {
    #[schemars(length(min = 1))]
    pub name: String,
    #[schemars(length(min = 1))]
    pub description: String,
    #[serde(default)]
    pub intent: Option<Vec<String>>,
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    #[serde(default)]
    pub outputs: Option<Vec<String>>,
    #[schemars(length(min = 1))]
    pub steps: Vec<StepEntry>,
}

/// Every key a step can have; which belong together is a rule of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepEntry {
    pub state: crate::word::Word<tollgate_core::role::State>,
    #[serde(default)]
    pub dispatch: Option<String>,
    #[serde(default)]
    pub approve: Option<String>,
    #[serde(default)]
    pub choose: Option<String>,
    #[serde(default)]
    pub tasks: Option<String>,
    #[serde(default)]
    pub checks: Option<serde_json::Value>,
    #[serde(default)]
    pub close: Option<String>,
    #[serde(default)]
    pub parallel: Option<Vec<MemberEntry>>,
    #[serde(default)]
    pub severity: Option<String>,
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    #[serde(default)]
    pub writes: Option<Vec<String>>,
    #[serde(default)]
    pub outputs: Option<Vec<String>>,
    #[serde(default)]
    pub optional: Option<bool>,
    #[serde(default)]
    pub when: Option<String>,
    #[serde(default)]
    pub shows: Option<Vec<String>>,
    #[serde(default)]
    pub corrects: Option<Vec<String>>,
}

/// One member of a parallel step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberEntry {
    pub dispatch: String,
    #[serde(default)]
    pub inputs: Option<Vec<String>>,
    #[serde(default)]
    pub outputs: Option<Vec<String>>,
    #[serde(default)]
    pub writes: Option<Vec<String>>,
    #[serde(default)]
    pub optional: Option<bool>,
}
