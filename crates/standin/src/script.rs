//! What the service will say: rules, conditions and answers, as values and as a JSON file.

use crate::conversation::Dialect;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rules in order of preference: the first that fits a request answers it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub rules: Vec<Rule>,
    /// What a request gets that no rule fits; without it, a short text that asks for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<ScriptedTurn>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// How the request log calls it.
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub when: When,
    pub then: ScriptedTurn,
    /// How many requests it answers before it no longer fits; without it, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

/// Conditions on one request; all that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// Text anywhere in the system prompt or the messages.
    pub contains: Option<String>,
    /// Text in what a person asked last; tool results after it do not change what was asked.
    pub asked: Option<String>,
    /// Text in the last message, be it of a person or the result of a tool.
    pub last_contains: Option<String>,
    /// How many tool results came after what a person asked last.
    pub tool_results: Option<usize>,
    pub has_tools: Option<bool>,
    /// The name of a tool that the request must offer.
    pub offers: Option<String>,
    pub dialect: Option<Dialect>,
    /// Text in the name of the model.
    pub model: Option<String>,
    /// Text in the path of the request: a base address such as `…/s/one` tells parallel runs apart.
    pub path: Option<String>,
    /// Rules answer turns of the agent. With `true`, this one answers what agents ask beside them instead: titles,
    /// routing, reviews of planned actions, memory.
    pub side: bool,
}

/// What the model does from what was asked to the end of the turn: the files, the commands and the tool calls in this
/// order, each after the result of the one before, and then the reply or the text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedTurn {
    /// The last words of the turn.
    pub text: Option<String>,
    pub thinking: Option<String>,
    /// Words that go along with every tool call.
    pub aside: Option<String>,
    /// Files to write with whatever tool the agent offers for that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<File>,
    /// Shell commands to run with the agent's tool for that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<String>,
    /// Tool calls, spelled out; all in one message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Call>,
    /// The final answer as a JSON object: through the agent's tool for structured answers if it offers one, else as
    /// the final message, exactly the JSON.
    pub reply: Option<Value>,
    pub ending: StopReason,
    pub usage: Usage,
    pub fault: Option<ServiceFault>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Relative to the folder the agent works in.
    pub path: String,
    pub content: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Call {
    /// The tool's name; that of the server it comes from may be left out where the request offers the tool.
    pub name: String,
    /// The arguments; of a custom tool, a string.
    pub input: Option<Value>,
    /// The arguments as the model spelled them, which need not be JSON. Gemini has no such spelling and gets a string.
    pub input_raw: Option<String>,
    /// OpenAI Responses: the group the tool belongs to; if left out, the one under which the request offers it.
    pub namespace: Option<String>,
    /// OpenAI Responses: a tool that takes text instead of JSON.
    pub custom: bool,
}

/// Why the last message of the turn ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    #[default]
    Complete,
    /// The limit of output tokens was reached.
    Length,
    /// The model refused, or a filter stopped it.
    Refusal,
}

/// Tokens of one request, as the service bills them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    /// What of the output was thinking.
    #[serde(default)]
    pub thinking: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 100, output: 20, thinking: 0 }
    }
}

/// What goes wrong instead of, or within, the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ServiceFault {
    /// An HTTP error; without a body, the one that the vendor sends with this status.
    Status {
        code: u16,
        #[serde(default)]
        retry_after: Option<u64>,
        #[serde(default)]
        headers: BTreeMap<String, String>,
        #[serde(default)]
        body: Option<Value>,
    },
    /// The account has used up its allowance, said the way the vendor says it.
    UsageLimit { resets_in_s: u64 },
    /// The connection is accepted and nothing is ever sent.
    Hang,
    /// The answer comes, but only after a while.
    Delay { ms: u64 },
    /// The stream pauses in the middle. A whole answer pauses after its head.
    Stall { ms: u64 },
    /// Half of the stream, then the connection breaks.
    Cut,
    /// Half of the stream, ended as if that were all.
    Truncated,
    /// Half of the stream, then the error event with which the vendor breaks off.
    BrokenOff,
    /// 200 with a body that is nothing the dialect knows.
    Garbage,
    /// The next tool call has arguments that break its schema.
    WrongArguments,
    /// A call of a tool that nobody offers.
    UnknownTool,
}

impl ServiceFault {
    /// An HTTP error as the vendor sends it.
    pub fn status(code: u16) -> Self {
        Self::Status { code, retry_after: None, headers: BTreeMap::new(), body: None }
    }
}
