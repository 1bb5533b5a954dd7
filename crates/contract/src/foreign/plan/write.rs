//! A repaired plan as YAML that a person can read and edit.

use crate::node::{Node, Value};

pub(super) fn yaml(root: &Node) -> String {
    let mut text = String::new();
    entries(root, 0, &mut text);
    text
}

fn entries(node: &Node, depth: usize, text: &mut String) {
    for (index, entry) in node.entries().iter().enumerate() {
        // The first key of an entry of a list stands behind its dash.
        if index > 0 || depth == 0 {
            text.push_str(&"  ".repeat(depth));
        }
        text.push_str(&format!("{}:", scalar_key(&entry.key)));
        value(&entry.node, depth, text);
    }
}

fn value(node: &Node, depth: usize, text: &mut String) {
    match &node.value {
        Value::List(items) if !items.is_empty() => {
            text.push('\n');
            for item in items {
                text.push_str(&format!("{}-", "  ".repeat(depth + 1)));
                match &item.value {
                    Value::Map(found) if !found.is_empty() => {
                        text.push(' ');
                        entries(item, depth + 2, text);
                    }
                    _ => value(item, depth + 1, text),
                }
            }
        }
        Value::Map(found) if !found.is_empty() => {
            text.push_str(&format!("\n{}", "  ".repeat(depth + 1)));
            entries(node, depth + 1, text);
        }
        // JSON is YAML, and quoted text has no second meaning.
        _ => text.push_str(&format!(" {}\n", node.to_json())),
    }
}

fn scalar_key(key: &str) -> String {
    let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    match is_plain && !key.is_empty() {
        true => key.to_owned(),
        false => serde_json::Value::from(key).to_string(),
    }
}
