//! What an agent is allowed when it asks: edits inside the boundary of its role, and commands, because the sandbox is their
//! fence. Never for more than once.

use super::boundary::PathBoundary;
use super::tools::{path_of_input, what};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionReply {
    pub is_granted: bool,
    /// In a few words, with the reason when it is refused.
    pub what: String,
}

/// `tool` is the call that needs leave, with all that was said of it before.
pub fn decide(boundary: &PathBoundary, tool: &Value) -> PermissionReply {
    let title = boundary.shortened(what(tool));
    if !is_edit(tool) {
        return PermissionReply { is_granted: true, what: title };
    }
    let paths = paths(tool);
    let refusal = match paths.is_empty() {
        // Something will be changed and nobody says what: as much as a role may that writes nothing in particular.
        true => boundary.writable("file").err(),
        false => paths.iter().find_map(|path| boundary.writable(path).err()),
    };
    match refusal {
        None => PermissionReply { is_granted: true, what: title },
        Some(why) => PermissionReply { is_granted: false, what: format!("{title}: {why}") },
    }
}

/// The answer to `session/request_permission`.
pub fn answer(decision: &PermissionReply, options: &Value) -> Value {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let kinds: &[&str] =
        if decision.is_granted { &["allow_once"] } else { &["reject_once", "reject_always"] };
    let chosen = kinds.iter().find_map(|kind| {
        options.iter().find(|option| option["kind"] == *kind && !is_for_everything(option))
    });
    match chosen.and_then(|option| option["optionId"].as_str()) {
        Some(id) => json!({ "outcome": { "outcome": "selected", "optionId": id } }),
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    }
}

/// Whether leave was given at all: an agent may offer nothing that fits.
pub fn is_selected(answer: &Value) -> bool {
    answer["outcome"]["outcome"] == "selected"
}

/// Some agents put a change of their mode among the answers.
fn is_for_everything(option: &Value) -> bool {
    let id = option["optionId"].as_str().unwrap_or_default().to_lowercase();
    ["bypass", "yolo", "full-access", "full_access"].iter().any(|word| id.contains(word))
}

fn is_edit(tool: &Value) -> bool {
    let has_diff = items(&tool["content"]).any(|content| content["type"] == "diff");
    match tool["kind"].as_str() {
        Some("edit" | "delete" | "move") => true,
        Some("read" | "search" | "execute" | "think" | "fetch" | "switch_mode") => has_diff,
        // Not told by all; then by what is put where.
        _ => has_diff || (!paths(tool).is_empty() && writes_content(&tool["rawInput"])),
    }
}

fn writes_content(input: &Value) -> bool {
    const KEYS: [&str; 9] = [
        "content",
        "contents",
        "new_text",
        "newText",
        "new_string",
        "newString",
        "new_str",
        "after",
        "file_text",
    ];
    KEYS.iter().any(|key| input.get(key).is_some())
}

/// Every file that is named.
fn paths(tool: &Value) -> Vec<String> {
    let of_locations = items(&tool["locations"]).map(|location| &location["path"]);
    let of_diffs = items(&tool["content"])
        .filter(|content| content["type"] == "diff")
        .map(|content| &content["path"]);
    let told = of_locations.chain(of_diffs).filter_map(Value::as_str);
    told.chain(path_of_input(tool)).map(str::to_owned).collect()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}
