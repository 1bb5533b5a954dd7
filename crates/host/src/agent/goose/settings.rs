//! What goose is told: the provider and the model, what its tools may do, and which plugins stay off. Written as JSON,
//! which is YAML.

use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// What the person has chosen in their own settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    pub provider: Option<String>,
    pub model: Option<String>,
}

pub fn config(chosen: &Chosen, plugins: &[PathBuf]) -> Value {
    let mut config = Map::new();
    let choice = [("GOOSE_PROVIDER", &chosen.provider), ("GOOSE_MODEL", &chosen.model)];
    for (key, value) in choice {
        if let Some(value) = value {
            config.insert(key.to_owned(), json!(value));
        }
    }
    let off = |path: &PathBuf| (path.display().to_string(), json!({ "enabled": false }));
    let off: Map<String, Value> = plugins.iter().map(off).collect();
    if !off.is_empty() {
        config.insert("plugins".to_owned(), Value::Object(off));
    }
    Value::Object(config)
}

/// Asked only where it runs in a mode that asks.
pub fn permissions(is_reading: bool) -> Value {
    let writing = if is_reading { json!(["write", "edit"]) } else { json!([]) };
    let reading = json!(["shell", "tree", "read_image"]);
    json!({ "user": { "always_allow": reading, "ask_before": [], "never_allow": writing } })
}

/// Reads the few lines that matter of the file that goose writes, in both of the forms that it has had: the choice at the
/// top, or the name of the active provider with the model in its entry.
pub fn chosen(text: &str) -> Chosen {
    let provider = value(text, &["active_provider"]).or_else(|| value(text, &["GOOSE_PROVIDER"]));
    let entry = |name: &String| value(text, &["providers", name, "model"]);
    let model = provider.as_ref().and_then(entry).or_else(|| value(text, &["GOOSE_MODEL"]));
    Chosen { provider, model }
}

/// The scalar below these keys.
fn value(text: &str, keys: &[&str]) -> Option<String> {
    let mut wanted = keys.iter();
    let mut key = wanted.next()?;
    // The indentation of the keys that lead there.
    let mut outer: Vec<usize> = Vec::new();
    for line in text.lines() {
        let depth = line.len() - line.trim_start_matches(' ').len();
        let Some((name, rest)) = line.trim().split_once(':') else { continue };
        if name.starts_with('#') {
            continue;
        }
        if outer.last().is_some_and(|last| depth <= *last) {
            return None;
        }
        if outer.is_empty() && depth > 0 || unquoted(name) != *key {
            continue;
        }
        match wanted.next() {
            Some(next) => {
                outer.push(depth);
                key = next;
            }
            None => return Some(unquoted(rest)).filter(|value| !value.is_empty()),
        }
    }
    None
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, provider: Option<&str>, model: Option<&str>) {
        let expected =
            Chosen { provider: provider.map(str::to_owned), model: model.map(str::to_owned) };
        assert_eq!(chosen(text), expected, "{text}");
    }

    #[test]
    fn the_choice_of_the_person_is_found() {
        check("GOOSE_MODEL: gpt-5\nGOOSE_PROVIDER: \"openai\"\n", Some("openai"), Some("gpt-5"));
        let entries = "providers:\n  openai:\n    model: gpt-5\n  anthropic:\n    enabled: true\n    model: opus\n";
        check(&format!("{entries}active_provider: anthropic\n"), Some("anthropic"), Some("opus"));
        check(&format!("active_provider: groq\n{entries}"), Some("groq"), None);
        let nested = "extensions:\n  evil:\n    GOOSE_PROVIDER: evil\n    cmd: sh\n";
        check(nested, None, None);
        check("# GOOSE_MODEL: x\nGOOSE_MODEL:\n", None, None);
        check("\u{0}:\n:::\n- x\n", None, None);
    }

    #[test]
    fn plugins_of_the_repository_stay_off() {
        let config = config(&Chosen::default(), &[PathBuf::from("/w/.agents/plugins/p")]);
        assert_eq!(config["plugins"]["/w/.agents/plugins/p"]["enabled"], false);
    }
}
