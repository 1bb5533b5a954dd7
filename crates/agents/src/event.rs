//! What agents say, whichever they are: one vocabulary for all of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollgate_core::reply::Usage;
use tollgate_core::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The agent has begun; its own session can be taken up again by this name.
    Started {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The agent's session continues; this is what it had cost before.
    Resumed {
        #[serde(flatten)]
        before: Usage,
    },
    /// A message of the model.
    Text {
        text: String,
    },
    ToolStart {
        id: String,
        name: String,
        /// What it works on, in a few words: a path or a command.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        what: String,
    },
    ToolEnd {
        id: String,
        ok: bool,
    },
    /// The agent wanted to do something that needs leave, and this is what it got.
    Permission {
        what: String,
        granted: bool,
    },
    /// The agent asked a person something; nobody answers while it works.
    Question {
        text: String,
    },
    /// The agent tries its model service again.
    Retry {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_ms: Option<u64>,
        detail: String,
    },
    /// What was spent since the last such event. Never a running total.
    Usage {
        #[serde(flatten)]
        spent: Usage,
    },
    Finished(Finished),
}

/// How a conversation with an agent ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    pub outcome: TurnOutcome,
    /// The reply, where the agent has a way of its own to give one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Value>,
    /// The last message of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Finished {
    pub fn without_reply(outcome: TurnOutcome) -> Self {
        Self { outcome, reply: None, text: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TurnOutcome {
    /// The turn came to its end; there may be a reply.
    Done,
    /// The model service failed, refused for now, or could not be reached.
    Service {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        detail: String,
    },
    /// The model service does not know who asks.
    Login { detail: String },
    /// A usage limit or a rate limit with the time when it ends, where it is known.
    UsageLimit {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resets_at: Option<Timestamp>,
        detail: String,
    },
    /// The turns that the agent was given are used up.
    Turns { detail: String },
    /// The money that the agent was given is used up.
    Money { detail: String },
    /// It could not continue without a leave that it did not get.
    Denied { detail: String },
    /// Neither a word of the agent nor a tool at work for this long.
    Silent { after_ms: u64 },
    /// It asks its model service again and again and gets nowhere.
    Looping { requests: u32 },
    /// It wrote more than it may.
    Flooded { limit_bytes: u64 },
    /// It ended without saying how; the exit code is all there is.
    Unclear {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        detail: String,
    },
}

impl TurnOutcome {
    /// It said something that tells nothing.
    pub fn unclear(detail: impl Into<String>) -> Self {
        Self::Unclear { exit_code: None, signal: None, detail: detail.into() }
    }
}
