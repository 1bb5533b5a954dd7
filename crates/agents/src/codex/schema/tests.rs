#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use tollgate_contract::agent_output::read_reply;
use tollgate_contract::reply_form;
use tollgate_core::reply::ReplyStatus;
use tollgate_core::role::Role;

fn contract() -> Value {
    tollgate_contract::schema::schema("agent-output").unwrap()
}

/// Every breach of the strict form, by its place.
fn breaches(schema: &Value, at: &str, found: &mut Vec<String>) {
    const KNOWN: [&str; 11] = [
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "type",
    ];
    let Some(words) = schema.as_object() else {
        return found.push(format!("{at}: not an object"));
    };
    let unknown = words.keys().filter(|word| !KNOWN.contains(&word.as_str()));
    found.extend(unknown.map(|word| format!("{at}: {word}")));
    if words.contains_key("$ref") && words.len() > 1 {
        found.push(format!("{at}: something beside a reference"));
    }
    if !["$ref", "anyOf", "type"].iter().any(|word| words.contains_key(*word)) {
        found.push(format!("{at}: any value at all"));
    }
    if may_be(schema, "object") {
        let fields = words.get("properties").and_then(Value::as_object);
        let names: Option<Value> = fields.map(|fields| fields.keys().cloned().collect());
        if words.get("required") != names.as_ref() || names.is_none() {
            found.push(format!("{at}: a field that is not required"));
        }
        if words.get("additionalProperties") != Some(&json!(false)) {
            found.push(format!("{at}: further fields"));
        }
    }
    if may_be(schema, "array") && !words.contains_key("items") {
        found.push(format!("{at}: a list of anything"));
    }
    if let Some(values) = words.get("enum").and_then(Value::as_array)
        && may_be(schema, NULL) != values.contains(&Value::Null)
    {
        found.push(format!("{at}: null as a type and not as a value"));
    }
    for word in ["properties", "$defs"] {
        for (name, below) in words.get(word).and_then(Value::as_object).into_iter().flatten() {
            breaches(below, &format!("{at}/{name}"), found);
        }
    }
    for (index, below) in
        words.get("anyOf").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        breaches(below, &format!("{at}/{index}"), found);
    }
    if let Some(items) = words.get("items") {
        breaches(items, &format!("{at}/*"), found);
    }
}

fn breaches_of(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    breaches(schema, "", &mut found);
    if schema.get("type") != Some(&json!("object")) {
        found.push("the root is no object".to_owned());
    }
    found
}

#[test]
fn the_schema_of_the_reply_is_brought_into_the_strict_form() {
    assert!(breaches_of(&contract()).len() > 20, "the checker sees what is wrong with it");
    assert_eq!(breaches_of(&strict(&contract())), [""; 0]);
}

#[test]
fn every_other_schema_of_ours_can_be_brought_into_it_too() {
    for name in ["planner-result", "implementor-result", "reviewer-result"] {
        let schema = tollgate_contract::schema::schema(name).unwrap();
        assert_eq!(breaches_of(&strict(&schema)), [""; 0], "{name}");
    }
}

#[test]
fn what_may_be_left_out_may_be_null_and_nothing_else_may() {
    let strict = strict(&json!({
        "type": "object",
        "required": ["kept"],
        "properties": {
            "kept": {"type": "string", "minLength": 1},
            "word": {"enum": ["a"], "type": "string"},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer", "format": "int64"}]},
            "named": {"$ref": "#/$defs/N", "default": null},
            "loose": true,
        },
        "$defs": {"N": {"type": "object"}},
    }));
    let fields = &strict["properties"];
    assert_eq!(fields["kept"], json!({"type": "string"}));
    assert_eq!(fields["word"], json!({"enum": ["a", null], "type": ["string", "null"]}));
    let nothing = json!({"type": "null"});
    let either = [json!({"type": "string"}), json!({"type": "integer"}), nothing.clone()];
    assert_eq!(fields["either"], json!({ "anyOf": either }));
    assert_eq!(fields["named"], json!({"anyOf": [json!({"$ref": "#/$defs/N"}), nothing]}));
    assert_eq!(fields["loose"], json!({"type": ["string", "null"]}));
    assert_eq!(breaches_of(&strict), [""; 0]);
}

/// A value of a strict schema: every field is there, and null wherever it may be.
fn sparsest(schema: &Value, root: &Value) -> Value {
    if may_be(schema, NULL) {
        return Value::Null;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return sparsest(root.pointer(&target[1..]).unwrap(), root);
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let is_null = choices.iter().any(|choice| may_be(choice, NULL));
        return if is_null { Value::Null } else { sparsest(&choices[0], root) };
    }
    if let Some(values) = schema.get("enum") {
        return values[0].clone();
    }
    match schema["type"].as_str().unwrap() {
        "object" => {
            let fields = schema["properties"].as_object().unwrap();
            let field = |(name, below): (&String, &Value)| (name.clone(), sparsest(below, root));
            Value::Object(fields.iter().map(field).collect())
        }
        "array" => json!([]),
        "string" => json!("words"),
        "boolean" => json!(true),
        "integer" | "number" => json!(1),
        other => panic!("{other}"),
    }
}

/// The same with one entry in every list and everything that may be said.
fn fullest(schema: &Value, root: &Value) -> Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return fullest(root.pointer(&target[1..]).unwrap(), root);
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let best = choices.iter().rfind(|choice| !may_be(choice, NULL)).unwrap();
        return fullest(best, root);
    }
    if let Some(values) = schema.get("enum") {
        return values[0].clone();
    }
    if may_be(schema, "object") {
        let fields = schema["properties"].as_object().unwrap();
        let field = |(name, below): (&String, &Value)| (name.clone(), fullest(below, root));
        return Value::Object(fields.iter().map(field).collect());
    }
    if may_be(schema, "array") {
        return json!([fullest(&schema["items"], root)]);
    }
    sparsest(
        &json!({"type": schema["type"].as_array().map_or(&schema["type"], |types| &types[0])}),
        root,
    )
}

#[test]
fn a_reply_in_the_strict_form_reads_as_one_of_the_contract_for_every_role() {
    for role in Role::dispatched() {
        let form = strict(&reply_form::schema(role));
        let sparse = sparsest(&form, &form);
        assert!(sparse["next"].is_null(), "the form asks for nulls");
        let mut full = fullest(&form, &form);
        // The items of a plan have rules of their own.
        for (field, value) in
            [("plan", Value::Null), ("scope_request", json!([{"path": "src/a.rs", "reason": "x"}]))]
        {
            full.as_object_mut().unwrap().entry(field).and_modify(|given| *given = value);
        }
        for mut answer in [sparse, full] {
            answer["status"] = json!(ReplyStatus::Ok.as_str());
            let reply = relaxed(answer, &contract());
            let read = read_reply(reply.to_string().as_bytes(), role);
            assert!(read.is_ok(), "{role}: {:?}\n{reply:#}", read.err());
        }
    }
    let form = strict(&contract());
    let sparse = sparsest(&form, &form);
    let reply = relaxed(sparse, &contract());
    assert_eq!(reply.as_object().unwrap().len(), 4, "only what must be said is left: {reply}");
}

#[test]
fn a_null_that_the_contract_does_not_allow_stays_to_be_found() {
    let answer = json!({
        "status": null,
        "artifacts": {"notes": null, "unknown": null, "findings": ["a", {"description": null, "file": null}]},
        "gates": {"needs_review": null, "security_concerns": [null]},
        "usage": {"usd": null},
    });
    assert_eq!(
        relaxed(answer, &contract()),
        json!({
            "status": null,
            "artifacts": {"unknown": null, "findings": ["a", {"description": null}]},
            "gates": {"security_concerns": [null]},
            "usage": {},
        })
    );
}
