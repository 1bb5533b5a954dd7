//! TOML into nodes with lines; every syntax error is reported, not only the first.

use super::{Entry, Node, Value};
use serde_json::Number;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The document as far as it could be read, and its syntax errors as message and line.
pub(crate) fn read_toml(text: &str) -> (Node, Vec<(String, u32)>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let errors = errors
        .iter()
        .map(|error| {
            let at = error.span().map_or(0, |span| span.start);
            (error.message().replace('\n', "; "), line_of(text, at))
        })
        .collect();
    let value = map(text, table.get_ref());
    (Node { line: Some(1), span: None, value }, errors)
}

fn map(text: &str, table: &DeTable<'_>) -> Value {
    let mut entries: Vec<(usize, Entry)> = table
        .iter()
        .map(|(key, value)| {
            let line = Some(line_of(text, key.span().start));
            let entry = Entry { key: key.get_ref().to_string(), line, node: node(text, value) };
            (key.span().start, entry)
        })
        .collect();
    entries.sort_by_key(|(at, _)| *at);
    Value::Map(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn node(text: &str, value: &Spanned<DeValue<'_>>) -> Node {
    let Range { start, .. } = value.span();
    let converted = match value.get_ref() {
        DeValue::String(string) => Value::Text(string.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or_else(|_| Value::Text(integer.to_string()), |n| Value::Number(n.into())),
        DeValue::Float(float) => float
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| Value::Text(float.to_string()), Value::Number),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(datetime) => Value::Text(datetime.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|item| node(text, item)).collect()),
        DeValue::Table(table) => map(text, table),
    };
    Node { line: Some(line_of(text, start)), span: None, value: converted }
}

fn line_of(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    let breaks = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks + 1).unwrap_or(u32::MAX)
}
