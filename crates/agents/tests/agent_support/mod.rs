//! Recorded lines of an agent program, told again to its adapter, and what it made of them.
#![allow(dead_code, reason = "each test crate uses its part")]

pub mod properties;

pub use properties::plan;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use tollgate_agents::event::{AgentEvent, Finished};
use tollgate_agents::{AgentExit, DriverPlan, Turn, adapter};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

/// Tells a recorded case.
pub fn replay(
    (_, folder): (Adapter, &str),
    case: &str,
    plan: &DriverPlan,
) -> (Vec<Turn>, Finished) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines").join(folder);
    let read =
        |ending: &str| std::fs::read_to_string(place.join(format!("{case}.{ending}"))).unwrap();
    let code = read("exit").trim().parse().ok();
    let signal = code.is_none().then_some(9);
    play(plan, &read("jsonl"), &AgentExit { code, signal, stderr_tail: read("stderr") })
}

/// Tells these lines, as far as the driver would, and before them what came on standard error.
pub fn play(plan: &DriverPlan, lines: &str, exit: &AgentExit) -> (Vec<Turn>, Finished) {
    let mut talk = adapter(plan.adapter).unwrap().talk(plan);
    let mut turns = Vec::new();
    for line in exit.stderr_tail.lines() {
        let mut turn = Turn::default();
        talk.aside(line, &mut turn);
        turns.push(turn);
    }
    for line in lines.lines() {
        let mut turn = Turn::default();
        talk.heard(&serde_json::from_str(line).unwrap(), &mut turn);
        let is_over = turn.is_over;
        turns.push(turn);
        if is_over {
            break;
        }
    }
    (turns, talk.ended(exit))
}

/// The events and answers, a line each, and what was spent.
pub fn spoken(turns: &[Turn]) -> (String, Usage) {
    let (mut told, mut usage) = (String::new(), Usage::default());
    for turn in turns {
        for event in &turn.events {
            if let AgentEvent::Usage { spent } = event {
                usage.add(spent);
            }
            let mut fields = serde_json::to_value(event).unwrap();
            let name = fields.as_object_mut().unwrap().remove("event").unwrap();
            writeln!(told, "{} {}", name.as_str().unwrap(), short(&fields)).unwrap();
        }
        for line in &turn.say {
            writeln!(told, "-> {}", line["response"]["response"]).unwrap();
        }
        if turn.is_over {
            told.push_str("over\n");
        }
    }
    (told, usage)
}

/// All of it, and how it ended.
pub fn told((turns, finished): &(Vec<Turn>, Finished)) -> String {
    let end = serde_json::to_value(finished).unwrap();
    format!("{}= {}", spoken(turns).0, short(&end))
}

/// Long words of an agent are told by how they begin.
fn short(value: &Value) -> Value {
    const CHARS_MAX: usize = 400;
    match value {
        Value::String(text) if text.chars().count() > CHARS_MAX => {
            Value::from(format!("{}…", text.chars().take(CHARS_MAX).collect::<String>()))
        }
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), short(value))).collect()
        }
        other => other.clone(),
    }
}
