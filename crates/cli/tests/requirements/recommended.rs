//! Researcher and Designer come when SpecAgent or Architect recommends them, and a correction goes to who had a part.

use crate::support::Repo;
use crate::support::plan::replies;
use serde_json::{Value, json};

fn recommends(role: &str, whom: &str, nth: u32) -> Value {
    let next = json!({"recommended_agent": whom, "recommended_task_id": "meta", "reason": "it has a page"});
    let mut rule = replies(role, json!({"next": next}));
    rule["when"]["nth"] = json!(nth);
    rule
}

fn request_changes(repo: &Repo) -> Value {
    let status = repo.status();
    let question = &status["pending_decisions"][0];
    assert_eq!(question["decision_id"], "UD-APPROVE-DESIGN", "{status:#}");
    question["options"][1]["consequence"].clone()
}

#[test]
fn r137_a_recommended_designer_takes_part_and_is_corrected_too() {
    let repo = Repo::with(json!([recommends("SpecAgent", "Designer", 1)]));
    repo.run().exits(3).says("`changes-requested: Designer: TEXT`");
    assert_eq!(repo.starts(), ["SpecAgent meta", "Architect meta", "Designer meta"]);
    assert_eq!(
        request_changes(&repo),
        "SpecAgent, Architect and Designer run again with your comments; to send them to one role, write \
         `changes-requested: Designer: TEXT` (SpecAgent, Architect or Designer)"
    );
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: other colours").exits(3);
    assert_eq!(repo.starts()[3..], ["SpecAgent meta", "Architect meta", "Designer meta"]);
    let feedback = crate::route::prompt(&repo, repo.dispatch_of("Designer", 1));
    assert!(feedback.contains("other colours"), "{feedback}");
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: Designer: larger").exits(3);
    assert_eq!(repo.starts()[6..], ["Designer meta"]);
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: Researcher: look it up").exits(3);
    assert_eq!(repo.starts()[7..], ["Researcher meta"], "also who had no part so far");
    let status = repo.session().join("status.json").display().to_string();
    repo.tollgate(&["check", &status]).exits(0);
}

#[test]
fn r137_research_that_the_architect_recommends_comes_before_the_gate_and_is_read() {
    let repo = Repo::with(json!([recommends("Architect", "Researcher", 1)]));
    repo.run().exits(3);
    let expected = ["SpecAgent meta", "Architect meta", "Researcher meta", "Architect meta"];
    assert_eq!(repo.starts(), expected);
    let input = repo.input(repo.dispatch_of("Architect", 1), 1);
    assert!(input["task"]["context_files"].to_string().contains("/research/"), "{input:#}");
    assert!(input["task"]["constraints"].to_string().contains("Researcher has looked into"));
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    assert_eq!(repo.starts()[4..], ["Planner meta"]);
}

#[test]
fn r137_without_a_designer_the_option_names_who_had_a_part() {
    let repo = Repo::new();
    repo.run().exits(3);
    assert_eq!(
        request_changes(&repo),
        "SpecAgent and Architect run again with your comments; to send them to one role, write \
         `changes-requested: Architect: TEXT` (SpecAgent or Architect)"
    );
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: less").exits(3);
    assert_eq!(repo.starts_of("Designer"), 0, "who had no part is not sent back");
}

#[test]
fn r137_who_is_recommended_in_a_correction_comes_before_the_question() {
    let repo = Repo::with(json!([recommends("Architect", "Designer", 2)]));
    repo.run().exits(3);
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: Architect: it has a page").exits(3);
    assert_eq!(repo.starts()[2..], ["Architect meta", "Designer meta"]);
    let shown = repo.status()["pending_decisions"][0]["question"].to_string();
    assert!(shown.contains("design-specs/"), "{shown}");
}
