//! What is secret in a file with a login.

use serde_json::Value;

/// Shorter values are kinds and names.
const SECRET_CHARS_MIN: usize = 12;

/// Every text in JSON, and every value of a line elsewhere, that is long enough for a token, looks like one and is no
/// address.
pub fn secrets_in(bytes: &[u8]) -> Vec<String> {
    let mut secrets = Vec::new();
    let read = serde_json::from_slice(bytes).or_else(|_| serde_json::from_str(&strict(bytes)));
    match read {
        Ok(value) => texts(&value, &mut secrets),
        Err(_) => secrets.extend(String::from_utf8_lossy(bytes).lines().filter_map(value_of)),
    }
    secrets.retain(|text| {
        let is_long = text.chars().count() >= SECRET_CHARS_MIN;
        is_long && !is_plain_address(text) && !is_prose(text)
    });
    secrets
}

/// JSON without what some agents allow in it: comments, and a comma before a closing bracket.
fn strict(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut strict = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    while let Some(next) = rest.chars().next() {
        let taken = if next == '"' {
            text_len(rest)
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            continue;
        } else {
            if matches!(next, '}' | ']') {
                let kept = strict.trim_end().trim_end_matches(',').len();
                strict.truncate(kept);
            }
            next.len_utf8()
        };
        strict.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    strict
}

/// How long the text in quotes is that this begins with, its quotes included.
fn text_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Words, and the times and permissions that stand beside tokens: documents may hold the same.
fn is_prose(text: &str) -> bool {
    let is_word =
        |word: &str| word.chars().all(|char| char.is_alphabetic() || ".,'&()".contains(char));
    let is_sentence = text.contains(' ') && text.split(' ').all(is_word);
    let is_permission = text.contains(':')
        && text
            .split([':', '_', ' ', '.'])
            .all(|part| !part.is_empty() && part.chars().all(|char| char.is_ascii_lowercase()));
    let is_time = text.len() <= "2026-01-01T00:00:00.000000000+00:00".len()
        && text.chars().all(|char| char.is_ascii_digit() || "-:.+TZ ".contains(char))
        && text.contains('-')
        && text.contains(':');
    is_sentence || is_permission || is_time
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
    Some(value.trim().trim_end_matches(',').trim_matches(['"', '\'']).to_owned())
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

    #[test]
    fn r113_comments_and_trailing_commas_hide_no_token() {
        let json = "// kept by an agent, \"quoted\n{ /* more */ \"tokens\": {\"host\": \"gho_abc//def\\\"0123456\",},\n// end\n}";
        assert_eq!(secrets_in(json.as_bytes()), ["gho_abc//def\"0123456"]);
        let torn = b"{\n  \"token\": \"gho_abcdef0123456\",\n";
        assert_eq!(secrets_in(torn), ["gho_abcdef0123456"]);
    }

    #[test]
    fn r113_words_beside_a_token_are_not_secrets() {
        let json = br#"{"scopes":["user:inference","org:create_api_key"],"at":"2026-11-16T08:00:00.000Z",
            "organisation":"Example Works Ltd.","token":"correcthorsebattery","other":"abc:DEF-0123456"}"#;
        let mut found = secrets_in(json);
        found.sort();
        assert_eq!(found, ["abc:DEF-0123456", "correcthorsebattery"]);
    }
}
