//! What of a file counts for trust. Some programs keep counters, caches and addresses of schemas beside what they run, and
//! write them anew at every start: were they counted, nobody could trust anything for longer than one attempt.

use serde_json::{Map, Value};

/// Of the person's `~/.claude.json`, which holds mostly what Claude Code remembers: its servers, by themselves and by project.
const CLAUDE_RUNS: [&str; 2] = ["mcpServers", "hooks"];

/// None for a file that counts for nothing. What does not read as expected counts as it is.
pub fn counted(name: &str, content: Vec<u8>) -> Option<Vec<u8>> {
    let is_own = name.starts_with("~/.codex/skills/.system/")
        || (name.starts_with("~/.claude/plugins/store/") && name.ends_with(".json"));
    if is_own {
        return None;
    }
    let part = match name {
        "~/.claude.json" => object(&content).map(|all| of_claude(&all)),
        _ if name.ends_with("opencode.json") => object(&content).map(without_schema),
        _ => None,
    };
    Some(part.map_or(content, |part| Value::Object(part).to_string().into_bytes()))
}

fn object(content: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(content) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

fn of_claude(all: &Map<String, Value>) -> Map<String, Value> {
    let mut part = running(all);
    let projects = all.get("projects").and_then(Value::as_object).into_iter().flatten();
    for (path, project) in projects {
        let runs = project.as_object().map(running).unwrap_or_default();
        if runs.values().any(|value| !is_empty(value)) {
            part.insert(format!("project {path}"), Value::Object(runs));
        }
    }
    part
}

fn running(fields: &Map<String, Value>) -> Map<String, Value> {
    let named = fields.iter().filter(|(name, _)| CLAUDE_RUNS.contains(&name.as_str()));
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

fn without_schema(mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.remove("$schema");
    fields
}

#[cfg(test)]
mod tests {
    use super::counted;

    fn part(name: &str, content: &str) -> Option<String> {
        let part = counted(name, content.as_bytes().to_vec());
        part.map(|part| String::from_utf8_lossy(&part).into_owned())
    }

    #[test]
    fn counters_do_not_count_and_servers_do() {
        let of = |starts: u32, server: &str| {
            let project =
                format!(r#"{{"lastCost":{starts},"mcpServers":{{"a":{{"command":"{server}"}}}}}}"#);
            let text = format!(
                r#"{{"numStartups":{starts},"mcpServers":{{}},"projects":{{"/p":{project}}}}}"#
            );
            part("~/.claude.json", &text)
        };
        assert_eq!(of(1, "a"), of(2, "a"));
        assert_ne!(of(1, "a"), of(1, "b"));
        let opened =
            r#"{"numStartups":1,"mcpServers":{},"projects":{"/p":{"mcpServers":{},"seen":true}}}"#;
        assert_eq!(part("~/.claude.json", opened), part("~/.claude.json", r#"{"mcpServers":{}}"#));
    }

    #[test]
    fn what_a_program_keeps_for_itself_does_not_count_and_everything_else_does() {
        assert_eq!(part("~/.codex/skills/.system/x/SKILL.md", "x"), None);
        assert_eq!(part("~/.claude/plugins/store/a.json", "x"), None);
        assert_eq!(part("~/.claude/plugins/store/a.js", "x").as_deref(), Some("x"));
        assert_eq!(part(".claude.json", "{\"a\":1}").as_deref(), Some("{\"a\":1}"));
        let (with, without) = (r#"{"$schema":"s","plugin":["a"]}"#, r#"{"plugin":["a"]}"#);
        assert_eq!(part("opencode.json", with), part("opencode.json", without));
        assert_eq!(part("~/.claude.json", "no json").as_deref(), Some("no json"));
    }
}
