//! A failure is told with its cause first, and what a run may take is told before it starts.

use crate::support::plan::writes;
use crate::support::{Repo, ran};
use serde_json::json;
use std::fs;

/// One task with this check.
fn plan(check: &str) -> String {
    plan_called(check, "Change app.txt")
}

/// The same with a title of its own, as YAML has it between quotes.
pub fn plan_called(check: &str, title: &str) -> String {
    let check = serde_json::to_string(&format!("cmd: {check}")).unwrap();
    format!(
        "project:\n  name: app\n  definition_of_done: [\"every check passes\"]\ntasks:\n  - id: T-001\n    \
         status: not-started\n    type: feat\n    title: \"{title}\"\n    depends_on: []\n    \
         goal: app.txt has one line more\n    non_goals: []\n    context_files: []\n    \
         files_expected: [app.txt]\n    acceptance_checks: [{check}]\n    risk_flags: [none]\n    \
         done_when: [\"app.txt has the line\"]\n"
    )
}

#[test]
fn r187_a_repair_that_is_given_up_says_which_check_fails_and_what_it_printed() {
    // It passes on the base, so the work has broken it.
    let check = "if grep -q T-001 app.txt; then echo the sum is wrong; exit 3; fi";
    let repo = Repo::with(json!([
        writes("SpecAgent", "tasks.yaml", &plan(check)),
        {"when": {"role": "Coder", "nth": 1}, "do": {"default": true}},
        {"when": {"role": "Coder"}, "do": {"stderr": "nothing to do\n"}}
    ]));
    let blocked = repo.lean().exits(4);
    let question = blocked.err.rsplit_once("\nUD-1 ").unwrap().1;
    let first = question.lines().next().unwrap();
    assert!(first.contains("the sum is wrong; exit 3; fi` fails"), "{question}");
    assert!(question.contains("│ the sum is wrong\n"), "the output is told: {question}");
    let told = blocked.err.split_once("\nBLOCKED").unwrap().1;
    let cause = told.lines().nth(1).unwrap();
    assert!(cause.contains("message") && cause.contains("fails"), "the cause comes first: {told}");
    let status = repo.tollgate(&["status"]).exits(0).out;
    let coder = status.lines().find(|line| line.contains("Coder") && line.starts_with("dispatch"));
    assert!(coder.unwrap().contains("checks-fail"), "red work is not called accepted: {status}");
}

#[test]
fn r187_work_whose_checks_pass_is_called_accepted() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let status = repo.tollgate(&["status"]).exits(0).out;
    let coder = status.lines().find(|line| line.contains("Coder") && line.starts_with("dispatch"));
    assert!(coder.unwrap().contains("accepted"), "{status}");
}

#[test]
fn r187_what_the_sandbox_refused_an_agent_is_told_with_its_path() {
    let repo = Repo::new();
    let forbidden = repo.outside("forbidden");
    fs::create_dir(&forbidden).unwrap();
    let file = forbidden.join("cache.db").display().to_string();
    let write = ["sh".to_owned(), "-c".to_owned(), format!("echo x > {file}")];
    repo.crew(json!([
        {"when": {"role": "SpecAgent"}, "do": {"run": write, "exit": 1}}
    ]));
    let blocked = repo.lean().exits(4);
    assert!(blocked.err.contains(&format!("it may not write {file}")), "{}", blocked.err);
    assert!(blocked.err.contains("[sandbox]"), "{}", blocked.err);
    assert!(!forbidden.join("cache.db").exists());
}

#[test]
fn r187_what_similar_sessions_took_is_told_before_the_first_agent_starts() {
    let repo = Repo::new();
    repo.lean().exits(0).does_not_say("estimate");
    let second = repo.lean().exits(0);
    let (before, _) = second.err.split_once("SpecAgent").unwrap();
    assert!(before.contains("estimate about 4 dispatches, less than a minute"), "{before}");
}

#[test]
fn r183_a_command_that_says_and_does_nothing_is_ended() {
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent", "nth": 1}, "do": {"hang": true}}
    ]));
    repo.settings("[timeout]\nsilence = \"1s\"");
    let ran = repo.lean().exits(0);
    assert!(ran.err.contains("the agent was silent for 1 s and was stopped"), "{}", ran.err);
    assert!(!ran.err.contains("model service"), "{}", ran.err);
    assert_eq!(repo.starts_of("SpecAgent"), 2);
}

#[test]
fn r183_a_command_that_computes_in_silence_is_left_alone() {
    let repo = Repo::new();
    let busy = "i=0; end=$(($(date +%s)+3)); while [ $(date +%s) -lt $end ]; do i=$((i+1)); done";
    repo.crew(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "run": ["sh", "-c", busy]}}
    ]));
    repo.settings("[timeout]\nsilence = \"1s\"");
    repo.lean().exits(0).does_not_say("no output for");
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn r187_the_first_line_comes_before_the_session() {
    let repo = Repo::new();
    let shown = ran(&mut repo.command(&["run", "--no-input", "--lean", "Add a line"])).exits(0);
    assert!(shown.err.starts_with("start a snapshot of your checkout is taken\n"), "{}", shown.err);
}
