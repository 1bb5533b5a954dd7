//! The form of a script. Unknown keys are errors, so that a misspelt rule does not pass in silence.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    /// One line per start is appended here, relative to the workspace.
    #[serde(default)]
    pub(super) log: Option<String>,
    /// What no rule covers is done in the way the role usually would.
    #[serde(default = "yes")]
    pub(super) defaults: bool,
    /// The first rule that fits is played.
    #[serde(default)]
    pub(super) rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    #[serde(default)]
    pub(super) when: When,
    #[serde(default, rename = "do")]
    pub(super) then: Do,
}

/// Every condition that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct When {
    pub(super) role: Option<String>,
    pub(super) task: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) dispatch: Option<u32>,
    pub(super) attempt: Option<u32>,
    /// The how-manieth start of this role and task in this session, from 1.
    pub(super) nth: Option<u32>,
    pub(super) input_has: Option<String>,
    pub(super) prompt_has: Option<String>,
    /// A path of the workspace that is there.
    pub(super) exists: Option<String>,
    /// Path of the workspace → text that the file holds.
    #[serde(default)]
    pub(super) file_has: BTreeMap<String, String>,
    /// Path of the workspace → text that the file does not hold; a missing file holds nothing.
    #[serde(default)]
    pub(super) file_lacks: BTreeMap<String, String>,
}

/// What is done, in the order of the fields here. Paths are relative to the workspace.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Do {
    /// First do what the role does when no rule fits.
    #[serde(default)]
    pub(super) default: bool,
    #[serde(default)]
    pub(super) write: BTreeMap<String, Text>,
    /// Path → file to copy, relative to the folder of the script.
    #[serde(default)]
    pub(super) copy: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) append: BTreeMap<String, Text>,
    #[serde(default)]
    pub(super) rename: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) delete: Vec<String>,
    /// Path → mode in octal digits.
    #[serde(default)]
    pub(super) chmod: BTreeMap<String, String>,
    /// Path → target.
    #[serde(default)]
    pub(super) symlink: BTreeMap<String, String>,
    /// A command; its output goes to standard error, and its failure is only told.
    #[serde(default)]
    pub(super) run: Vec<String>,
    /// Leave a process behind that left the session and the parent of this one.
    #[serde(default)]
    pub(super) spawn_daemon: bool,
    #[serde(default)]
    pub(super) stderr: Option<Text>,
    #[serde(default)]
    pub(super) sleep_ms: u64,
    #[serde(default)]
    pub(super) flood_bytes: u64,
    #[serde(default)]
    pub(super) flood_stream: Stream,
    /// Never come to an end.
    #[serde(default)]
    pub(super) hang: bool,
    /// Printed instead of a reply: text as it is, or a JSON value that nothing is added to.
    #[serde(default)]
    pub(super) stdout: Option<Stdout>,
    /// Printed instead of a reply: bytes as hex digits.
    #[serde(default)]
    pub(super) stdout_hex: Option<Hex>,
    /// What it does not say is filled up: status OK, summary, artifacts, gates, next.
    #[serde(default)]
    pub(super) reply: Option<Value>,
    #[serde(default)]
    pub(super) exit: u8,
}

/// Text, or a list of lines that each end in a line feed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    Whole(String),
    Lines(Vec<String>),
}

impl Text {
    pub(super) fn joined(&self) -> String {
        match self {
            Self::Whole(text) => text.clone(),
            Self::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stream {
    #[default]
    Stdout,
    Stderr,
}

/// What goes to standard output in place of a reply that is filled up.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stdout {
    Text(String),
    Bytes(Vec<u8>),
    Exact(Value),
}

impl<'de> Deserialize<'de> for Stdout {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(from)? {
            Value::String(text) => Self::Text(text),
            other => Self::Exact(other),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hex(pub(super) Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let byte = |pair: &[u8]| {
            let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
            u8::from_str_radix(pair, 16).ok()
        };
        let bytes = text.as_bytes().chunks(2).map(byte).collect::<Option<Vec<u8>>>();
        bytes
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format!("{text:?} is not pairs of hex digits")))
    }
}

fn yes() -> bool {
    true
}

impl Script {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read the script {}: {error}", path.display()))?;
        Self::parse(&text)
            .map_err(|error| format!("the script {} is not valid: {error}", path.display()))
    }

    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Whether a rule depends on how many starts there were.
    pub(super) fn counts(&self) -> bool {
        self.rules.iter().any(|rule| rule.when.nth.is_some())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn an_unknown_key_is_an_error_that_names_it() {
        for text in [
            r#"{"rule": []}"#,
            r#"{"rules": [{"then": {}}]}"#,
            r#"{"rules": [{"when": {"rol": "Coder"}}]}"#,
            r#"{"rules": [{"do": {"wirte": {}}}]}"#,
        ] {
            let message = Script::parse(text).unwrap_err().to_string();
            assert!(message.contains("unknown field"), "{text}: {message}");
        }
    }

    #[test]
    fn an_empty_script_relies_on_the_defaults() {
        let script = Script::parse("{}").unwrap();
        assert!(script.defaults && script.rules.is_empty() && !script.counts());
    }

    #[test]
    fn the_crew_of_the_demo_is_a_script_that_needs_no_counting() {
        let crew = Script::parse(include_str!("../../demo/crew/crew.json")).unwrap();
        assert!(!crew.rules.is_empty() && !crew.counts());
    }

    #[test]
    fn output_is_text_bytes_or_an_exact_value() {
        let script = r#"{"rules": [{"do": {"stdout": "no JSON"}}, {"do": {"stdout": {"status": "OK"}}}, {"do": {"stdout_hex": "ff00"}}]}"#;
        let rules = Script::parse(script).unwrap().rules;
        assert_eq!(rules[0].then.stdout, Some(Stdout::Text("no JSON".into())));
        assert_eq!(rules[1].then.stdout, Some(Stdout::Exact(serde_json::json!({"status": "OK"}))));
        assert_eq!(rules[2].then.stdout_hex, Some(Hex(vec![0xff, 0])));
        assert!(Script::parse(r#"{"rules": [{"do": {"stdout_hex": "fff"}}]}"#).is_err());
    }
}
