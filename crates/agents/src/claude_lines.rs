//! The lines that Claude Code writes, and Qwen Code after its example: what they mean, whoever listens.

mod ending;
mod spent;

use super::event::{AgentEvent, Finished};
use super::{AgentExit, DriverPlan, Turn, words};
use ending::{ServiceFailure, Wait};
use serde_json::Value;
use spent::ClaudeUsage;
pub use spent::Counting;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tollgate_core::time::Timestamp;

/// What `what` of a tool shows of a command or a path.
const WHAT_CHARS: usize = 200;

/// A wait of at least this long was asked for by the service; a program's own waits between tries begin far below.
const ASKED_WAIT_MS: u64 = 10_000;

/// A hiccup is got over by the program itself; more tries in a row than this are ours to make.
const RETRIES_MAX: u64 = 2;

/// One conversation, as far as it was heard.
#[derive(Debug)]
pub struct ClaudeLines {
    now: fn() -> Timestamp,
    tree: PathBuf,
    spent: ClaudeUsage,
    /// When the service takes requests again, as far as it said so.
    wait: Wait,
    /// The kind of the last failure, in the program's own word.
    failure: Option<String>,
    /// Tools that were refused and told of.
    refused: BTreeSet<String>,
    finished: Option<Finished>,
}

impl ClaudeLines {
    pub fn new(plan: &DriverPlan, counting: Counting, now: fn() -> Timestamp) -> Self {
        Self {
            now,
            tree: plan.tree.clone(),
            spent: ClaudeUsage::after(plan.before, counting),
            wait: Wait::default(),
            failure: None,
            refused: BTreeSet::new(),
            finished: None,
        }
    }

    pub fn heard(&mut self, line: &Value, turn: &mut Turn) {
        match (text(line, "type"), text(line, "subtype")) {
            (Some("system"), Some("init")) => turn.events.push(AgentEvent::Started {
                session: text(line, "session_id").map(str::to_owned),
                model: text(line, "model").map(str::to_owned),
            }),
            (Some("system"), Some("api_retry")) => self.retry(line, turn),
            (Some("system"), Some("retry")) => self.retry(&line["data"], turn),
            (Some("system"), Some("permission_denied")) => self.denied(line, turn),
            (Some("rate_limit_event"), _) => self.wait.limit(&line["rate_limit_info"]),
            (Some("assistant"), _) => self.message(line, turn),
            (Some("user"), _) => tool_results(line, turn),
            (Some("result"), _) => self.result(line, turn),
            _ => {}
        }
    }

    /// A tool was refused by us; the program will list it once more at its end.
    pub fn was_refused(&mut self, tool_use_id: &str) {
        self.refused.insert(tool_use_id.to_owned());
    }

    /// What the stream said counts; without a last word it is the exit code.
    pub fn ended(&mut self, exit: &AgentExit) -> Finished {
        self.finished.take().unwrap_or_else(|| Finished::without_reply(exit.unclear()))
    }

    fn retry(&mut self, line: &Value, turn: &mut Turn) {
        let number = |one: &str, other: &str| line[one].as_u64().or(line[other].as_u64());
        let status = number("error_status", "status").and_then(|status| u16::try_from(status).ok());
        let wait_ms = number("retry_delay_ms", "delayMs");
        let failure = text(line, "error").or(text(line, "reason")).unwrap_or("unknown");
        self.failure = Some(failure.to_owned());
        self.wait.asked = match (status, wait_ms) {
            (None | Some(429), Some(ms)) if ms >= ASKED_WAIT_MS => Some((self.now)().plus_ms(ms)),
            _ => None,
        };
        turn.events.push(AgentEvent::Retry { status, wait_ms, detail: failure.to_owned() });
        if let Some(attempt) = line["attempt"].as_u64().filter(|attempt| *attempt > RETRIES_MAX) {
            let words = format!("{failure}, {attempt} times in a row");
            let ending = ServiceFailure { status, failure: Some(failure), words: &words };
            self.finished = Some(Finished::without_reply(ending.outcome(&self.wait)));
            turn.is_over = true;
        }
    }

    fn denied(&mut self, line: &Value, turn: &mut Turn) {
        let name = text(line, "tool_name").unwrap_or("a tool");
        let why = text(line, "message").unwrap_or("it was refused");
        self.refuse(text(line, "tool_use_id"), format!("{name}: {why}"), turn);
    }

    fn refuse(&mut self, tool_use_id: Option<&str>, what: String, turn: &mut Turn) {
        if tool_use_id.is_none_or(|id| self.refused.insert(id.to_owned())) {
            turn.events.push(AgentEvent::Permission { what: shortened(&what), granted: false });
        }
    }

    fn message(&mut self, line: &Value, turn: &mut Turn) {
        // The program's own words for a failure; the result repeats them.
        if let Some(failure) = text(line, "error") {
            self.failure = Some(failure.to_owned());
            return;
        }
        self.failure = None;
        self.wait.asked = None;
        let spent = self.spent.at_message(&line["message"]["usage"]);
        turn.events.extend(spent.map(|spent| AgentEvent::Usage { spent }));
        for block in blocks(line) {
            match text(block, "type") {
                Some("text") => {
                    if let Some(words) = text(block, "text") {
                        turn.events.push(AgentEvent::Text { text: words.to_owned() });
                    }
                }
                Some("tool_use") => turn.events.push(AgentEvent::ToolStart {
                    id: text(block, "id").unwrap_or_default().to_owned(),
                    name: text(block, "name").unwrap_or_default().to_owned(),
                    what: what(&block["input"], &self.tree),
                }),
                _ => {}
            }
        }
    }

    fn result(&mut self, line: &Value, turn: &mut Turn) {
        for denial in line["permission_denials"].as_array().into_iter().flatten() {
            let name = text(denial, "tool_name").unwrap_or("a tool");
            let what = format!("{name} {}", what(&denial["tool_input"], &self.tree));
            self.refuse(text(denial, "tool_use_id"), what, turn);
        }
        let spent = self.spent.at_result(line);
        turn.events.extend(spent.map(|spent| AgentEvent::Usage { spent }));
        self.finished = Some(ending::finished(line, self.failure.as_deref(), &self.wait));
        turn.is_over = true;
    }
}

fn tool_results(line: &Value, turn: &mut Turn) {
    for block in blocks(line).filter(|block| text(block, "type") == Some("tool_result")) {
        turn.events.push(AgentEvent::ToolEnd {
            id: text(block, "tool_use_id").unwrap_or_default().to_owned(),
            ok: block["is_error"].as_bool() != Some(true),
        });
    }
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line["message"]["content"].as_array().into_iter().flatten()
}

/// What a tool works on, in a few words; a file of the tree by its path there.
pub fn what(input: &Value, tree: &Path) -> String {
    const TELLING: [&str; 10] = [
        "file_path",
        "notebook_path",
        "absolute_path",
        "path",
        "command",
        "pattern",
        "url",
        "query",
        "description",
        "prompt",
    ];
    let words = TELLING.iter().find_map(|name| text(input, name)).unwrap_or_default();
    let below = Path::new(words).strip_prefix(tree).ok().and_then(Path::to_str);
    shortened(below.unwrap_or(words))
}

fn shortened(said: &str) -> String {
    words::cut(said.trim(), WHAT_CHARS)
}

pub fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}
