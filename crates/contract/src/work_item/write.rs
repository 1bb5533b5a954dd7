//! Writes a work item: front matter in one form, the body as it is.

use super::{ItemState, WorkItem, trimmed};

/// The file of an item, as [`super::read`] reads it.
pub fn write(item: &WorkItem) -> String {
    let mut front = String::new();
    if let Some(title) = &item.title {
        front.push_str(&format!("title: {}\n", quoted(title)));
    }
    if !item.labels.is_empty() {
        front.push_str(&format!("labels: {}\n", list(&item.labels)));
    }
    if let Some(state) = item.state {
        let word = match state {
            ItemState::Open => "open",
            ItemState::Closed => "closed",
        };
        front.push_str(&format!("state: {word}\n"));
    }
    if !item.blocked_by.is_empty() {
        front.push_str(&format!("blocked_by: {}\n", list(&item.blocked_by)));
    }
    let body = trimmed(&item.body);
    match front.is_empty() {
        true => format!("{body}\n"),
        false => format!("---\n{front}---\n\n{body}\n"),
    }
}

fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A JSON string is a YAML one, once characters that YAML does not take as they are are escaped too.
pub(crate) fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    let escaped = |c: char| match is_odd(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    json.chars().map(escaped).collect()
}
