//! What Claude Code says and asks, from recorded lines: the events, the answers it gets, and how it ended.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{check, plan, replay, spoken};
use expect_test::expect;
use serde_json::{Value, json};
use tollgate_agents::event::{AgentEvent, TurnOutcome};
use tollgate_agents::{Access, Turn, adapter};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

const CLAUDE: (Adapter, &str) = (Adapter::Claude, "claude-2.1.325");

fn outcome(case: &str) -> TurnOutcome {
    replay(CLAUDE, case, &plan(Adapter::Claude)).1.outcome
}

#[test]
fn a_turn_of_its_own_tools_is_translated_into_our_events() {
    check(
        CLAUDE,
        "done",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Writing."}
        tool_start {"id":"toolu_000000000000000000000001","name":"Write","what":"hello.txt"}
        tool_end {"id":"toolu_000000000000000000000001","ok":true}
        text {"text":"All done."}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn it_is_asked_for_permission_and_each_refusal_is_reported_once() {
    check(
        CLAUDE,
        "two_way",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Writing."}
        tool_start {"id":"toolu_000000000000000000000001","name":"Write","what":"hello.txt"}
        tool_start {"id":"toolu_000000000000000000000002","name":"Write","what":"/srv/elsewhere/x.txt"}
        tool_start {"id":"toolu_000000000000000000000003","name":"Bash","what":"echo hi > b.txt"}
        tool_start {"id":"toolu_000000000000000000000004","name":"AskUserQuestion"}
        -> {"behavior":"allow","updatedInput":{"content":"hello\n","file_path":"/srv/tree/hello.txt"}}
        tool_end {"id":"toolu_000000000000000000000001","ok":true}
        permission {"granted":false,"what":"Write /srv/elsewhere/x.txt: it is outside the working tree"}
        -> {"behavior":"deny","message":"Refused: it is outside the working tree."}
        tool_end {"id":"toolu_000000000000000000000002","ok":false}
        -> {"behavior":"allow","updatedInput":{"command":"echo hi > b.txt","description":"say hi"}}
        question {"text":"Which colour?"}
        -> {"behavior":"deny","message":"No one can answer while you work. Continue with what you know, or put the question in your reply."}
        tool_end {"id":"toolu_000000000000000000000003","ok":true}
        tool_end {"id":"toolu_000000000000000000000004","ok":false}
        tool_start {"id":"toolu_000000000000000000000005","name":"StructuredOutput"}
        tool_end {"id":"toolu_000000000000000000000005","ok":true}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"kind":"done"},"reply":{"status":"OK"},"text":"{\"status\":\"OK\"}"}"#]],
    );
}

#[test]
fn a_refusal_by_its_own_rules_is_reported() {
    check(
        CLAUDE,
        "denied",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Writing."}
        tool_start {"id":"toolu_000000000000000000000001","name":"Write","what":"hello.txt"}
        permission {"granted":false,"what":"Write: Claude requested permissions to write to /srv/tree/hello.txt, but you haven't granted it yet."}
        tool_end {"id":"toolu_000000000000000000000001","ok":false}
        text {"text":"All done."}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn a_reply_that_is_only_text_is_the_text() {
    check(
        CLAUDE,
        "reply_as_text",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"{\"status\":\"OK\"}"}
        text {"text":"{\"status\":\"OK\"}"}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"kind":"done"},"text":"{\"status\":\"OK\"}"}"#]],
    );
}

#[test]
fn a_reply_that_never_fits_is_a_reply_to_be_judged() {
    check(
        CLAUDE,
        "reply_never_valid",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        tool_start {"id":"toolu_000000000000000000000001","name":"StructuredOutput"}
        tool_end {"id":"toolu_000000000000000000000001","ok":false}
        tool_start {"id":"toolu_000000000000000000000002","name":"StructuredOutput"}
        tool_end {"id":"toolu_000000000000000000000002","ok":false}
        tool_start {"id":"toolu_000000000000000000000003","name":"StructuredOutput"}
        tool_end {"id":"toolu_000000000000000000000003","ok":false}
        tool_start {"id":"toolu_000000000000000000000004","name":"StructuredOutput"}
        tool_end {"id":"toolu_000000000000000000000004","ok":false}
        tool_start {"id":"toolu_000000000000000000000005","name":"StructuredOutput"}
        tool_end {"id":"toolu_000000000000000000000005","ok":false}
        usage {"input_tokens":500,"micro_usd":4000,"output_tokens":100}
        over
        = {"outcome":{"kind":"done"},"text":"Failed to provide valid structured output after 5 attempts — last StructuredOutput error: Output does not match required schema: root: must have required property 'status'"}"#]],
    );
}

#[test]
fn wrong_arguments_are_its_own_affair() {
    check(
        CLAUDE,
        "wrong_arguments",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"Trying."}
        tool_start {"id":"toolu_000000000000000000000001","name":"Write"}
        tool_end {"id":"toolu_000000000000000000000001","ok":false}
        text {"text":"All done."}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn limits_that_it_was_given_end_it() {
    check(
        CLAUDE,
        "max_turns",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"On."}
        tool_start {"id":"toolu_000000000000000000000001","name":"Bash","what":"true"}
        tool_end {"id":"toolu_000000000000000000000001","ok":true}
        text {"text":"On."}
        tool_start {"id":"toolu_000000000000000000000002","name":"Bash","what":"true"}
        tool_end {"id":"toolu_000000000000000000000002","ok":true}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"detail":"Reached maximum number of turns (2)","kind":"turns"},"text":"Reached maximum number of turns (2)"}"#]],
    );
    check(
        CLAUDE,
        "max_money",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        text {"text":"On."}
        tool_start {"id":"toolu_000000000000000000000001","name":"Bash","what":"true"}
        tool_end {"id":"toolu_000000000000000000000001","ok":true}
        text {"text":"On."}
        tool_start {"id":"toolu_000000000000000000000002","name":"Bash","what":"true"}
        usage {"input_tokens":200,"micro_usd":1600,"output_tokens":40}
        over
        = {"outcome":{"detail":"Reached maximum budget ($0.001)","kind":"money"},"text":"Reached maximum budget ($0.001)"}"#]],
    );
}

#[test]
fn a_service_that_fails_is_distinguished_from_a_login() {
    check(
        CLAUDE,
        "server_error",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"server_error","status":500,"wait_ms":550}
        usage {"input_tokens":0,"micro_usd":0,"output_tokens":0}
        over
        = {"outcome":{"detail":"API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:1).","kind":"service","status":500},"text":"API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:1)."}"#]],
    );
    check(
        CLAUDE,
        "garbage",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        usage {"input_tokens":0,"micro_usd":0,"output_tokens":0}
        over
        = {"outcome":{"detail":"API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway intercepting the request. Response: content-type event-stream, body is an HTML page, 25 bytes, request-id absent, server other. This was the non-streaming retry of streaming request (no Anthropic request-id), which failed with: no_events, StreamNoEventsError; 0 stream events received.","kind":"service"},"text":"API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway intercepting the request. Response: content-type event-stream, body is an HTML page, 25 bytes, request-id absent, server other. This was the non-streaming retry of streaming request (no Anthropic request-id), which failed with: no_events, StreamNoEventsError; 0 stream events received."}"#]],
    );
    check(
        CLAUDE,
        "cut_without_fallback",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"unknown","wait_ms":610}
        usage {"input_tokens":200,"micro_usd":840,"output_tokens":2}
        over
        = {"outcome":{"detail":"API Error: Connection to the API was lost (StreamTruncated). This is usually temporary — try again.","kind":"service"},"text":"API Error: Connection to the API was lost (StreamTruncated). This is usually temporary — try again."}"#]],
    );
    check(
        CLAUDE,
        "login",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"authentication_failed","status":401,"wait_ms":619}
        usage {"input_tokens":0,"micro_usd":0,"output_tokens":0}
        over
        = {"outcome":{"detail":"Invalid API key · Fix external API key","kind":"login"},"text":"Invalid API key · Fix external API key"}"#]],
    );
    for case in ["not_logged_in", "login_forbidden"] {
        assert!(matches!(outcome(case), TurnOutcome::Login { .. }), "{case}");
    }
}

#[test]
fn a_usage_limit_is_reported_with_its_end() {
    check(
        CLAUDE,
        "usage_limit",
        expect![[r#"
        started {"model":"claude-sonnet-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"rate_limit","status":429,"wait_ms":5383817}
        = {"outcome":{"detail":"","kind":"unclear","signal":9}}"#]],
    );
    check(
        CLAUDE,
        "usage_limit_given_up",
        expect![[r#"
        started {"model":"claude-sonnet-5-5","session":"00000000-0000-4000-8000-000000000001"}
        usage {"input_tokens":0,"micro_usd":0,"output_tokens":0}
        over
        = {"outcome":{"detail":"You've hit your 5-hour limit · resets 12am (UTC)","kind":"usage_limit","resets_at":"2026-01-01T00:00:00.000Z"},"text":"You've hit your 5-hour limit · resets 12am (UTC)"}"#]],
    );
    check(
        CLAUDE,
        "rate_limit_for_an_hour",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"rate_limit","status":429,"wait_ms":3600000}
        = {"outcome":{"detail":"","kind":"unclear","signal":9}}"#]],
    );
    check(
        CLAUDE,
        "rate_limit",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"rate_limit","status":429,"wait_ms":512}
        usage {"input_tokens":0,"micro_usd":0,"output_tokens":0}
        over
        = {"outcome":{"detail":"API Error: Request rejected (429) · This request would exceed your rate limit.","kind":"usage_limit"},"text":"API Error: Request rejected (429) · This request would exceed your rate limit."}"#]],
    );
}

#[test]
fn tries_beyond_those_asked_for_are_cut_short() {
    check(
        CLAUDE,
        "overloaded_without_end",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"overloaded","status":529,"wait_ms":570}
        retry {"detail":"overloaded","status":529,"wait_ms":1172}
        retry {"detail":"overloaded","status":529,"wait_ms":2327}
        over
        = {"outcome":{"detail":"overloaded, 3 times in a row","kind":"service","status":529}}"#]],
    );
    check(
        CLAUDE,
        "rate_limit_without_end",
        expect![[r#"
        started {"model":"claude-opus-5-5","session":"00000000-0000-4000-8000-000000000001"}
        retry {"detail":"rate_limit","status":429,"wait_ms":558}
        retry {"detail":"rate_limit","status":429,"wait_ms":1139}
        retry {"detail":"rate_limit","status":429,"wait_ms":2341}
        over
        = {"outcome":{"detail":"rate_limit, 3 times in a row","kind":"usage_limit"}}"#]],
    );
}

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
