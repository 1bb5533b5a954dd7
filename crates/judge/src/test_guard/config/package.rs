//! package.json and composer.json: the scripts that check, the settings of runners, and where test libraries come from.

use super::commands::is_check;
use crate::test_guard::Kind;
use serde_json::Value;

const RUNNERS: &[&str] = &["jest", "vitest", "nyc", "c8", "mocha", "ava", "tap", "eslintConfig"];
const LIBRARIES: &[&str] = &[
    "jest",
    "vitest",
    "mocha",
    "chai",
    "ava",
    "tap",
    "jasmine",
    "sinon",
    "@playwright/test",
    "cypress",
    "expect",
    "@jest/globals",
    "typescript",
    "eslint",
    "nyc",
    "c8",
    "ts-jest",
    "phpunit/phpunit",
    "pestphp/pest",
    "supertest",
];

/// Runs before or after a check without being named.
fn is_hook_of(name: &str, named: &[String]) -> bool {
    let of = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
    of.is_some_and(|check| is_check(check, named))
        || matches!(name, "pre-test-cmd" | "post-test-cmd")
}

pub(super) fn changed(
    before: &str,
    after: Option<&str>,
    named: &[String],
) -> Option<(Kind, String)> {
    let before = json(before).ok()?;
    let after = after.map(|text| json(text).unwrap_or(Value::Null)).unwrap_or(Value::Null);
    let scripts = |of: &Value| -> Vec<(String, Value)> {
        let all = of.get("scripts").and_then(Value::as_object).into_iter().flatten();
        all.map(|(name, script)| (name.clone(), script.clone())).collect()
    };
    let is_placeholder =
        |script: &Value| script.as_str().is_some_and(|text| text.contains("no test specified"));
    let (old, new) = (scripts(&before), scripts(&after));
    let now = |name: &str| new.iter().find(|(known, _)| known == name).map(|(_, script)| script);
    let mut judged = old.iter().filter(|(name, script)| {
        (is_check(name, named) || is_hook_of(name, named)) && !is_placeholder(script)
    });
    if let Some((name, _)) = judged.find(|(name, script)| now(name) != Some(script)) {
        return Some((Kind::CheckCommand, format!("the script {name:?} was edited")));
    }
    let had = |name: &str| old.iter().any(|(known, _)| known == name);
    let is_fresh = |(name, _): &&(String, Value)| is_hook_of(name, named) && !had(name);
    if let Some((name, _)) = new.iter().find(is_fresh) {
        let message = format!("the script {name:?} is new and runs with a check");
        return Some((Kind::CheckCommand, message));
    }
    let runner = RUNNERS.iter().find(|name| is_loosened(before.get(**name), after.get(**name)));
    if let Some(name) = runner {
        return Some((Kind::GateConfig, format!("the settings of {name} were edited")));
    }
    suspicious_libraries(&after, Some(&before))
}

/// What is gone or other than before, or is new and leaves tests out.
fn is_loosened(before: Option<&Value>, after: Option<&Value>) -> bool {
    const LEAVES_OUT: &[&str] = &[
        "ignore",
        "Ignore",
        "passWithNoTests",
        "grep",
        "NamePattern",
        "exclude",
        "Mapper",
        "stub",
        "fake",
        "automock",
        "spec",
        "require",
    ];
    match (before, after) {
        (None, None) => false,
        (Some(_), None) => true,
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let gone = old.iter().any(|(key, value)| match (value, new.get(key)) {
                (Value::Array(old), Some(Value::Array(new))) => {
                    old.iter().any(|item| !new.contains(item))
                        || leaves_out(key, LEAVES_OUT) && old != new
                }
                (value @ Value::Object(_), Some(now @ Value::Object(_))) => {
                    is_loosened(Some(value), Some(now))
                }
                (Value::Number(low), Some(Value::Number(high))) if is_minimum(key) => {
                    high.as_f64() < low.as_f64()
                }
                (value, now) => now != Some(value),
            });
            gone || new.iter().any(|(key, _)| !old.contains_key(key) && leaves_out(key, LEAVES_OUT))
        }
        (Some(old), Some(new)) => old != new,
        (None, Some(new)) => leaves_out(&new.to_string(), LEAVES_OUT),
    }
}

fn leaves_out(key: &str, words: &[&str]) -> bool {
    words.iter().any(|word| key.contains(word))
}

pub(super) fn suspicious(text: &str) -> Option<(Kind, String)> {
    suspicious_libraries(&json(text).ok()?, None)
}

/// A test library that comes from a folder, or under another library's name.
fn suspicious_libraries(after: &Value, before: Option<&Value>) -> Option<(Kind, String)> {
    const LISTS: &[&str] = &[
        "dependencies",
        "devDependencies",
        "overrides",
        "resolutions",
        "optionalDependencies",
        "require-dev",
        "require",
    ];
    const ELSEWHERE: &[&str] = &["file:", "link:", "npm:", "portal:", "git+file:", "./", "../"];
    for list in LISTS {
        for (name, version) in after.get(list).and_then(Value::as_object).into_iter().flatten() {
            let was = before.and_then(|before| before.get(list)?.get(name));
            let is_elsewhere = version
                .as_str()
                .is_some_and(|version| ELSEWHERE.iter().any(|start| version.starts_with(start)));
            if LIBRARIES.contains(&name.as_str()) && is_elsewhere && was != Some(version) {
                let message = format!("the test library {name:?} comes from {version}");
                return Some((Kind::GateConfig, message));
            }
        }
    }
    None
}

/// The command lines of all scripts.
pub(in crate::test_guard) fn script_lines(text: &str) -> String {
    let Ok(package) = json(text) else { return String::new() };
    let scripts = package.get("scripts").and_then(Value::as_object).into_iter().flatten();
    let checks = scripts.filter(|(name, _)| is_check(name, &[]) || is_hook_of(name, &[]));
    checks.filter_map(|(_, script)| script.as_str()).collect::<Vec<_>>().join("\n")
}

/// What suffices: a share that must be reached.
pub(super) fn is_minimum(text: &str) -> bool {
    const NAMES: &[&str] =
        &["min", "under", "threshold", "lines", "branches", "functions", "statements", "target"];
    let lower = text.to_ascii_lowercase();
    NAMES.iter().any(|name| lower.contains(name))
}

pub(super) fn json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text)
}
