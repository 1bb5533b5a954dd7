//! TOML into nodes with lines; every syntax error is reported, not only the first.

use super::{MapEntry, Node, Value};
use serde_json::Number;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The document as far as it could be read, and its syntax errors as message and line.
pub(crate) fn read_toml(text: &str) -> (Node, Vec<(String, u32)>) {
    let lines = LineEnds::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let errors = errors
        .iter()
        .map(|error| {
            let at = error.span().map_or(0, |span| span.start);
            (error.message().replace('\n', "; "), lines.number(at))
        })
        .collect();
    let value = lines.map(table.get_ref());
    (Node { line: Some(1), span: None, value }, errors)
}

/// Where each line ends, to find the line of a byte.
struct LineEnds {
    ends: Vec<usize>,
}

impl LineEnds {
    fn new(text: &str) -> Self {
        Self { ends: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    fn number(&self, at: usize) -> u32 {
        let before = self.ends.partition_point(|end| *end < at);
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }

    fn map(&self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<(usize, MapEntry)> = table
            .iter()
            .map(|(key, value)| {
                let at = key.span().start;
                let line = Some(self.number(at));
                let key = key.get_ref().to_string();
                (at, MapEntry { key, line, node: self.node(value) })
            })
            .collect();
        entries.sort_by_key(|(at, _)| *at);
        Value::Map(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
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
            DeValue::Array(items) => {
                Value::List(items.iter().map(|item| self.node(item)).collect())
            }
            DeValue::Table(table) => self.map(table),
        };
        Node { line: Some(self.number(value.span().start)), span: None, value: converted }
    }
}
