//! What is made of the lines of Gemini CLI.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{plan, play, replay, told};
use expect_test::expect;
use tollgate_agents::AgentExit;
use tollgate_contract::config::Adapter;
use tollgate_core::time::Timestamp;
use tollgate_files::clock;

const GEMINI: (Adapter, &str) = (Adapter::Gemini, "gemini-0.61.0");

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
