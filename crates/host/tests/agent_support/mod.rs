//! Recorded lines of an agent program, told again to its adapter.

use expect_test::Expect;
use std::fmt::Write;
use std::path::Path;
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;
use tollgate_host::agent::event::{AgentEvent, Finished};
use tollgate_host::agent::{Access, Exit, Plan, Stdin, Turn, adapter};

pub fn plan(adapter: Adapter) -> Plan {
    Plan {
        adapter,
        argv: Vec::new(),
        env: Default::default(),
        stdin: Stdin::Talk,
        prompt: "Write hello.txt".to_owned(),
        tree: "/srv/tree".into(),
        session_folder: ".agents-work/2026-01-01_a".to_owned(),
        access: Access::Tree,
        model: None,
        resume: None,
        before: Usage::default(),
        silence_ms: 60_000,
    }
}

/// Tells a case line by line, as far as the adapter listens.
pub fn replay((kind, folder): (Adapter, &str), case: &str, plan: &Plan) -> (Vec<Turn>, Finished) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines").join(folder);
    let read =
        |ending: &str| std::fs::read_to_string(place.join(format!("{case}.{ending}"))).unwrap();
    let mut talk = adapter(kind).unwrap().talk(plan);
    let mut turns = Vec::new();
    for line in read("jsonl").lines() {
        let mut turn = Turn::default();
        talk.heard(&serde_json::from_str(line).unwrap(), &mut turn);
        let is_over = turn.is_over;
        turns.push(turn);
        if is_over {
            break;
        }
    }
    let code = read("exit").trim().parse().ok();
    let signal = code.is_none().then_some(9);
    let exit = Exit { code, signal, stderr_tail: read("stderr") };
    (turns, talk.ended(&exit))
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
            writeln!(told, "{} {fields}", name.as_str().unwrap()).unwrap();
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

pub fn check(program: (Adapter, &str), case: &str, expected: Expect) {
    let (turns, finished) = replay(program, case, &plan(program.0));
    let (mut told, _) = spoken(&turns);
    write!(told, "= {}", serde_json::to_value(&finished).unwrap()).unwrap();
    expected.assert_eq(&told);
}
