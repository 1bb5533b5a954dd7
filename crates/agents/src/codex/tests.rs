#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::event::{AgentEvent, Finished, TurnOutcome};
use crate::{Access, AgentExit, Home, Turn};
use expect_test::expect;
use serde_json::{Value, json};
use std::fs;
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_core::reply::Usage;

fn heard(lines: &[Value]) -> (Vec<AgentEvent>, Finished) {
    let (mut talk, mut turn) = (stream::CodexStream::new(Usage::default()), Turn::default());
    lines.iter().for_each(|line| talk.heard(line, &mut turn));
    let exit = AgentExit { code: Some(1), signal: None, stderr_tail: "why".to_owned() };
    (turn.events, talk.ended(&exit))
}

#[test]
fn a_reply_loses_the_nulls_that_strictness_asked_for() {
    let reply = json!({"status": "OK", "summary": "s", "next": null, "usage": null,
        "artifacts": {"notes": null}, "gates": {"meets_definition_of_done": true, "needs_tests": null}});
    let message = json!({"type": "agent_message", "text": reply.to_string()});
    let item = json!({"type": "item.completed", "item": message});
    let (_, finished) = heard(&[item, json!({"type": "turn.completed", "usage": {}})]);
    let left = json!({"status": "OK", "summary": "s", "artifacts": {}, "gates": {"meets_definition_of_done": true}});
    assert_eq!(finished.reply, Some(left));
}

#[test]
fn an_end_without_a_message_is_unclear_and_unknown_lines_are_passed_over() {
    let noise = [
        json!(1),
        json!({"type": "new.thing"}),
        json!({"type": "item.completed"}),
        json!({"item": []}),
    ];
    let (events, finished) = heard(&noise);
    assert_eq!(events, []);
    let detail = "why".to_owned();
    assert_eq!(finished.outcome, TurnOutcome::Unclear { exit_code: Some(1), signal: None, detail });
}

#[test]
fn a_list_of_things_to_do_is_not_a_running_tool() {
    let item = json!({"type": "item.started", "item": {"id": "item_1", "type": "todo_list"}});
    assert_eq!(heard(&[item]).0, []);
}

fn said_aside(line: &str) -> Vec<AgentEvent> {
    let mut turn = Turn::default();
    stream::CodexStream::new(Usage::default()).aside(line, &mut turn);
    turn.events
}

#[test]
fn r107_a_long_wait_is_only_in_the_log() {
    let line = "2026-01-01T00:00:00Z  WARN codex_core::responses_retry: stream disconnected - retrying sampling request \
         (1/5 in 7199.997s)... retries=1 sampling_error=exceeded retry limit, last status: 429 Too Many Requests";
    let detail = "exceeded retry limit, last status: 429 Too Many Requests".to_owned();
    let retry = AgentEvent::Retry { status: Some(429), wait_ms: Some(7_199_997), detail };
    assert_eq!(said_aside(line), [retry]);
    assert_eq!(said_aside(&line.replace("7199.997s", "212.5ms")), []);
    assert_eq!(said_aside(&line.replace("7199.997s", "3.1s")), []);
}

#[test]
fn refusals_are_permissions_that_were_not_given() {
    let refused = |what: &str| {
        let line = format!("2026-01-01T00:00:00Z ERROR codex_core::tools::router: error={what}");
        said_aside(&line)
    };
    for what in [
        "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
        "approval policy is Never; reject command",
    ] {
        assert_eq!(
            refused(what),
            [AgentEvent::Permission { what: what.to_owned(), granted: false }]
        );
    }
    assert_eq!(refused("request_user_input is unavailable in Default mode"), []);
    assert_eq!(said_aside("a person rejected this"), []);
}

/// The command line, the variables and the private settings; `{home}` stands for the private folder.
fn started(
    change: impl FnOnce(&mut AgentConfig, &mut Job<'_>),
) -> (String, AgentStart, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::create(folder.path()).unwrap();
    let schema = tollgate_contract::schema::schema("agent-output").unwrap();
    let still = AgentConfig::plain(Adapter::Codex);
    let mut settings = still.clone();
    let mut job = Job {
        program: vec!["/bin/codex".to_owned()],
        schema: &schema,
        person_home: Some(Path::new("/srv/ann")),
        ..Job::sample(&still, Path::new("/srv/a \"tree\""), &home)
    };
    change(&mut settings, &mut job);
    job.agent = &settings;
    let start = Codex.start(&job).unwrap();
    let line = start.argv.join(" ").replace(&folder.path().display().to_string(), "{home}");
    (line, start, fs::read_to_string(folder.path().join(CONFIG_FILE)).ok())
}

#[test]
fn it_is_started_for_one_turn_and_reads_the_prompt() {
    let (line, start, config) = started(|_, _| {});
    expect!["/bin/codex exec --json --skip-git-repo-check --output-schema {home}/tollgate-reply.schema.json --ignore-rules -"].assert_eq(&line);
    assert_eq!(start.stdin, Stdin::Prompt);
    assert!(start.env.contains_key("CODEX_HOME") && start.writable.is_empty());
    expect![[r#"
        approval_policy = "never"
        default_permissions = "tollgate"
        permissions.tollgate.filesystem = {":root"="write"}
        projects = {"/srv/a \"tree\""={"trust_level"="untrusted"}}
        check_for_update_on_startup = false
        analytics.enabled = false
        history.persistence = "none"
        skills.include_instructions = false
        skills.bundled.enabled = false
        shell_environment_policy.exclude = ["CODEX_API_KEY","OPENAI_API_KEY","CODEX_HOME","RUST_LOG"]
        features.hooks = false
        features.plugins = false
        features.remote_plugin = false
        features.apps = false
        features.memories = false
        features.multi_agent = false
        features.goals = false
        features.shell_snapshot = false
        features.daemon_auto_start = false
        features.unbounded_connection_retries = false
        allow_login_shell = false
    "#]].assert_eq(&config.unwrap());
}

#[test]
fn a_thread_is_taken_up_with_the_same_settings_and_the_persons_words_before_it() {
    let (line, ..) = started(|agent, job| {
        agent.model = Some("gpt-5.5".to_owned());
        agent.args = vec!["-c".to_owned(), "model_provider=\"mine\"".to_owned()];
        job.resume = Some("T-1");
    });
    expect![[r#"/bin/codex exec --json --skip-git-repo-check --output-schema {home}/tollgate-reply.schema.json --ignore-rules --model gpt-5.5 -c model_provider="mine" resume T-1 -"#]].assert_eq(&line);
}

#[test]
fn without_our_sandbox_its_own_bounds_what_a_role_may_write() {
    let bounds = |access: Access| {
        let config = started(|_, job| {
            job.access = access;
            job.is_confined = false;
        });
        config
            .2
            .unwrap()
            .lines()
            .filter(|line| line.contains("permissions"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    expect![[r#"
        default_permissions = "tollgate"
        permissions.tollgate.filesystem = {":root"="read",":slash_tmp"="write",":tmpdir"="write"}

        default_permissions = "tollgate"
        permissions.tollgate.filesystem = {"/srv/a \"tree\"/.agents-work/S"="write",":root"="read",":slash_tmp"="write",":tmpdir"="write"}

        default_permissions = ":workspace""#]].assert_eq(&[Access::Read, Access::Session, Access::Tree].map(bounds).join("\n\n"));
}

#[test]
fn settings_that_are_inherited_are_the_persons_and_the_bounds_stay_ours() {
    let (line, start, config) = started(|agent, _| agent.inherit = true);
    expect![[r#"/bin/codex exec --json --skip-git-repo-check --output-schema {home}/tollgate-reply.schema.json -c approval_policy="never" -c default_permissions="tollgate" -c permissions.tollgate.filesystem={":root"="write"} -c projects={"/srv/a \"tree\""={"trust_level"="trusted"}} -"#]].assert_eq(&line);
    assert!(!start.env.contains_key("CODEX_HOME"));
    assert_eq!(start.writable, [Path::new("/srv/ann/.codex")]);
    assert_eq!(config, None);
    let files = Codex.inherited(
        &AgentConfig::plain(Adapter::Codex),
        Path::new("/srv/ann"),
        Path::new("/srv/tree"),
    );
    for file in ["/srv/ann/.codex/config.toml", "/srv/tree/.codex/hooks.json"] {
        assert!(files.contains(&PathBuf::from(file)), "{file}");
    }
}

#[test]
fn the_usual_variable_of_openai_is_a_login_where_there_is_no_other() {
    let has_provider = |names: &[&str]| {
        let config =
            started(|agent, _| agent.env = names.iter().map(|&name| name.to_owned()).collect());
        config.2.unwrap().contains("env_key = \"OPENAI_API_KEY\"")
    };
    assert!(has_provider(&["OPENAI_API_KEY"]));
    assert!(!has_provider(&["OPENAI_API_KEY", "CODEX_API_KEY"]));
    assert!(!has_provider(&[]));
}

#[test]
fn no_start_ever_gives_it_the_whole_machine() {
    for access in [Access::Read, Access::Session, Access::Tree] {
        for (inherit, is_confined) in [(false, false), (false, true), (true, false), (true, true)] {
            let (line, _, config) = started(|agent, job| {
                agent.inherit = inherit;
                job.access = access;
                job.is_confined = is_confined;
            });
            let all = line + &config.unwrap_or_default();
            assert!(!all.contains("danger") && !all.contains("bypass"), "{all}");
        }
    }
}
