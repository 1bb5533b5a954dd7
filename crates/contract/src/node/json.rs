//! JSON into nodes. Repeated keys are kept, so that they can be reported.

use super::{MapEntry, Node, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Why a text is not exactly one JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JsonFault {
    Empty,
    Syntax {
        message: String,
        line: u32,
        column: u32,
    },
    TooDeep,
    /// One value was read and this came after it.
    TextAfter {
        rest: String,
    },
}

pub(crate) fn read_json(text: &str) -> Result<Node, JsonFault> {
    if text.trim().is_empty() {
        return Err(JsonFault::Empty);
    }
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<JsonNode>();
    let node = match stream.next() {
        None => return Err(JsonFault::Empty),
        Some(Ok(JsonNode(node))) => node,
        Some(Err(error)) => return Err(fault(&error)),
    };
    let at = stream.byte_offset();
    let rest = text.get(at..).unwrap_or_default();
    // serde_json's white space, not Unicode's: a no-break space is text.
    if rest.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        Ok(node)
    } else {
        Err(JsonFault::TextAfter { rest: rest.trim().to_owned() })
    }
}

fn fault(error: &serde_json::Error) -> JsonFault {
    let words = error.to_string();
    if words.contains("recursion limit") {
        return JsonFault::TooDeep;
    }
    let message = words.split(" at line ").next().unwrap_or(&words).to_owned();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    JsonFault::Syntax { message, line: number(error.line()), column: number(error.column()) }
}

struct JsonNode(Node);

impl<'de> Deserialize<'de> for JsonNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonReader).map(|value| Self(Node::plain(value)))
    }
}

struct JsonReader;

impl<'de> Visitor<'de> for JsonReader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(JsonNode(node)) = list.next_element()? {
            items.push(node);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, JsonNode(node))) = map.next_entry()? {
            entries.push(MapEntry { key, line: None, node });
        }
        Ok(Value::Map(entries))
    }
}
