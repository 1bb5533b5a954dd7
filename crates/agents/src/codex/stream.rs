//! The lines of `codex exec --json`, and what Codex says about itself on its standard error.

use super::failure;
use super::schema::relaxed;
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, Talk, Turn, words};
use jiff::tz::TimeZone;
use serde_json::Value;
use tollgate_contract::schema::schema;
use tollgate_core::reply::Usage;
use tollgate_files::clock;

/// A wait that Codex tells of only in its log, shorter than this, is over soon enough.
const WAIT_MS_MIN: u64 = 10_000;

#[derive(Debug)]
pub struct CodexStream {
    /// What the thread had cost before; Codex counts on.
    before: Usage,
    /// The last message of the model.
    text: Option<String>,
    /// None while the turn continues.
    outcome: Option<TurnOutcome>,
}

impl CodexStream {
    pub fn new(before: Usage) -> Self {
        Self { before, text: None, outcome: None }
    }

    fn item_started(&mut self, item: &Value, turn: &mut Turn) {
        let Some(name) = tool(item) else { return };
        let (id, what) = (text_of(item, "id"), what(item));
        turn.events.push(AgentEvent::ToolStart { id, name: name.to_owned(), what });
    }

    fn item_completed(&mut self, item: &Value, turn: &mut Turn) {
        if tool(item).is_some() {
            let ok = item["status"].as_str().is_none_or(|status| status == "completed");
            turn.events.push(AgentEvent::ToolEnd { id: text_of(item, "id"), ok });
            return;
        }
        if item["type"] == "agent_message" {
            let text = text_of(item, "text");
            turn.events.push(AgentEvent::Text { text: text.clone() });
            self.text = Some(text);
        }
    }

    fn spent(&self, total: &Value) -> Usage {
        let tokens = |name: &str| words::tokens(&total[name]);
        let (input_tokens, output_tokens) = (tokens("input_tokens"), tokens("output_tokens"));
        Usage { input_tokens, output_tokens, ..Usage::default() }.since(&self.before)
    }

    fn give_up(&mut self, message: &str) {
        self.outcome = Some(failure::outcome(message, clock::now(), &TimeZone::system()));
    }
}

impl Talk for CodexStream {
    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        match line["type"].as_str() {
            Some("thread.started") => {
                let session = line["thread_id"].as_str().map(str::to_owned);
                turn.events.push(AgentEvent::Started { session, model: None });
            }
            Some("item.started") => self.item_started(&line["item"], turn),
            Some("item.completed") => self.item_completed(&line["item"], turn),
            Some("turn.completed") => {
                turn.events.push(AgentEvent::Usage { spent: self.spent(&line["usage"]) });
                self.outcome = Some(TurnOutcome::Done);
                turn.is_over = true;
            }
            Some("turn.failed") => {
                self.give_up(line["error"]["message"].as_str().unwrap_or_default());
                turn.is_over = true;
            }
            // The last of them is said again when the turn fails.
            Some("error") => {
                let message = line["message"].as_str().unwrap_or_default();
                turn.events.extend(failure::reconnecting(message).map(|why| retry(why, None)));
            }
            _ => {}
        }
    }

    fn aside(&mut self, line: &str, turn: &mut Turn) {
        turn.events.extend(waiting(line).or_else(|| refused(line)));
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        let text = self.text.take();
        match self.outcome.take() {
            Some(TurnOutcome::Done) => {
                let reply = text.as_deref().and_then(reply);
                Finished { outcome: TurnOutcome::Done, reply, text }
            }
            Some(outcome) => Finished { outcome, reply: None, text },
            None => Finished { outcome: exit.unclear(), reply: None, text },
        }
    }
}

/// Items during which something is at work. A list of things to do is open for the whole turn and is none.
fn tool(item: &Value) -> Option<&str> {
    let name = item["type"].as_str()?;
    let is_tool = matches!(
        name,
        "command_execution" | "file_change" | "mcp_tool_call" | "collab_tool_call" | "web_search"
    );
    is_tool.then_some(name)
}

fn what(item: &Value) -> String {
    let whole = match item["type"].as_str() {
        Some("command_execution") => text_of(item, "command"),
        Some("file_change") => text_of(&item["changes"][0], "path"),
        Some("mcp_tool_call") => format!("{} {}", text_of(item, "server"), text_of(item, "tool")),
        Some("web_search") => text_of(item, "query"),
        _ => text_of(item, "tool"),
    };
    words::short(&whole)
}

fn text_of(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}

fn retry(why: &str, wait_ms: Option<u64>) -> AgentEvent {
    AgentEvent::Retry { status: failure::status(why), wait_ms, detail: why.to_owned() }
}

/// "retrying sampling request (1/5 in 7199.99s)... sampling_error=why": nothing else tells how long it will wait.
fn waiting(line: &str) -> Option<AgentEvent> {
    let (_, rest) = line.split_once("retrying sampling request (")?;
    let (count, after) = rest.split_once(')')?;
    let seconds: f64 = count.split_once(" in ")?.1.strip_suffix('s')?.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates"
    )]
    let wait_ms = (seconds * 1_000.0) as u64;
    let why = after.split_once("sampling_error=").map_or("", |(_, why)| why.trim());
    (wait_ms >= WAIT_MS_MIN).then(|| retry(why, Some(wait_ms)))
}

/// The model alone is told of a refusal; the log is the only other place where it stands.
fn refused(line: &str) -> Option<AgentEvent> {
    const LOGGED: [&str; 2] =
        ["codex_core::tools::router: error=", "codex_sandboxing::violation: "];
    let what = LOGGED.iter().find_map(|place| line.split_once(place).map(|(_, what)| what))?;
    let is_refused = ["reject", "sandbox violation"].iter().any(|word| what.contains(word));
    let what = what.trim().trim_start_matches("recorded sandbox violation: ").to_owned();
    is_refused.then_some(AgentEvent::Permission { what, granted: false })
}

/// The reply as the contract has it; a message that is no object is left to those who read replies.
fn reply(text: &str) -> Option<Value> {
    let answer: Value = serde_json::from_str(text).ok().filter(Value::is_object)?;
    Some(relaxed(answer, &schema("agent-output")?))
}
