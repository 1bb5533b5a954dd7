//! A failure is told with its cause first, and what a run may take is told before it starts.

use crate::support::plan::writes;
use crate::support::{Ran, Repo, ran};
use serde_json::{Value, json};
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
    let (before, question) = blocked.err.rsplit_once("\nUD-1 ").unwrap();
    let at_once = before.split_once("1 of 1 failed").unwrap().1.lines().nth(1).unwrap();
    assert_eq!(at_once, "│ the sum is wrong", "the first failure is told with its cause");
    let first = question.lines().next().unwrap();
    assert!(first.contains("the sum is wrong; exit 3; fi` fails"), "{question}");
    assert!(question.contains("│ the sum is wrong\n"), "the output is told: {question}");
    let told = blocked.err.split_once("\nBLOCKED").unwrap().1;
    let cause = told.lines().nth(1).unwrap();
    assert!(cause.contains("message") && cause.contains("fails"), "the cause comes first: {told}");
    let status = repo.tollgate(&["status"]).exits(0).out;
    let coder = status.lines().find(|line| line.contains("Coder") && line.starts_with("dispatch"));
    assert!(coder.unwrap().contains("checks-failed"), "red work is not called accepted: {status}");
}

#[test]
fn r187_a_question_about_repairs_begins_with_the_check_that_fails_and_ends_with_what_was_tried() {
    let repo = red_at_the_end(json!([]));
    let asked = repo.lean().exits(3);
    let question = asked.err.rsplit_once("\nUD-1 ").unwrap().1;
    let lines: Vec<&str> = question.lines().collect();
    assert!(lines[0].contains("`! grep T-001 app.txt` fails"), "{question}");
    assert!(lines[0].ends_with("exit code 1"), "{question}");
    assert_eq!(lines[1], "│ Its last output:", "{question}");
    let (output, tried) = question.split_once("was tried 3 times without success").unwrap();
    assert!(output.contains("│ T-001: dispatch "), "{question}");
    assert!(tried.contains("dispatch 7, Coder"), "{question}");
}

#[test]
fn r187_after_several_repairs_the_check_is_named_and_not_that_no_file_was_changed() {
    let check = "if grep -q T-001 app.txt; then echo the sum is wrong; exit 3; fi";
    let repo = Repo::with(json!([
        writes("SpecAgent", "tasks.yaml", &plan(check)),
        {"when": {"role": "Coder", "nth": 1}, "do": {"default": true}},
        {"when": {"role": "Coder", "nth": 2}, "do": {"default": true}},
        {"when": {"role": "Coder"}, "do": {"stderr": "nothing to do\n"}}
    ]));
    let blocked = repo.lean().exits(4);
    let told = blocked.err.split_once("\nBLOCKED").unwrap().1;
    let (report, question) = told.rsplit_once("\nUD-1 ").unwrap();
    let at =
        |text: &str, words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    let message = at(report, "message ");
    assert!(
        at(report, "exit 3; fi` fails: exit code 3") < at(report, "no file was changed"),
        "{report}"
    );
    assert!(message < at(report, "| the sum is wrong\n"), "{report}");
    assert!(at(report, "| the sum is wrong\n") < at(report, "action "), "{report}");
    assert!(
        at(question, "│ the sum is wrong\n") < at(question, "no file was changed"),
        "{question}"
    );
    let first = question.lines().next().unwrap();
    assert!(first.contains("exit 3; fi` fails"), "{question}");
}

/// How the dispatches of the Coder stand.
fn coders(repo: &Repo) -> Vec<String> {
    let status = repo.tollgate(&["status"]).exits(0).out;
    let lines = status.lines().filter(|line| line.starts_with("dispatch"));
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words[2] == "Coder").map(|words| words[4].to_owned()).collect()
}

/// A lean session whose task holds by itself, while what all of it is to achieve does not.
fn red_at_the_end(more: Value) -> Repo {
    let criterion = json!({"id": "AC-001", "description": "no task is named", "verify": ["cmd: ! grep T-001 app.txt"]});
    let spec = json!({"when": {"role": "SpecAgent"}, "do": {"default": true, "write": {
        ".agents-work/{session}/tasks.yaml": plan("true"),
        ".agents-work/{session}/acceptance.json": json!({"acceptance_criteria": [criterion]}).to_string()
    }}});
    let rules = more.as_array().unwrap().iter().cloned().chain([spec]).collect();
    Repo::with(Value::Array(rules))
}

#[test]
fn r187_work_is_nowhere_called_accepted_while_the_last_checks_of_all_are_red() {
    let repo = red_at_the_end(json!([]));
    let blocked = repo.lean().exits(3).says("T-001: dispatch");
    assert_eq!(coders(&repo), ["checks-failed"; 4]);
    // The first one was told of when the checks of its own task had passed.
    let watched = blocked.err.lines().filter(|line| line.contains(" Coder session (FIX_BUILD)  "));
    assert_eq!(watched.clone().count(), 3, "{}", blocked.err);
    let is_red = |line: &str| line.starts_with('✗') && line.contains("checks failed");
    assert!(watched.clone().all(is_red), "{}", blocked.err);
    let log = repo.tollgate(&["log"]).exits(0).out;
    let is_ok = |line: &str| line.contains(" ok ") && line.contains(" Coder ");
    assert!(!log.lines().any(is_ok), "{log}");
    let audit = repo.tollgate(&["audit"]).exits(0).out;
    let commits = audit.split_once("\ncommits\n").unwrap().1;
    let commits = commits.lines().take_while(|line| !line.is_empty());
    let coders: Vec<&str> = commits.filter(|line| line.contains(" Coder ")).collect();
    assert_eq!(coders.len(), 4, "{audit}");
    assert!(coders.iter().all(|line| line.ends_with(", its checks failed")), "{audit}");
    let trace = repo.session_file("evidence/artifact-trace.md");
    assert!(!trace.contains("Dispatch 2 is accepted"), "{trace}");
}

#[test]
fn r187_work_that_a_later_repair_put_right_counts_by_the_checks_that_ran_on_it() {
    let repo = red_at_the_end(json!([
        {"when": {"role": "Coder", "nth": 3}, "do": {"write": {"app.txt": "one\ntwo\n"}}}
    ]));
    repo.lean().exits(0);
    assert_eq!(coders(&repo), ["accepted", "checks-failed", "checks-failed", "accepted"]);
}

#[test]
fn r187_work_whose_checks_pass_is_called_accepted() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let status = repo.tollgate(&["status"]).exits(0).out;
    let coder = status.lines().find(|line| line.contains("Coder") && line.starts_with("dispatch"));
    assert!(coder.unwrap().contains("accepted"), "{status}");
}

/// What is said of a session whose SpecAgent tries to write a closed file, and then does this.
fn refused_and(then: Value) -> (String, Ran) {
    let repo = Repo::new();
    let forbidden = repo.outside("forbidden");
    fs::create_dir(&forbidden).unwrap();
    let file = forbidden.join("cache.db").display().to_string();
    let write = ["sh".to_owned(), "-c".to_owned(), format!("echo x > {file}")];
    let mut act = then;
    act["run"] = json!(write);
    repo.crew(json!([{"when": {"role": "SpecAgent"}, "do": act}]));
    repo.settings("[timeout]\nSpecAgent = \"3s\"");
    let ran = repo.lean();
    assert!(!forbidden.join("cache.db").exists());
    (file, ran)
}

#[test]
fn r187_what_the_sandbox_refused_an_agent_is_told_with_its_path_however_it_ended() {
    for then in [
        json!({"exit": 1}),
        json!({"reply": {"status": "BLOCKED", "summary": "it cannot be done"}}),
        json!({"reply": {"status": "FAIL", "summary": "it cannot be done"}}),
        json!({"stdout": "no reply at all"}),
        json!({"hang": true}),
    ] {
        let (file, blocked) = refused_and(then.clone());
        let hint = format!("the sandbox does not let agents write {file}; `write` below [sandbox]");
        assert!(blocked.err.contains(&hint), "{then}: {}", blocked.err);
    }
}

#[test]
fn r187_a_refusal_that_is_not_the_sandboxs_is_not_called_its() {
    let repo = Repo::new();
    let open = repo.counts().join("cache.db").display().to_string();
    let said = format!("sh: cannot create {open}: Permission denied\n");
    repo.crew(json!([{"when": {"role": "SpecAgent"}, "do": {"stderr": said, "exit": 1}}]));
    repo.lean().exits(4).does_not_say("the sandbox does not let");
}

#[test]
fn r187_that_the_cost_is_unknown_is_said_once() {
    let repo = Repo::new();
    repo.lean().exits(0);
    for args in [["audit"], ["status"]] {
        let said = repo.tollgate(&args).exits(0).out;
        assert_eq!(said.matches("unknown").count(), 1, "{args:?}: {said}");
    }
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
fn r183_a_command_has_a_limit_of_silence_without_any_setting() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let spec = repo.session_file("dispatches/1/attempt-1/run.json");
    let spec: Value = serde_json::from_str(&spec).unwrap();
    assert_eq!(spec["silence_ms"], 600_000, "{spec}");
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
    assert!(shown.err.starts_with("start Tollgate looks at the repository\n"), "{}", shown.err);
}
