//! acceptance.json of another orchestrator.

use super::{counted, first_text, said};
use crate::acceptance;
use crate::diagnostic::{Report, import as say};
use crate::node::{Node, Value, read_json};
use serde_json::json;
use tollgate_core::task::Criterion;

const LISTS: [&str; 4] = ["acceptance_criteria", "criteria", "acceptanceCriteria", "acs"];
const DESCRIPTIONS: [&str; 6] = ["description", "text", "title", "criterion", "criteria", "name"];
const CHECKS: [&str; 6] = ["verify", "verification", "check", "checks", "test", "how"];

/// The text to keep and its criteria; none where there is nothing to read.
pub fn criteria(text: &str, file: &str) -> (Option<(String, Vec<Criterion>)>, Report) {
    let text = text.trim_start_matches('\u{feff}');
    let (read, found) = acceptance::read(text, file);
    if let Some(criteria) = read {
        return (Some((text.to_owned(), criteria)), Report::default());
    }
    let cause = found.errors().next().map(|d| d.message.clone()).unwrap_or_default();
    let Ok(root) = read_json(text) else {
        return (None, say::criteria_unreadable(file, &cause).into());
    };
    let list = match &root.value {
        Value::List(items) => items.as_slice(),
        _ => LISTS.iter().find_map(|key| root.get(key)).map(Node::items).unwrap_or_default(),
    };
    let repaired: Vec<serde_json::Value> =
        list.iter().enumerate().filter_map(|(index, entry)| criterion(index, entry)).collect();
    let many = counted(repaired.len(), "criterion").replace("criterions", "criteria");
    let value = json!({ "acceptance_criteria": repaired });
    let text = format!("{}\n", serde_json::to_string_pretty(&value).unwrap_or_default());
    match acceptance::read(&text, file).0 {
        Some(criteria) => {
            let words = format!("written as the schema has it, with {many} ({cause})");
            (Some((text, criteria)), say::criteria(file, words).into())
        }
        None => (None, say::criteria_unreadable(file, &cause).into()),
    }
}

/// What is not said how to verify is verified by a person.
fn criterion(index: usize, entry: &Node) -> Option<serde_json::Value> {
    let description = match &entry.value {
        Value::Map(_) => first_text(entry, &DESCRIPTIONS)?,
        _ => said(entry)?,
    };
    let id = first_text(entry, &["id", "ac_id", "key"]);
    let checks = CHECKS.iter().find_map(|key| entry.get(key));
    let checks: Vec<String> = match checks.map(|node| &node.value) {
        Some(Value::List(items)) => items.iter().filter_map(check).collect(),
        Some(_) => checks.and_then(check).into_iter().collect(),
        None => Vec::new(),
    };
    let checks = match checks.is_empty() {
        true => vec![format!("manual: {description}")],
        false => checks,
    };
    let id = id.unwrap_or_else(|| format!("AC-{:03}", index + 1));
    Some(json!({"id": id, "description": description, "verify": checks}))
}

/// `{"cmd": "x"}` is the command x.
fn check(node: &Node) -> Option<String> {
    let Value::Map(_) = node.value else { return said(node) };
    let command = first_text(node, &["cmd", "command", "run"]).map(|text| format!("cmd: {text}"));
    let look =
        || first_text(node, &["manual", "description"]).map(|text| format!("manual: {text}"));
    command.or_else(look)
}
