//! The lines of `goose run --output-format stream-json`.
//!
//! When its model service fails it says so as if the model spoke, and ends with exit code 0. What it says by itself does
//! not carry the name of a model: that tells its words from a model that quotes them.

use super::log;
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, DriverPlan, Post, Talk, Turn, words};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tollgate_core::reply::Usage;

const FAILURE: &str = "Ran into this error";
const FAILURE_END: &str = "Please retry if you think this is a transient or recoverable error.";
/// How its words about a service that gave nothing end.
const RESEND: [&str; 2] =
    ["Please resend your message to try again.", "Please resend your message to continue."];
const TURNS_USED_UP: &str = "I've reached the maximum number of actions";
const DECLINED: &str = "The user has declined to run this tool";
const MUST_ASK: &str = "Tool approval required in non-interactive mode";
const NO_LOGIN: &str = "'goose configure'";
const CACHED: [&str; 2] = ["cache_read_input_tokens", "cache_write_input_tokens"];

#[derive(Debug, Default)]
pub struct GooseLines {
    session: Option<String>,
    model: Option<String>,
    /// What its session had cost before; it counts on.
    before: Usage,
    message: Message,
    /// The last whole message of the model.
    text: Option<String>,
    /// What goose said last by itself, with nothing of the model after it.
    own_words: Option<String>,
    /// An error in a form of its own.
    error: Option<String>,
    tools: BTreeMap<String, String>,
    /// The folder of its log; none where it writes into the person's.
    log: Option<PathBuf>,
    is_complete: bool,
}

/// A message that is coming, piece by piece.
#[derive(Debug, Default)]
struct Message {
    id: String,
    text: String,
    is_models: bool,
}

impl GooseLines {
    pub fn new(plan: &DriverPlan) -> Self {
        Self {
            session: named(plan),
            model: plan.model.clone(),
            before: plan.before,
            log: plan.env.get(super::ROOT).map(|root| Path::new(root).join(log::FOLDER)),
            ..Self::default()
        }
    }
}

/// The name that it was started with.
fn named(plan: &DriverPlan) -> Option<String> {
    let flag = plan.argv.iter().position(|word| word == "--name")?;
    plan.argv.get(flag + 1).cloned()
}

impl Talk for GooseLines {
    /// It never names its session: the name is ours.
    fn open(&mut self, post: Post, turn: &mut Turn) {
        if let Some(folder) = self.log.take() {
            log::watch(folder, post);
        }
        let (session, model) = (self.session.clone(), self.model.clone());
        turn.events.push(AgentEvent::Started { session, model });
    }

    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        match line["type"].as_str() {
            Some("message") => self.part(&line["message"], turn),
            Some("error") => self.error = line["error"].as_str().map(str::to_owned),
            Some("complete") => self.complete(line, turn),
            _ => {}
        }
    }

    fn posted(&mut self, note: Value, turn: &mut Turn) {
        let detail = "goose waits for its model service".to_owned();
        let wait_ms = note[log::WAIT_MS].as_u64();
        turn.events.push(AgentEvent::Retry { status: None, wait_ms, detail });
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        self.whole_message(&mut Turn::default());
        Finished { outcome: self.outcome(exit), reply: None, text: self.text.take() }
    }
}

impl GooseLines {
    fn part(&mut self, message: &Value, turn: &mut Turn) {
        let id = message["id"].as_str().unwrap_or_default();
        if id != self.message.id {
            self.whole_message(turn);
            self.message.id = id.to_owned();
        }
        let is_assistant = message["role"] == "assistant";
        self.message.is_models = message["metadata"]["inference"].is_object();
        for item in message["content"].as_array().into_iter().flatten() {
            match item["type"].as_str() {
                Some("text") if is_assistant => {
                    let piece = item["text"].as_str().unwrap_or_default();
                    words::add_piece(&mut self.message.text, piece);
                }
                Some("error") => self.error = item["message"].as_str().map(str::to_owned),
                Some("toolRequest") => self.tool_start(item, turn),
                Some("toolResponse") => self.tool_end(item, turn),
                _ => {}
            }
        }
    }

    fn tool_start(&mut self, item: &Value, turn: &mut Turn) {
        self.whole_message(turn);
        self.own_words = None;
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        let call = &item["toolCall"]["value"];
        let name = call["name"].as_str().unwrap_or_default().to_owned();
        let what = words::of_arguments(&call["arguments"]);
        self.tools.insert(id.clone(), format!("{name} {what}").trim_end().to_owned());
        turn.events.push(AgentEvent::ToolStart { id, name, what });
    }

    fn tool_end(&mut self, item: &Value, turn: &mut Turn) {
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        let result = &item["toolResult"];
        let what = self.tools.remove(&id);
        let said = result["value"]["content"][0]["text"].as_str().unwrap_or_default();
        if let Some(what) = what.filter(|_| said.starts_with(DECLINED)) {
            turn.events.push(AgentEvent::Permission { what, granted: false });
        }
        let ok = result["status"] == "success" && result["value"]["isError"] != true;
        turn.events.push(AgentEvent::ToolEnd { id, ok });
    }

    fn complete(&mut self, line: &Value, turn: &mut Turn) {
        self.whole_message(turn);
        self.is_complete = true;
        turn.is_over = true;
        let tokens = |name: &str| words::tokens(&line[name]).filter(|total| *total > 0);
        let told = Usage {
            input_tokens: tokens("input_tokens"),
            output_tokens: tokens("output_tokens"),
            micro_usd: words::micro_usd(&line["cost_usd"]),
            wall_ms: None,
        };
        let cached = words::sum(CACHED.map(tokens));
        let total = words::with_rest(told, tokens("total_tokens"), cached);
        let spent = total.since(&self.before);
        if spent != Usage::default() {
            turn.events.push(AgentEvent::Usage { spent });
        }
    }

    fn whole_message(&mut self, turn: &mut Turn) {
        let text = std::mem::take(&mut self.message.text);
        if text.trim().is_empty() {
            return;
        }
        let is_own = !self.message.is_models && is_known(&text);
        match is_own {
            true => self.own_words = Some(text.clone()),
            false => {
                self.own_words = None;
                self.text = Some(text.clone());
            }
        }
        turn.events.push(AgentEvent::Text { text });
    }

    fn outcome(&self, exit: &AgentExit) -> TurnOutcome {
        if let Some(said) = self.error.as_ref().or(self.own_words.as_ref()) {
            return failure(said);
        }
        if self.is_complete {
            return TurnOutcome::Done;
        }
        let detail = exit.stderr_tail.clone();
        if detail.contains(MUST_ASK) {
            return TurnOutcome::Denied { detail };
        }
        if detail.contains(NO_LOGIN) {
            return TurnOutcome::Login { detail };
        }
        exit.unclear()
    }
}

/// What a message means that goose may have put in the place of one of the model.
pub fn told_in_words(text: &str) -> Option<TurnOutcome> {
    is_known(text.trim_start()).then(|| failure(text))
}

/// Whether goose says this by itself; what else comes without the name of a model is taken for the model's.
fn is_known(text: &str) -> bool {
    let end = text.trim_end();
    let is_failure = end.starts_with(FAILURE) && end.ends_with(FAILURE_END);
    let is_resend = RESEND.iter().any(|words| end.ends_with(words));
    is_failure || is_resend || end.starts_with(TURNS_USED_UP)
}

fn failure(said: &str) -> TurnOutcome {
    let said = said.trim();
    if said.starts_with(TURNS_USED_UP) {
        return TurnOutcome::Turns { detail: said.to_owned() };
    }
    let end = said.strip_suffix(FAILURE_END).unwrap_or(said).trim_end();
    let detail = end.strip_prefix(FAILURE).unwrap_or(end).trim_start_matches(':').trim().to_owned();
    let status = status_in(&detail);
    let begins = |words: &str| detail.starts_with(words);
    if begins("Authentication error") || matches!(status, Some(401 | 403)) {
        return TurnOutcome::Login { detail };
    }
    if begins("Credits exhausted") || status == Some(402) {
        return TurnOutcome::UsageLimit { resets_at: None, detail };
    }
    if begins("Rate limit exceeded") {
        return TurnOutcome::Service { status: Some(429), detail };
    }
    TurnOutcome::Service { status, detail }
}

/// `Server error (500 Internal Server Error) at …`, `Bad request (400): …`, `… Status: 401 Unauthorized. …`
fn status_in(detail: &str) -> Option<u16> {
    let after = |mark: &str| {
        let digits = detail.split_once(mark)?.1.get(..3)?;
        digits.parse().ok().filter(|status| (400..600).contains(status))
    };
    after("error (")
        .or_else(|| after("request ("))
        .or_else(|| after("found ("))
        .or_else(|| after("Status: "))
}
