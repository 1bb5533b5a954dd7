//! The example in the guide is a program; here it plays the roles of a lean run.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SESSION: &str = "2026-01-02_notes";

#[test]
fn the_example_agent_of_the_guide_works() {
    if Command::new("python3").arg("--version").output().is_err() {
        return; // the example is Python, and Tollgate needs none
    }
    let workspace = tempfile::tempdir().unwrap();
    for role in ["SpecAgent", "Coder", "Reviewer"] {
        let reply = play(workspace.path(), role);
        assert_eq!(reply["status"], "OK", "{reply}");
        assert_eq!(reply["next"]["recommended_task_id"], "T-001", "{reply}");
    }
    let session = workspace.path().join(".agents-work").join(SESSION);
    let spec = std::fs::read_to_string(session.join("spec.md")).unwrap();
    for section in ["## Goals", "## Acceptance Criteria", "## Definition of Done"] {
        assert!(spec.contains(section), "{spec}");
    }
    for name in ["acceptance.json", "tasks.yaml"] {
        let text = std::fs::read_to_string(session.join(name)).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
    let notes = std::fs::read_to_string(workspace.path().join("NOTES.md")).unwrap();
    assert_eq!(notes, "Keep a note\n");
}

fn play(workspace: &Path, role: &str) -> serde_json::Value {
    let input = workspace.join("input.json");
    std::fs::write(&input, r#"{"task": {"id": "T-001", "goal": "Keep a note"}}"#).unwrap();
    let mut child = Command::new("python3")
        .args(["-c", &example()])
        .current_dir(workspace)
        .env("TOLLGATE_ROLE", role)
        .env("TOLLGATE_SESSION", SESSION)
        .env("TOLLGATE_INPUT", &input)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"a prompt").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else")
}

fn example() -> String {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/writing-an-agent.md");
    let text = std::fs::read_to_string(page).unwrap();
    let (_, after) = text.split_once("```python\n").unwrap();
    after.split_once("\n```").unwrap().0.to_owned()
}
