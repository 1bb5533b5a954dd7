//! The reply's schema in the strict form that OpenAI's structured outputs demand, and the way back from an answer in that
//! form to one of the contract.
//!
//! Strict: every object lists its fields, all of them required, and admits no other; what may be left out is null instead;
//! words beyond a small set are refused, and so is anything beside a reference.

use serde_json::{Map, Value, json};

/// The words of the schema language that are taken over as they are.
const PLAIN: [&str; 4] = ["description", "type", "enum", "const"];

/// What a type in a list may be.
const NULL: &str = "null";

pub fn strict(schema: &Value) -> Value {
    let Some(words) = schema.as_object() else {
        // Anything at all cannot be said.
        return json!({"type": "string"});
    };
    if let Some(target) = words.get("$ref") {
        return json!({"$ref": target});
    }
    let mut strict = Map::new();
    for word in PLAIN {
        strict.extend(words.get(word).map(|value| (word.to_owned(), value.clone())));
    }
    if let Some(choices) = words.get("anyOf").or(words.get("oneOf")).and_then(Value::as_array) {
        strict.insert("anyOf".to_owned(), choices.iter().map(self::strict).collect());
    }
    if let Some(items) = words.get("items") {
        strict.insert("items".to_owned(), self::strict(items));
    }
    if may_be(schema, "object") {
        object(words, &mut strict);
    }
    if let Some(types) = words.get("$defs").and_then(Value::as_object) {
        let types = types.iter().map(|(name, below)| (name.clone(), self::strict(below)));
        strict.insert("$defs".to_owned(), Value::Object(types.collect()));
    }
    Value::Object(strict)
}

fn object(words: &Map<String, Value>, strict: &mut Map<String, Value>) {
    let none = Map::new();
    let fields = words.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let field = |(name, below): (&String, &Value)| {
        let below = self::strict(below);
        (name.clone(), if is_required(words, name) { below } else { or_null(below) })
    };
    strict.insert("properties".to_owned(), Value::Object(fields.iter().map(field).collect()));
    strict.insert("required".to_owned(), fields.keys().cloned().collect());
    strict.insert("additionalProperties".to_owned(), json!(false));
}

fn or_null(mut schema: Value) -> Value {
    if may_be(&schema, NULL) {
        return schema;
    }
    if let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        if !choices.iter().any(|choice| may_be(choice, NULL)) {
            choices.push(json!({"type": NULL}));
        }
        return schema;
    }
    let word = schema.get("type").and_then(Value::as_str).map(str::to_owned);
    match (word, schema.get_mut("enum").and_then(Value::as_array_mut)) {
        (Some(word), None) => schema["type"] = json!([word, NULL]),
        (Some(word), Some(values)) => {
            values.push(Value::Null);
            schema["type"] = json!([word, NULL]);
        }
        (None, _) => schema = json!({"anyOf": [schema, {"type": NULL}]}),
    }
    schema
}

/// An answer without the nulls that stand for what the contract allows to leave out.
pub fn relaxed(mut answer: Value, schema: &Value) -> Value {
    relax(&mut answer, schema, schema);
    answer
}

fn relax(answer: &mut Value, schema: &Value, root: &Value) {
    let target = schema.get("$ref").and_then(Value::as_str);
    if let Some(meant) = target.and_then(|target| root.pointer(target.strip_prefix('#')?)) {
        return relax(answer, meant, root);
    }
    for choice in
        ["anyOf", "oneOf"].iter().filter_map(|word| schema.get(word)?.as_array()).flatten()
    {
        relax(answer, choice, root);
    }
    match answer {
        Value::Array(items) => {
            if let Some(of) = schema.get("items") {
                items.iter_mut().for_each(|item| relax(item, of, root));
            }
        }
        Value::Object(fields) => {
            let Some(words) = schema.as_object() else { return };
            let Some(known) = words.get("properties").and_then(Value::as_object) else { return };
            let is_left_out = |name: &str, value: &Value| {
                value.is_null() && known.contains_key(name) && !is_required(words, name)
            };
            fields.retain(|name, value| !is_left_out(name, value));
            for (name, value) in fields {
                known.get(name).into_iter().for_each(|below| relax(value, below, root));
            }
        }
        _ => {}
    }
}

fn is_required(words: &Map<String, Value>, name: &str) -> bool {
    let required = words.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

fn may_be(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(names)) => names.iter().any(|found| found == name),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
