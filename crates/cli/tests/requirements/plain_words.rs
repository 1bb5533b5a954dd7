//! What people read says what happened, in words that fit: names, causes and remedies.

use crate::support::plan::{Planned, planner, replies, writes};
use crate::support::{APPROVE, Ran, Repo, SINGLE_FINAL, eventually};
use serde_json::json;
use std::fs;
use std::process::{Child, Command};

#[test]
fn r187_a_name_with_a_control_character_is_shown_with_its_reason() {
    let repo = Repo::with(json!([
        {"when": {"role": "Coder"}, "do": {"default": true, "write": {"weird\nname": "x"}}}
    ]));
    let shown = r#"Coder may not change "weird\nname": its name has a control character"#;
    repo.lean().exits(4).says(shown);
    let kept = repo.root().join(".artifacts-failed").join(repo.session_name());
    let number = repo.dispatch_of("Coder", 0);
    let errors = kept.join(format!("dispatch-{number}/attempt-3/errors.txt"));
    let errors = fs::read_to_string(errors).unwrap();
    assert!(errors.contains(shown) && errors.lines().count() == 1, "{errors}");
}

#[test]
fn r188_commits_carry_no_control_sequences_of_agents() {
    let evil = r"Write \u001b[31mRED\u202Eevil";
    let tasks = crate::causes::plan_called("true", evil);
    let repo = Repo::with(json!([
        writes("SpecAgent", "tasks.yaml", &tasks),
        {"when": {"role": "Coder"}, "do": {"default": true, "reply": {
            "summary": "done \u{1b}]0;owned\u{7}and \u{1b}[1mbold\u{202e}"}}}
    ]));
    repo.tollgate(&["run", "--no-input", "--lean", "Add \u{1b}[31ma line\u{202e}"]).exits(0);
    repo.tollgate(&["merge", "--squash"]).exits(0);
    let messages = repo.git(&["log", "--all", "--format=%B"]);
    assert!(messages.contains("Write REDevil\n"), "{messages}");
    assert!(messages.contains("done and bold\n"), "{messages}");
    assert!(messages.contains("Add a line\n"), "{messages}");
    for rest in ["[31m", "[1m", "owned", "\u{202e}", "\u{1b}"] {
        assert!(!messages.contains(rest), "{rest:?} in {messages}");
    }
}

#[test]
fn r187_a_session_that_is_done_cannot_be_cancelled_and_says_what_removes_it() {
    let repo = Repo::new();
    repo.lean().exits(0);
    let name = repo.session_name();
    repo.tollgate(&["cancel", "--reason", "too late"])
        .exits(2)
        .says(&format!("{name} is done and cannot be cancelled"))
        .says(&format!("`tollgate rm {name}` removes it"));
}

#[test]
fn r187_a_cancel_without_a_reason_says_how_to_give_one() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.tollgate(&["cancel"]).exits(2).says("tollgate cancel latest --reason \"TEXT\"");
}

#[test]
fn r187_a_state_of_several_steps_is_told_once() {
    let repo = Repo::new();
    let told = repo.through(&[APPROVE, SINGLE_FINAL]).exits(0).err;
    for state in ["state INTEGRATE", "state RELEASE"] {
        assert_eq!(told.matches(state).count(), 1, "{state} in {told}");
    }
}

#[test]
fn r187_a_finding_about_no_file_has_no_sign_in_its_place() {
    let finding = json!({"severity": "medium", "category": "x", "description": "it is slow"});
    let repo = Repo::with(json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        replies("SpecAgent", json!({"artifacts": {"findings": [finding]}}))
    ]));
    let told = repo.run().exits(3).err;
    assert!(told.contains("[medium] it is slow"), "{told}");
    let status = repo.tollgate(&["status"]).exits(0).out;
    let line = status.lines().find(|line| line.contains("it is slow")).unwrap();
    assert!(!line.contains("-:"), "{line}");
    let listed = repo.tollgate(&["findings"]).exits(0).out;
    assert!(!listed.contains("-  it is slow"), "{listed}");
}

/// Two that answer at the same time: one runs the session, and takes what the other one says.
#[test]
fn r185_of_two_answers_at_once_none_is_lost() {
    let repo = Repo::with(
        json!([{"when": {"role": "Planner"}, "do": {"default": true, "sleep_ms": 1500}}]),
    );
    repo.run().exits(3);
    let (decision, answer) = APPROVE;
    let args = ["answer", "latest", decision, answer, "--resume"];
    let both = [repo.start(&args), repo.start(&args)].map(ended);
    let told = both.iter().find(|ran| ran.code != 3).unwrap();
    // The same answer came twice; it is told so, and nobody is sent away.
    assert!(told.code == 2 && told.err.contains("is not open: it is answered"), "{both:?}");
}

fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| crate::support::text(bytes);
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

#[test]
fn r187_who_meets_a_stopped_process_is_told_how_to_continue_it() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"hang": true}}]));
    let mut running = repo.start(&["run", "--no-input", "--lean", "Add a line"]);
    eventually("an agent", || repo.starts_of("SpecAgent") == 1);
    let signal = |name: &str| {
        let pid = running.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    signal("-STOP");
    let words = format!("process {} runs this session and is stopped", running.id());
    let cure = format!("`kill -CONT {}`", running.id());
    let resumed = repo.resume();
    let cancelled = repo.tollgate(&["cancel", "--reason", "no"]);
    signal("-CONT");
    signal("-INT");
    running.wait().unwrap();
    resumed.exits(5).says(&words).says(&cure);
    cancelled.exits(5).says(&words).says(&cure);
}
