//! A session that says DONE is held against its documents.

use crate::support::{APPROVE, Repo, SINGLE_FINAL};
use serde_json::json;

#[test]
fn r142_a_foreign_session_that_is_not_done_names_each_thing_that_is_open() {
    let repo = Repo::new();
    let status = json!({
        "current_state": "DONE", "session": "2026-01-05_login", "assumptions": [], "known_issues": [],
        "user_decisions": [{"decision_id": "UD-3", "question": "Which?", "status": "pending", "answer": null,
            "asked_at": "2026-01-05T10:00:00Z", "resolved_at": null, "state_context": "DESIGN",
            "resolution_reason": null}],
        "retry_counts": {"T-001": {"FIX_REVIEW": 4, "FIX_TESTS": 3}},
        "ac_results": [{"id": "AC-001", "result": "unmet"}],
        "last_ci_result": "unknown", "last_update": "2026-01-05T10:00:00Z"
    });
    repo.write("old/status.json", &status.to_string());
    repo.write(
        "old/tasks.yaml",
        "tasks:\n  - {id: T-001, status: completed}\n  - {id: T-002, status: in-progress}\n",
    );
    let ran = repo.tollgate(&["check", "--json", "old"]).exits(1);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let told: Vec<String> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["code"].as_str().unwrap().starts_with("done."))
        .map(|one| format!("{} {}", one["code"], one["message"]).replace(['"', '\\'], ""))
        .collect();
    assert_eq!(
        told,
        [
            "done.open_task the session is DONE, but T-002 is in-progress",
            "done.pending_decision the session is DONE, but decision UD-3 is pending",
            "done.unmet the session is DONE, but criterion AC-001 is unmet",
            "done.loop_exceeded the session is DONE, but FIX_REVIEW of T-001 was begun 4 times; the limit is 3",
            "done.no_report the session is DONE, but there is no report.md",
        ]
    );
    // While it is at work, none of this is a fault.
    repo.write("old/status.json", &status.to_string().replace("\"DONE\"", "\"IMPLEMENT_LOOP\""));
    let ran = repo.tollgate(&["check", "old"]);
    assert!(!ran.err.contains("the session is DONE"), "{ran:?}");
    repo.tollgate(&["explain", "done.open_task"]).exits(0);
}

#[test]
fn r142_a_session_of_ours_that_is_done_passes_and_fails_without_its_report() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let folder = repo.session();
    let folder = folder.to_str().unwrap();
    repo.tollgate(&["check", folder]).exits(0);
    std::fs::remove_file(repo.session().join("report.md")).unwrap();
    let ran = repo.tollgate(&["check", "--json", folder]).exits(1);
    assert!(ran.out.contains("done.no_report"), "{ran:?}");
}
