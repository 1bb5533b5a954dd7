//! Questions as a person meets them: with all that was tried, closed when they have lost their object, and with a cancel only
//! where the question is whether the work continues at all.

use crate::route::options_of;
use crate::support::plan::{
    Planned, comment, objection, plan, planner, replies, security_question,
};
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};
use std::fs;

/// The plan by hand, with these tasks only.
fn replan(repo: &Repo, tasks: &[Planned]) {
    fs::write(repo.session().join("tasks.yaml"), plan(tasks)).unwrap();
}

#[test]
fn r130_a_question_about_a_task_that_was_taken_out_of_the_plan_is_skipped_with_the_reason() {
    let one = Planned::new("T-001", "app.txt");
    let two = Planned { checks: "['cmd: no-such-tool']", ..Planned::new("T-002", "b.txt") };
    let repo = Repo::with(json!([planner(&[one.clone(), two])]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("no-such-tool");
    replan(&repo, &[one]);
    repo.resume().exits(3).says("UD-REVIEW-STRATEGY");
    let record = repo.decision("UD-1");
    assert_eq!(record["status"], "skipped");
    assert!(record["resolution_reason"].as_str().unwrap().contains("no longer in the plan"));
    assert!(record["resolved_at"].is_string(), "{record}");
    repo.answer("UD-1", "retry").exits(2).says("skipped");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
}

#[test]
fn r130_a_question_about_a_check_that_was_taken_out_of_the_plan_is_skipped() {
    let with = |checks: &'static str| Planned { checks, ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([planner(&[with("['cmd: no-such-tool']")])]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    replan(&repo, &[with("['cmd: true']")]);
    repo.resume().exits(3);
    let record = repo.decision("UD-1");
    assert_eq!(record["status"], "skipped");
    assert_eq!(record["resolution_reason"], "`no-such-tool` is no longer in the plan");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    assert_eq!(repo.status()["tasks"][0]["status"], "completed");
}

#[test]
fn r130_an_escalation_of_a_task_that_was_taken_out_no_longer_blocks() {
    let (one, two) = (Planned::new("T-001", "app.txt"), Planned::new("T-002", "b.txt"));
    let fails =
        json!({"when": {"role": "Coder", "task": "T-002"}, "do": {"exit": 77, "stderr": "no\n"}});
    let repo = Repo::with(json!([planner(&[one.clone(), two]), fails]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("UD-1");
    replan(&repo, &[one]);
    repo.resume().exits(3).says("UD-REVIEW-STRATEGY");
    assert_eq!(repo.decision("UD-1")["status"], "skipped");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
}

#[test]
fn r132_a_correction_is_queued_until_an_agent_is_started_for_it() {
    let tracking = |repo: &Repo| {
        repo.status_file()["gate_tracking"]["APPROVE_DESIGN"]["correction_status"].clone()
    };
    // The limit of the session is used up, so nobody is started.
    let usage = json!({"usage": {"input_tokens": 10, "output_tokens": 10}});
    let repo = Repo::with(json!([replies("Architect", usage)]));
    repo.run().exits(3);
    repo.settings("[limits]\ntokens = 15");
    repo.answer(APPROVE.0, "changes-requested: Architect: smaller").exits(4).says("limit");
    assert_eq!(tracking(&repo), "queued");
    repo.answer("UD-1", "retry").exits(3).says(APPROVE.0);
    assert_eq!(tracking(&repo), "completed");

    // The program of the agent is not there.
    let repo = Repo::new();
    repo.run().exits(3);
    let toml = repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&toml).unwrap();
    let absent = "\n[agent.absent]\nadapter = \"command\"\ncommand = [\"no-such-agent\"]\n";
    let broken = text.replace("[roles]\n", "[roles]\nArchitect = \"absent\"\n");
    fs::write(&toml, format!("{broken}{absent}")).unwrap();
    repo.answer(APPROVE.0, "changes-requested: Architect: smaller").exits(4).says("no-such-agent");
    assert_eq!(tracking(&repo), "queued");
    fs::write(&toml, text).unwrap();
    repo.answer("UD-1", "retry").exits(3).says(APPROVE.0);
    assert_eq!((tracking(&repo), repo.starts_of("Architect")), (json!("completed"), 2));
}

#[test]
fn r133_cancel_is_offered_only_where_the_question_is_whether_the_work_continues() {
    let repo = Repo::new();
    repo.run().exits(3);
    assert_eq!(options_of(&repo, APPROVE.0), ["approved", "changes-requested: TEXT"]);
    repo.answer(APPROVE.0, "cancel: enough").exits(2).says("`tollgate cancel` ends the session");
    assert_eq!(repo.decision(APPROVE.0)["status"], "pending");
    repo.answer(APPROVE.0, "approved").exits(3);
    let none = |repo: &Repo, id: &str| {
        let offered = options_of(repo, id);
        assert!(!offered.iter().any(|answer| answer.starts_with("cancel")), "{id}: {offered:?}");
    };
    none(&repo, PER_BATCH.0);
    let note = json!({"artifacts": {"review_comments": [comment("minor", "short")]}});
    let repo = Repo::with(json!([replies("Reviewer", note)]));
    repo.lean().exits(3);
    none(&repo, "UD-1");
    let task = Planned { risk: "[security]", ..Planned::new("T-001", "app.txt") };
    let repo =
        Repo::with(json!([planner(&[task]), replies("Security", security_question("weak"))]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    none(&repo, "UD-1");
}

#[test]
fn r133_where_cancel_is_offered_it_says_that_it_ends_the_session_and_does() {
    let repo = Repo::with(json!([replies("Reviewer", objection("{dispatch} is wrong"))]));
    repo.settings("repairs = 1");
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("ends the whole session for good");
    let status = repo.status();
    let options = status["pending_decisions"][0]["options"].as_array().unwrap();
    let cancel = options.iter().find(|option| option["answer"] == "cancel: TEXT").unwrap();
    assert_eq!(cancel["label"], "End the session");
    repo.answer("UD-1", "cancel: enough").exits(4).says("cancelled: enough");
}

#[test]
fn r134_after_used_up_repairs_the_question_lists_what_was_tried_and_why_it_failed() {
    let coder = |nth: u32, words: &str| {
        json!({"when": {"role": "Coder", "nth": nth},
               "do": {"default": true, "reply": {"summary": words}}})
    };
    let repo = Repo::with(json!([
        coder(2, "made the limit smaller"),
        coder(3, "made the limit larger"),
        replies("Reviewer", objection("{dispatch} is wrong")),
    ]));
    repo.settings("repairs = 2");
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let question = repo.decision("UD-1")["question"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = question.lines().collect();
    assert!(lines[0].contains("9 is wrong"), "what is still wrong comes first: {question}");
    assert!(lines[1].contains("FIX_REVIEW of T-001 was tried twice"), "{question}");
    assert!(lines[2].contains("made the limit smaller"), "{question}");
    assert!(lines[2].contains("7 is wrong"), "why the first one failed: {question}");
    assert!(lines[3].contains("made the limit larger"), "{question}");
    assert!(lines[3].contains("9 is wrong"), "why the second one failed: {question}");
}

#[test]
fn r134_after_used_up_attempts_the_question_lists_how_each_ended() {
    let crash = |attempt: u32, does: Value| json!({"when": {"role": "SpecAgent", "attempt": attempt}, "do": does});
    let repo = Repo::with(json!([
        crash(1, json!({"exit": 9, "stderr": "out of paper\n"})),
        crash(2, json!({"stdout": "no object"})),
        crash(3, json!({"exit": 8, "stderr": "out of ink\n"})),
    ]));
    repo.run().exits(4);
    let question = repo.decision("UD-1")["question"].as_str().unwrap().to_owned();
    for words in
        ["attempt 1: ", "out of paper", "attempt 2: ", "invalid", "attempt 3: ", "out of ink"]
    {
        assert!(question.contains(words), "{words}: {question}");
    }
}
