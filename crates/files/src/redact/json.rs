//! Takes secrets out of JSON as it is read: escapes in the text are undone there, so bytes that were clean may not be.

use super::Redactor;
use serde_json::Value;

impl Redactor {
    /// Every text and every name in a JSON value.
    pub fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::String(words) => Value::String(self.redact(&words).into_owned()),
            Value::Array(list) => list.into_iter().map(|value| self.redact_json(value)).collect(),
            Value::Object(map) => map
                .into_iter()
                .map(|(name, value)| (self.redact(&name).into_owned(), self.redact_json(value)))
                .collect(),
            other => other,
        }
    }
}
