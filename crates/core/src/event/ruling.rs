//! What an event rules beside its facts.

use crate::reply::is_default;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What the limits mean for an attempt that starts. It is in the event, so that a later version with other limits
/// replays the journal to the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StartRuling {
    /// A limit is used up: it takes one of the dispatches that a person allowed beyond it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub spends_consent: bool,
    /// It gets less money or fewer tokens than are left, because others are at work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub less_money: bool,
    /// It gets less time than is left, because others are at work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub less_time: bool,
}

/// What the end of an attempt counts as. It is in the event, so that a later version with other limits replays the
/// journal to the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EndRuling {
    /// It used up what the limits, or others at work, left to it: the start does not count against the agent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub met_limit: bool,
    /// Its usage limit was said to last for next to no time.
    #[serde(default, skip_serializing_if = "is_default")]
    pub short_park: bool,
    /// Until when its agent is not started again, where it has reached its usage limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_until: Option<Timestamp>,
}
