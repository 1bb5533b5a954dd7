#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, Home, Turn};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::fs;
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_core::reply::Usage;

/// Recorded lines, as the driver would give them.
fn played(case: &str) -> (Vec<AgentEvent>, Finished) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_lines/copilot-1.0.102");
    let read = |ending: &str| fs::read_to_string(folder.join(format!("{case}.{ending}"))).unwrap();
    let (mut talk, mut turn) =
        (stream::CopilotStream::new(None, Usage::default()), Turn::default());
    for line in read("jsonl").lines() {
        talk.heard(&serde_json::from_str(line).unwrap(), &mut turn);
    }
    assert!(turn.is_over, "the last line is known as the last");
    let (code, stderr_tail) = (read("exit").trim().parse().ok(), read("stderr"));
    (turn.events, talk.ended(&AgentExit { code, signal: None, stderr_tail }))
}

fn check(case: &str, expected: Expect) {
    let (events, finished) = played(case);
    let events = events.iter().map(|event| json!(event).to_string());
    let lines: Vec<String> = events.chain([json!(finished).to_string()]).collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn a_turn_is_translated_into_our_events() {
    check(
        "done",
        expect![[r#"
        {"event":"text","text":"Writing."}
        {"event":"tool_start","id":"toolu_000000000000000000000001","name":"create","what":"/srv/tree/hello.txt"}
        {"event":"tool_end","id":"toolu_000000000000000000000001","ok":true}
        {"event":"text","text":"All done."}
        {"event":"started","session":"00000000-0000-4000-8000-000000000025"}
        {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
    check(
        "resumed",
        expect![[r#"
        {"event":"text","text":"Still here."}
        {"event":"started","session":"00000000-0000-4000-8000-000000000016"}
        {"outcome":{"kind":"done"},"text":"Still here."}"#]],
    );
}

#[test]
fn a_refusal_is_reported_with_the_tool_that_asked() {
    check(
        "denied",
        expect![[r#"
            {"event":"text","text":"Writing."}
            {"event":"tool_start","id":"toolu_000000000000000000000001","name":"create","what":"/srv/tree/hello.txt"}
            {"event":"tool_end","id":"toolu_000000000000000000000001","ok":false}
            {"event":"permission","granted":false,"what":"create /srv/tree/hello.txt"}
            {"event":"text","text":"All done."}
            {"event":"started","session":"00000000-0000-4000-8000-000000000025"}
            {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn a_tool_that_was_called_wrongly_ends_nothing() {
    check(
        "wrong_arguments",
        expect![[r#"
        {"event":"text","text":"Trying."}
        {"event":"tool_start","id":"toolu_000000000000000000000001","name":"create"}
        {"event":"tool_end","id":"toolu_000000000000000000000001","ok":false}
        {"event":"text","text":"All done."}
        {"event":"started","session":"00000000-0000-4000-8000-000000000024"}
        {"outcome":{"kind":"done"},"text":"All done."}"#]],
    );
}

#[test]
fn every_way_of_failing_has_its_own_end() {
    let end = |case: &str| json!(played(case).1.outcome).to_string();
    let cases = ["server_error", "cut", "garbage", "login", "rate_limit", "rate_limit_with_reset"];
    expect![[r#"
        server_error: {"detail":"Failed to get response from the AI model; retried 5 times (total retry wait time: 14.87 seconds) Last error: 500 Internal server error","kind":"service","status":500}
        cut: {"detail":"Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed to finalize Anthropic message stream: stream ended without producing a Message with role=assistant","kind":"service"}
        garbage: {"detail":"Failed to get response from the AI model; retried 5 times (total retry wait time: 5.00 seconds) Last error: Failed to finalize Anthropic message stream: stream ended without producing a Message with role=assistant","kind":"service"}
        login: {"detail":"Authentication failed with provider at http://127.0.0.1:1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.","kind":"login"}
        rate_limit: {"detail":"Failed to get response from the AI model; retried 5 times (total retry wait time: 56.05 seconds) Last error: 429 This request would exceed your rate limit.","kind":"usage_limit"}
        rate_limit_with_reset: {"detail":"Failed to get response from the AI model; retried 5 times (total retry wait time: 10.71 seconds) Last error: 429 This request would exceed your rate limit.","kind":"usage_limit"}"#]].assert_eq(&cases.map(|case| format!("{case}: {}", end(case))).join("\n"));
    let retries = |events: Vec<AgentEvent>| {
        events.iter().filter(|event| matches!(event, AgentEvent::Retry { .. })).count()
    };
    assert_eq!(retries(played("server_error").0), 6);
}

fn result(code: i64) -> Value {
    json!({"type": "result", "sessionId": "S", "exitCode": code})
}

fn heard(lines: &[Value], usage: Option<PathBuf>) -> (Vec<AgentEvent>, Finished) {
    let before = Usage { input_tokens: Some(100), output_tokens: Some(20), ..Usage::default() };
    let (mut talk, mut turn) = (stream::CopilotStream::new(usage, before), Turn::default());
    lines.iter().for_each(|line| talk.heard(line, &mut turn));
    let exit = AgentExit { code: Some(1), signal: None, stderr_tail: "why".to_owned() };
    (turn.events, talk.ended(&exit))
}

#[test]
fn tokens_are_read_from_the_file_that_counts_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("usage.json");
    let of =
        |input: u64, output: u64| json!({"usage": {"inputTokens": input, "outputTokens": output}});
    let counts = json!({"modelMetrics": {"a": of(150, 30), "b": of(50, 10)}});
    fs::write(&file, counts.to_string()).unwrap();
    let (events, _) = heard(&[result(0)], Some(file.clone()));
    let spent = Usage { input_tokens: Some(100), output_tokens: Some(20), ..Usage::default() };
    assert!(events.contains(&AgentEvent::Usage { spent }), "{events:?}");
    fs::write(&file, "").unwrap();
    let (events, _) = heard(&[result(0)], Some(file));
    assert!(
        !events.iter().any(|event| matches!(event, AgentEvent::Usage { .. })),
        "unknown stays unknown"
    );
}

#[test]
fn an_end_without_a_message_is_unclear_and_unknown_lines_are_passed_over() {
    let noise = [json!(1), json!({"type": "new.thing"}), json!({"type": "tool.execution_start"})];
    let detail = "why".to_owned();
    let unclear = TurnOutcome::Unclear { exit_code: Some(1), signal: None, detail };
    assert_eq!(heard(&noise, None).1.outcome, unclear);
    assert_eq!(heard(&[result(1)], None).1.outcome, unclear, "it failed and did not say why");
}

/// The command line and the variables; `{home}` stands for the private folder.
fn started(change: impl FnOnce(&mut AgentConfig, &mut Job<'_>)) -> (String, AgentStart) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::create(folder.path()).unwrap();
    let (mut settings, schema) = (agent(), json!({}));
    let still = agent();
    let mut job = Job {
        agent: &still,
        program: vec!["/bin/copilot".to_owned()],
        access: Access::Tree,
        tree: Path::new("/srv/tree"),
        session_folder: ".agents-work/S",
        home: &home,
        resume: None,
        schema: &schema,
        person_home: Some(Path::new("/srv/ann")),
        is_confined: true,
        micro_usd: None,
    };
    change(&mut settings, &mut job);
    job.agent = &settings;
    let start = Copilot.start(&job).unwrap();
    (start.argv.join(" ").replace(&folder.path().display().to_string(), "{home}"), start)
}

fn agent() -> AgentConfig {
    AgentConfig {
        adapter: Adapter::Copilot,
        model: None,
        env: Vec::new(),
        program: None,
        args: Vec::new(),
        inherit: false,
        fallback: Vec::new(),
        command: Vec::new(),
    }
}

#[test]
fn what_a_role_may_write_needs_no_leave_and_the_rest_gets_none() {
    let line = |access: Access| started(|_, job| job.access = access).0;
    let lines = [Access::Read, Access::Session, Access::Tree].map(line);
    expect![[r#"
        /bin/copilot --output-format json --no-auto-update --no-ask-user --no-color --usage-output-file {home}/tollgate-usage.json --allow-tool=shell --disable-builtin-mcps
        /bin/copilot --output-format json --no-auto-update --no-ask-user --no-color --usage-output-file {home}/tollgate-usage.json --allow-tool=shell --allow-tool=write(/srv/tree/.agents-work/S/**) --disable-builtin-mcps
        /bin/copilot --output-format json --no-auto-update --no-ask-user --no-color --usage-output-file {home}/tollgate-usage.json --allow-all-tools --disable-builtin-mcps"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn a_session_is_taken_up_in_the_private_folder() {
    let (line, start) = started(|agent, job| {
        agent.model = Some("gpt-5.5".to_owned());
        agent.args = vec!["--context".to_owned(), "default".to_owned()];
        job.resume = Some("S-1");
    });
    expect!["/bin/copilot --output-format json --no-auto-update --no-ask-user --no-color --usage-output-file {home}/tollgate-usage.json --allow-all-tools --disable-builtin-mcps --model gpt-5.5 --resume=S-1 --context default"].assert_eq(&line);
    assert!(start.env.contains_key(HOME_VARIABLE) && start.writable.is_empty());
    assert_eq!(start.stdin, Stdin::Prompt);
}

#[test]
fn settings_that_are_inherited_are_the_persons_and_the_repositorys() {
    let (line, start) = started(|agent, _| agent.inherit = true);
    assert!(line.contains("--trust-folder") && !start.env.contains_key(HOME_VARIABLE), "{line}");
    assert_eq!(start.writable, [Path::new("/srv/ann/.copilot")]);
    let private = started(|_, _| {}).0;
    assert!(!private.contains("--trust-folder"), "{private}");
}
