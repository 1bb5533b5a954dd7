//! No process of an agent outlives its attempt, however it detached itself.

use crate::route::{ends_of, route};
use crate::support::processes::{CHILD, alive, expect_gone};
use crate::support::{Repo, eventually};
use serde_json::json;
use std::fs;
use std::process::Child;

const KINDS: [&str; 4] = ["plain", "setsid", "daemon", "stubborn"];

/// A session whose agent has four children at work, and what their command lines hold.
fn with_children(settings: &str, ends: bool) -> (Repo, Child, String) {
    let repo = route(json!([]), &["{dispatch: Researcher, state: DESIGN, outputs: [research/]}"]);
    repo.settings(settings);
    let child = repo.outside("child.py").display().to_string();
    let folder = repo.open_outside("ready");
    let ready = folder.display();
    fs::write(&child, CHILD).unwrap();
    let start = |kind| format!("python3 {child} {kind} {ready} </dev/null >/dev/null 2>&1 &\n");
    let wait = |kind| format!("while [ ! -e {ready}/{kind} ]; do sleep 0.05; done\n");
    let script = KINDS.map(start).concat() + &KINDS.map(wait).concat();
    repo.crew(json!([{"when": {"role": "Researcher"},
        "do": {"default": true, "run": ["sh", "-c", script], "hang": !ends, "sleep_ms": 1000}}]));
    let engine = repo.start(&["run", "--no-input", "--action", "x", "Make it"]);
    eventually("all children", || KINDS.iter().all(|kind| folder.join(kind).exists()));
    assert!(alive(&child).len() >= KINDS.len(), "{:?}", alive(&child));
    (repo, engine, child)
}

#[track_caller]
fn exits(engine: Child, code: i32) {
    let ended = engine.wait_with_output().unwrap();
    let words = crate::support::text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(code), "{words}");
}

#[test]
fn r112_after_a_timeout_no_child_of_the_agent_is_alive() {
    let (repo, engine, marker) = with_children("[timeout]\nResearcher = \"3s\"", false);
    exits(engine, 4);
    expect_gone(&marker);
    assert_eq!(ends_of(&repo, 1), ["timed_out"]);
}

#[test]
fn r112_after_a_cancel_no_child_of_the_agent_is_alive() {
    let (repo, engine, marker) = with_children("", false);
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    expect_gone(&marker);
    exits(engine, 4);
}

#[test]
fn r112_after_its_reply_no_child_of_the_agent_is_alive() {
    let (repo, engine, marker) = with_children("", true);
    exits(engine, 0);
    expect_gone(&marker);
    assert_eq!(ends_of(&repo, 1), ["replied"]);
}
