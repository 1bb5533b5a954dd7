//! One tree for JSON, YAML and TOML: values that remember the line they stand on.

mod json;
mod toml;
mod yaml;

pub(crate) use json::{JsonFault, read_json};
pub(crate) use toml::read_toml;
pub(crate) use yaml::{read_yaml, read_yaml_deep, read_yaml_documents};

use serde_json::Number;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Known for YAML and TOML; JSON is addressed by pointer.
    pub line: Option<u32>,
    /// Bytes of a YAML scalar in its document, for edits in place.
    pub span: Option<(usize, usize)>,
    pub value: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<MapEntry>),
}

/// One key of a map with its value; keys may repeat.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MapEntry {
    pub key: String,
    pub line: Option<u32>,
    pub node: Node,
}

impl Node {
    pub fn plain(value: Value) -> Self {
        Self { line: None, span: None, value }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match &mut self.value {
            Value::Map(entries) => {
                entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
            }
            _ => None,
        }
    }

    pub fn entries(&self) -> &[MapEntry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub fn items_mut(&mut self) -> &mut [Node] {
        match &mut self.value {
            Value::List(items) => items,
            _ => &mut [],
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The node at a JSON pointer, or the nearest one above it.
    pub fn nearest(&self, pointer: &str) -> &Node {
        let mut here = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let below = match &here.value {
                Value::List(items) => step.parse::<usize>().ok().and_then(|i| items.get(i)),
                _ => here.get(&step),
            };
            match below {
                Some(node) => here = node,
                None => break,
            }
        }
        here
    }

    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            Value::Map(entries) => {
                Json::Object(entries.iter().map(|e| (e.key.clone(), e.node.to_json())).collect())
            }
        }
    }
}

/// A key or index as one step of a JSON pointer.
pub(crate) fn pointer(parent: &str, step: impl std::fmt::Display) -> String {
    format!("{parent}/{}", step.to_string().replace('~', "~0").replace('/', "~1"))
}
