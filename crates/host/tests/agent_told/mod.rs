//! Plays recorded lines of an agent to its adapter and tells what it made of them.

use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;
use tollgate_host::agent::{self, Access, Exit, Plan, Stdin, Turn};

pub fn plan(adapter: Adapter, before: Usage) -> Plan {
    Plan {
        adapter,
        argv: Vec::new(),
        env: Default::default(),
        stdin: Stdin::Prompt,
        prompt: String::new(),
        tree: PathBuf::from("/srv/tree"),
        session_folder: ".agents-work/2026-01-01_x".to_owned(),
        access: Access::Tree,
        model: None,
        resume: None,
        before,
        silence_ms: 1_000,
    }
}

/// One event a line, then how it ended.
pub fn told(plan: &Plan, folder: &str, case: &str) -> String {
    let read = |kind: &str| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines");
        std::fs::read_to_string(root.join(folder).join(format!("{case}.{kind}"))).unwrap()
    };
    let exit =
        Exit { code: read("exit").trim().parse().ok(), signal: None, stderr_tail: read("stderr") };
    told_of(plan, &read("jsonl"), &exit)
}

pub fn told_of(plan: &Plan, lines: &str, exit: &Exit) -> String {
    let mut talk = agent::adapter(plan.adapter).unwrap().talk(plan);
    let mut told = String::new();
    for line in lines.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let mut turn = Turn::default();
        talk.heard(&value, &mut turn);
        for event in turn.events {
            writeln!(told, "{}", short(&serde_json::to_value(event).unwrap())).unwrap();
        }
        if turn.is_over {
            writeln!(told, "over").unwrap();
        }
    }
    let finished = serde_json::to_value(talk.ended(exit)).unwrap();
    writeln!(told, "{}", short(&finished)).unwrap();
    told
}

/// Long words of an agent are told by how they begin.
fn short(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > 120 => {
            Value::from(format!("{}…", text.chars().take(120).collect::<String>()))
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), short(value))).collect()
        }
        other => other.clone(),
    }
}
