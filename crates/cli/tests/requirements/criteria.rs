//! Acceptance criteria: what a person approves and what Tollgate checks are the same ones, and each can be checked.

use crate::support::plan::writes;
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};
use std::fs;

fn spec(criteria: &str) -> String {
    format!(
        "# Spec\n\n## Goals\n\nx\n\n## Acceptance Criteria\n\n{criteria}\n## Definition of Done\n\nx\n"
    )
}

fn acceptance(ids: &[&str]) -> String {
    let entry = |id: &&str| json!({"id": id, "description": "it works", "verify": ["cmd: true"]});
    json!({"acceptance_criteria": ids.iter().map(entry).collect::<Vec<Value>>()}).to_string()
}

/// What the second attempt of SpecAgent is told after it wrote this.
fn told(file: &str, text: &str) -> String {
    let mut rule = writes("SpecAgent", file, text);
    rule["when"]["attempt"] = json!(1);
    let repo = Repo::with(json!([rule]));
    repo.run().exits(3).says("invalid");
    repo.input(1, 2)["previous_errors"].to_string()
}

#[test]
fn r136_a_criterion_of_the_specification_that_nobody_would_check_is_refused_with_its_line() {
    let errors = told("spec.md", &spec("- AC-001: every check passes\n- AC-002: it is fast\n"));
    for words in ["AC-002", "spec.md:10", "not in", "acceptance.json"] {
        assert!(errors.contains(words), "{words}: {errors}");
    }
    assert!(!errors.contains("AC-001"), "{errors}");
}

#[test]
fn r136_a_criterion_that_nobody_approved_is_refused_with_its_place() {
    let errors = told("acceptance.json", &acceptance(&["AC-001", "AC-007"]));
    for words in ["AC-007", "acceptance.json", "/acceptance_criteria/1/id", "spec.md"] {
        assert!(errors.contains(words), "{words}: {errors}");
    }
}

#[test]
fn r136_a_criterion_without_an_id_beside_others_is_refused() {
    let errors = told("spec.md", &spec("- AC-001: every check passes\n- and it is fast\n"));
    assert!(errors.contains("has no id") && errors.contains("spec.md:10"), "{errors}");
}

#[test]
fn r136_a_criterion_needs_a_command_or_a_described_manual_check() {
    for verify in
        [json!([]), json!(["manual:"]), json!("manual"), json!(["cmd: true", "manual: TODO"])]
    {
        let criterion = json!({"id": "AC-001", "description": "it works", "verify": verify});
        let errors =
            told("acceptance.json", &json!({"acceptance_criteria": [criterion]}).to_string());
        assert!(errors.contains("how to verify it"), "{verify}: {errors}");
    }
}

#[test]
fn r136_a_specification_that_uses_no_ids_is_read_as_it_is() {
    let repo =
        Repo::with(json!([writes("SpecAgent", "spec.md", &spec("It works and is fast.\n"))]));
    repo.run().exits(3);
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn r136_a_criterion_that_a_person_adds_to_one_file_only_is_refused() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let path = repo.session().join("spec.md");
    let line = "- AC-001: every check passes.\n";
    let text =
        repo.session_file("spec.md").replace(line, &format!("{line}- AC-002: it is fast.\n"));
    fs::write(&path, text).unwrap();
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(4).says("AC-002").says("spec.md");
    assert_eq!(repo.starts_of("Coder"), 0);
    fs::write(repo.session().join("acceptance.json"), acceptance(&["AC-001", "AC-002"])).unwrap();
    // Both files were changed since the design was approved, so it is put to the person again.
    repo.answer("UD-1", "retry").exits(3).says("UD-APPROVE-DESIGN");
}
