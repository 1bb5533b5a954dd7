//! Whatever an agent program says, told to each adapter: recorded lines that were taken apart and put together again, and
//! lines of nobody.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support::properties;

use properties::{plan, told};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;
use tollgate_agents::AgentExit;
use tollgate_contract::config::Adapter;

/// Of each adapter.
const CONVERSATIONS: u32 = 120;

/// Every recorded conversation of an adapter.
fn recorded(adapter: Adapter) -> Vec<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines");
    let name = format!("{}-", serde_json::to_value(adapter).unwrap().as_str().unwrap());
    let mut all = Vec::new();
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap()) {
        if !folder.file_name().to_str().unwrap().starts_with(&name) {
            continue;
        }
        let mut files: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "jsonl")) {
            let text = fs::read_to_string(file).unwrap();
            all.push(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect());
        }
    }
    assert!(!all.is_empty(), "{name}");
    all
}

#[derive(Debug, Clone)]
enum Change {
    Delete(Index),
    Repeat(Index),
    Swap(Index, Index),
    /// Puts in a line of another conversation.
    Mix(Index, Index, Index),
    Insert(Index, Value),
    /// Of a line, along a path.
    Replace(Index, Vec<Index>, Value),
    Remove(Index, Vec<Index>),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    let path = || vec(any::<Index>(), 1..6);
    prop_oneof![
        1 => at().prop_map(Change::Delete),
        1 => at().prop_map(Change::Repeat),
        1 => (at(), at()).prop_map(|(one, other)| Change::Swap(one, other)),
        1 => (at(), at(), at()).prop_map(|(to, from, line)| Change::Mix(to, from, line)),
        1 => (at(), odd()).prop_map(|(to, value)| Change::Insert(to, value)),
        4 => (at(), path(), odd()).prop_map(|(line, path, value)| Change::Replace(line, path, value)),
        2 => (at(), path()).prop_map(|(line, path)| Change::Remove(line, path)),
    ]
}

const WORDS: &[&str] = &[
    "",
    "-p",
    "--resume=x",
    "../../etc/passwd",
    "/etc/passwd",
    "a\0b",
    "\u{1b}[31m",
    "\u{202e}",
    "line\nline",
    "é",
    "success",
    "error",
    "done",
    "1h2m",
    "429",
    "[API Error: é]",
    "status é",
    "Reconnecting... (",
    "try again at ",
    "99999999999999999999d",
    "terminal-1",
];

/// What a field is not expected to be.
fn odd() -> impl Strategy<Value = Value> {
    let numbers = [json!(u64::MAX), json!(i64::MIN), json!(-1), json!(1e300), json!(0.5), json!(0)];
    let text = prop_oneof![
        3 => proptest::sample::select(WORDS).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => (1_usize..200_000).prop_map(|count| "é".repeat(count)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        proptest::sample::select(numbers.to_vec()),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
        (1_usize..124).prop_map(|depth| (0..depth).fold(json!({}), |inner, _| json!([inner]))),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key = prop_oneof![
            any::<String>(),
            proptest::sample::select(
                &["type", "id", "method", "params", "result", "usage", "text", "message"][..]
            )
            .prop_map(str::to_owned),
        ];
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((key, inner), 0..6)
                .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn changed(all: &[Vec<Value>], first: Index, changes: &[Change]) -> Vec<Value> {
    let mut lines = first.get(all).clone();
    for change in changes {
        let count = lines.len();
        match change {
            Change::Insert(to, value) => lines.insert(to.index(count + 1), value.clone()),
            Change::Mix(to, from, line) => {
                let from = from.get(all);
                if !from.is_empty() {
                    lines.insert(to.index(count + 1), line.get(from).clone());
                }
            }
            _ if count == 0 => {}
            Change::Delete(line) => drop(lines.remove(line.index(count))),
            Change::Repeat(line) => lines.insert(line.index(count), line.get(&lines).clone()),
            Change::Swap(one, other) => lines.swap(one.index(count), other.index(count)),
            Change::Replace(line, path, value) => {
                *field(&mut lines[line.index(count)], path) = value.clone();
            }
            Change::Remove(line, path) => {
                let (last, path) = path.split_last().unwrap();
                remove(field(&mut lines[line.index(count)], path), last);
            }
        }
    }
    lines
}

/// As far as the path leads.
fn field<'a>(value: &'a mut Value, path: &[Index]) -> &'a mut Value {
    let Some((step, rest)) = path.split_first() else { return value };
    let count = match value {
        Value::Object(fields) => fields.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if count == 0 {
        return value;
    }
    let next = match value {
        Value::Object(fields) => fields.values_mut().nth(step.index(count)),
        Value::Array(items) => items.get_mut(step.index(count)),
        _ => None,
    };
    field(next.unwrap(), rest)
}

fn remove(value: &mut Value, which: &Index) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let name = fields.keys().nth(which.index(fields.len())).unwrap().clone();
            fields.remove(&name);
        }
        Value::Array(items) if !items.is_empty() => drop(items.remove(which.index(items.len()))),
        _ => *value = Value::Null,
    }
}

/// The driver gives only what can be read from a line.
fn readable(lines: Vec<Value>) -> Vec<Value> {
    lines.iter().filter_map(|line| serde_json::from_str(&line.to_string()).ok()).collect()
}

fn every_conversation_has_its_end(adapter: Adapter) {
    let all = recorded(adapter);
    let changes = vec(change(), 0..12);
    let aside =
        prop_oneof![any::<String>(), Just("retrying sampling request (1/5 in 1e300s)".to_owned())];
    let strategy = (any::<Index>(), changes, aside, any::<Option<i32>>());
    let config =
        ProptestConfig { cases: CONVERSATIONS, failure_persistence: None, ..Default::default() };
    proptest!(config, |((first, changes, aside, code) in strategy)| {
        let lines = readable(changed(&all, first, &changes));
        let exit = AgentExit { code, signal: None, stderr_tail: aside.clone() };
        told(&plan(adapter), &lines, &[&aside], &exit);
    });
}

#[test]
fn claude() {
    every_conversation_has_its_end(Adapter::Claude);
}

#[test]
fn codex() {
    every_conversation_has_its_end(Adapter::Codex);
}

#[test]
fn gemini() {
    every_conversation_has_its_end(Adapter::Gemini);
}

#[test]
fn opencode() {
    every_conversation_has_its_end(Adapter::Opencode);
}

#[test]
fn copilot() {
    every_conversation_has_its_end(Adapter::Copilot);
}

#[test]
fn qwen() {
    every_conversation_has_its_end(Adapter::Qwen);
}

#[test]
fn goose() {
    every_conversation_has_its_end(Adapter::Goose);
}

#[test]
fn acp() {
    every_conversation_has_its_end(Adapter::Acp);
}

#[test]
fn a_total_that_is_said_twice_is_counted_once() {
    // The others tell what each message has cost.
    let by_total = |adapter: &Adapter| !matches!(adapter, Adapter::Qwen | Adapter::Opencode);
    for adapter in tollgate_agents::all().map(|agent| agent.kind()).filter(by_total) {
        for lines in recorded(adapter) {
            let twice: Vec<Value> =
                lines.iter().flat_map(|line| [line.clone(), line.clone()]).collect();
            let spent =
                |lines: &[Value]| told(&plan(adapter), lines, &[], &AgentExit::default()).0.usage;
            assert_eq!(spent(&twice), spent(&lines), "{adapter:?}");
        }
    }
}
