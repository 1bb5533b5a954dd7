//! What goose is told: what its tools may do, and which plugins stay off. Written as JSON, which is YAML.

use serde_json::{Map, Value, json};
use std::path::PathBuf;

pub fn config(plugins: &[PathBuf]) -> Value {
    let off = |path: &PathBuf| (path.display().to_string(), json!({ "enabled": false }));
    let off: Map<String, Value> = plugins.iter().map(off).collect();
    json!({ "plugins": off })
}

/// Asked only where it runs in a mode that asks.
pub fn permissions(is_reading: bool) -> Value {
    let writing = if is_reading { json!(["write", "edit"]) } else { json!([]) };
    let reading = json!(["shell", "tree", "read_image"]);
    json!({ "user": { "always_allow": reading, "ask_before": [], "never_allow": writing } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_of_the_repository_stay_off() {
        let config = config(&[PathBuf::from("/w/.agents/plugins/p")]);
        assert_eq!(config["plugins"]["/w/.agents/plugins/p"]["enabled"], false);
    }
}
