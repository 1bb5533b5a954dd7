//! Lean work that becomes full: who is told why, what is left of the lean plan, and the way there that a person always has.

use crate::route::options_of;
use crate::support::Repo;
use crate::support::plan::{Planned, objection, plan, replies};
use serde_json::{Value, json};

fn lean_coder(act: Value) -> Value {
    json!({"when": {"role": "Coder", "mode": "lean"}, "do": act})
}

/// Nothing of the lean plan counts or shows any more.
#[track_caller]
fn is_full(repo: &Repo, why: &str) {
    let status = repo.status();
    assert_eq!((&status["mode"], &status["action"]), (&json!("full"), &json!("deliver")));
    assert_eq!(status["tasks"], json!([]), "no task of the lean plan is open");
    assert_eq!(repo.status_file()["action"], "deliver");
    let text = repo.tollgate(&["status"]).exits(0).out;
    assert!(text.contains("action    deliver (full)\n"), "{text}");
    assert!(!text.contains("task      T-001"), "{text}");
    let listed = repo.tollgate(&["sessions", "--json"]).exits(0).out;
    assert!(listed.contains("\"deliver\""), "{listed}");
    assert!(!repo.session().join("tasks.yaml").exists(), "the lean plan no longer counts");
    assert!(repo.session_file("tasks.lean.yaml").contains("T-001"), "it is not lost");
    let constraints =
        repo.input(repo.dispatch_of("SpecAgent", 1), 1)["task"]["constraints"].to_string();
    assert!(constraints.contains("this session began as lean work and is full now"));
    assert!(constraints.contains(why), "{constraints}");
    assert!(!repo.input(repo.dispatch_of("Architect", 0), 1).to_string().contains("tasks.yaml"));
}

#[test]
fn r141_a_coder_that_asks_for_full_takes_the_lean_plan_with_it() {
    let reply = json!({"status": "BLOCKED", "summary": "three modules are touched",
        "next": {"recommended_agent": "SpecAgent", "recommended_task_id": "meta", "reason": "too complex"}});
    let repo = Repo::with(json!([lean_coder(json!({"reply": reply}))]));
    repo.lean().exits(3).says("full from now on");
    is_full(&repo, "three modules are touched");
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    assert!(repo.session().join("tasks.yaml").exists(), "the Planner made a new one");
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0).says("DONE");
    assert_eq!(repo.status()["tasks"].as_array().unwrap().len(), 2);
}

#[test]
fn r141_a_coder_that_is_blocked_or_fails_in_lean_mode_leaves_the_way_to_full() {
    for (status, exit) in [("BLOCKED", 4), ("FAIL", 4)] {
        let reply = json!({"status": status, "summary": "it is more than one change"});
        let repo = Repo::with(json!([lean_coder(json!({"reply": reply}))]));
        let ran = repo.lean().exits(exit);
        ran.says("full: TEXT").says("the session starts over at INTAKE with design and plan");
        assert!(options_of(&repo, "UD-1").contains(&"full: TEXT".to_owned()));
        repo.answer("UD-1", "full").exits(2);
        repo.answer("UD-1", "full: it needs a design").exits(3).says("state DESIGN");
        assert_eq!(repo.decision("UD-1")["answer"], "full: it needs a design");
        is_full(&repo, "a person decided so: it needs a design");
    }
}

#[test]
fn r141_used_up_repairs_in_lean_mode_leave_the_way_to_full() {
    let mut rules = Vec::new();
    for nth in 1..=4 {
        let mut objects = replies("Reviewer", objection(&format!("fault {nth}")));
        objects["when"]["nth"] = json!(nth);
        rules.push(objects);
    }
    let repo = Repo::with(json!(rules));
    repo.lean().exits(3).says("full: TEXT");
    assert_eq!(repo.status()["pending_decisions"][0]["kind"], "repair");
    repo.answer("UD-1", "full: start over").exits(3).says("state DESIGN");
    is_full(&repo, "start over");
    let spec = repo.input(repo.dispatch_of("SpecAgent", 1), 1)["task"]["constraints"].to_string();
    assert!(spec.contains("1 file changed in lean mode"), "{spec}");
}

#[test]
fn r141_a_question_about_the_lean_task_is_closed_with_the_reason() {
    let lean = plan(&[Planned::new("T-001", "\"app*\"")])
        .replace("Change \"app*\"", "Change all")
        .replace("goal: \"app*\" has", "goal: all has")
        .replace("[\"\"app*\" has the line\"]", "[done]");
    let files = json!({"app.txt": "x\n", "app.1": "x\n", "app.2": "x\n", "app.3": "x\n"});
    let reply = json!({"scope_request": [{"path": "other.txt", "reason": "it is called there"}]});
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent", "mode": "lean"}, "do": {"default": true, "write": {".agents-work/{session}/tasks.yaml": lean}}},
        lean_coder(json!({"write": files, "reply": reply})),
    ]));
    repo.lean().exits(3).says("4 files changed");
    let asked = repo.decision("UD-1");
    assert_eq!(asked["status"], "skipped", "{asked}");
    assert_eq!(asked["resolution_reason"], "the session starts over in full mode");
    is_full(&repo, "4 files changed");
}

#[test]
fn r141_a_full_session_has_no_way_to_full() {
    let reply = json!({"status": "BLOCKED", "summary": "no"});
    let repo = Repo::with(json!([replies("Coder", reply)]));
    repo.through(&[crate::support::APPROVE, crate::support::PER_BATCH]).exits(4);
    assert!(!options_of(&repo, "UD-1").contains(&"full: TEXT".to_owned()));
    repo.answer("UD-1", "full: please").exits(2).says("does not answer");
}
