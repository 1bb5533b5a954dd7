//! What Qwen Code says, from recorded lines: the events and how it ended.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{plan, replay, spoken};
use tollgate_agents::event::{AgentEvent, TurnOutcome};
use tollgate_agents::{AgentExit, Turn, adapter};
use tollgate_contract::config::Adapter;

const QWEN: (Adapter, &str) = (Adapter::Qwen, "qwen-0.24.4");

#[test]
fn only_what_this_conversation_cost_is_counted() {
    let (_, usage) = spoken(&replay(QWEN, "resumed", &plan(Adapter::Qwen)).0);
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(100), Some(20)));
    assert_eq!(usage.micro_usd, None);
}

#[test]
fn without_a_last_word_the_exit_code_says_what_was_used_up() {
    for code in [53, 55] {
        let mut talk = adapter(Adapter::Qwen).unwrap().talk(&plan(Adapter::Qwen));
        let exit = AgentExit { code: Some(code), ..AgentExit::default() };
        assert!(matches!(talk.ended(&exit).outcome, TurnOutcome::Turns { .. }), "{code}");
    }
    let mut talk = adapter(Adapter::Qwen).unwrap().talk(&plan(Adapter::Qwen));
    let exit = AgentExit { code: Some(1), ..AgentExit::default() };
    assert!(matches!(talk.ended(&exit).outcome, TurnOutcome::Unclear { .. }));
}

#[test]
fn r107_a_wait_reported_on_standard_error_is_noticed_and_has_an_end_time() {
    let mut talk = adapter(Adapter::Qwen).unwrap().talk(&plan(Adapter::Qwen));
    for attempt in 1..=3 {
        let mut turn = Turn::default();
        let line = format!("Retrying in 60s (attempt {attempt}/10): [API Error: 429 Too fast]");
        talk.aside(&line, &mut turn);
        let [AgentEvent::Retry { status, wait_ms, .. }] = turn.events.as_slice() else {
            panic!("{:?}", turn.events);
        };
        assert_eq!((*status, *wait_ms), (Some(429), Some(60_000)));
        assert_eq!(turn.is_over, attempt == 3);
    }
    let outcome = talk.ended(&AgentExit::default()).outcome;
    assert!(matches!(outcome, TurnOutcome::UsageLimit { resets_at: Some(_), .. }), "{outcome:?}");
    let mut turn = Turn::default();
    for odd in
        ["Retrying in", "Retrying in soon (attempt 1/2): x", "Retrying in 1s (attempt )", "é"]
    {
        talk.aside(odd, &mut turn);
    }
    assert!(turn.events.is_empty(), "{:?}", turn.events);
}
