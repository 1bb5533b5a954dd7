//! The person's `~/.claude.json`: mostly what Claude Code remembers, and the servers that it runs, by themselves and by
//! project.

use crate::Runs;
use serde_json::{Map, Value};

const RUNS: [&str; 2] = ["mcpServers", "hooks"];

pub fn runs_of(all: &Map<String, Value>) -> Runs {
    let mut part = running(all);
    let projects = all.get("projects").and_then(Value::as_object).into_iter().flatten();
    for (path, project) in projects {
        let runs = project.as_object().map(running).unwrap_or_default();
        if runs.values().any(|value| !is_empty(value)) {
            part.insert(format!("project {path}"), Value::Object(runs));
        }
    }
    Runs::Part(Value::Object(part).to_string().into_bytes())
}

fn running(fields: &Map<String, Value>) -> Map<String, Value> {
    let named = fields.iter().filter(|(name, _)| RUNS.contains(&name.as_str()));
    named.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
