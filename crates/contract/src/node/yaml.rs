//! YAML into nodes with lines. Booleans are strict, repeated keys and aliases without end are refused.

use super::{MapEntry, Node, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlFault {
    pub message: String,
    pub line: Option<u32>,
}

/// How much a document may hold. Each level of nesting costs the parser a good piece of stack.
struct Bounds {
    depth_max: usize,
    nodes_max: usize,
}

/// Our documents nest five levels.
const OURS: Bounds = Bounds { depth_max: 16, nodes_max: 250_000 };

/// Descriptions of APIs nest schemas in schemas, and big ones have megabytes.
const DEEP: Bounds = Bounds { depth_max: 48, nodes_max: 4_000_000 };

/// An empty document reads as null.
pub(crate) fn read_yaml(text: &str) -> Result<Node, YamlFault> {
    read_within(text, &OURS)
}

/// For documents that are not ours.
pub(crate) fn read_yaml_deep(text: &str) -> Result<Node, YamlFault> {
    read_within(text, &DEEP)
}

fn read_within(text: &str, bounds: &Bounds) -> Result<Node, YamlFault> {
    if text.trim().is_empty() {
        return Ok(Node::plain(Value::Null));
    }
    match serde_saphyr::from_str_with_options(text, options(bounds)) {
        Ok(YamlNode(node)) => Ok(node),
        Err(error) => Err(fault(&error)),
    }
}

/// Every document of a file that is not of our own making.
pub(crate) fn read_yaml_documents(text: &str) -> Result<Vec<Node>, YamlFault> {
    let read = serde_saphyr::from_multiple_with_options::<YamlNode>;
    match read(text, options(&DEEP)) {
        Ok(nodes) => Ok(nodes.into_iter().map(|YamlNode(node)| node).collect()),
        Err(error) => Err(fault(&error)),
    }
}

fn options(bounds: &Bounds) -> serde_saphyr::Options {
    let budget = serde_saphyr::budget! {
        max_depth: bounds.depth_max,
        flow_nesting_limit: bounds.depth_max,
        max_nodes: bounds.nodes_max,
        max_events: 4 * bounds.nodes_max,
    };
    serde_saphyr::options! {
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::Error,
        strict_booleans: true,
        with_snippet: false,
        budget: budget,
    }
}

fn fault(error: &serde_saphyr::Error) -> YamlFault {
    let words = error.without_snippet().to_string();
    let first = words.lines().next().unwrap_or_default();
    let message = first.split(" at line ").next().unwrap_or(first).trim();
    let message = match message.strip_prefix("duplicate mapping key: ") {
        Some(key) => {
            format!("the key {:?} occurs twice", key.split(", set ").next().unwrap_or(key))
        }
        None if message.starts_with("budget breached") => {
            "it nests too deeply, or is too large".to_owned()
        }
        None => message.to_owned(),
    };
    let line = error.location().map(|at| line_number(at.line())).filter(|line| *line > 0);
    YamlFault { message, line }
}

fn line_number(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

struct YamlNode(Node);

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Raw>::deserialize(deserializer)?;
        let at = spanned.referenced;
        let span = match (at.span().byte_offset(), at.span().byte_len()) {
            (Some(start), Some(len)) => {
                usize::try_from(start).ok().zip(usize::try_from(start + len).ok())
            }
            _ => None,
        };
        let line = Some(line_number(at.line())).filter(|line| *line > 0);
        Ok(Self(Node { line, span, value: spanned.value.0 }))
    }
}

struct Raw(Value);

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlReader).map(Self)
    }
}

struct YamlReader;

impl<'de> Visitor<'de> for YamlReader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(Self)
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
        Ok(serde_json::Number::from_f64(number)
            .map_or_else(|| Value::Text(number.to_string()), Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(YamlNode(node)) = list.next_element()? {
            items.push(node);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, YamlNode(node))) = map.next_entry::<Spanned<String>, YamlNode>()? {
            let line = Some(line_number(key.referenced.line())).filter(|line| *line > 0);
            entries.push(MapEntry { key: key.value, line, node });
        }
        Ok(Value::Map(entries))
    }
}
