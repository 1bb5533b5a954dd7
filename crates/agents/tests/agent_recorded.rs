//! What each program said in each recorded case, and what it means: `CASE.events` beside the recording has the events, the
//! answers that it gets, and how it ended.

use crate::agent_support::{plan, replay, spoken, told};
use expect_test::expect_file;
use tollgate_agents::DriverPlan;
use tollgate_agents::event::TurnOutcome;
use tollgate_contract::config::Adapter;
use tollgate_core::reply::Usage;

const CODEX: (Adapter, &str) = (Adapter::Codex, "codex-0.166.0");

#[expect(clippy::print_stdout, reason = "where a case fails, its meaning is shown")]
fn check((adapter, folder): (Adapter, &str), cases: &[(&str, &str)]) {
    for (case, meaning) in cases {
        println!("{folder}, {case}: {meaning}");
        let told = told(&replay((adapter, folder), case, &plan(adapter)));
        expect_file![format!("agent_lines/{folder}/{case}.events")].assert_eq(&(told + "\n"));
    }
}

#[test]
fn claude() {
    check(
        (Adapter::Claude, "claude-2.1.325"),
        &[
            ("done", "a turn of its own tools is translated into our events"),
            ("two_way", "it is asked for permission and each refusal is reported once"),
            ("denied", "a refusal by its own rules is reported"),
            ("reply_as_text", "a reply that is only text is the text"),
            ("reply_never_valid", "a reply that never fits is a reply to be judged"),
            ("wrong_arguments", "wrong arguments are its own affair"),
            ("max_turns", "a limit of turns that it was given ends it"),
            ("max_money", "a limit of money that it was given ends it"),
            ("server_error", "a service that fails is not a login"),
            ("garbage", "an answer that is none is of the service"),
            ("cut_without_fallback", "a stream that breaks off is of the service"),
            ("login", "a login that is refused is reported"),
            ("not_logged_in", "a login that is missing is reported"),
            ("login_forbidden", "a login that may not do this is reported"),
            ("usage_limit", "a usage limit that it waits for is reported with the wait"),
            ("usage_limit_given_up", "a usage limit is reported with its end"),
            ("rate_limit_for_an_hour", "a long wait is reported"),
            ("rate_limit", "a rate limit that it gave up on is a usage limit"),
            ("overloaded_without_end", "tries beyond those asked for are cut short"),
            ("rate_limit_without_end", "tries beyond those asked for are cut short"),
        ],
    );
}

#[test]
fn codex() {
    check(
        CODEX,
        &[
            ("done", "a turn is translated into our events"),
            ("denied", "what was refused is found in the log"),
            ("wrong_arguments", "a tool that was called wrongly ends nothing"),
            ("server_error", "a service that fails is not a login"),
            ("cut", "a stream that breaks off is of the service"),
            ("garbage", "an answer that is none is of the service"),
            ("login", "a login that does not work is reported"),
            ("rate_limit", "a rate limit without a time is a usage limit without one"),
        ],
    );
}

#[test]
fn a_rate_limit_of_codex_with_a_time_is_a_usage_limit_with_one() {
    let (_, finished) = replay(CODEX, "rate_limit_with_reset", &plan(Adapter::Codex));
    let TurnOutcome::UsageLimit { resets_at: Some(until), .. } = finished.outcome else {
        panic!("{finished:?}");
    };
    // Whatever zone this runs in.
    assert!(["2029-12-31", "2030-01-01"].contains(&until.date().as_str()), "{until}");
}

#[test]
fn a_thread_of_codex_that_continues_counts_only_what_is_new() {
    let before = Usage { input_tokens: Some(200), output_tokens: Some(40), ..Usage::default() };
    let plan = DriverPlan { before, ..plan(Adapter::Codex) };
    let (turns, finished) = replay(CODEX, "resumed", &plan);
    let spent = Usage { input_tokens: Some(100), output_tokens: Some(20), ..Usage::default() };
    assert_eq!(spoken(&turns).1, spent);
    assert_eq!(finished.text.as_deref(), Some("Still here."));
}

#[test]
fn copilot() {
    check(
        (Adapter::Copilot, "copilot-1.0.102"),
        &[
            ("done", "a turn is translated into our events"),
            ("resumed", "a session that was taken up again ends like any other"),
            ("denied", "a refusal is reported with the tool that asked"),
            ("wrong_arguments", "a tool that was called wrongly ends nothing"),
            ("server_error", "a failing service is reported with its status and every retry"),
            ("cut", "a stream that breaks off is of the service"),
            ("garbage", "an answer that is none is of the service"),
            ("login", "a login that is refused is reported"),
            ("rate_limit", "a rate limit is a usage limit"),
            ("rate_limit_with_reset", "it does not say when a rate limit ends"),
        ],
    );
}

#[test]
fn gemini() {
    check(
        (Adapter::Gemini, "gemini-0.61.0"),
        &[
            ("done", "a turn ends with the last message"),
            ("refused", "what it may not do is reported"),
            ("denied", "a tool that was taken away is a refusal"),
            ("wrong_arguments", "wrong arguments are not a refusal"),
            ("resumed", "what a resumed session costs is not counted twice"),
            ("rate_limit", "a rate limit is of the service"),
            ("rate_limit_with_reset", "a short wait is of the service"),
            ("server_error", "a failing service is reported with its status"),
            ("login", "a login that is refused is reported"),
            ("cut", "a stream that breaks off is of the service"),
            ("garbage", "an answer that is none is of the service"),
            ("unreachable", "a service that is not there is reported"),
            ("turns", "used up turns are reported"),
        ],
    );
}

#[test]
fn goose() {
    check(
        (Adapter::Goose, "goose-1.52.0"),
        &[
            ("done", "a turn ends with the last message"),
            ("refused", "what it may not do is reported"),
            ("denied", "it does not wait for a permission that nobody gives"),
            ("wrong_arguments", "wrong arguments are not a refusal"),
            ("rate_limit", "a rate limit is of the service though it ends well"),
            ("server_error", "a failing service is reported with its status"),
            ("login", "a login that is refused is reported"),
            ("cut", "a stream that breaks off is a reply that is not whole"),
            ("garbage", "an empty answer is of the service"),
            ("unreachable", "a service that is not there is reported"),
            ("turns", "used up turns are reported"),
            ("quoted", "a model that quotes an error has none"),
        ],
    );
}

#[test]
fn opencode() {
    check(
        (Adapter::Opencode, "opencode-1.18.33"),
        &[
            ("done", "a turn that ends with stop is done, and only its last message is the reply"),
            ("resumed", "a session that was taken up again ends like any other"),
            ("denied", "a refusal at the end is one although the exit code is zero"),
            ("wrong_arguments", "wrong arguments are the model's to fix"),
            ("login", "a service that rejects the login is not one that fails"),
            ("cut", "streams that break off again and again are a loop"),
            ("garbage", "answers that are none, again and again, are a loop"),
            ("rate_limit", "retries that nobody hears of leave it unclear"),
            ("rate_limit_with_reset", "retries that nobody hears of leave it unclear"),
            ("server_error", "retries that nobody hears of leave it unclear"),
        ],
    );
}

#[test]
fn qwen() {
    check(
        (Adapter::Qwen, "qwen-0.24.4"),
        &[
            ("done", "a turn of its own tools is translated into our events"),
            ("wrong_arguments", "wrong arguments are its own affair"),
            ("denied", "what its rules refuse is reported"),
            ("server_error", "a service that fails is not a login"),
            ("login", "a login that is refused is reported"),
            ("cut", "a stream that breaks off is of the service"),
            ("garbage", "an answer that is none is of the service"),
            ("rate_limit", "a wait is reported"),
        ],
    );
}
