//! What a role says of findings of before, by their ids.

use crate::id::FindingId;
use crate::role::spelled;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a reviewing role says of a finding that it was told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierWord {
    pub id: FindingId,
    pub state: EarlierState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EarlierState {
    Fixed,
    /// It is still there.
    Open,
    /// It was no fault.
    Withdrawn,
}

spelled!(EarlierState { Fixed = "fixed", Open = "open", Withdrawn = "withdrawn" });
