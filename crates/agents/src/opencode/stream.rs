//! The lines of `opencode run --format json`: steps, texts and tools that have ended, and no line that says how it went.

use super::log;
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, Post, Talk, Turn, words};
use serde_json::Value;
use std::path::PathBuf;
use tollgate_core::reply::Usage;
use tollgate_files::clock;

/// Steps in a row without an answer of the model: it asks again at once and forever.
const EMPTY_STEPS_MAX: u32 = 5;

/// Failures of the service in a row; the waits between them grow, and the engine waits better.
const FAILURES_MAX: u32 = 4;

/// What a tool says that may not be used: refused by a rule of ours, or by the rejection of a question.
const REFUSALS: [&str; 2] =
    ["The user rejected permission", "The user has specified a rule which prevents"];

#[derive(Debug, Default)]
pub struct OpencodeStream {
    log: Option<PathBuf>,
    session: Option<String>,
    /// The message that the last texts belong to, and those texts.
    message: String,
    text: String,
    /// Why the last step ended.
    reason: Option<String>,
    /// The last tool was refused; the program then stops silently.
    refused: Option<String>,
    failure: Option<TurnOutcome>,
    empty_steps: u32,
    /// Of the service, since it last answered, and the last one's words.
    failures: u32,
    failed_with: String,
}

impl Talk for OpencodeStream {
    fn open(&mut self, post: Post, _turn: &mut Turn) {
        if let Some(log) = self.log.take() {
            log::watch(log, post);
        }
    }

    fn posted(&mut self, note: Value, turn: &mut Turn) {
        if let Some(words) = note[log::FAILED].as_str() {
            self.failures += 1;
            self.failed_with = words.to_owned();
            let detail = words.to_owned();
            turn.events.push(AgentEvent::Retry { status: None, wait_ms: None, detail });
        }
        let waits_long = note.get(log::WAITS).is_some() && self.failures > 0;
        if waits_long || self.failures >= FAILURES_MAX {
            let detail = self.failed_with.clone();
            self.failure = Some(TurnOutcome::Service { status: None, detail });
            turn.is_over = true;
        }
    }

    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        self.failures = 0;
        if let (None, Some(session)) = (&self.session, line["sessionID"].as_str()) {
            self.session = Some(session.to_owned());
            let session = self.session.clone();
            turn.events.push(AgentEvent::Started { session, model: None });
        }
        let part = &line["part"];
        match line["type"].as_str() {
            Some("text") => self.says(part, turn),
            Some("tool_use") => self.has_used(part, turn),
            Some("step_finish") => self.steps(part, turn),
            Some("error") => self.failure = Some(failure(&line["error"])),
            _ => {}
        }
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        if self.empty_steps >= EMPTY_STEPS_MAX {
            return Finished::without_reply(TurnOutcome::Looping { requests: self.empty_steps });
        }
        if let Some(failure) = self.failure.take() {
            return Finished::without_reply(failure);
        }
        match (self.reason.as_deref(), self.refused.take()) {
            (Some("stop"), _) => {
                let text = Some(std::mem::take(&mut self.text)).filter(|text| !text.is_empty());
                Finished { outcome: TurnOutcome::Done, reply: None, text }
            }
            (_, Some(detail)) => Finished::without_reply(TurnOutcome::Denied { detail }),
            (reason, None) => {
                let last = reason.map(|reason| format!("its last step ended with {reason:?}"));
                let words = [last.unwrap_or_default(), exit.stderr_tail.trim().to_owned()];
                let words: Vec<_> = words.into_iter().filter(|part| !part.is_empty()).collect();
                Finished::without_reply(TurnOutcome::Unclear {
                    exit_code: exit.code,
                    signal: exit.signal,
                    detail: words.join("; "),
                })
            }
        }
    }
}

impl OpencodeStream {
    /// With the log that tells of failures, where it is known.
    pub fn new(log: Option<PathBuf>) -> Self {
        Self { log, ..Self::default() }
    }

    fn says(&mut self, part: &Value, turn: &mut Turn) {
        let text = part["text"].as_str().unwrap_or_default();
        let message = part["messageID"].as_str().unwrap_or_default();
        if self.message != message {
            self.message = message.to_owned();
            self.text.clear();
        }
        words::add_piece(&mut self.text, text);
        turn.events.push(AgentEvent::Text { text: text.to_owned() });
    }

    /// Tools are told of when they have ended.
    fn has_used(&mut self, part: &Value, turn: &mut Turn) {
        let state = &part["state"];
        let id = part["callID"].as_str().unwrap_or_default().to_owned();
        let name = part["tool"].as_str().unwrap_or_default().to_owned();
        let what = subject(&state["input"]);
        let ok = state["status"] == "completed" && name != "invalid";
        let error = state["error"].as_str().unwrap_or_default();
        self.refused = None;
        if REFUSALS.iter().any(|words| error.starts_with(words)) {
            let what = format!("{name} {what}").trim().to_owned();
            self.refused = Some(format!("it was not allowed: {what}"));
            turn.events.push(AgentEvent::Permission { what, granted: false });
        }
        turn.events.push(AgentEvent::ToolStart { id: id.clone(), name, what });
        turn.events.push(AgentEvent::ToolEnd { id, ok });
    }

    /// Tokens and money are those of the step.
    fn steps(&mut self, part: &Value, turn: &mut Turn) {
        let reason = part["reason"].as_str().unwrap_or("unknown");
        self.reason = Some(reason.to_owned());
        if let Some(spent) = spent(part) {
            turn.events.push(AgentEvent::Usage { spent });
        }
        if reason != "unknown" {
            self.empty_steps = 0;
            return;
        }
        self.empty_steps += 1;
        turn.is_over = self.empty_steps >= EMPTY_STEPS_MAX;
        let detail = "the response of the model service broke off".to_owned();
        turn.events.push(AgentEvent::Retry { status: None, wait_ms: None, detail });
    }
}

/// A path or a command.
fn subject(input: &Value) -> String {
    let names = ["filePath", "path", "command", "pattern", "url", "description"];
    let text = names.iter().find_map(|name| input[*name].as_str()).unwrap_or_default();
    words::short(text)
}

/// Where nothing was counted there are zeros; a model without a known price costs zero.
fn spent(part: &Value) -> Option<Usage> {
    let tokens = &part["tokens"];
    let cache = &tokens["cache"];
    let input = words::sum([
        words::tokens(&tokens["input"]),
        words::tokens(&cache["read"]),
        words::tokens(&cache["write"]),
    ]);
    let output =
        words::sum([words::tokens(&tokens["output"]), words::tokens(&tokens["reasoning"])]);
    let micro_usd = words::micro_usd(&part["cost"]).filter(|micro| *micro > 0);
    let is_counted = input.unwrap_or(0) > 0 || output.unwrap_or(0) > 0 || micro_usd.is_some();
    is_counted.then_some(Usage {
        input_tokens: input,
        output_tokens: output,
        micro_usd,
        wall_ms: None,
    })
}

fn failure(error: &Value) -> TurnOutcome {
    let name = error["name"].as_str().unwrap_or("an error");
    let data = &error["data"];
    let detail = data["message"].as_str().unwrap_or(name).to_owned();
    let status = data["statusCode"].as_u64().and_then(|status| u16::try_from(status).ok());
    match (name, status) {
        (_, Some(401 | 403)) | ("ProviderAuthError", _) => TurnOutcome::Login { detail },
        (_, Some(402 | 429)) => {
            let header = data["responseHeaders"]["retry-after"].as_str();
            let seconds = header.and_then(|text| text.trim().parse::<u64>().ok());
            let resets_at = seconds.map(|s| clock::now().plus_ms(s.saturating_mul(1_000)));
            TurnOutcome::UsageLimit { resets_at, detail }
        }
        ("APIError", status) => TurnOutcome::Service { status, detail },
        _ => TurnOutcome::unclear(format!("{name}: {detail}")),
    }
}
