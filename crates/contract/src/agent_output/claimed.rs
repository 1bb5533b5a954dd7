//! Reads the findings of a refused reply. They count, even though the rest of the reply is wrong.

use super::normal::{given, severity_of};
use super::one_object;
use crate::node::{Node, Value};
use tollgate_core::limits::REPLY_ITEMS_MAX;
use tollgate_core::reply::{ReportedFinding, Severity};

/// The findings of a refused reply, the gravest first. Only one JSON object with nothing around it has any.
pub fn claimed_findings(bytes: &[u8]) -> Vec<ReportedFinding> {
    let Ok(node) = one_object(bytes) else {
        return Vec::new();
    };
    let places = [
        named(&node, "artifacts", "findings"),
        named(&node, "artifacts", "review_comments"),
        named(&node, "review", "comments"),
        values(&node, "findings").collect(),
    ];
    let claims = places.into_iter().flatten().flat_map(|claim| match &claim.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(claim),
    });
    let mut found: Vec<ReportedFinding> = claims.filter_map(finding).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found.truncate(REPLY_ITEMS_MAX);
    found
}

/// Every value of a key: one that stands twice hides nothing.
fn values<'a>(node: &'a Node, key: &'a str) -> impl Iterator<Item = &'a Node> {
    node.entries().iter().filter(move |entry| entry.key == key).map(|entry| &entry.node)
}

fn named<'a>(node: &'a Node, outer: &'a str, inner: &'a str) -> Vec<&'a Node> {
    values(node, outer).flat_map(|within| values(within, inner)).collect()
}

fn finding(claim: &Node) -> Option<ReportedFinding> {
    if !matches!(claim.value, Value::Text(_) | Value::Map(_)) {
        return None;
    }
    let text = |key: &str| given(claim.get(key).map(words));
    let message = ["description", "message", "body"].into_iter().find_map(text);
    let message = message.or_else(|| given(Some(words(claim))))?;
    let word = text("severity").map(|word| word.trim().to_ascii_lowercase());
    Some(ReportedFinding {
        severity: word.as_deref().map_or_else(|| severity_of(&message), severity),
        category: text("category").unwrap_or_default(),
        file: text("file").or_else(|| text("path")),
        line: text("line"),
        fix: text("recommended_fix").or_else(|| text("suggested_fix")),
        is_nit: word.as_deref() == Some("nit"),
        message,
    })
}

/// An unknown word counts as no severity.
fn severity(word: &str) -> Severity {
    match word {
        "blocker" => Severity::Critical,
        "major" => Severity::High,
        "minor" => Severity::Medium,
        "nit" => Severity::Low,
        word => Severity::parse(word).unwrap_or(Severity::High),
    }
}

/// All that a value says, as plain text: not cut and not escaped, so that a secret in it can still be seen.
fn words(node: &Node) -> String {
    let list = |texts: Vec<String>| texts.join(", ");
    match &node.value {
        Value::Null => String::new(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(items) => list(items.iter().map(words).collect()),
        Value::Map(entries) => {
            let entry = |e: &crate::node::MapEntry| format!("{}: {}", e.key, words(&e.node));
            list(entries.iter().map(entry).collect())
        }
    }
}
