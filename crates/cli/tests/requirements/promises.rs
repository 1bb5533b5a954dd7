//! What no agent and no environment may take away: secrets stay out, scripts never hang.

use crate::support::plan::replies;
use crate::support::{APPROVE, GOAL, Repo, SINGLE_FINAL, files_below, ran};
use expect_test::expect;
use serde_json::json;
use std::fs;

#[test]
fn r113_a_secret_of_the_parent_reaches_no_agent_and_no_file() {
    let secret = "sk-planted-4f9a8b7c6d5e4f3a2b1c";
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["env"]}},
        {"when": {"role": "Coder"}, "do": {"default": true, "run": ["sh", "-c", "env >&2; cat /proc/$PPID/environ >&2"]}},
    ]));
    let run = |args: &[&str]| {
        ran(repo
            .command(args)
            .env("MY_API_KEY", secret)
            .env("LC_ALL", "C")
            .env("SSH_AUTH_SOCK", "/planted/socket"))
    };
    run(&["run", "--no-input", GOAL]).exits(3);
    run(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    run(&["answer", "latest", SINGLE_FINAL.0, SINGLE_FINAL.1, "--resume"]).exits(0);
    let seen = repo.session_file("dispatches/1/attempt-1/stderr.log");
    for name in ["PATH=", "HOME=", "TERM=dumb", "TOLLGATE_ROLE=SpecAgent", "LC_ALL=C"] {
        assert!(seen.contains(name), "{name} is let through: {seen}");
    }
    for place in [repo.root(), repo.outside("state"), repo.outside("home")] {
        for path in files_below(&place) {
            let bytes = fs::read(&path).unwrap();
            for planted in [secret, "/planted/socket"] {
                let found = bytes.windows(planted.len()).any(|w| w == planted.as_bytes());
                assert!(!found, "{planted} in {}", path.display());
            }
        }
    }
}

#[test]
fn r113_a_name_in_the_settings_lets_a_variable_through_and_no_file_has_it() {
    let secret = "sk-planted-4f9a8b7c6d5e4f3a2b1c";
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["sh", "-c", "echo key=$MY_API_KEY; test -n \"$MY_API_KEY\" && echo was set"]}},
    ]));
    let settings = fs::read_to_string(repo.root().join("tollgate.toml")).unwrap();
    repo.write(
        "tollgate.toml",
        &settings.replace("adapter = \"command\"", "adapter = \"command\"\nenv = [\"MY_API_KEY\"]"),
    );
    ran(repo.command(&["run", "--no-input", GOAL]).env("MY_API_KEY", secret)).exits(3);
    let log = repo.session_file("dispatches/1/attempt-1/stderr.log");
    assert!(log.contains("was set"), "{log}");
    assert_in_no_file(&repo, secret);
}

#[track_caller]
fn assert_in_no_file(repo: &Repo, secret: &str) {
    for path in files_below(&repo.session()) {
        let has_it = fs::read(&path).unwrap().windows(secret.len()).any(|w| w == secret.as_bytes());
        assert!(!has_it, "{}", path.display());
    }
}

#[test]
fn r113_a_secret_in_a_reply_is_in_no_file() {
    let secret = "sk-planted-4f9a8b7c6d5e4f3a2b1c";
    let repo = Repo::with(json!([replies(
        "SpecAgent",
        json!({"summary": format!("used {secret}"), "artifacts": {"notes": [format!("assumption: {secret} works")]}})
    ),]));
    let ran = ran(repo.command(&["run", "--no-input", GOAL]).env("MY_API_KEY", secret)).exits(3);
    assert!(!ran.err.contains(secret), "{}", ran.err);
    assert_in_no_file(&repo, secret);
}

#[test]
fn r118_without_a_terminal_nothing_prompts_and_the_way_to_answer_is_shown() {
    let repo = Repo::new();
    // Not even with the flag left out, and with something on standard input.
    let answers = repo.outside("answers");
    fs::write(&answers, "approved\n").unwrap();
    let mut command = repo.command(&["run", GOAL]);
    let ran = ran(command.stdin(fs::File::open(answers).unwrap())).exits(3);
    assert_eq!(ran.out, format!("{}\n", repo.session_name()), "nothing but the name");
    assert!(!ran.err.contains('\u{1b}'), "no colour: {:?}", ran.err);
    let shown = ran.err.split_once("\nYOUR TURN").unwrap().1;
    expect![[r#"
          SESSION waits for you

        UD-APPROVE-DESIGN Please review the proposed solution: acceptance.json, architecture.md, spec.md. Do you approve it?
        │ Acceptance criteria:
        │ - AC-001 every check passes
        │     cmd: true  <- proves nothing: it always passes
        │ .agents-work/SESSION/acceptance.json
        │ .agents-work/SESSION/architecture.md
        │     Overview: Plain text files.
        │     Modules/components: app.txt
        │ .agents-work/SESSION/spec.md
        │     Goals: Add a line to the app
        │     Acceptance Criteria: AC-001: every check passes.
        │     Definition of Done: All acceptance criteria are met.
           tollgate answer SESSION UD-APPROVE-DESIGN "approved" --resume
              Approve: the work continues with exactly these files
           tollgate answer SESSION UD-APPROVE-DESIGN "changes-requested: TEXT" --resume
              Request changes: SpecAgent and Architect run again with your comments; to send them to one role, write `changes-requested: Architect: TEXT` (SpecAgent or Architect)
    "#]].assert_eq(&repo.neutral(shown));
    // What is shown can be run as it is.
    let line = ran.err.lines().find(|line| line.contains("\"approved\"")).unwrap();
    let script = line.trim().replace("tollgate ", &format!("{} ", env!("CARGO_BIN_EXE_tollgate")));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(repo.root()).env_clear();
    for (name, value) in repo.command(&[]).get_envs() {
        shell.env(name, value.unwrap());
    }
    crate::support::ran(&mut shell).exits(3).says("UD-REVIEW-STRATEGY");
}

#[test]
fn r118_data_goes_to_stdout_and_talk_to_stderr() {
    let repo = Repo::new();
    repo.run().exits(3);
    let json = repo.tollgate(&["status", "--json"]).exits(0);
    assert_eq!(json.err, "");
    let text = repo.tollgate(&["status"]).exits(0);
    assert_eq!(text.err, "");
    assert!(text.out.contains("UD-APPROVE-DESIGN"));
    let status: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    for field in [
        "schema_version",
        "session",
        "action",
        "mode",
        "state",
        "goal",
        "branch",
        "blocker",
        "pending_decisions",
        "tasks",
        "dispatches",
        "changed_files",
        "findings",
        "spend",
    ] {
        assert!(status.get(field).is_some(), "{field}");
    }
    let question = &status["pending_decisions"][0];
    for field in ["decision_id", "kind", "question", "options", "state_context", "asked_at"] {
        assert!(!question[field].is_null(), "{field}");
    }
    for field in ["usd", "input_tokens", "output_tokens", "attempts", "wall_ms"] {
        assert!(status["spend"].get(field).is_some(), "{field}");
    }
}

#[test]
fn the_demo_shows_the_whole_workflow_by_itself() {
    let repo = Repo::bare();
    let folder = repo.outside("demo");
    let ran = repo.tollgate(&["demo", "--no-input", "--folder", folder.to_str().unwrap()]).exits(0);
    for words in
        ["changes-requested", "invalid", "FIX_REVIEW", "Security asks", "DONE", "tollgate merge"]
    {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    repo.tollgate(&["demo", "--no-input", "--folder", folder.to_str().unwrap()])
        .exits(2)
        .says("not empty");
}
