//! A finding counts by its severity, whoever reports it and in whatever reply.

use crate::route::{findings, nth, options_of, prompt};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};

/// A rule by which a role does its usual work once and reports a critical finding with it.
fn reports_once(role: &str, message: &str) -> Value {
    let finding = json!({"severity": "critical", "category": "safety", "file": "app.txt", "description": message, "recommended_fix": "fix it"});
    nth(
        role,
        1,
        json!({"default": true, "reply": {"status": "OK", "artifacts": {"findings": [finding]}}}),
    )
}

#[test]
fn r122_a_critical_finding_of_a_coder_stops_the_work_and_is_listed() {
    let repo = Repo::with(json!([reports_once("Coder", "a key in the code")]));
    repo.lean().exits(0).says("DONE");
    assert_eq!(findings(&repo), ["critical fixed: a key in the code"]);
    repo.tollgate(&["findings"]).exits(0).says("no open findings; 1 was fixed, `--all` lists it");
    let starts = repo.starts();
    assert_eq!(starts[..4], ["SpecAgent meta", "Coder T-001", "Coder T-001", "Reviewer T-001"]);
    let repair = repo.dispatch_of("Coder", 1);
    assert!(prompt(&repo, repair).contains("a key in the code"), "the Coder is told");
    let listed = repo.tollgate(&["findings", "--all"]).exits(0).out;
    assert!(listed.contains("a key in the code"), "{listed}");
}

#[test]
fn r122_what_is_reported_with_an_ok_that_nothing_bears_out_is_listed() {
    let mut rule = reports_once("Coder", "a key in the code");
    rule["when"]["attempt"] = json!(1);
    rule["do"]["default"] = json!(false);
    let repo = Repo::with(json!([rule]));
    repo.lean().exits(0).says("no file was changed");
    assert_eq!(findings(&repo), ["critical fixed: a key in the code"]);
}

#[test]
fn r122_the_findings_of_a_refused_reply_are_listed_and_the_next_attempt_gets_them() {
    let finding = json!({"severity": "CRITICAL", "category": "safety", "file": "app.txt", "description": "a key in the code"});
    // Without `gates` the reply is invalid by form.
    let refused = json!({"status": "OK", "summary": "done", "artifacts": {"findings": [finding]}});
    let repo = Repo::with(json!([
        {"when": {"role": "Coder", "attempt": 1}, "do": {"default": true, "stdout": refused}},
    ]));
    repo.lean().exits(0).says("DONE");
    assert_eq!(findings(&repo), ["critical fixed: a key in the code"]);
    let listed = repo.tollgate(&["findings", "--all"]).exits(0).out;
    assert!(listed.contains("a key in the code"), "{listed}");
    let coder = repo.dispatch_of("Coder", 0);
    let told = repo.session_file(&format!("dispatches/{coder}/attempt-2/prompt.md"));
    assert!(told.contains("report again those that are not fixed"), "{told}");
    assert!(told.contains("[critical] app.txt: a key in the code"), "{told}");
}

#[test]
fn r122_a_coder_that_never_fixes_what_it_reports_ends_at_a_person() {
    let finding = json!({"severity": "critical", "category": "safety", "file": "app.txt", "description": "a key", "recommended_fix": "fix it"});
    let reply = json!({"status": "OK", "artifacts": {"findings": [finding]}});
    let act = json!({"append": {"app.txt": "more\n"}, "reply": reply});
    let repo = Repo::with(json!([{"when": {"role": "Coder"}, "do": act}]));
    repo.lean().exits(4).says("does not converge");
    assert_eq!(repo.starts_of("Coder"), 3);
    assert_eq!(repo.starts_of("Reviewer"), 0);
    let listed = repo.tollgate(&["findings"]).exits(0).out;
    assert!(listed.contains("a key"), "{listed}");
    repo.answer("UD-1", "accept-with-known-issues: never mind").exits(2).says("critical");
}

#[test]
fn r122_a_critical_finding_of_the_integrator_stops_the_release_and_is_listed() {
    let repo = Repo::with(json!([reports_once("Integrator", "a key in the image")]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0).says("DONE");
    assert_eq!(findings(&repo), ["critical fixed: a key in the image"]);
    let starts = repo.starts();
    let first = starts.iter().position(|start| start == "Integrator meta").unwrap();
    assert_eq!(starts[first + 1], "Coder meta", "{starts:?}");
    let docs = starts.iter().position(|start| start == "Docs meta").unwrap();
    assert!(first + 1 < docs, "the release continues after the repair: {starts:?}");
}

#[test]
fn r122_a_critical_finding_before_there_is_code_is_put_to_a_person() {
    let repo = Repo::with(json!([reports_once("SpecAgent", "it is against the law")]));
    repo.run().exits(3).says("it is against the law").says("cannot be approved");
    assert_eq!(options_of(&repo, "UD-1"), ["fix", "cancel: TEXT"]);
    repo.answer("UD-1", "approve: fine").exits(2);
    repo.answer("UD-1", "fix").exits(3).says("UD-APPROVE-DESIGN");
    assert_eq!(findings(&repo), ["critical fixed: it is against the law"]);
    assert_eq!(repo.starts_of("SpecAgent"), 2);
}
