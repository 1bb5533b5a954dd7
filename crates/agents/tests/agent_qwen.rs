//! What Qwen Code says, from recorded lines: the events and how it ended.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{check, plan, replay, spoken};
use expect_test::expect;
use tollgate_agents::event::{AgentEvent, TurnOutcome};
use tollgate_agents::{AgentExit, Turn, adapter};
use tollgate_contract::config::Adapter;

const QWEN: (Adapter, &str) = (Adapter::Qwen, "qwen-0.24.4");

#[test]
fn a_turn_of_its_own_tools_is_translated_into_our_events() {
    check(
        QWEN,
        "done",
        expect![[r#"
        started {"model":"fake-model","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Writing."}
        usage {"input_tokens":100,"output_tokens":20}
        tool_start {"id":"call_000000000000000000000001","name":"write_file","what":"hello.txt"}
        tool_end {"id":"call_000000000000000000000001","ok":true}
        usage {"input_tokens":100,"output_tokens":20}
        text {"text":"All done."}
        over
        = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
    check(
        QWEN,
        "wrong_arguments",
        expect![[r#"
        started {"model":"fake-model","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Trying."}
        usage {"input_tokens":100,"output_tokens":20}
        tool_start {"id":"call_000000000000000000000001","name":"write_file"}
        tool_end {"id":"call_000000000000000000000001","ok":false}
        usage {"input_tokens":100,"output_tokens":20}
        text {"text":"All done."}
        over
        = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn what_its_rules_refuse_is_reported() {
    check(
        QWEN,
        "denied",
        expect![[r#"
        started {"model":"fake-model","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Writing."}
        usage {"input_tokens":100,"output_tokens":20}
        tool_start {"id":"call_000000000000000000000001","name":"write_file","what":"hello.txt"}
        tool_end {"id":"call_000000000000000000000001","ok":false}
        usage {"input_tokens":100,"output_tokens":20}
        text {"text":"All done."}
        permission {"granted":false,"what":"write_file hello.txt"}
        over
        = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn a_service_that_fails_is_distinguished_from_a_login() {
    check(
        QWEN,
        "server_error",
        expect![[r#"
        started {"model":"fake-model","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"[API Error: 500 The server had an error while processing your request]"}
        over
        = {"outcome":{"detail":"[API Error: 500 The server had an error while processing your request]","kind":"service","status":500},"text":"[API Error: 500 The server had an error while processing your request]"}"#]],
    );
    check(
        QWEN,
        "login",
        expect![[r#"
        started {"model":"fake-model","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"[API Error: 401 Incorrect API key provided]"}
        over
        = {"outcome":{"detail":"[API Error: 401 Incorrect API key provided]","kind":"login"},"text":"[API Error: 401 Incorrect API key provided]"}"#]],
    );
    let outcome = |case| replay(QWEN, case, &plan(Adapter::Qwen)).1.outcome;
    for case in ["cut", "garbage"] {
        assert!(
            matches!(outcome(case), TurnOutcome::Service { .. }),
            "{case}: {:?}",
            outcome(case)
        );
    }
    check(
        QWEN,
        "rate_limit",
        expect![[r#"
        started {"model":"fake-model","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"retry","wait_ms":100}
        = {"outcome":{"detail":"Ripgrep not available: spawn /srv/agents/node_modules/@qwen-code/qwen-code/vendor/ripgrep/x64-linux/rg EACCES. Falling back to built-in grep.\nRetrying in 60s (attempt 1/10): [API Error: 429 Rate limit reached for requests]\n","kind":"unclear","signal":9}}"#]],
    );
}

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
