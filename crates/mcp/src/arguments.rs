//! What each tool takes. What it does not know is refused, and the schema that clients see is made from the same types.

use crate::refused::Refused;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub type Object = Map<String, Value>;

fn latest() -> String {
    "latest".to_owned()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartSession {
    /// What the session must deliver, in the words of the person.
    pub goal: String,
    /// An action of the repository, such as `deliver` or `review`. By default the goal chooses it.
    pub action: Option<String>,
    /// Inputs that the action asks for, by name.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// An agent of tollgate.toml that plays every role. By default the settings choose.
    pub agent: Option<String>,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSessions {
    /// How many to list at most, those that wait for a person first. By default 50.
    pub limit: Option<u16>,
}

/// A session and nothing else.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfSession {
    /// A name, a unique part of one, or `latest`.
    #[serde(default = "latest")]
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// A name, a unique part of one, or `latest`.
    #[serde(default = "latest")]
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
    /// How long to wait at most, in seconds, up to 600. By default 45: many clients give up on a tool after a minute.
    pub timeout_seconds: Option<u16>,
    /// The id of an open question that the person was already told about, such as `UD-1`: waits until it is answered.
    pub until_answered: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// A name, a unique part of one, or `latest`.
    #[serde(default = "latest")]
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
    /// Also list fixed findings.
    #[serde(default)]
    pub include_fixed: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diff {
    /// A name, a unique part of one, or `latest`.
    #[serde(default = "latest")]
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
    /// The number of a dispatch: only its accepted change is shown.
    pub dispatch: Option<u32>,
    /// Only this file, as it is named in `files`. Not together with `dispatch`.
    pub path: Option<String>,
    /// Where to continue in a long patch: `next_offset` of the result before.
    #[serde(default)]
    pub offset: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// A name, a unique part of one, or `latest`.
    #[serde(default = "latest")]
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
    /// Only lines after this one: `last_seq` of the result before. Without it the newest lines are shown.
    pub since: Option<u64>,
    /// How many lines at most, up to 500. By default 100.
    pub limit: Option<u16>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NextDispatch {
    /// A name, a unique part of one, or `latest`.
    #[serde(default = "latest")]
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
    /// The number of a dispatch, where several wait. By default the first.
    pub number: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitReply {
    /// The whole name of the session, as next_dispatch gave it.
    pub session: String,
    /// The id of a repository from list_sessions. By default the one where this server was started.
    pub repository: Option<String>,
    /// The number of the dispatch, as next_dispatch gave it.
    pub number: u32,
    /// The reply that the prompt of the dispatch asks for, as a JSON object.
    pub reply: Object,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// A code of Tollgate, such as `timeout` or `cli.reply`.
    pub code: String,
}

pub fn read<T: DeserializeOwned>(given: Object) -> Result<T, Refused> {
    serde_json::from_value(Value::Object(given)).map_err(|error| {
        Refused::new("", format!("the arguments cannot be read: {error}"))
            .hint("nothing was done; the input schema of the tool says what it takes")
    })
}

/// What clients are told. Some of them know neither `format` nor a list of types, so there is none.
pub fn schema<T: JsonSchema>() -> Object {
    let Value::Object(mut schema) = schemars::schema_for!(T).to_value() else {
        return Object::new();
    };
    schema.retain(|key, _| !matches!(key.as_str(), "$schema" | "title" | "description"));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(plain);
    }
    schema
}

fn plain(property: &mut Value) {
    let Value::Object(property) = property else { return };
    property.retain(|key, value| !(key == "format" || key == "default" && value.is_null()));
    if let Some(Value::Array(types)) = property.get("type") {
        let only = types.iter().find(|one| *one != "null").cloned();
        property.insert("type".to_owned(), only.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_tool_does_not_know_is_refused() {
        let given = json!({"session": "latest", "answer": "approved"});
        let refused = read::<OfSession>(given.as_object().unwrap().clone()).unwrap_err();
        assert!(refused.message.contains("unknown field `answer`"), "{}", refused.message);
    }

    #[test]
    fn the_schema_is_strict_and_says_what_each_field_is() {
        let schema = schema::<Wait>();
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["properties"]["timeout_seconds"]["type"], "integer");
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name}");
            assert!(property.get("format").is_none(), "{name}: {property}");
        }
    }

    #[test]
    fn a_map_of_inputs_takes_texts_only() {
        let schema = schema::<StartSession>();
        assert_eq!(schema["required"], json!(["goal"]));
        assert_eq!(schema["properties"]["inputs"]["additionalProperties"]["type"], "string");
    }
}
