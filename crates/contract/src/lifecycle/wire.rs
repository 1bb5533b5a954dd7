//! lifecycle-stage.yaml as it is written; its JSON Schema comes from here. A field beyond it is a notice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LifecycleFile {
    pub version: Version,
    #[schemars(length(min = 1))]
    pub current_stage: String,
    pub stages: BTreeMap<String, StageEntry>,
    pub gates: BTreeMap<String, GateEntry>,
}

/// The version of the form, which is 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Version {
    Number(f64),
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageEntry {
    #[serde(default)]
    pub description: Option<String>,
    /// Names of gates, run in this order.
    pub required_gates: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GateEntry {
    #[serde(default)]
    pub description: Option<String>,
    /// The program and its arguments; no shell reads them.
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
}
