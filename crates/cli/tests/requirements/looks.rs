//! What an accepted reply asks for beside its own work: a look by a reviewing role, and a step by a person.

use crate::route::{go, prompt, route};
use crate::support::plan::{Planned, plan, planner, replies};
use crate::support::{APPROVE, PER_BATCH, Repo, SINGLE_FINAL};
use serde_json::{Value, json};

const CONCERN: &str = "the redirect goes anywhere";

fn docs_task() -> Planned {
    Planned { kind: "docs", checks: r#"["manual: read it"]"#, ..Planned::new("T-001", "app.txt") }
}

fn asks(role: &str, gates: Value) -> Value {
    let mut gates = gates;
    gates["meets_definition_of_done"] = json!(true);
    replies(role, json!({"gates": gates}))
}

fn starts_in_loop(repo: &Repo) -> Vec<String> {
    let starts = repo.starts().into_iter();
    starts.skip_while(|start| !start.starts_with("Coder")).collect()
}

#[test]
fn r123_a_concern_brings_security_to_a_task_without_the_flag_and_is_told() {
    let gates = json!({"security_concerns": [CONCERN], "needs_tests": true, "needs_review": true});
    let repo = Repo::with(json!([planner(&[docs_task()]), asks("Coder", gates)]));
    let ran = repo.through(&[APPROVE, PER_BATCH]).exits(3);
    ran.says("Coder T-001 asks for Security to look at T-001: the redirect goes anywhere");
    assert_eq!(
        starts_in_loop(&repo),
        ["Coder T-001", "Reviewer T-001", "QA T-001", "Security T-001", "Reviewer meta"]
    );
    let security = repo.dispatch_of("Security", 0);
    let constraints = repo.input(security, 1)["task"]["constraints"].to_string();
    assert!(constraints.contains(CONCERN), "{constraints}");
    assert!(prompt(&repo, security).contains(CONCERN));
    repo.answer("UD-1", "met").exits(0).says("DONE");
}

#[test]
fn r123_the_combined_pass_of_single_final_hears_the_concerns_of_every_task() {
    let repo = Repo::with(json!([
        planner(&[docs_task()]),
        asks("Coder", json!({"security_concerns": [{"file": "app.txt", "why": CONCERN}]})),
    ]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(3);
    assert_eq!(starts_in_loop(&repo), ["Coder T-001", "Reviewer meta", "QA meta", "Security meta"]);
    let constraints = repo.input(repo.dispatch_of("Security", 0), 1)["task"]["constraints"].clone();
    let told = format!("look at this concern of Coder (T-001): file: app.txt, why: {CONCERN}");
    assert!(constraints.as_array().unwrap().contains(&json!(told)), "{constraints}");
}

#[test]
fn r123_lean_work_brings_who_it_asks_for() {
    let lean = plan(&[Planned { checks: "[\"cmd: true\"]", ..docs_task() }]);
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "write": {".agents-work/{session}/tasks.yaml": lean}}},
        asks("Coder", json!({"security_concerns": [CONCERN]})),
        asks("Security", json!({"security_concerns": ["again"], "needs_review": true})),
        asks("Reviewer", json!({"security_concerns": ["and again"], "needs_review": true})),
    ]));
    repo.lean().exits(0).says("DONE");
    assert_eq!(
        repo.starts(),
        [
            "SpecAgent meta",
            "Coder T-001",
            "Reviewer T-001",
            "QA T-001",
            "Security T-001",
            "Reviewer T-001"
        ],
        "they call each other once"
    );
}

#[test]
fn r123_a_concern_after_the_loop_and_in_a_plain_action_is_heard_before_the_end() {
    let repo = Repo::with(json!([asks("Docs", json!({"security_concerns": [CONCERN]}))]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0).says("DONE");
    assert_eq!(repo.starts().last().unwrap(), "Security meta", "{:?}", repo.starts());

    let rules = json!([asks("Researcher", json!({"security_concerns": [CONCERN]}))]);
    let repo = route(rules, &["{dispatch: Researcher, state: DESIGN, outputs: [research/]}"]);
    go(&repo).exits(0).says("DONE");
    assert_eq!(repo.starts(), ["Researcher meta", "Security meta"]);
    assert!(prompt(&repo, 2).contains(CONCERN));
}

fn leaves(role: &str, step: &str) -> Value {
    replies(role, json!({"artifacts": {"manual_steps": [step]}}))
}

#[test]
fn r124_steps_by_hand_are_in_status_in_the_summary_and_told_to_docs() {
    let mut migrates = leaves("Coder", "run the\nmigration");
    migrates["when"]["task"] = json!("T-001");
    // Its own step is in its report too.
    let mut docs = leaves("Docs", "tell the users");
    docs["do"]["append"] = json!({".agents-work/{session}/report.md": "- tell the users\n"});
    let repo = Repo::with(json!([leaves("Architect", "order a certificate"), migrates, docs]));
    let waits = repo.through(&[APPROVE]).exits(3);
    waits.does_not_say("by hand: ");
    let done = repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let done = done.says("by hand: Architect (session): order a certificate");
    done.says("by hand: Coder (T-001): run the").says("by hand: Docs (session): tell the users");
    let status = repo.tollgate(&["status"]).exits(0).out;
    assert!(status.contains("by hand   Architect (session): order a certificate\n"), "{status}");
    assert!(status.contains("by hand   Coder (T-001): run the migration\n"), "{status}");
    assert_eq!(
        repo.status()["manual_steps"],
        json!([
            {"role": "Architect", "task": "meta", "dispatch": 2, "text": "order a certificate"},
            {"role": "Coder", "task": "T-001", "dispatch": 4, "text": "run the\nmigration"},
            {"role": "Docs", "task": "meta", "dispatch": repo.dispatch_of("Docs", 0), "text": "tell the users"},
        ])
    );
    let docs = repo.input(repo.dispatch_of("Docs", 0), 1)["task"]["constraints"].to_string();
    assert!(docs.contains("that Coder (T-001) leaves to a person: run the migration"), "{docs}");
}

#[test]
fn r124_steps_by_hand_are_told_where_the_session_is_blocked() {
    let reply = json!({"status": "BLOCKED", "summary": "no database here", "artifacts": {"manual_steps": ["start a database"]}});
    let repo = Repo::with(json!([replies("Coder", reply)]));
    let ran = repo.through(&[APPROVE, PER_BATCH]).exits(4);
    ran.says("BLOCKED").says("by hand: Coder (T-001): start a database");
}

#[test]
fn r124_the_report_of_a_lean_session_names_the_steps_by_hand() {
    let repo = Repo::with(json!([leaves("Coder", "restart the service")]));
    repo.lean().exits(0).says("by hand: Coder (T-001): restart the service");
    let report = repo.session_file("report.md");
    assert!(
        report.contains("## Steps by hand\n\n- Coder (T-001): restart the service\n"),
        "{report}"
    );
}
