#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{AgentExit, Home, Turn};
use expect_test::expect;
use serde_json::{Value, json};
use std::fs;
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_core::reply::Usage;

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
    let still = AgentConfig::plain(Adapter::Copilot);
    let mut settings = still.clone();
    let mut job = Job {
        program: vec!["/bin/copilot".to_owned()],
        person_home: Some(Path::new("/srv/ann")),
        ..Job::sample(&still, Path::new("/srv/tree"), &home)
    };
    change(&mut settings, &mut job);
    job.agent = &settings;
    let start = Copilot.start(&job).unwrap();
    (start.argv.join(" ").replace(&folder.path().display().to_string(), "{home}"), start)
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
