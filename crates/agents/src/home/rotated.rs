//! Tells a login whose tokens were renewed from anything else that an agent, or what steers it, may have made of it.

use serde_json::Value;

/// Shorter texts are kinds and names, not tokens.
const TOKEN_CHARS_MIN: usize = 12;

/// Names of hosts and paths are shorter than signed tokens, which have dots and slashes too.
const LONG_TOKEN_CHARS: usize = 64;

/// Parts of names of fields that say where tokens are sent; nobody but the person changes those.
const ADDRESSES: [&str; 7] = ["url", "uri", "host", "endpoint", "issuer", "domain", "server"];

/// Parts of names of fields that say who the person is and what is billed; renewing tokens changes neither.
const WHOSE: [&str; 4] = ["api_key", "apikey", "account", "org"];

/// Both are JSON of the same shape, and only tokens, numbers and switches differ or are new.
pub fn is_renewed(before: &[u8], after: &[u8]) -> bool {
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok().filter(Value::is_object);
    match (read(before), read(after)) {
        (Some(before), Some(after)) => may_become(&before, &after, ""),
        _ => false,
    }
}

fn may_become(before: &Value, after: &Value, name: &str) -> bool {
    match (before, after) {
        _ if is_whose(name) => before == after,
        // A key of an API is never renewed.
        (Value::Object(fields), _) if fields.get("type").is_some_and(|kind| kind == "api") => {
            before == after
        }
        (Value::Object(before), Value::Object(after)) => {
            let is_kept = before.iter().all(|(name, value)| {
                after.get(name).is_some_and(|after| may_become(value, after, name))
            });
            let added = after.iter().filter(|(name, _)| !before.contains_key(*name));
            // A service may add what it likes to say of its tokens.
            is_kept && added.into_iter().all(|(name, value)| may_be_added(name, value))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len()
                && before.iter().zip(after).all(|(before, after)| may_become(before, after, name))
        }
        (Value::String(before), Value::String(after)) => {
            before == after || is_token(before) && is_token(after) && !is_address(name)
        }
        (Value::Number(_), Value::Number(_)) | (Value::Bool(_), Value::Bool(_)) => true,
        (before, after) => before == after,
    }
}

/// Plain values, and nothing that could say where tokens are sent, whose they are or what is run.
fn may_be_added(name: &str, value: &Value) -> bool {
    if is_address(name) || is_whose(name) {
        return false;
    }
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::String(text) => {
            let is_word =
                text.chars().all(|char| char.is_ascii_alphanumeric() || "_-:".contains(char));
            let is_long =
                text.len() >= LONG_TOKEN_CHARS && is_token(text) && !text.starts_with('/');
            is_word || is_long
        }
        _ => false,
    }
}

fn is_token(text: &str) -> bool {
    text.len() >= TOKEN_CHARS_MIN
        && !text.contains("://")
        && text.chars().all(|char| char.is_ascii_graphic())
}

fn is_address(name: &str) -> bool {
    contains_any(name, &ADDRESSES)
}

fn is_whose(name: &str) -> bool {
    contains_any(name, &WHOSE)
}

fn contains_any(name: &str, parts: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    parts.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r113_a_key_of_an_api_is_never_given_back_changed() {
        let key = |key: &str| format!(r#"{{"a":{{"type":"api","key":"{key}"}}}}"#);
        let (before, after) = (key("key-of-the-person-1"), key("key-of-somebody-2"));
        assert!(is_renewed(before.as_bytes(), before.as_bytes()));
        assert!(!is_renewed(before.as_bytes(), after.as_bytes()));
    }

    const BEFORE: &str = r#"{"oauth":{"access":"access-token-1","refresh":"refresh-token-1","expires":1,"type":"oauth",
        "scopes":["user:inference"],"apiUrl":"api.example.com","note":null}}"#;

    fn becomes(from: &str, to: &str) -> bool {
        assert!(BEFORE.contains(from), "{from}");
        is_renewed(BEFORE.as_bytes(), BEFORE.replace(from, to).as_bytes())
    }

    #[test]
    fn r113_renewed_tokens_and_their_times_are_a_login() {
        assert!(becomes("refresh-token-1", "refresh-token-2222"));
        assert!(becomes("\"expires\":1", "\"expires\":1767225600000"));
        assert!(becomes("\"note\":null", "\"note\":null,\"more\":1,\"idToken\":\"id-token-0001\""));
    }

    /// What happens to a login when one text in it becomes another.
    fn changed(login: &str, from: &str, to: &str) -> bool {
        assert!(login.contains(from), "{from}");
        is_renewed(login.as_bytes(), login.replace(from, to).as_bytes())
    }

    #[test]
    fn r113_codex_renews_its_tokens_and_neither_key_nor_account() {
        let login = r#"{"auth_mode":"chatgpt","OPENAI_API_KEY":"sk-of-the-person-1","tokens":{"id_token":"aaaa.bbbb.cccc",
            "access_token":"access-token-1","refresh_token":"refresh-token-1","account_id":"11111111-2222-3333"},
            "last_refresh":"2026-11-16T08:00:00.000000Z"}"#;
        let renewed = login
            .replace("aaaa.bbbb.cccc", "dddd.eeee.ffff")
            .replace("access-token-1", "access-token-2")
            .replace("refresh-token-1", "refresh-token-2")
            .replace("16T08", "16T09");
        assert!(is_renewed(login.as_bytes(), renewed.as_bytes()));
        assert!(!changed(login, "sk-of-the-person-1", "sk-of-somebody-22"));
        assert!(!changed(login, "11111111-2222-3333", "44444444-2222-3333"));
        assert!(!changed(
            login,
            "\"tokens\"",
            "\"CODEX_API_KEY\":\"sk-of-somebody-22\",\"tokens\""
        ));
        let key_only = r#"{"OPENAI_API_KEY":"sk-of-the-person-1"}"#;
        assert!(!changed(key_only, "sk-of-the-person-1", "sk-of-somebody-22"));
        let without = r#"{"OPENAI_API_KEY":null,"tokens":{"access_token":"access-token-1"}}"#;
        assert!(!changed(without, "null", "\"sk-of-somebody-22\""));
    }

    #[test]
    fn r113_claude_renews_its_tokens_and_not_the_account() {
        let login = r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat01-1111","refreshToken":"sk-ant-ort01-1111",
            "expiresAt":1794816000000,"scopes":["user:inference"],"subscriptionType":"max"},
            "organizationUuid":"11111111-2222-3333","oauthAccount":{"id":"aaaaaaaa-bbbb-cccc"}}"#;
        let renewed = login
            .replace("oat01-1111", "oat01-2222")
            .replace("ort01-1111", "ort01-2222")
            .replace("1794816000000", "1794844800000");
        assert!(is_renewed(login.as_bytes(), renewed.as_bytes()));
        assert!(!changed(login, "11111111-2222-3333", "44444444-2222-3333"));
        assert!(
            !changed(login, "aaaaaaaa-bbbb-cccc", "dddddddd-bbbb-cccc"),
            "however deep it lies"
        );
        assert!(!changed(login, "\"max\"", "\"pro\""), "too short for a token");
    }

    #[test]
    fn r113_nothing_else_is_taken_for_a_renewed_login() {
        for (from, to) in [
            ("refresh-token-1", ""),
            ("refresh-token-1", "short"),
            ("refresh-token-1", "https://evil.example/"),
            ("\"refresh-token-1\"", "7"),
            ("\"refresh-token-1\"", "null"),
            ("\"refresh\"", "\"hook\""),
            ("\"note\":null", "\"note\":null,\"more\":{}"),
            ("\"note\":null", "\"note\":null,\"hook\":\"/bin/sh run.sh\""),
            ("\"note\":null", "\"note\":null,\"baseUrl\":\"evil-example-1\""),
            ("\"note\":null", "\"note\":null,\"proxy\":\"api.evil.example\""),
            (",\"note\":null", ""),
            ("\"note\":null", "\"note\":\"some-words-here\""),
            ("\"oauth\",", "\"wellknown\","),
            ("api.example.com", "api.evil.example"),
            ("[\"user:inference\"]", "[]"),
            ("{\"oauth\":", "["),
        ] {
            assert!(!becomes(from, to), "{from} became {to}");
        }
        assert!(!is_renewed(b"key: value-of-a-key", b"key: value-of-a-kez"), "only JSON is known");
    }
}
