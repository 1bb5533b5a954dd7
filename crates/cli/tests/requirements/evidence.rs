//! The five evidence files of a session.

use crate::support::plan::{Planned, planner};
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo};
use serde_json::json;
use std::fs;

const NAMES: [&str; 5] = [
    "action-context.md",
    "artifact-trace.md",
    "gate-decisions.md",
    "commands.log",
    "lifecycle-gates.log",
];

fn evidence(repo: &Repo) -> Vec<String> {
    NAMES.iter().map(|name| repo.session_file(&format!("evidence/{name}"))).collect()
}

#[test]
fn r085_the_evidence_names_action_roles_artefacts_decisions_and_commands() {
    let repo = Repo::with(json!([planner(&[Planned::new("T-001", "app.txt")])]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let [context, trace, decisions, commands, gates] = evidence(&repo).try_into().unwrap();
    for words in ["- action: `deliver`", GOAL, "- base commit: ", "- mode: full", "DONE"] {
        assert!(context.contains(words), "{words} in {context}");
    }
    for role in ["SpecAgent", "Architect", "Planner", "Coder", "Reviewer", "Integrator", "Docs"] {
        assert!(context.contains(role), "{role} in {context}");
        assert!(trace.contains(role), "{role} in {trace}");
    }
    let session = repo.session_name();
    let read = format!("- to read: `.agents-work/{session}/spec.md`");
    assert!(trace.contains(&read), "{trace}");
    assert!(trace.contains("- wrote: `spec.md` sha256 "), "{trace}");
    let commit = repo.git(&["rev-list", "--reverse", &format!("main..tollgate/{session}")]);
    assert!(trace.contains(&format!("- commit: {}", commit.lines().next().unwrap())), "{trace}");
    for words in ["UD-APPROVE-DESIGN (approve) is asked", "- shown: `spec.md` sha256", "approved"] {
        assert!(decisions.contains(words), "{words} in {decisions}");
    }
    assert!(commands.contains("\tT-001\tpassed\t0\t"), "{commands}");
    assert!(gates.contains("No lifecycle gate has run"), "{gates}");
}

#[test]
fn r085_evidence_comes_back_byte_for_byte() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let before = evidence(&repo);
    assert!(before.iter().all(|text| !text.is_empty()));
    fs::remove_dir_all(repo.session().join("evidence")).unwrap();
    repo.resume().exits(3);
    let after = evidence(&repo);
    for ((before, after), name) in before.iter().zip(&after).zip(NAMES) {
        assert!(after.starts_with(before.as_str()), "{name} before:\n{before}\nafter:\n{after}");
    }
}

#[test]
fn r085_the_record_shows_where_the_evidence_is() {
    let repo = Repo::new();
    repo.run().exits(3);
    let text = repo.tollgate(&["audit"]).exits(0).out;
    let json: serde_json::Value =
        serde_json::from_str(&repo.tollgate(&["audit", "--json"]).exits(0).out).unwrap();
    for name in NAMES {
        let path = format!(".agents-work/{}/evidence/{name}", repo.session_name());
        assert!(text.contains(&path), "{text}");
        assert!(json["evidence"].as_array().unwrap().contains(&json!(path)), "{json:#}");
    }
}
