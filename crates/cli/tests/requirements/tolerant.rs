//! Documents that say more than is needed, or in other words, are taken; what is wrong is told once.

use crate::support::plan::{Planned, plan, writes};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

fn checked(repo: &Repo, kind: &str, text: &str, exit: i32) -> Vec<String> {
    repo.write("document", text);
    let ran = repo.tollgate(&["check", "--json", "--as", kind, "document"]).exits(exit);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let diagnostics = found["diagnostics"].as_array().unwrap().iter();
    diagnostics
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            format!("{} {}", text("severity"), text("code"))
        })
        .collect()
}

#[test]
fn r149_further_fields_of_a_planner_are_accepted_with_a_notice() {
    let tasks = [Planned::new("T-001", "app.txt"), Planned::new("T-002", "app.2")];
    let more =
        plan(&tasks).replace("    type:", "    context_window: 8000\n    estimate: 2h\n    type:");
    let report = "# Report\n\n## What was done\n\nAll.\n\n## How to Run and Validate\n\nmake\n\n## Known issues\n\nNone.\n";
    let repo = Repo::with(json!([
        writes("Planner", "tasks.yaml", &more),
        writes("Docs", "report.md", report)
    ]));
    repo.through(&[APPROVE])
        .exits(3)
        .says("the field \"context_window\" is unknown and is ignored");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0).says("DONE");
    assert_eq!((repo.starts_of("Planner"), repo.starts_of("Docs")), (1, 1), "nobody is sent back");
    let notices = repo.status()["notices"].to_string();
    for words in [
        "estimate",
        "the section \\\"How to Run and Validate\\\" is taken for \\\"How to run\\\"",
        "is taken for \\\"How to test\\\"",
    ] {
        assert!(notices.contains(words), "{words}: {notices}");
    }
    assert_eq!(notices.matches("context_window").count(), 1, "told once: {notices}");
    repo.tollgate(&["explain", "work.odd_document"]).exits(0);
}

#[test]
fn r149_a_fault_is_told_once_with_its_cause() {
    let repo = Repo::new();
    let words = |kind, text| checked(&repo, kind, text, 1);
    assert_eq!(words("tasks", "Here is the plan: do: it\n"), ["error yaml.syntax"]);
    assert_eq!(words("tasks", "Only words.\n"), ["error shape.wrong_type"]);
    assert_eq!(
        words("tasks", "tasks:\n  T-001: {goal: g}\n  T-002: {goal: h}\n"),
        ["error shape.wrong_type"]
    );
    assert_eq!(
        words("tasks", "tasks:\n  - do this\n  - do that\n  - more\n"),
        ["error shape.wrong_type"]
    );
    assert_eq!(words("status", r#"{"state": "x", "phase": 3}"#), ["error shape.other"]);
    assert_eq!(words("agent-output", r#"{"result": "ok"}"#), ["error shape.other"]);
    let many = "tasks:\n  - {id: T-001}\n  - {id: T-002}\n  - {id: T-003}\n";
    let found = words("tasks", many);
    assert_eq!(found.iter().filter(|line| line.starts_with("error")).count(), 2, "{found:?}");
}

#[test]
fn r149_a_misspelled_field_is_still_refused() {
    let repo = Repo::new();
    let text = plan(&[Planned::new("T-001", "app.txt")]).replace("depends_on:", "depend_on:");
    assert_eq!(checked(&repo, "tasks", &text, 1), ["error shape.field_unknown"]);
    let text =
        plan(&[Planned::new("T-001", "app.txt")]).replace("    type:", "    owner: me\n    type:");
    assert_eq!(checked(&repo, "tasks", &text, 0), ["warning shape.field_ignored"]);
}
