//! What Qwen Code says, from recorded lines: the events and how it ended.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod agent_support;

use agent_support::{check, plan, replay, spoken};
use expect_test::expect;
use tollgate_contract::config::Adapter;
use tollgate_host::agent::event::Outcome;
use tollgate_host::agent::{Exit, adapter};

const QWEN: (Adapter, &str) = (Adapter::Qwen, "qwen-0.24.4");

#[test]
fn a_turn_of_its_own_tools_is_told_in_our_words() {
    check(QWEN, "done", expect![[r#""#]]);
    check(QWEN, "wrong_arguments", expect![[r#""#]]);
}

#[test]
fn what_its_rules_refuse_is_told() {
    check(QWEN, "denied", expect![[r#""#]]);
}

#[test]
fn a_service_that_fails_is_told_apart_from_a_login() {
    check(QWEN, "server_error", expect![[r#""#]]);
    check(QWEN, "login", expect![[r#""#]]);
    let outcome = |case| replay(QWEN, case, &plan(Adapter::Qwen)).1.outcome;
    for case in ["cut", "garbage"] {
        assert!(matches!(outcome(case), Outcome::Service { .. }), "{case}: {:?}", outcome(case));
    }
    check(QWEN, "rate_limit", expect![[r#""#]]);
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
        let exit = Exit { code: Some(code), ..Exit::default() };
        assert!(matches!(talk.ended(&exit).outcome, Outcome::Turns { .. }), "{code}");
    }
    let mut talk = adapter(Adapter::Qwen).unwrap().talk(&plan(Adapter::Qwen));
    let exit = Exit { code: Some(1), ..Exit::default() };
    assert!(matches!(talk.ended(&exit).outcome, Outcome::Unclear { .. }));
}
