//! The tools of an agent: what each works on, and when it begins and ends.

use super::boundary::Boundary;
use crate::agent::event::AgentEvent;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is kept of a path or a command in words for people.
const WHAT_CHARS_MAX: usize = 200;

/// Calls that are remembered at once; an agent that opens more never closes them.
const CALLS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub struct Tools {
    calls: BTreeMap<String, Call>,
}

#[derive(Debug)]
struct Call {
    /// All fields that were said of it, the last word of each.
    said: Map<String, Value>,
    is_started: bool,
}

impl Tools {
    /// A `tool_call` or `tool_call_update`; both say only what is new.
    pub fn heard(&mut self, update: &Value, boundary: &Boundary, events: &mut Vec<AgentEvent>) {
        let Some(id) = update["toolCallId"].as_str() else { return };
        if !self.calls.contains_key(id) && self.calls.len() >= CALLS_MAX {
            return;
        }
        let status = update["status"].as_str();
        let is_ended = is_end(update);
        let is_new = update["sessionUpdate"] == "tool_call";
        // What comes after the end is no new beginning.
        if !self.calls.contains_key(id) && !is_new && !is_ended {
            return;
        }
        let said = Map::new();
        let call = self.calls.entry(id.to_owned()).or_insert(Call { said, is_started: false });
        merge(&mut call.said, update);
        let said = Value::Object(call.said.clone());
        if !call.is_started && (is_ended || status == Some("in_progress") || is_told(&said)) {
            call.is_started = true;
            let (id, name) = (id.to_owned(), name(&said));
            let what = boundary.shortened(what(&said));
            events.push(AgentEvent::ToolStart { id, name, what });
        }
        if is_ended {
            self.calls.remove(id);
            events.push(AgentEvent::ToolEnd { id: id.to_owned(), ok: status == Some("completed") });
        }
    }

    /// A call with what was said of it before.
    pub fn known(&self, call: &Value) -> Value {
        let before = call["toolCallId"].as_str().and_then(|id| self.calls.get(id));
        let mut said = before.map(|call| call.said.clone()).unwrap_or_default();
        merge(&mut said, call);
        Value::Object(said)
    }

    /// The turn is over: nothing works any more.
    pub fn end(&mut self, events: &mut Vec<AgentEvent>) {
        for (id, call) in std::mem::take(&mut self.calls) {
            if call.is_started {
                events.push(AgentEvent::ToolEnd { id, ok: false });
            }
        }
    }
}

/// Whether an update says that a call is over.
pub fn is_end(update: &Value) -> bool {
    matches!(update["status"].as_str(), Some("completed" | "failed"))
}

fn merge(said: &mut Map<String, Value>, more: &Value) {
    for (key, value) in more.as_object().into_iter().flatten() {
        let is_empty = value.is_null()
            || value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(Map::is_empty);
        // "other" is what is said where nothing is known.
        let is_less = key == "kind" && value == "other" && said.contains_key(key);
        if !is_empty && !is_less {
            said.insert(key.clone(), value.clone());
        }
    }
}

/// Some announce a call before its input is there, and the content of an edit before its path.
fn is_told(said: &Value) -> bool {
    match said["kind"].as_str() {
        Some("edit") => said.get("locations").is_some() || path_of_input(said).is_some(),
        _ => said.get("rawInput").is_some(),
    }
}

/// Every agent calls it something else.
pub fn path_of_input(said: &Value) -> Option<&str> {
    const KEYS: [&str; 7] =
        ["path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "notebook_path"];
    KEYS.iter().find_map(|key| said["rawInput"][*key].as_str())
}

fn name(said: &Value) -> String {
    let named = [
        &said["name"],
        &said["_meta"]["claudeCode"]["toolName"],
        &said["_meta"]["goose"]["toolCall"]["toolName"],
        &said["kind"],
    ];
    named.into_iter().find_map(Value::as_str).unwrap_or("tool").to_owned()
}

/// A path or a command, or else the title.
pub fn what(said: &Value) -> String {
    let first = [&said["rawInput"]["command"], &said["locations"][0]["path"]];
    let first = first.into_iter().find_map(Value::as_str).or_else(|| path_of_input(said));
    let named = [&said["content"][0]["path"], &said["title"], &said["name"]];
    let text = first.or_else(|| named.into_iter().find_map(Value::as_str)).unwrap_or("a tool");
    text.chars().take(WHAT_CHARS_MAX).collect()
}
