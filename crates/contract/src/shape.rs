//! Holds a node against a JSON Schema made from our own types and collects every fault.
//!
//! It understands what those types produce: type, properties, required, additionalProperties,
//! items, enum, const, anyOf, oneOf, $ref, minLength, minItems, minimum and the size of integers.

use crate::node::{Node, Value, pointer};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Nobody reads more faults of one document than this.
pub(crate) const FAULTS_MAX: usize = 200;

/// So many missing fields of one object are told together.
const MANY: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ShapeError {
    pub pointer: String,
    pub line: Option<u32>,
    pub wrong: Wrong,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wrong {
    Missing {
        field: String,
    },
    /// Several at one place, told together.
    MissingMany {
        fields: Vec<String>,
    },
    /// None of the required fields is there: it is something else.
    Another {
        expected: Vec<String>,
        found: Vec<String>,
    },
    Unknown {
        field: String,
        known: Vec<String>,
    },
    Type {
        found: String,
        expected: Vec<String>,
    },
    Value {
        found: String,
        allowed: Vec<String>,
    },
    Empty,
    Range {
        found: String,
        rule: String,
    },
    Twice {
        field: String,
    },
}

/// The typed value, or every fault. The error text is for what only serde can see.
pub(crate) fn read<T: DeserializeOwned + JsonSchema>(node: &Node) -> Result<T, ReadError> {
    let faults = check(&schema_of::<T>(), node);
    if !faults.is_empty() {
        return Err(ReadError::Faults(faults));
    }
    serde_json::from_value(node.to_json()).map_err(|error| ReadError::Other(error.to_string()))
}

#[derive(Debug)]
pub(crate) enum ReadError {
    Faults(Vec<ShapeError>),
    Other(String),
}

pub(crate) fn schema_of<T: JsonSchema>() -> Json {
    schemars::schema_for!(T).to_value()
}

pub(crate) fn check(schema: &Json, node: &Node) -> Vec<ShapeError> {
    let mut checker = Checker { root: schema, faults: Vec::new() };
    checker.visit(schema, node, "");
    checker.faults
}

struct Checker<'a> {
    root: &'a Json,
    faults: Vec<ShapeError>,
}

impl<'a> Checker<'a> {
    fn visit(&mut self, schema: &'a Json, node: &Node, at: &str) {
        let schema = self.resolved(schema);
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(key).and_then(Json::as_array) {
                self.any_of(branches, node, at);
                return;
            }
        }
        if !self.has_type(schema, node) {
            self.wrong_type(&types(schema), node, at);
            return;
        }
        self.words(schema, node, at);
        match &node.value {
            Value::Map(_) => self.map(schema, node, at),
            Value::List(items) => self.list(schema, items, node, at),
            Value::Text(text) => {
                if schema.get("minLength").is_some() && text.trim().is_empty() {
                    self.fault(at, node.line, Wrong::Empty);
                }
            }
            Value::Number(number) => {
                if let Some(rule) = range_rule(schema, number) {
                    let found = number.to_string();
                    self.fault(at, node.line, Wrong::Range { found, rule });
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn resolved(&self, schema: &'a Json) -> &'a Json {
        let target = schema.get("$ref").and_then(Json::as_str).and_then(|r| r.strip_prefix('#'));
        target.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema)
    }

    /// The branch that fits; else the faults of the one that is meant, which is the one of this type.
    fn any_of(&mut self, branches: &'a [Json], node: &Node, at: &str) {
        let mut nearest: Option<Vec<ShapeError>> = None;
        let mut expected = Vec::new();
        for branch in branches {
            let branch = self.resolved(branch);
            expected.extend(types(branch));
            let mut trial = Checker { root: self.root, faults: Vec::new() };
            trial.visit(branch, node, at);
            if trial.faults.is_empty() {
                return;
            }
            let is_nearer = nearest.as_ref().is_none_or(|best| trial.faults.len() < best.len());
            if self.has_type(branch, node) && is_nearer {
                nearest = Some(trial.faults);
            }
        }
        match nearest {
            Some(faults) => self.faults.extend(faults),
            None => self.wrong_type(&expected, node, at),
        }
    }

    /// Null may stand for "not given" but is nothing to recommend.
    fn wrong_type(&mut self, expected: &[&str], node: &Node, at: &str) {
        let named = expected.iter().filter(|name| **name != "null" || expected.len() == 1);
        let expected = named.map(|name| article(name).to_owned()).collect();
        self.fault(at, node.line, Wrong::Type { found: found(node), expected });
    }

    fn has_type(&self, schema: &Json, node: &Node) -> bool {
        let types = types(schema);
        types.is_empty()
            || types.iter().any(|name| match (*name, &node.value) {
                ("null", Value::Null)
                | ("boolean", Value::Bool(_))
                | ("string", Value::Text(_))
                | ("array", Value::List(_))
                | ("object", Value::Map(_))
                | ("number", Value::Number(_)) => true,
                ("integer", Value::Number(number)) => !number.is_f64(),
                _ => false,
            })
    }

    fn words(&mut self, schema: &Json, node: &Node, at: &str) {
        let one = schema.get("const").map(std::slice::from_ref);
        let many = schema.get("enum").and_then(Json::as_array).map(Vec::as_slice);
        let Some(allowed) = one.or(many) else { return };
        let json = node.to_json();
        if !allowed.contains(&json) {
            let allowed = allowed.iter().filter_map(Json::as_str).map(str::to_owned).collect();
            let found = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
            self.fault(at, node.line, Wrong::Value { found, allowed });
        }
    }

    fn map(&mut self, schema: &'a Json, node: &Node, at: &str) {
        let none = serde_json::Map::new();
        let properties = schema.get("properties").and_then(Json::as_object).unwrap_or(&none);
        let other = schema.get("additionalProperties");
        let mut seen = BTreeSet::new();
        for entry in node.entries() {
            if self.is_full() {
                return;
            }
            let below = pointer(at, &entry.key);
            if !seen.insert(entry.key.as_str()) {
                self.fault(&below, entry.line, Wrong::Twice { field: entry.key.clone() });
            }
            let named = schema.get("properties").and_then(|all| all.get(&entry.key));
            match (named, other) {
                (Some(property), _) => self.visit(property, &entry.node, &below),
                (None, Some(Json::Bool(false))) => {
                    let known = properties.keys().cloned().collect();
                    let wrong = Wrong::Unknown { field: entry.key.clone(), known };
                    self.fault(&below, entry.line, wrong);
                }
                (None, Some(open)) => self.visit(open, &entry.node, &below),
                (None, None) => self.twice_below(&entry.node, &below),
            }
        }
        self.missing(schema, node, at, &seen);
    }

    /// One cause is one fault: where much is missing, each field is not told by itself.
    fn missing(&mut self, schema: &Json, node: &Node, at: &str, seen: &BTreeSet<&str>) {
        let required = schema.get("required").and_then(Json::as_array);
        let required: Vec<&str> = required.into_iter().flatten().filter_map(Json::as_str).collect();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let missing: Vec<&str> =
            required.iter().copied().filter(|field| !seen.contains(field)).collect();
        if missing.len() >= MANY && missing.len() == required.len() {
            // What else is wrong with its own fields follows from that.
            let below = format!("{at}/");
            self.faults.retain(|fault| !fault.pointer.starts_with(&below));
            let found = seen.iter().copied().collect();
            let wrong = Wrong::Another { expected: owned(missing), found: owned(found) };
            return self.fault(at, node.line, wrong);
        }
        if missing.len() >= MANY {
            return self.fault(at, node.line, Wrong::MissingMany { fields: owned(missing) });
        }
        for field in missing {
            self.fault(at, node.line, Wrong::Missing { field: field.to_owned() });
        }
    }

    fn list(&mut self, schema: &'a Json, items: &[Node], node: &Node, at: &str) {
        let least = schema.get("minItems").and_then(Json::as_u64).unwrap_or(0);
        if (items.len() as u64) < least {
            self.fault(at, node.line, Wrong::Empty);
        }
        // Where no entry is of the form, one of them tells it.
        let form = schema.get("items").map(|items| self.resolved(items));
        let is_other = form.is_some_and(|form| {
            form.get("anyOf").is_none() && items.iter().all(|item| !self.has_type(form, item))
        });
        let told = if is_other { 1 } else { items.len() };
        for (index, item) in items.iter().enumerate().take(told) {
            let below = pointer(at, index);
            match schema.get("items") {
                Some(items) => self.visit(items, item, &below),
                None => self.twice_below(item, &below),
            }
        }
    }

    /// Repeated keys are a fault also where any shape is allowed.
    fn twice_below(&mut self, node: &Node, at: &str) {
        let mut seen = BTreeSet::new();
        for entry in node.entries() {
            let below = pointer(at, &entry.key);
            if !seen.insert(entry.key.as_str()) {
                self.fault(&below, entry.line, Wrong::Twice { field: entry.key.clone() });
            }
            self.twice_below(&entry.node, &below);
        }
        for (index, item) in node.items().iter().enumerate() {
            self.twice_below(item, &pointer(at, index));
        }
    }

    fn is_full(&self) -> bool {
        self.faults.len() > FAULTS_MAX
    }

    fn fault(&mut self, at: &str, line: Option<u32>, wrong: Wrong) {
        if self.is_full() {
            return;
        }
        self.faults.push(ShapeError { pointer: at.to_owned(), line, wrong });
    }
}

/// The bound that a number breaks.
fn range_rule(schema: &Json, number: &serde_json::Number) -> Option<String> {
    let least = schema.get("minimum").and_then(Json::as_f64);
    if let Some(least) = least.filter(|least| number.as_f64().is_some_and(|n| n < *least)) {
        return Some(format!("at least {least}"));
    }
    let most = match schema.get("format").and_then(Json::as_str) {
        Some("uint32") => u64::from(u32::MAX),
        Some("int64") => i64::MAX.unsigned_abs(),
        _ => return None,
    };
    number.as_u64().filter(|n| *n > most).map(|_| format!("at most {most}"))
}

/// The type names of a schema; none means anything goes.
fn types(schema: &Json) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::String(name)) => vec![name],
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

fn article(type_name: &str) -> &str {
    match type_name {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        other => other,
    }
}

fn found(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::Text(text) => format!("the text {}", tollgate_judge::quote(text)),
        Value::List(_) => format!("the list {}", clipped(node)),
        Value::Map(_) => format!("the object {}", clipped(node)),
    }
}

/// The start of a value, as JSON.
fn clipped(node: &Node) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    let json = node.to_json().to_string();
    let mut shown: String = json.chars().take(SHOWN_CHARS_MAX).collect();
    if shown.len() < json.len() {
        shown.push('…');
    }
    shown
}
