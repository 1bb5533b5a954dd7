//! Ctrl-C, as a person types it: it reaches every program in front, and nothing is lost or left behind.

use crate::support::plan::{Planned, plan, planner, writes};
use crate::support::processes::expect_gone;
use crate::support::pty::{GATE, Terminal, at_the_gate};
use crate::support::{APPROVE, GOAL, Repo, eventually};
use serde_json::json;
use std::fs;

/// What the program of the person does when they type Ctrl-C: it ends, or it takes no notice.
#[test]
fn r180_ctrl_c_in_the_editor_or_the_pager_is_theirs_alone() {
    for (key, variable) in [("e", "EDITOR"), ("v", "PAGER")] {
        for trap in ["", "trap '' INT"] {
            let repo = Repo::new();
            let begun = repo.outside("begun");
            let lines = format!("{trap}\ntouch {}\nsleep 1", begun.display());
            let program = repo.program("program", &lines);
            let mut person = at_the_gate(&repo, &[(variable, program.to_str().unwrap())]);
            person.types(key);
            eventually("the program of the person runs", || begun.exists());
            person.types_ctrl_c().wait_for("> ").types("approved");
            person.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
            assert_eq!(person.ends(), 3, "{variable} {trap}");
            assert!(person.is_as_before());
        }
    }
}

#[test]
fn r180_an_editor_that_fails_sends_nothing() {
    let repo = Repo::new();
    let lines = "printf 'changes-requested: half a thought' > \"$1\"\nexit 1";
    let editor = repo.program("editor", lines);
    let mut person = at_the_gate(&repo, &[("EDITOR", editor.to_str().unwrap())]);
    person.types("e").wait_for("nothing is sent").wait_for("> ");
    assert_eq!(repo.decision(GATE)["status"], "pending");
    // What was written is there again.
    let seen = repo.outside("seen");
    repo.program("editor", &format!("cp \"$1\" {}; touch \"$1\"", seen.display()));
    person.types("e").wait_for("UD-APPROVE-DESIGN (approve)").wait_for("> ").hangs_up();
    person.ends();
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.starts_with("changes-requested: half a thought\n"), "{seen}");
}

#[test]
fn r180_ctrl_c_where_words_are_asked_for_leaves_the_question_open() {
    let repo = Repo::new();
    let mut person = at_the_gate(&repo, &[("PAGER", "cat")]);
    person.types("2").wait_for("text> ").sends("half a th").wait_for("half a th").types_ctrl_c();
    assert_eq!(person.ends(), 130);
    assert!(person.is_as_before());
    assert_eq!(repo.decision(GATE)["status"], "pending");
}

#[test]
fn r180_ctrl_c_during_the_snapshot_leaves_nothing_in_the_way() {
    let repo = Repo::new();
    let path = repo.git_that_stops("--ignored");
    let mut person = Terminal::start_with(&repo, &["run", GOAL], "PATH", &path);
    person.wait_for("a snapshot of your checkout is taken");
    eventually("git at work", || repo.outside("busy").exists());
    person.types_ctrl_c();
    assert_ne!(person.ends(), 0);
    assert!(person.is_as_before());
    assert!(!repo.root().join(".agents-work").exists(), "no session was begun");
    repo.run().exits(3);
}

/// A command that is known by its number, to see whether it still runs.
fn slow(number: u32) -> String {
    format!("cmd: sleep {number}")
}

#[test]
fn r180_ctrl_c_during_checks_ends_them() {
    let checks = format!("[{:?}]", slow(61_234));
    let checks: &'static str = Box::leak(checks.into_boxed_str());
    let repo =
        Repo::with(json!([planner(&[Planned { checks, ..Planned::new("T-001", "app.txt") }])]));
    repo.through(&[APPROVE]).exits(3);
    let mut person = Terminal::start(&repo, &["resume"]);
    person.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").types("per-batch");
    person.wait_for("checks: sleep 61234").types_ctrl_c();
    assert_eq!(person.ends(), 130);
    assert!(person.is_as_before());
    expect_gone("sleep 61234");
}

#[test]
fn r184_ctrl_c_where_a_name_must_be_typed_removes_nothing() {
    let repo = Repo::new();
    repo.run().exits(3);
    let mut person = Terminal::start(&repo, &["rm", "latest"]);
    person.wait_for("to remove it for good: ").types_ctrl_c();
    assert_ne!(person.ends(), 0);
    assert!(person.is_as_before());
    repo.resume().exits(3).says(GATE);
}

#[test]
fn r183_ctrl_c_ends_who_follows_an_agent_and_not_the_agent() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1},
        "do": {"stderr": "reads the code\n", "hang": true}}]));
    let mut run = repo.start(&["run", "--no-input", GOAL]);
    eventually("the agent works", || repo.starts_of("SpecAgent") == 1);
    let mut person = Terminal::start(&repo, &["logs", "-f"]);
    person.wait_for("reads the code").types_ctrl_c();
    assert_eq!(person.ends(), 130);
    assert!(run.try_wait().unwrap().is_none(), "the session runs on");
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    assert_eq!(run.wait().unwrap().code(), Some(4));
}

#[test]
fn r188_ctrl_c_during_the_checks_of_a_merge_changes_nothing() {
    let task = Planned { checks: "[\"cmd: sh check.sh\"]", ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &plan(&[task]))]));
    repo.write("check.sh", "true\n");
    crate::route::commit(&repo);
    repo.lean().exits(0);
    repo.write("check.sh", "sleep 61235\n");
    crate::route::commit(&repo);
    let main = repo.git(&["rev-parse", "main"]);
    let mut person = Terminal::start(&repo, &["merge"]);
    eventually("the checks run", || !crate::support::processes::alive("sleep 61235").is_empty());
    person.types_ctrl_c();
    assert_eq!(person.ends(), 130);
    expect_gone("sleep 61235");
    assert_eq!(repo.git(&["rev-parse", "main"]), main);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    fs::remove_file(repo.root().join("check.sh")).unwrap();
}
