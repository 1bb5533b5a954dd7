//! The one form in which a role is told to reply: the words for its prompt, and the schema for agents that are bound to one. Other
//! forms that the contract allows are read too, and nobody is told of them.

use crate::schema::schema as schema_of;
use crate::{pack, prompt};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::reply::ReplyStatus;
use tollgate_core::role::Role;

/// How an agent submits its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    LastMessage,
    /// By a tool of its own with this name.
    Tool(&'static str),
}

/// What a role has to do with the parts of the form.
struct Part {
    name: &'static str,
    is_of: fn(Role) -> bool,
    /// The fields of the reply that nobody else has.
    fields: &'static [&'static str],
}

const PARTS: &[Part] = &[
    Part {
        name: "makes",
        is_of: |role| matches!(role, Role::Coder | Role::QA | Role::Integrator | Role::Docs),
        fields: &[
            "files_changed",
            "tests_added_or_updated",
            "commands_to_run",
            "manual_steps",
            "needs_review",
            "needs_tests",
        ],
    },
    Part {
        name: "reviewer",
        is_of: |role| role == Role::Reviewer,
        fields: &["review_comments", "verified_criteria"],
    },
    Part { name: "finds", is_of: |role| role != Role::Reviewer, fields: &["findings"] },
    Part { name: "judges", is_of: Role::is_reviewing, fields: &["earlier_findings"] },
    Part { name: "researcher", is_of: |role| role == Role::Researcher, fields: &[] },
    Part { name: "security", is_of: |role| role == Role::Security, fields: &[] },
    Part { name: "docs", is_of: |role| role == Role::Docs, fields: &["readme_unchanged"] },
    Part {
        name: "recommends",
        is_of: |role| {
            matches!(role, Role::SpecAgent | Role::Architect | Role::Coder | Role::Integrator)
        },
        fields: &[],
    },
    Part {
        name: "coder",
        is_of: |role| role == Role::Coder,
        fields: &["scope_request", "incidental", "scope_corrections"],
    },
    Part { name: "planner", is_of: |role| role == Role::Planner, fields: &["plan"] },
    Part { name: "more", is_of: |role| matches!(role, Role::Coder | Role::Planner), fields: &[] },
    // Told by the agent's program, or by nobody.
    Part { name: "", is_of: |_| false, fields: &["usage", "files_to_create_or_update"] },
];

/// The section of the prompt that says how to reply.
pub fn words(role: Role, way: Way) -> String {
    let parts = PARTS.iter().filter(|part| (part.is_of)(role));
    let mut values: BTreeMap<&str, String> =
        parts.map(|part| (part.name, "yes".to_owned())).collect();
    match way {
        Way::LastMessage => values.insert("last_message", "yes".to_owned()),
        Way::Tool(name) => values.insert("tool", name.to_owned()),
    };
    prompt::render(pack::OUTPUT_CONTRACT, &values).trim().to_owned()
}

/// The JSON Schema of the same.
pub fn schema(role: Role) -> Value {
    let mut schema = schema_of("agent-output").expect("the reply has a schema");
    // Some agents would look its dialect up.
    schema.as_object_mut().map(|words| words.remove("$schema"));
    let foreign = PARTS.iter().filter(|part| !(part.is_of)(role)).flat_map(|part| part.fields);
    let foreign: BTreeSet<&str> = foreign.copied().collect();
    without(&mut schema, &foreign);
    if let Some(words) = schema.pointer_mut("/properties/status/enum").and_then(Value::as_array_mut)
    {
        let is_its = |word: &Value| {
            let status = word.as_str().and_then(ReplyStatus::parse);
            status.is_some_and(|status| status.is_allowed_for(role))
        };
        words.retain(is_its);
    }
    drop_unused(&mut schema);
    schema
}

/// Takes fields out wherever an object has them.
fn without(schema: &mut Value, fields: &BTreeSet<&str>) {
    match schema {
        Value::Object(words) => {
            if let Some(properties) = words.get_mut("properties").and_then(Value::as_object_mut) {
                properties.retain(|name, _| !fields.contains(name.as_str()));
            }
            words.values_mut().for_each(|below| without(below, fields));
        }
        Value::Array(items) => items.iter_mut().for_each(|below| without(below, fields)),
        _ => {}
    }
}

/// Takes out types that nothing refers to any more.
fn drop_unused(schema: &mut Value) {
    loop {
        let text = schema.to_string();
        let Some(types) = schema.get_mut("$defs").and_then(Value::as_object_mut) else { return };
        let count = types.len();
        types.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
        if types.len() == count {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// Every key of the example, and every field that the words below it name.
    fn named(words: &str) -> BTreeSet<String> {
        let quoted = words.split('"').skip(1).step_by(2).map(str::to_owned);
        let ticked = words.split('`').skip(1).step_by(2).map(str::to_owned);
        quoted.chain(ticked).collect()
    }

    fn properties(schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(words) => {
                let own = words.get("properties").and_then(Value::as_object);
                found.extend(own.into_iter().flatten().map(|(name, _)| name.clone()));
                words.values().for_each(|below| properties(below, found));
            }
            Value::Array(items) => items.iter().for_each(|below| properties(below, found)),
            _ => {}
        }
    }

    #[test]
    fn the_words_and_the_schema_of_a_role_name_the_same_fields() {
        for role in Role::ALL {
            let words = named(&words(*role, Way::LastMessage));
            let schema = schema(*role);
            let mut fields = BTreeSet::new();
            properties(&schema, &mut fields);
            for part in PARTS {
                for field in part.fields {
                    let is_its = (part.is_of)(*role);
                    assert_eq!(words.contains(*field), is_its, "{role}: {field} in the words");
                    assert_eq!(fields.contains(*field), is_its, "{role}: {field} in the schema");
                }
            }
            let statuses = schema.pointer("/properties/status/enum").unwrap().as_array().unwrap();
            for status in ReplyStatus::ALL {
                let is_its = status.is_allowed_for(*role);
                assert_eq!(words.contains(status.as_str()), is_its, "{role}: {status}");
                assert_eq!(statuses.iter().any(|word| word == status.as_str()), is_its);
            }
        }
    }

    #[test]
    fn a_part_that_the_template_names_is_a_part_that_there_is() {
        let known: BTreeSet<&str> = PARTS.iter().map(|part| part.name).collect();
        for name in pack::OUTPUT_CONTRACT.split("{{#").skip(1) {
            let name = name.split("}}").next().unwrap();
            assert!(known.contains(name) || ["last_message", "tool"].contains(&name), "{name}");
        }
        let text = words(Role::Coder, Way::Tool("structured_output"));
        assert!(!text.contains("{{") && !text.contains("last message"), "{text}");
        assert!(text.contains("call the tool `structured_output` once"), "{text}");
    }

    #[test]
    fn the_example_of_every_role_is_a_reply_that_fits() {
        for role in Role::ALL {
            let text = words(*role, Way::LastMessage);
            let example = text.split("```json").nth(1).unwrap().split("```").next().unwrap();
            crate::agent_output::read_reply(example.trim().as_bytes(), *role).unwrap();
        }
    }
}
