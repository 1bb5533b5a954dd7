//! What is made of the lines of goose.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::agent_support;

use agent_support::{plan, play, replay, told};
use expect_test::expect;
use tollgate_agents::{AgentExit, DriverPlan};
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

const GOOSE: (Adapter, &str) = (Adapter::Goose, "goose-1.52.0");

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
fn what_a_resumed_session_cost_before_is_not_counted_again() {
    let before = Usage {
        input_tokens: Some(200),
        output_tokens: Some(40),
        micro_usd: Some(1_200),
        wall_ms: None,
    };
    expect![[r#"
        text {"text":"Still here."}
        usage {"input_tokens":100,"micro_usd":600,"output_tokens":20}
        over
        = {"outcome":{"kind":"done"},"text":"Still here."}"#]]
    .assert_eq(&told(&replay(GOOSE, "resumed", &DriverPlan { before, ..plan(Adapter::Goose) })));
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
