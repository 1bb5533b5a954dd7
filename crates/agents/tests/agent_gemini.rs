//! What is made of the lines of Gemini CLI.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{plan, play, replay, told};
use expect_test::{Expect, expect};
use tollgate_agents::AgentExit;
use tollgate_contract::config::Adapter;
use tollgate_core::time::Timestamp;
use tollgate_files::clock;

const GEMINI: (Adapter, &str) = (Adapter::Gemini, "gemini-0.61.0");

fn check(case: &str, expected: Expect) {
    agent_support::check(GEMINI, case, expected);
}

#[test]
fn a_turn_ends_with_the_last_message() {
    check(
        "done",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            text {"text":"Writing."}
            tool_start {"id":"write_file__write_file_1767225600000_0","name":"write_file","what":"/srv/tree/hello.txt"}
            tool_end {"id":"write_file__write_file_1767225600000_0","ok":true}
            text {"text":"All done."}
            usage {"input_tokens":200,"output_tokens":40}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn what_it_may_not_do_is_reported() {
    check(
        "refused",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            text {"text":"Working."}
            tool_start {"id":"run_shell_command__call_1","name":"run_shell_command","what":"git status"}
            permission {"granted":false,"what":"run_shell_command git status"}
            tool_end {"id":"run_shell_command__call_1","ok":false}
            text {"text":"Working."}
            tool_start {"id":"run_shell_command__call_2","name":"run_shell_command","what":"rm -f nothing"}
            permission {"granted":false,"what":"run_shell_command rm -f nothing"}
            tool_end {"id":"run_shell_command__call_2","ok":false}
            text {"text":"Working."}
            tool_start {"id":"write_file__call_3","name":"write_file","what":"hello.txt"}
            permission {"granted":false,"what":"write_file hello.txt"}
            tool_end {"id":"write_file__call_3","ok":false}
            text {"text":"All done."}
            usage {"input_tokens":400,"output_tokens":80}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn a_tool_that_was_taken_away_is_a_refusal() {
    check(
        "denied",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            text {"text":"Writing."}
            tool_start {"id":"write_file__write_file_1767225600000_0","name":"write_file","what":"/srv/tree/hello.txt"}
            permission {"granted":false,"what":"write_file /srv/tree/hello.txt"}
            tool_end {"id":"write_file__write_file_1767225600000_0","ok":false}
            text {"text":"All done."}
            usage {"input_tokens":200,"output_tokens":40}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn wrong_arguments_are_not_a_refusal() {
    check(
        "wrong_arguments",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            text {"text":"Trying."}
            tool_start {"id":"write_file__write_file_1767225600000_0","name":"write_file"}
            tool_end {"id":"write_file__write_file_1767225600000_0","ok":false}
            text {"text":"All done."}
            usage {"input_tokens":200,"output_tokens":40}
            over
            = {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn what_a_resumed_session_costs_is_not_counted_twice() {
    check(
        "resumed",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            text {"text":"Still here."}
            usage {"input_tokens":100,"output_tokens":20}
            over
            = {"outcome":{"kind":"done"},"text":"Still here."}"#]],
    );
}

#[test]
fn a_rate_limit_is_of_the_service() {
    check(
        "rate_limit",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            over
            = {"outcome":{"detail":"[API Error: Resource has been exhausted (e.g. check quota).]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method","kind":"service","status":429}}"#]],
    );
}

#[test]
fn a_short_wait_is_of_the_service() {
    check(
        "rate_limit_with_reset",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            over
            = {"outcome":{"detail":"[API Error: Resource has been exhausted (e.g. check quota).\nSuggested retry after 2s.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method","kind":"service","status":429}}"#]],
    );
}

#[test]
fn a_used_up_day_is_a_limit_and_ends_when_the_service_said() {
    let told = told(&replay(GEMINI, "usage_limit", &plan(Adapter::Gemini)));
    let (before, resets_at) = told.split_once("\"resets_at\":\"").unwrap();
    expect![[r#"
        started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
        over
        = {"outcome":{"detail":"[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method","kind":"usage_limit","#]]
    .assert_eq(before);
    let resets_at = Timestamp::parse(resets_at.split_once('"').unwrap().0).unwrap();
    let hours = |hours: i64| clock::now().as_ms() + hours * 3_600_000;
    assert!((hours(1)..hours(3)).contains(&resets_at.as_ms()), "not in two hours: {told}");
}

#[test]
fn a_failing_service_is_reported_with_its_status() {
    check(
        "server_error",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            over
            = {"outcome":{"detail":"[API Error: {\"error\":{\"code\":500,\"message\":\"An internal error has occurred.\",\"status\":\"INTERNAL\"}}]","kind":"service","status":500}}"#]],
    );
}

#[test]
fn a_login_that_is_refused_is_reported() {
    check(
        "login",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            over
            = {"outcome":{"detail":"[API Error: {\"error\":{\"code\":401,\"message\":\"API key not valid. Please pass a valid API key.\",\"status\":\"UNAUTHENTICATED\"}}]","kind":"login"}}"#]],
    );
}

#[test]
fn a_stream_that_breaks_off_is_of_the_service() {
    check(
        "cut",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            usage {"input_tokens":200,"output_tokens":40}
            over
            = {"outcome":{"detail":"Model stream ended without a finish reason.","kind":"service"}}"#]],
    );
}

#[test]
fn an_answer_that_is_none_is_of_the_service() {
    check(
        "garbage",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            over
            = {"outcome":{"detail":"[API Error: Incomplete JSON segment at the end]","kind":"service"}}"#]],
    );
}

#[test]
fn a_service_that_is_not_there_is_reported() {
    check(
        "unreachable",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            over
            = {"outcome":{"detail":"[API Error: exception TypeError: fetch failed sending request]","kind":"service"}}"#]],
    );
}

#[test]
fn used_up_turns_are_reported() {
    check(
        "turns",
        expect![[r#"
            started {"model":"gemini-2.5-flash","session":"00000000-0000-4000-8000-000000000001"}
            tool_start {"id":"run_shell_command__call_1","name":"run_shell_command","what":"echo 1"}
            tool_end {"id":"run_shell_command__call_1","ok":true}
            tool_start {"id":"run_shell_command__call_2","name":"run_shell_command","what":"echo 2"}
            tool_end {"id":"run_shell_command__call_2","ok":true}
            usage {"input_tokens":200,"output_tokens":40}
            over
            = {"outcome":{"detail":"Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.","kind":"turns"}}"#]],
    );
}

#[test]
fn without_a_last_word_the_exit_code_decides() {
    let end = |code: Option<i32>| {
        let exit = AgentExit { code, signal: None, stderr_tail: "words".to_owned() };
        told(&play(&plan(Adapter::Gemini), "{}\n[]\nnull\n{\"type\":7}\n", &exit))
    };
    expect![[r#"
        = {"outcome":{"detail":"words","kind":"login"}}
        = {"outcome":{"detail":"words","kind":"turns"}}
        = {"outcome":{"detail":"words","exit_code":0,"kind":"unclear"}}
        = {"outcome":{"detail":"words","kind":"unclear"}}"#]]
    .assert_eq(&[end(Some(41)), end(Some(53)), end(Some(0)), end(None)].join("\n"));
}

#[test]
fn r107_a_reported_wait_is_a_limit_and_has_an_end() {
    let result = |message: &str| {
        let line =
            serde_json::json!({"type": "result", "status": "error", "error": {"message": message}});
        let exit = AgentExit { code: Some(173), ..AgentExit::default() };
        told(&play(&plan(Adapter::Gemini), &line.to_string(), &exit))
    };
    let limit = result(
        "[API Error: You have exhausted your capacity. Your quota will reset after 3h12m5s.]",
    );
    assert!(limit.contains("usage_limit") && limit.contains("resets_at"), "{limit}");
    let short = result("[API Error: Too fast.\nSuggested retry after 34s.]");
    assert!(short.contains("usage_limit") && short.contains("resets_at"), "{short}");
    let soon = result("[API Error: Too fast.\nSuggested retry after 2s.]");
    assert!(soon.contains("service") && soon.contains("429"), "{soon}");
}
