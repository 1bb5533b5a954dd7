//! What opencode is started with, and what lines that were not recorded mean.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::event::TurnOutcome;
use crate::{AgentExit, Home, Turn};
use tollgate_contract::config::{Adapter, AgentConfig};

#[test]
fn a_usage_limit_is_distinguished_from_a_service_that_fails() {
    let ended = |error: Value| {
        let mut stream = stream::OpencodeStream::default();
        stream.heard(&json!({ "type": "error", "error": error }), &mut Turn::default());
        stream.ended(&AgentExit::default()).outcome
    };
    let api = |status: u16| {
        json!({ "name": "APIError", "data": { "message": "m", "statusCode": status,
        "responseHeaders": { "retry-after": "60" } } })
    };
    assert!(matches!(ended(api(529)), TurnOutcome::Service { status: Some(529), .. }));
    assert!(matches!(ended(api(429)), TurnOutcome::UsageLimit { resets_at: Some(_), .. }));
    assert!(matches!(ended(json!({ "name": "UnknownError" })), TurnOutcome::Unclear { .. }));
    assert!(matches!(ended(json!(7)), TurnOutcome::Unclear { .. }));
}

#[test]
fn a_service_that_fails_is_known_from_the_log() {
    let note = |stream: &mut stream::OpencodeStream, note: Value| {
        let mut turn = Turn::default();
        stream.posted(note, &mut turn);
        turn.is_over
    };
    let failed = || json!({ "failed": "AI_APICallError: slow down" });
    let mut stream = stream::OpencodeStream::default();
    let over: Vec<bool> = (0..4).map(|_| note(&mut stream, failed())).collect();
    assert_eq!(over, [false, false, false, true]);
    let outcome = stream.ended(&AgentExit::default()).outcome;
    assert!(
        matches!(outcome, TurnOutcome::Service { detail, .. } if detail.ends_with("slow down"))
    );
    let mut stream = stream::OpencodeStream::default();
    assert!(!note(&mut stream, json!({ "waits": true })), "nothing failed");
    note(&mut stream, failed());
    stream.heard(&json!({ "type": "step_start" }), &mut Turn::default());
    assert!(!note(&mut stream, json!({ "waits": true })), "it continued");
    note(&mut stream, failed());
    assert!(note(&mut stream, json!({ "waits": true })));
}

#[test]
fn no_line_makes_it_panic() {
    let mut stream = stream::OpencodeStream::default();
    for line in [
        "null",
        "[]",
        "7",
        r#"{"type":"text"}"#,
        r#"{"type":"tool_use","part":{"state":3}}"#,
        r#"{"type":"step_finish","part":{"tokens":{"input":-1,"output":1e99},"cost":-1e300}}"#,
        r#"{"type":"error"}"#,
        r#"{"type":{"a":1},"sessionID":4}"#,
    ] {
        stream.heard(&serde_json::from_str(line).unwrap(), &mut Turn::default());
    }
    stream.ended(&AgentExit::default());
}

fn agent(inherit: bool) -> AgentConfig {
    AgentConfig {
        model: Some("anthropic/claude-sonnet-4-5".to_owned()),
        args: vec!["--variant".to_owned(), "high".to_owned()],
        inherit,
        ..AgentConfig::plain(Adapter::Opencode)
    }
}

fn started(access: Access, inherit: bool, resume: Option<&str>) -> (AgentStart, Value) {
    let start = started_in(Path::new("/srv/tree"), access, inherit, resume).unwrap();
    let settings = serde_json::from_str(&start.env["OPENCODE_CONFIG_CONTENT"]).unwrap();
    (start, settings)
}

fn started_in(
    tree: &Path,
    access: Access,
    inherit: bool,
    resume: Option<&str>,
) -> Result<AgentStart, String> {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::create(&temp.path().join("1")).unwrap();
    let person = temp.path().join("person");
    fs::create_dir_all(person.join(".cache")).unwrap();
    let agent = agent(inherit);
    let job = Job {
        program: vec!["opencode".to_owned()],
        access,
        resume,
        person_home: Some(&person),
        ..Job::sample(&agent, tree, &home)
    };
    Opencode.start(&job).map_err(|why| why.to_string())
}

#[test]
fn it_is_not_started_where_the_repository_has_settings_for_it_unless_it_inherits() {
    for name in SETTINGS_OF_THE_REPOSITORY {
        let tree = tempfile::tempdir().unwrap();
        let is_started = |inherit| started_in(tree.path(), Access::Tree, inherit, None).map(|_| ());
        assert_eq!(is_started(false), Ok(()));
        // Nowhere now, and somewhere by the time that it looks.
        std::os::unix::fs::symlink("nowhere", tree.path().join(name)).unwrap();
        let why = is_started(false).unwrap_err();
        assert!(why.contains(name) && why.contains("tollgate agents trust"), "{why}");
        assert_eq!(is_started(true), Ok(()));
    }
}

#[test]
fn each_role_gets_the_permissions_of_its_boundary_and_nothing_asks() {
    let edit = |access| started(access, false, None).1["permission"]["edit"].clone();
    assert_eq!(edit(Access::Read), "deny");
    assert_eq!(edit(Access::Session), json!({ "*": "deny", ".agents-work/S/*": "allow" }));
    assert_eq!(edit(Access::Tree), "allow");
    let settings = started(Access::Tree, true, None).1.to_string();
    assert!(!settings.contains("ask"), "{settings}");
}

#[test]
fn it_loads_nothing_of_the_person_and_the_repository_unless_it_inherits() {
    let (start, _) = started(Access::Tree, false, None);
    let private = [
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "OPENCODE_TEST_HOME",
        "OPENCODE_DISABLE_PROJECT_CONFIG",
        "OPENCODE_PURE",
    ];
    assert!(private.iter().all(|name| start.env.contains_key(*name)));
    assert!(start.writable.is_empty());
    let (start, _) = started(Access::Tree, true, None);
    assert!(!private.iter().any(|name| start.env.contains_key(*name)));
    assert_eq!(start.writable.len(), 3, "its own folders");
}

#[test]
fn a_session_is_taken_up_again_and_the_prompt_is_read() {
    let (start, _) = started(Access::Tree, false, Some("ses_1"));
    let words = "opencode run --format json --model anthropic/claude-sonnet-4-5 --session ses_1 --variant high";
    assert_eq!(start.argv.join(" "), words);
    assert_eq!(start.stdin, Stdin::Prompt);
}

#[test]
fn the_native_program_is_started_and_not_its_loader() {
    let temp = tempfile::tempdir().unwrap();
    let modules = temp.path().canonicalize().unwrap().join("node_modules");
    let native = modules.join(format!("opencode-{}/bin/opencode", npm::target().unwrap().0));
    for file in [&modules.join("opencode-ai/bin/opencode"), &native] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
    fs::create_dir(modules.join(".bin")).unwrap();
    let link = modules.join(".bin/opencode");
    std::os::unix::fs::symlink("../opencode-ai/bin/opencode", &link).unwrap();
    assert_eq!(Opencode.command(&link), [native.display().to_string()]);
    let alone = Path::new("/usr/local/bin/opencode");
    assert_eq!(Opencode.command(alone), [alone.display().to_string()]);
}
