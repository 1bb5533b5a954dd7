//! What is made of the lines of goose.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{plan, play, replay, told};
use expect_test::{Expect, expect};
use tollgate_agents::{AgentExit, DriverPlan};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

const GOOSE: (Adapter, &str) = (Adapter::Goose, "goose-1.52.0");

fn check(case: &str, expected: &Expect) {
    check_after(case, Usage::default(), expected);
}

fn check_after(case: &str, before: Usage, expected: &Expect) {
    let plan = DriverPlan { before, ..plan(Adapter::Goose) };
    expected.assert_eq(&told(&replay(GOOSE, case, &plan)));
}

#[test]
fn a_turn_ends_with_the_last_message() {
    check(
        "done",
        &expect![[r#"
            text {"text":"Writing."}
            tool_start {"id":"toolu_000000000000000000000001","name":"write","what":"/srv/tree/hello.txt"}
            tool_end {"id":"toolu_000000000000000000000001","ok":true}
            text {"text":"All done."}
            usage {"input_tokens":200,"micro_usd":1200,"output_tokens":40}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn what_it_may_not_do_is_reported() {
    check(
        "refused",
        &expect![[r#"
            text {"text":"Working."}
            tool_start {"id":"toolu_1","name":"write","what":"/srv/tree/hello.txt"}
            permission {"granted":false,"what":"write /srv/tree/hello.txt"}
            tool_end {"id":"toolu_1","ok":false}
            text {"text":"Working."}
            tool_start {"id":"toolu_2","name":"shell","what":"git status"}
            tool_end {"id":"toolu_2","ok":true}
            text {"text":"Working."}
            tool_start {"id":"toolu_3","name":"shell","what":"rm -f nothing"}
            tool_end {"id":"toolu_3","ok":true}
            text {"text":"All done."}
            usage {"input_tokens":400,"micro_usd":2400,"output_tokens":80}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn it_does_not_wait_for_a_permission_that_nobody_gives() {
    check(
        "denied",
        &expect![[r#"
            text {"text":"Writing."}
            tool_start {"id":"toolu_000000000000000000000001","name":"write","what":"/srv/tree/hello.txt"}
            = {"outcome":{"detail":"Error: Tool approval required in non-interactive mode with GooseMode::approve. This is an invalid configuration — Approve/SmartApprove modes require an interactive terminal. Use GooseMode::Auto for headless sessions.\n","kind":"denied"},"text":"Writing."}"#]],
    );
}

#[test]
fn wrong_arguments_are_not_a_refusal() {
    check(
        "wrong_arguments",
        &expect![[r#"
            text {"text":"Trying."}
            tool_start {"id":"toolu_000000000000000000000001","name":"write"}
            tool_end {"id":"toolu_000000000000000000000001","ok":false}
            text {"text":"All done."}
            usage {"input_tokens":200,"micro_usd":1200,"output_tokens":40}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn a_rate_limit_is_of_the_service_though_it_ends_well() {
    check(
        "rate_limit",
        &expect![[r#"
            text {"text":"Ran into this error: Rate limit exceeded: This request would exceed your rate limit..\n\nPlease retry if you think this is a transient or recoverable error."}
            over
            = {"outcome":{"detail":"Rate limit exceeded: This request would exceed your rate limit..","kind":"service","status":429}}"#]],
    );
}

#[test]
fn a_failing_service_is_reported_with_its_status() {
    check(
        "server_error",
        &expect![[r#"
            text {"text":"Ran into this error: Server error: Server error (500 Internal Server Error) at http://127.0.0.1:1/v1/messages: Internal server error.\n\nPlease retry if you think this is a transient or recoverable error."}
            over
            = {"outcome":{"detail":"Server error: Server error (500 Internal Server Error) at http://127.0.0.1:1/v1/messages: Internal server error.","kind":"service","status":500}}"#]],
    );
}

#[test]
fn a_login_that_is_refused_is_reported() {
    check(
        "login",
        &expect![[
            r#"= {"outcome":{"detail":"Authentication error: Authentication failed for http://127.0.0.1:1/v1/messages. Status: 401 Unauthorized. Response: invalid x-api-key.","kind":"login"}}"#
        ]],
    );
}

#[test]
fn without_a_login_or_a_provider_it_does_not_start() {
    let end = |words: &str| {
        let exit = AgentExit { code: Some(1), signal: None, stderr_tail: words.to_owned() };
        told(&play(&plan(Adapter::Goose), "", &exit))
    };
    let no_key = "error: Error Configuration value not found: ANTHROPIC_API_KEY.\n\
                  Please check your system keychain and run 'goose configure' again.";
    let no_provider = "error: No provider configured. Run 'goose configure' first.";
    for words in [no_key, no_provider] {
        let told = end(words);
        assert!(told.contains(r#""kind":"login""#), "{told}");
    }
    let other = end("error: the disk is full");
    assert!(other.contains(r#""kind":"unclear""#), "{other}");
}

#[test]
fn a_stream_that_breaks_off_is_a_reply_that_is_not_whole() {
    check(
        "cut",
        &expect![[r#"
            text {"text":"This stream is cut before "}
            usage {"input_tokens":100,"micro_usd":315,"output_tokens":1}
            over
            = {"outcome":{"kind":"done"},"text":"This stream is cut before "}"#]],
    );
}

#[test]
fn an_empty_answer_is_of_the_service() {
    check(
        "garbage",
        &expect![[r#"
            text {"text":"The model returned an empty response. Please resend your message to continue."}
            over
            = {"outcome":{"detail":"The model returned an empty response. Please resend your message to continue.","kind":"service"}}"#]],
    );
}

#[test]
fn a_service_that_is_not_there_is_reported() {
    check(
        "unreachable",
        &expect![[r#"
            text {"text":"Network error: Could not connect to 127.0.0.1:1 — check your network connection and try again.\n\nPlease resend your message to try again."}
            over
            = {"outcome":{"detail":"Network error: Could not connect to 127.0.0.1:1 — check your network connection and try again.\n\nPlease resend your message to try again.","kind":"service"}}"#]],
    );
}

#[test]
fn used_up_turns_are_reported() {
    check(
        "turns",
        &expect![[r#"
            tool_start {"id":"toolu_1","name":"shell","what":"echo 1"}
            tool_end {"id":"toolu_1","ok":true}
            tool_start {"id":"toolu_2","name":"shell","what":"echo 2"}
            tool_end {"id":"toolu_2","ok":true}
            text {"text":"I've reached the maximum number of actions I can do without user input. Would you like me to continue?"}
            usage {"input_tokens":200,"micro_usd":1200,"output_tokens":40}
            over
            = {"outcome":{"detail":"I've reached the maximum number of actions I can do without user input. Would you like me to continue?","kind":"turns"}}"#]],
    );
}

#[test]
fn a_model_that_quotes_an_error_has_none() {
    check(
        "quoted",
        &expect![[r#"
            text {"text":"Ran into this error: Rate limit exceeded: x.\n\nPlease retry if you think this is a transient or recoverable error."}
            usage {"input_tokens":100,"micro_usd":600,"output_tokens":20}
            over
            = {"outcome":{"kind":"done"},"text":"Ran into this error: Rate limit exceeded: x.\n\nPlease retry if you think this is a transient or recoverable error."}"#]],
    );
}

#[test]
fn what_a_resumed_session_cost_before_is_not_counted_again() {
    let before = Usage {
        input_tokens: Some(200),
        output_tokens: Some(40),
        micro_usd: Some(1_200),
        wall_ms: None,
    };
    check_after(
        "resumed",
        before,
        &expect![[r#"
            text {"text":"Still here."}
            usage {"input_tokens":100,"micro_usd":600,"output_tokens":20}
            over
            = {"outcome":{"kind":"done"},"text":"Still here."}"#]],
    );
}

#[test]
fn no_line_makes_it_stumble() {
    let lines = "{}\n[]\nnull\n{\"type\":\"message\"}\n{\"type\":\"message\",\"message\":{\"content\":[7,{\"type\":\"toolResponse\"},{\"type\":\"toolRequest\"}]}}\n";
    let exit = AgentExit { code: Some(0), ..AgentExit::default() };
    expect![[r#"
        tool_end {"id":"","ok":false}
        tool_start {"id":"","name":""}
        = {"outcome":{"detail":"","exit_code":0,"kind":"unclear"}}"#]]
    .assert_eq(&told(&play(&plan(Adapter::Goose), lines, &exit)));
}
