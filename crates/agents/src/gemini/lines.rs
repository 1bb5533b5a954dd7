//! The lines of Gemini CLI with `-o stream-json`.

use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, Talk, Turn, words};
use serde_json::Value;
use std::collections::BTreeMap;
use tollgate_core::duration;
use tollgate_core::reply::Usage;
use tollgate_files::clock;

/// Exit codes of its own; every other above 1 is the last digits of an HTTP status.
const EXIT_LOGIN: i32 = 41;
const EXIT_TURNS: i32 = 53;

/// Statuses that can be distinguished from an exit code, which is the status modulo 256.
const STATUSES: [u16; 10] = [400, 401, 403, 408, 409, 429, 500, 502, 503, 504];

/// A shorter wait is over before the engine tries again.
const TOLD_WAIT_MS_MIN: u64 = 5_000;

#[derive(Debug, Default)]
pub struct GeminiLines {
    /// The message that is coming, piece by piece.
    message: String,
    /// The last whole message.
    text: Option<String>,
    /// What the tools at work do.
    tools: BTreeMap<String, Tool>,
    /// The last error in between; the end does not repeat it.
    error: Option<String>,
    end: Option<End>,
}

#[derive(Debug)]
struct Tool {
    name: String,
    what: String,
}

/// What the result line says.
#[derive(Debug)]
struct End {
    is_success: bool,
    kind: String,
    message: Option<String>,
}

impl Talk for GeminiLines {
    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        match line["type"].as_str() {
            Some("init") => turn.events.push(AgentEvent::Started {
                session: line["session_id"].as_str().map(str::to_owned),
                model: line["model"].as_str().map(str::to_owned),
            }),
            Some("message") if line["role"] == "assistant" => {
                words::add_piece(&mut self.message, line["content"].as_str().unwrap_or_default());
            }
            Some("tool_use") => self.tool_start(line, turn),
            Some("tool_result") => self.tool_end(line, turn),
            Some("error") if line["severity"] == "error" => {
                self.error = line["message"].as_str().map(str::to_owned);
            }
            Some("result") => self.result(line, turn),
            _ => {}
        }
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        self.whole_message();
        let outcome = match self.end.take() {
            Some(end) => self.outcome(&end, exit),
            None => without_result(exit),
        };
        Finished { outcome, reply: None, text: self.text.take() }
    }
}

impl GeminiLines {
    fn tool_start(&mut self, line: &Value, turn: &mut Turn) {
        self.say(turn);
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let (id, name) = (text("tool_id"), text("tool_name"));
        let what = words::of_arguments(&line["parameters"]);
        self.tools.insert(id.clone(), Tool { name: name.clone(), what: what.clone() });
        turn.events.push(AgentEvent::ToolStart { id, name, what });
    }

    fn tool_end(&mut self, line: &Value, turn: &mut Turn) {
        let id = line["tool_id"].as_str().unwrap_or_default().to_owned();
        let tool = self.tools.remove(&id);
        if let Some(tool) = tool.filter(|tool| was_refused(&line["error"], &tool.name)) {
            let what = format!("{} {}", tool.name, tool.what).trim_end().to_owned();
            turn.events.push(AgentEvent::Permission { what, granted: false });
        }
        turn.events.push(AgentEvent::ToolEnd { id, ok: line["status"] == "success" });
    }

    fn result(&mut self, line: &Value, turn: &mut Turn) {
        self.say(turn);
        let tokens = |name: &str| words::tokens(&line["stats"][name]);
        // Nothing at all is counted when no answer came.
        if tokens("total_tokens").is_some_and(|total| total > 0) {
            let (input_tokens, output_tokens) = (tokens("input_tokens"), tokens("output_tokens"));
            let told = Usage { input_tokens, output_tokens, ..Usage::default() };
            // Of thinking only the total knows; what was cached is part of the input.
            let spent = words::with_rest(told, tokens("total_tokens"), None);
            turn.events.push(AgentEvent::Usage { spent });
        }
        self.end = Some(End {
            is_success: line["status"] == "success",
            kind: line["error"]["type"].as_str().unwrap_or_default().to_owned(),
            message: line["error"]["message"].as_str().map(str::to_owned),
        });
        turn.is_over = true;
    }

    fn say(&mut self, turn: &mut Turn) {
        if self.whole_message() {
            let text = self.text.clone().unwrap_or_default();
            turn.events.push(AgentEvent::Text { text });
        }
    }

    /// Whether there was one.
    fn whole_message(&mut self) -> bool {
        let message = std::mem::take(&mut self.message);
        let is_there = !message.trim().is_empty();
        if is_there {
            self.text = Some(message);
        }
        is_there
    }

    fn outcome(&self, end: &End, exit: &AgentExit) -> TurnOutcome {
        let said = end.message.as_ref().or(self.error.as_ref()).cloned().unwrap_or_default();
        if end.kind == "FatalTurnLimitedError" || said == "Maximum session turns exceeded" {
            return TurnOutcome::Turns { detail: said };
        }
        if end.is_success {
            return TurnOutcome::Done;
        }
        let status = status_in(&said).or_else(|| status_of(exit.code?));
        let is_login = end.kind == "FatalAuthenticationError"
            || matches!(status, Some(401 | 403))
            || said.contains("API key not valid")
            || said.contains("API_KEY_INVALID");
        if is_login {
            return TurnOutcome::Login { detail: said };
        }
        if status == Some(429) {
            // Of a quota that is used up it keeps the time to itself, and shows what the service said to people only.
            let wait = wait_ms(&said).or_else(|| asked_wait_ms(&exit.stderr_tail));
            let wait = wait.filter(|wait| *wait >= TOLD_WAIT_MS_MIN);
            let resets_at = wait.map(|wait| clock::now().plus_ms(wait));
            if resets_at.is_some() || said.contains("exhausted your") {
                return TurnOutcome::UsageLimit { resets_at, detail: said };
            }
        }
        TurnOutcome::Service { status, detail: said }
    }
}

/// A tool that was not allowed, or taken away because this role may not use it.
fn was_refused(error: &Value, tool: &str) -> bool {
    let says = |words: &str| error["message"].as_str().is_some_and(|text| text.contains(words));
    match error["type"].as_str() {
        Some("policy_violation") => true,
        Some("tool_not_registered") => matches!(tool, "write_file" | "replace"),
        Some(_) => says("requires user confirmation"),
        None => false,
    }
}

fn without_result(exit: &AgentExit) -> TurnOutcome {
    let detail = exit.stderr_tail.clone();
    match exit.code {
        Some(EXIT_LOGIN) => TurnOutcome::Login { detail },
        Some(EXIT_TURNS) => TurnOutcome::Turns { detail },
        _ => exit.unclear(),
    }
}

/// Errors of the service that it did not put into words of its own are quoted as they came.
fn status_in(said: &str) -> Option<u16> {
    let quoted = said.strip_prefix("[API Error: ")?.strip_suffix(']')?;
    let error: Value = serde_json::from_str(quoted).ok()?;
    u16::try_from(error["error"]["code"].as_u64()?).ok()
}

fn status_of(exit_code: i32) -> Option<u16> {
    STATUSES.into_iter().find(|status| i32::from(status % 256) == exit_code)
}

/// How long to wait, where the service says it: `Suggested retry after 34s.`, `Your quota will reset after 3h12m5s.`
fn wait_ms(said: &str) -> Option<u64> {
    let after = said.split_once("retry after ").or_else(|| said.split_once("reset after "))?.1;
    duration::read_parts_ms(after.split_whitespace().next()?.trim_end_matches(['.', ']', ',']))
}

/// The service's own words, the last of them: `Please retry in 7200s.`, `Please retry in 3h12m5.5s.`
fn asked_wait_ms(stderr: &str) -> Option<u64> {
    let after = stderr.rsplit_once("Please retry in ")?.1;
    duration::read_parts_ms(
        after.split_whitespace().next()?.trim_end_matches(['.', ',', '\'', '"']),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn waits_are_read_out_of_words() {
        assert_eq!(wait_ms("[API Error: x\nSuggested retry after 2s.]\nPlease"), Some(2_000));
        assert_eq!(wait_ms("Your quota will reset after 3h12m5s."), Some(11_525_000));
        assert_eq!(wait_ms("Your quota will reset after midnight."), None);
        assert_eq!(wait_ms("exhausted"), None);
    }

    #[test]
    fn the_wait_that_the_service_asked_for_last_counts() {
        let stderr = "message: 'Please retry in 2s.'\n  message: 'Used up. Please retry in 7200.5s.',\n  details";
        assert_eq!(asked_wait_ms(stderr), Some(7_200_500));
        assert_eq!(asked_wait_ms("Please retry in a while."), None);
        assert_eq!(asked_wait_ms("Please retry in "), None);
    }

    #[test]
    fn an_exit_code_is_a_status_without_its_high_bits() {
        assert_eq!(status_of(173), Some(429));
        assert_eq!(status_of(244), Some(500));
        assert_eq!(status_of(247), Some(503));
        assert_eq!(status_of(1), None);
    }
}
