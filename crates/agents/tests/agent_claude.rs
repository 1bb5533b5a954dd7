//! What Claude Code says and asks, from recorded lines: the events, the answers it gets, and how it ended.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{plan, replay, spoken};
use serde_json::{Value, json};
use tollgate_agents::event::{AgentEvent, TurnOutcome};
use tollgate_agents::{Access, Turn, adapter};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

const CLAUDE: (Adapter, &str) = (Adapter::Claude, "claude-2.1.325");

#[test]
fn a_wait_that_the_service_asked_for_is_kept_when_it_is_given_up() {
    let mut talk = adapter(Adapter::Claude).unwrap().talk(&plan(Adapter::Claude));
    let mut turn = Turn::default();
    for attempt in 1..=3 {
        let retry = json!({
            "type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": 2,
            "retry_delay_ms": 60_000, "error_status": 429, "error": "rate_limit",
        });
        talk.heard(&retry, &mut turn);
    }
    assert!(turn.is_over);
    let outcome = talk.ended(&Default::default()).outcome;
    assert!(matches!(outcome, TurnOutcome::UsageLimit { resets_at: Some(_), .. }), "{outcome:?}");
}

#[test]
fn money_is_counted_from_where_the_session_stood() {
    let spent = |case: &str, before: u64| {
        let mut plan = plan(Adapter::Claude);
        plan.before = Usage { micro_usd: Some(before), ..Usage::default() };
        spoken(&replay(CLAUDE, case, &plan).0).1
    };
    assert_eq!(spent("resumed", 1_600).micro_usd, Some(800));
    assert_eq!(spent("resumed", 1_600).input_tokens, Some(100));

    // A version that gives only totals.
    let mut talk = {
        let mut plan = plan(Adapter::Claude);
        plan.before = Usage { micro_usd: Some(1_600), ..Usage::default() };
        adapter(Adapter::Claude).unwrap().talk(&plan)
    };
    let usage = json!({ "input_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300, "output_tokens": 4 });
    let result = json!({ "type": "result", "subtype": "success", "is_error": false, "total_cost_usd": 0.0024, "usage": usage });
    let mut turn = Turn::default();
    talk.heard(&result, &mut turn);
    let expected = Usage {
        input_tokens: Some(321),
        output_tokens: Some(4),
        micro_usd: Some(800),
        wall_ms: None,
    };
    assert_eq!(turn.events, [AgentEvent::Usage { spent: expected }]);
}

#[test]
fn every_request_gets_an_answer() {
    let ask = |request: Value| {
        let mut talk = adapter(Adapter::Claude).unwrap().talk(&plan(Adapter::Claude));
        let mut turn = Turn::default();
        let line = json!({ "type": "control_request", "request_id": "r", "request": request });
        talk.heard(&line, &mut turn);
        let [said] = turn.say.as_slice() else { panic!("{:?}", turn.say) };
        assert_eq!(said["response"]["request_id"], "r");
        (said["response"].clone(), turn.events)
    };
    let (declined, events) = ask(json!({ "subtype": "elicitation", "message": "Your name?" }));
    assert_eq!(declined["response"]["action"], "decline");
    assert_eq!(events, [AgentEvent::Question { text: "Your name?".to_owned() }]);
    for strange in
        [json!({ "subtype": "hook_callback" }), json!({}), json!("nonsense"), json!(null)]
    {
        assert_eq!(ask(strange).0["subtype"], "error");
    }
    let tool = |name: &str, input: Value| json!({ "subtype": "can_use_tool", "tool_name": name, "input": input });
    let behaviour = |request: Value| ask(request).0["response"]["behavior"].clone();
    assert_eq!(behaviour(tool("Bash", json!({ "command": "cargo test" }))), "allow");
    assert_eq!(behaviour(tool("Read", json!({ "file_path": "/etc/hosts" }))), "allow");
    assert_eq!(behaviour(tool("WebFetch", json!({ "url": "https://example.com" }))), "allow");
    assert_eq!(behaviour(tool("SomethingNew", json!({}))), "deny");
    assert_eq!(behaviour(tool("Write", json!({}))), "deny");
    assert_eq!(behaviour(tool("", json!(null))), "deny");
}

#[test]
fn r039_a_reading_role_is_refused_every_file() {
    let tree = tempfile::tempdir().unwrap();
    let write = |access: Access| {
        let mut plan = plan(Adapter::Claude);
        plan.tree = tree.path().to_owned();
        plan.access = access;
        let mut talk = adapter(Adapter::Claude).unwrap().talk(&plan);
        let mut turn = Turn::default();
        let request = json!({
            "subtype": "can_use_tool", "tool_name": "Write", "tool_use_id": "toolu_1",
            "input": { "file_path": tree.path().join("a.txt"), "content": "x" },
        });
        talk.heard(
            &json!({ "type": "control_request", "request_id": "r", "request": request }),
            &mut turn,
        );
        (turn.say[0]["response"]["response"]["behavior"].clone(), turn.events.len())
    };
    assert_eq!(write(Access::Tree), (json!("allow"), 0));
    assert_eq!(write(Access::Session), (json!("deny"), 1));
    assert_eq!(write(Access::Read), (json!("deny"), 1));
}

#[test]
fn nothing_that_is_said_is_too_strange() {
    let strange = [
        json!(null),
        json!([]),
        json!("text"),
        json!({}),
        json!({ "type": 1 }),
        json!({ "type": "assistant" }),
        json!({ "type": "assistant", "message": { "content": "text" } }),
        json!({ "type": "assistant", "message": { "content": [null, { "type": "tool_use" }] } }),
        json!({ "type": "user", "message": null }),
        json!({ "type": "rate_limit_event" }),
        json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected", "resetsAt": i64::MAX } }),
        json!({ "type": "system", "subtype": "api_retry", "retry_delay_ms": u64::MAX, "error_status": 100_000 }),
        json!({ "type": "control_request" }),
        json!({ "type": "control_response" }),
        json!({ "type": "result", "total_cost_usd": -1.0, "model_usage_since_last_result": { "m": null } }),
        json!({ "type": "result" }),
    ];
    let mut talk = adapter(Adapter::Claude).unwrap().talk(&plan(Adapter::Claude));
    for line in &strange {
        talk.heard(line, &mut Turn::default());
    }
    talk.ended(&Default::default());
}
