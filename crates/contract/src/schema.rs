//! JSON Schemas of what agents and people write, made from the types that read it.

use crate::acceptance::AcceptanceFile;
use crate::action::wire::ActionFile;
use crate::agent_input::AgentInput;
use crate::agent_output::{AgentOutput, ImplementorResult, PlannerResult, ReviewerResult};
use crate::config::ConfigFile;
use crate::lifecycle::LifecycleFile;
use crate::shape::schema_of;
use crate::skill::SkillFile;
use crate::status::StatusFile;
use crate::tasks::TasksFile;
use serde_json::Value;

type Maker = fn() -> Value;

const SCHEMAS: &[(&str, Maker)] = &[
    ("agent-input", schema_of::<AgentInput>),
    ("agent-output", schema_of::<AgentOutput>),
    ("planner-result", schema_of::<PlannerResult>),
    ("implementor-result", schema_of::<ImplementorResult>),
    ("reviewer-result", schema_of::<ReviewerResult>),
    ("status", schema_of::<StatusFile>),
    ("tasks", schema_of::<TasksFile>),
    ("acceptance", schema_of::<AcceptanceFile>),
    ("lifecycle", schema_of::<LifecycleFile>),
    ("config", schema_of::<ConfigFile>),
    ("action", schema_of::<ActionFile>),
    ("skill", schema_of::<SkillFile>),
];

pub fn schema(name: &str) -> Option<Value> {
    SCHEMAS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The validator knows exactly these words; a type that brings another would go unchecked.
    const UNDERSTOOD: &[&str] = &[
        "$defs",
        "$ref",
        "$schema",
        "additionalProperties",
        "anyOf",
        "const",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "minItems",
        "minLength",
        "minimum",
        "oneOf",
        "properties",
        "required",
        "title",
        "type",
    ];

    fn keywords(schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(map) => {
                for (key, below) in map {
                    found.insert(key.clone());
                    match key.as_str() {
                        // Names of fields and of types, not words of the schema language.
                        "properties" | "$defs" => {
                            below
                                .as_object()
                                .into_iter()
                                .flatten()
                                .for_each(|(_, s)| keywords(s, found));
                        }
                        "default" | "enum" | "const" | "required" => {}
                        _ => keywords(below, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| keywords(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_schema_uses_only_words_that_the_validator_understands() {
        for name in names() {
            let mut found = BTreeSet::new();
            keywords(&schema(name).unwrap_or_default(), &mut found);
            let strange: Vec<&String> =
                found.iter().filter(|word| !UNDERSTOOD.contains(&word.as_str())).collect();
            assert!(strange.is_empty(), "{name}: {strange:?}");
            assert!(found.contains("properties"), "{name}");
        }
        assert_eq!(schema("weather"), None);
    }
}
