//! The tools of an agent: what each works on, and when it begins and ends.

use super::boundary::PathBoundary;
use crate::event::AgentEvent;
use crate::words;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is kept of a path or a command in words for people.
const WHAT_CHARS_MAX: usize = 200;

/// Calls that are remembered at once; an agent that opens more never closes them.
const CALLS_MAX: usize = 1_000;

/// What is remembered of all calls at once.
const SAID_BYTES_MAX: usize = 4 * 1024 * 1024;

/// No path is longer. Of a longer text, which is a content or a command, only the beginning is told to anyone.
const TEXT_BYTES_MAX: usize = 4096;

/// The fields that are looked at.
const FIELDS: [&str; 8] =
    ["_meta", "content", "kind", "locations", "name", "rawInput", "title", "toolCallId"];

#[derive(Debug, Default)]
pub struct Tools {
    calls: BTreeMap<String, Call>,
    /// How much they hold together.
    bytes: usize,
}

#[derive(Debug, Default)]
struct Call {
    /// All fields that were said of it, the last word of each.
    said: Map<String, Value>,
    is_started: bool,
    bytes: usize,
}

impl Tools {
    /// A `tool_call` or `tool_call_update`; both say only what is new.
    pub fn heard(&mut self, update: &Value, boundary: &PathBoundary, events: &mut Vec<AgentEvent>) {
        let Some(id) = update["toolCallId"].as_str() else { return };
        let status = update["status"].as_str();
        let is_ended = is_end(update);
        let is_new = update["sessionUpdate"] == "tool_call";
        // What comes after the end is no new beginning.
        if !self.calls.contains_key(id) && !is_new && !is_ended {
            return;
        }
        let Some(call) = self.remember(update) else { return };
        let said = Value::Object(call.said.clone());
        if !call.is_started && (is_ended || status == Some("in_progress") || is_told(&said)) {
            call.is_started = true;
            let (id, name) = (id.to_owned(), name(&said));
            let what = boundary.shortened(what(&said));
            events.push(AgentEvent::ToolStart { id, name, what });
        }
        if is_ended {
            self.forget(id);
            events.push(AgentEvent::ToolEnd { id: id.to_owned(), ok: status == Some("completed") });
        }
    }

    /// None when there are too many already.
    fn remember(&mut self, update: &Value) -> Option<&mut Call> {
        let id = update["toolCallId"].as_str()?;
        if !self.calls.contains_key(id) && self.calls.len() >= CALLS_MAX {
            return None;
        }
        let call = self.calls.entry(id.to_owned()).or_default();
        if self.bytes + weight(update) <= SAID_BYTES_MAX {
            merge(&mut call.said, update);
            self.bytes -= call.bytes;
            call.bytes = call.said.values().map(weight).sum();
            self.bytes += call.bytes;
        }
        Some(call)
    }

    fn forget(&mut self, id: &str) {
        let gone = self.calls.remove(id);
        self.bytes -= gone.map_or(0, |call| call.bytes);
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
        self.bytes = 0;
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
        if !is_empty && !is_less && FIELDS.contains(&key.as_str()) {
            said.insert(key.clone(), shortened(value));
        }
    }
}

/// With its long texts cut.
fn shortened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            // With a zero byte it is no path any more: no leave is given for half of one.
            Value::from(words::cut(text, WHAT_CHARS_MAX) + "\0")
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), shortened(value))).collect()
        }
        other => other.clone(),
    }
}

/// About how much memory it takes.
fn weight(value: &Value) -> usize {
    const OF_ONE: usize = size_of::<Value>();
    OF_ONE
        + match value {
            Value::String(text) => text.len().min(TEXT_BYTES_MAX),
            Value::Array(items) => items.iter().map(weight).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(key, value)| OF_ONE + key.len() + weight(value)).sum()
            }
            _ => 0,
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
    words::cut(text, WHAT_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn r120_what_is_remembered_of_calls_is_bounded_and_paths_stay_whole() {
        let mut tools = Tools::default();
        let path = "a/".repeat(1_000);
        for number in 0..3 * CALLS_MAX {
            let id = format!("t{number}");
            let content = json!([{"type": "diff", "path": path, "newText": "x".repeat(100_000)}]);
            let input = json!({"list": vec!["y".repeat(1_000); 10]});
            let call = json!({"sessionUpdate": "tool_call", "toolCallId": id, "kind": "edit",
                "content": content, "rawInput": input, "rawOutput": "z".repeat(100_000)});
            tools.remember(&call);
        }
        assert!(tools.bytes > 0 && tools.bytes <= SAID_BYTES_MAX, "{}", tools.bytes);
        let known = tools.known(&json!({"toolCallId": "t0"}));
        assert_eq!(known["content"][0]["path"], path);
        assert_eq!(known["rawOutput"], Value::Null);
        let long = json!({"rawInput": {"path": "a/".repeat(TEXT_BYTES_MAX)}});
        assert!(path_of_input(&tools.known(&long)).is_some_and(|path| path.contains('\0')));
        for number in 0..3 * CALLS_MAX {
            tools.forget(&format!("t{number}"));
        }
        assert_eq!((tools.bytes, tools.calls.len()), (0, 0));
    }
}
