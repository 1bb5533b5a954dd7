//! The lines of Copilot.

use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, Talk, Turn, words};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tollgate_core::reply::Usage;
use tollgate_files as files;

/// Far more than the counts of all models that there are.
const USAGE_BYTES_MAX: u64 = 1024 * 1024;

#[derive(Debug)]
pub struct CopilotStream {
    /// The file with the tokens of this run.
    usage: Option<PathBuf>,
    /// What the session had cost before; Copilot counts on.
    before: Usage,
    /// The tools at work, in a few words each.
    tools: BTreeMap<String, String>,
    /// The last message of the model.
    text: Option<String>,
    /// The error that the run ended with.
    failure: Option<TurnOutcome>,
    /// What Copilot says of the whole run at its end.
    exit_code: Option<i64>,
}

impl CopilotStream {
    pub fn new(usage: Option<PathBuf>, before: Usage) -> Self {
        Self { usage, before, tools: BTreeMap::new(), text: None, failure: None, exit_code: None }
    }

    fn tool_started(&mut self, data: &Value, turn: &mut Turn) {
        let (id, name) = (text_of(data, "toolCallId"), text_of(data, "toolName"));
        let what = what(&data["arguments"]);
        self.tools.insert(id.clone(), format!("{name} {what}"));
        turn.events.push(AgentEvent::ToolStart { id, name, what });
    }

    fn tool_completed(&mut self, data: &Value, turn: &mut Turn) {
        let (id, ok) = (text_of(data, "toolCallId"), data["success"] == true);
        let what = self.tools.remove(&id).unwrap_or_default();
        turn.events.push(AgentEvent::ToolEnd { id, ok });
        if data["error"]["code"] == "denied" {
            turn.events.push(AgentEvent::Permission { what, granted: false });
        }
    }

    fn result(&mut self, line: &Value, turn: &mut Turn) {
        self.exit_code = line["exitCode"].as_i64();
        let session = line["sessionId"].as_str().map(str::to_owned);
        turn.events.push(AgentEvent::Started { session, model: None });
        let spent = self.spent();
        turn.events.extend(spent.map(|spent| AgentEvent::Usage { spent }));
        turn.is_over = true;
    }

    fn spent(&self) -> Option<Usage> {
        let bytes = files::read_bounded(self.usage.as_ref()?, USAGE_BYTES_MAX).ok()?;
        let counts: Value = serde_json::from_slice(&bytes).ok()?;
        let mut total = Usage::default();
        for model in counts["modelMetrics"].as_object()?.values() {
            let tokens = |name: &str| words::tokens(&model["usage"][name]);
            let (input_tokens, output_tokens) = (tokens("inputTokens"), tokens("outputTokens"));
            total.add(&Usage { input_tokens, output_tokens, ..Usage::default() });
        }
        Some(total.since(&self.before))
    }
}

impl Talk for CopilotStream {
    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        let data = &line["data"];
        match line["type"].as_str() {
            Some("assistant.message") => {
                let text = text_of(data, "content");
                if !text.is_empty() {
                    turn.events.push(AgentEvent::Text { text: text.clone() });
                    self.text = Some(text);
                }
            }
            Some("tool.execution_start") => self.tool_started(data, turn),
            Some("tool.execution_complete") => self.tool_completed(data, turn),
            Some("model.call_failure") => turn.events.push(AgentEvent::Retry {
                status: status(data),
                wait_ms: None,
                detail: text_of(data, "errorMessage"),
            }),
            Some("session.error") => self.failure = Some(outcome(data)),
            Some("result") => self.result(line, turn),
            _ => {}
        }
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        let outcome = match (self.exit_code, self.failure.take()) {
            (Some(0), _) => TurnOutcome::Done,
            (_, Some(failure)) => failure,
            (_, None) => exit.unclear(),
        };
        Finished { outcome, reply: None, text: self.text.take() }
    }
}

fn outcome(data: &Value) -> TurnOutcome {
    let (status, detail) = (status(data), text_of(data, "message"));
    match (data["errorType"].as_str(), status) {
        (Some("authentication" | "authorization"), _) | (_, Some(401 | 403)) => {
            TurnOutcome::Login { detail }
        }
        (Some("quota" | "rate_limit"), _) | (_, Some(402 | 429)) => {
            TurnOutcome::UsageLimit { resets_at: None, detail }
        }
        _ => TurnOutcome::Service { status, detail },
    }
}

fn status(data: &Value) -> Option<u16> {
    data["statusCode"].as_u64().and_then(|status| u16::try_from(status).ok())
}

fn what(arguments: &Value) -> String {
    let words = ["path", "command", "pattern", "url", "query"];
    let found = words.iter().find_map(|word| arguments[*word].as_str()).unwrap_or_default();
    words::short(found)
}

fn text_of(data: &Value, name: &str) -> String {
    data[name].as_str().unwrap_or_default().to_owned()
}
