//! What is secret in a file with a login.

use serde_json::Value;

/// Shorter values are kinds and names.
const SECRET_CHARS_MIN: usize = 12;

/// Every text in JSON, and every value of a line elsewhere, that is long enough for a token and no address.
pub fn secrets_in(bytes: &[u8]) -> Vec<String> {
    let mut secrets = Vec::new();
    match serde_json::from_slice(bytes) {
        Ok(value) => texts(&value, &mut secrets),
        Err(_) => secrets.extend(String::from_utf8_lossy(bytes).lines().filter_map(value_of)),
    }
    secrets.retain(|text| text.chars().count() >= SECRET_CHARS_MIN && !is_plain_address(text));
    secrets
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| texts(value, found)),
        Value::Object(map) => map.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

/// `KEY: "value"`, `KEY=value`, `- value`.
fn value_of(line: &str) -> Option<String> {
    let line = line.trim();
    let after = |mark: &str| line.split_once(mark).map(|(_, value)| value);
    let value = line.strip_prefix("- ").or_else(|| after(": ")).or_else(|| after("="))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

/// Documents may name the address of a service; one with something secret in it has more to it.
fn is_plain_address(text: &str) -> bool {
    text.contains("://") && !text.contains(['@', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r113_tokens_are_found_in_json_and_in_lines() {
        let json =
            br#"{"a":{"type":"oauth","access":"token-in-json","list":["token-in-list"],"at":1,
            "url":"https://api.example.com/v1","hook":"https://u:pass@example.com"}}"#;
        let expected = ["token-in-json", "token-in-list", "https://u:pass@example.com"];
        let mut found = secrets_in(json);
        found.sort();
        let mut sorted = expected.map(str::to_owned).to_vec();
        sorted.sort();
        assert_eq!(found, sorted);
        let yaml =
            b"# words\nKEY: \"token-in-yaml\"\nOTHER=token-in-env\n- token-of-list\nkind: api\n";
        assert_eq!(secrets_in(yaml), ["token-in-yaml", "token-in-env", "token-of-list"]);
    }
}
