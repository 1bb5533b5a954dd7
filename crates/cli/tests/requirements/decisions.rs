//! Questions to a person: on disk before they are seen, answered once, never lost.

use crate::support::plan::{Planned, planner, replies, security_question};
use crate::support::pty::Terminal;
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, SINGLE_FINAL, eventually};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};

const ASK: &str = "UD-APPROVE-DESIGN";

/// A crew whose Researcher needs to know three things, once.
fn curious() -> Repo {
    let asks = json!({"status": "NEEDS_INFO", "artifacts": {"questions": ["how fast?", "how big?", "which colour?"]}});
    Repo::with(json!([{"when": {"role": "Researcher", "nth": 1}, "do": {"reply": asks}}]))
}

fn run_with_research(repo: &Repo) {
    repo.tollgate(&["run", "--no-input", "--research", GOAL]).exits(3);
}

#[test]
fn r016_the_pending_record_is_on_disk_before_the_question_is_seen() {
    let repo = Repo::new();
    let mut child = repo.start(&["run", "--no-input", GOAL]);
    let stderr = BufReader::new(child.stderr.take().unwrap());
    let mut asked_when_seen = None;
    for line in stderr.lines() {
        if line.unwrap().contains(ASK) && asked_when_seen.is_none() {
            let asked = repo.events("decision_asked");
            asked_when_seen = Some(asked.iter().any(|e| {
                e["decision"]["decision_id"] == ASK
                    && e["decision"]["resolution"]["status"] == "pending"
            }));
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(asked_when_seen, Some(true));
    assert_eq!(repo.decision(ASK)["status"], "pending");
}

#[test]
fn r017_ids_continue_where_they_ended_before_the_resume() {
    let repo = curious();
    run_with_research(&repo);
    let ids = |repo: &Repo| -> Vec<String> {
        let status = repo.status_file();
        let records = status["user_decisions"].as_array().unwrap();
        records.iter().map(|r| r["decision_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&repo), ["UD-1", "UD-2", "UD-3"]);
    for id in ["UD-1", "UD-2"] {
        repo.answer(id, "fast").exits(3);
    }
    repo.crew(json!([replies("Security", security_question("who reads it?"))]));
    repo.answer("UD-3", "blue").exits(3);
    repo.resume().exits(3);
    repo.answer(ASK, "approved").exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "single-final").exits(3);
    assert_eq!(ids(&repo), ["UD-1", "UD-2", "UD-3", ASK, "UD-REVIEW-STRATEGY", "UD-4"]);
}

#[test]
fn r018_a_well_known_id_occurs_once_however_many_rounds_there_were() {
    let repo = Repo::new();
    repo.through(&[
        (ASK, "changes-requested: smaller"),
        (ASK, "changes-requested: even smaller"),
        APPROVE,
    ])
    .exits(3);
    let records = repo.status_file()["user_decisions"].as_array().unwrap().clone();
    let rounds = records.iter().filter(|record| record["decision_id"] == ASK).count();
    assert_eq!(rounds, 1);
    assert_eq!(repo.decision(ASK)["answer"], "approved");
}

#[test]
fn r020_a_security_question_is_asked_until_it_is_decided() {
    let repo = Repo::with(json!([replies("Security", security_question("who reads it?"))]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(3).says("who reads it?");
    repo.resume().exits(3).says("who reads it?");
    repo.tollgate(&["answer", "latest", "UD-1", ""]).exits(2);
    assert_eq!(repo.decision("UD-1")["status"], "pending");
    repo.answer("UD-1", "fix-later").exits(2).says("fix-later: TEXT");
    repo.answer("UD-1", "fix-later: after the release").exits(0);
    let log = repo.tollgate(&["log"]).exits(0);
    assert!(log.out.contains("UD-1: fix-later: after the release"), "{}", log.out);
    let record = repo.decision("UD-1");
    assert_eq!(record["status"], "cancelled");
    assert_eq!(record["resolution_reason"], "after the release");
    assert!(repo.status_file()["known_issues"].to_string().contains("after the release"));
}

#[test]
fn r023_only_words_that_begin_with_approved_approve() {
    let repo = Repo::new();
    repo.run().exits(3);
    for answer in [
        "Looks fine",
        "",
        "Approved",
        "approvedly",
        "ok",
        " ",
        "yes: approved",
        "changes-requested:",
    ] {
        repo.answer(ASK, answer).exits(2).says("answer one of: approved | changes-requested: TEXT");
        assert_eq!(repo.decision(ASK)["status"], "pending", "{answer:?}");
    }
    assert_eq!(repo.starts_of("Planner"), 0);
    repo.answer(ASK, "approved with thanks").exits(3);
    assert_eq!(repo.decision(ASK)["answer"], "approved with thanks");
    assert_eq!(repo.starts_of("Planner"), 1);
}

#[test]
fn r024_each_rejection_adds_one_line_to_the_history() {
    let repo = Repo::new();
    let history = |repo: &Repo| repo.session_file("approve-design-history.jsonl");
    repo.run().exits(3);
    assert!(!repo.session().join("approve-design-history.jsonl").exists());
    repo.answer(ASK, "changes-requested: \"smaller\"\nplease").exits(3);
    let first = history(&repo);
    assert_eq!(first.lines().count(), 1);
    let line: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(line["decision_id"], ASK);
    assert_eq!(line["answer"], "changes-requested: \"smaller\"\nplease");
    assert_eq!(line["state_context"], "APPROVE_DESIGN");
    assert!(line["at"].as_str().unwrap().ends_with('Z'));
    repo.answer(ASK, "changes-requested: Architect: no queue").exits(3);
    let second = history(&repo);
    assert_eq!(second.lines().count(), 2);
    assert!(second.starts_with(&first), "earlier lines never change");
    repo.answer(ASK, "approved").exits(3);
    assert_eq!(history(&repo), second);
}

#[test]
fn r025_a_correction_is_queued_before_it_is_dispatched() {
    let repo = Repo::new();
    repo.through(&[(ASK, "changes-requested: smaller")]).exits(3);
    let journal = repo.journal();
    let queued =
        journal.iter().position(|e| e["type"] == "correction_moved" && e["status"] == "queued");
    let sent = journal
        .iter()
        .position(|e| e["type"] == "dispatch_opened" && e["purpose"]["why"] == "correction");
    assert!(queued.unwrap() < sent.unwrap());
    let tracking = &repo.status_file()["gate_tracking"]["APPROVE_DESIGN"];
    assert_eq!(tracking["correction_status"], "completed");
    assert_eq!(tracking["last_correction_dispatch"]["agent"], "Architect");
    let starts = ["SpecAgent meta", "Architect meta", "SpecAgent meta", "Architect meta"];
    assert_eq!(repo.starts(), starts);
    for dispatch in [3, 4] {
        let prompt = repo.session_file(&format!("dispatches/{dispatch}/attempt-1/prompt.md"));
        assert!(prompt.contains("smaller"), "both get the words");
    }
}

#[test]
fn r025_a_correction_can_be_sent_to_one_role() {
    let repo = Repo::new();
    repo.through(&[(ASK, "changes-requested: Architect: no queue")]).exits(3);
    assert_eq!(repo.starts()[2..], ["Architect meta"]);
}

#[test]
fn r026_a_synonym_is_stored_as_the_strategy_it_means() {
    for (said, stored) in
        [("Per Batch", "per-batch"), ("SINGLE", "single-final"), ("final review", "single-final")]
    {
        let repo = Repo::new();
        repo.through(&[APPROVE]).exits(3);
        repo.tollgate(&["answer", "latest", "UD-REVIEW-STRATEGY", "sometimes"]).exits(2);
        assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["answer"], Value::Null);
        repo.tollgate(&["answer", "latest", "UD-REVIEW-STRATEGY", said]).exits(0);
        assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["answer"], stored);
    }
}

#[test]
fn r029_an_answer_round_trips_whatever_is_in_it() {
    let words =
        "say \"no\" to {\"a\":1}\n\tand \\ \u{1}\u{7f}\u{1b}[31m ünï 😀 </script> ${HOME} end";
    let repo = Repo::new();
    repo.run().exits(3);
    repo.answer(ASK, &format!("changes-requested: {words}")).exits(3);
    let line: Value =
        serde_json::from_str(&repo.session_file("approve-design-history.jsonl")).unwrap();
    assert_eq!(line["answer"], format!("changes-requested: {words}"));
    let said = format!("approved: {words}");
    repo.answer(ASK, &said).exits(3);
    assert_eq!(repo.decision(ASK)["answer"], said);
}

#[test]
fn r030_a_resume_asks_what_is_open_and_nothing_that_was_answered() {
    let repo = curious();
    run_with_research(&repo);
    repo.tollgate(&["answer", "latest", "UD-2", "huge"]).exits(0);
    let starts = repo.starts();
    let again = repo.resume().exits(3).says("how fast?").says("which colour?");
    assert!(!again.err.contains("how big?"), "{}", again.err);
    assert_eq!(repo.starts(), starts, "nothing continues while a question is open");
    repo.tollgate(&["answer", "latest", "UD-2", "small"]).exits(2).says("UD-2 is not open");
    assert_eq!(repo.decision("UD-2")["answer"], "huge");
}

#[test]
fn r031_the_work_continues_in_the_state_that_asked() {
    let repo = curious();
    run_with_research(&repo);
    assert_eq!(repo.status()["state"], "ASK_USER");
    assert_eq!(repo.status_file()["resume_state"], "DESIGN");
    assert_eq!(repo.decision("UD-1")["state_context"], "DESIGN");
    for id in ["UD-1", "UD-2", "UD-3"] {
        repo.answer(id, &format!("answer to {id}")).exits(3);
    }
    assert_eq!(repo.starts()[1..3], ["Researcher meta", "Researcher meta"]);
    let number = repo.dispatch_of("Researcher", 1);
    let prompt = repo.session_file(&format!("dispatches/{number}/attempt-1/prompt.md"));
    for id in ["UD-1", "UD-2", "UD-3"] {
        assert!(prompt.contains(&format!("answer to {id}")), "{prompt}");
    }
}

#[test]
fn r032_a_queued_correction_is_dispatched_exactly_once() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.tollgate(&["answer", "latest", ASK, "changes-requested: Architect: smaller"]).exits(0);
    assert_eq!(repo.starts_of("Architect"), 1, "an answer alone starts nothing");
    repo.resume().exits(3);
    assert_eq!(repo.starts_of("Architect"), 2);
}

#[test]
fn r032_a_completed_correction_is_only_asked_about_again() {
    let repo = Repo::new();
    repo.through(&[(ASK, "changes-requested: Architect: smaller")]).exits(3);
    assert_eq!(
        repo.status_file()["gate_tracking"]["APPROVE_DESIGN"]["correction_status"],
        "completed"
    );
    let starts = repo.starts();
    repo.resume().exits(3).says(ASK);
    repo.resume().exits(3).says(ASK);
    assert_eq!(repo.starts(), starts);
}

#[test]
fn r033_every_record_keeps_to_the_table_of_its_status() {
    let plan = [Planned {
        checks: r#"["cmd: true", "manual: look at it"]"#,
        ..Planned::new("T-001", "app.txt")
    }];
    let repo = Repo::with(json!([
        planner(&plan),
        {"when": {"role": "Researcher", "nth": 1}, "do": {"reply": {"status": "NEEDS_INFO", "summary": "how?"}}},
        replies("Security", security_question("who reads it?")),
    ]));
    run_with_research(&repo);
    let mut seen = std::collections::BTreeSet::new();
    let mut check = |repo: &Repo| {
        for record in repo.status_file()["user_decisions"].as_array().unwrap() {
            let has = |field: &str| record[field].as_str().is_some_and(|text| !text.is_empty());
            let none = |field: &str| record[field].is_null();
            let status = record["status"].as_str().unwrap().to_owned();
            let holds = match status.as_str() {
                "pending" => none("answer") && none("resolved_at") && none("resolution_reason"),
                "answered" => has("answer") && has("resolved_at"),
                "cancelled" | "skipped" => has("resolved_at") && has("resolution_reason"),
                _ => false,
            };
            assert!(
                holds && has("asked_at") && has("question") && has("state_context"),
                "{record:#}"
            );
            seen.insert(status);
        }
    };
    check(&repo);
    let rest = [
        ("UD-1", "so"),
        (ASK, "changes-requested: x"),
        (ASK, "approved"),
        ("UD-REVIEW-STRATEGY", "single-final"),
        ("UD-2", "fix-later: soon"),
    ];
    for (id, answer) in rest {
        repo.answer(id, answer).exits(3);
        check(&repo);
    }
    repo.tollgate(&["cancel", "latest", "--reason", "enough"]).exits(0);
    check(&repo);
    let all = ["answered", "cancelled", "pending", "skipped"];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
}

#[test]
fn an_answer_to_a_question_that_nobody_asked_is_refused() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.tollgate(&["answer", "latest", "UD-0", "yes"]).exits(2);
    repo.tollgate(&["answer", "latest", "nonsense", "yes"]).exits(2);
    repo.tollgate(&["answer", "no-such-session", ASK, "approved"]).exits(2).says("no-such-session");
    assert_eq!(repo.decision(ASK)["status"], "pending");
}

#[test]
fn words_can_come_by_reason() {
    let repo = Repo::new();
    repo.run().exits(3);
    let answer = ["answer", "latest", ASK, "changes-requested", "--reason", "smaller", "--resume"];
    repo.tollgate(&answer).exits(3);
    assert!(
        repo.session_file("approve-design-history.jsonl").contains("changes-requested: smaller")
    );
}

#[test]
fn a_cancelled_session_is_over_and_its_work_stays() {
    let repo = Repo::with(json!([replies("Reviewer", json!({"status": "FAIL", "summary": "no"}))]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4);
    repo.tollgate(&["cancel", "latest", "--reason", "  "]).exits(2);
    repo.tollgate(&["cancel", "latest", "--reason", "enough"])
        .exits(0)
        .says("accepted work is on branch");
    assert_eq!(repo.blocker().0, "cancelled");
    repo.resume().exits(4).says("cancelled: enough");
    repo.answer("UD-1", "retry").exits(2);
    let branch = format!("tollgate/{}", repo.session_name());
    assert!(repo.git(&["log", "--format=%B", &branch]).contains("Tollgate-Task: T-001"));
}

#[test]
fn r121_an_answer_before_its_question_is_refused_and_nothing_keeps_it() {
    let slow = json!([{"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 1500}}]);
    let repo = Repo::with(slow);
    let mut engine = repo.start(&["run", "--no-input", GOAL]);
    eventually("the start of Architect", || repo.starts_of("Architect") == 1);
    let answer = |id: &str, words: &str| repo.tollgate(&["answer", "latest", id, words]);
    answer(ASK, "approved").exits(2).says("has not been asked");
    assert_eq!(engine.wait().unwrap().code(), Some(3), "the gate waits for a person");
    // Nobody owns the session now; the first gate is asked, the second is not.
    answer("UD-REVIEW-STRATEGY", "per-batch").exits(2).says("has not been asked");
    answer("UD-1", "retry").exits(2).says("has not been asked");
    assert_eq!(repo.decision(ASK)["status"], "pending");
    assert!(repo.events("answer_kept").is_empty());
    repo.answer(ASK, "approved").exits(3).says("UD-REVIEW-STRATEGY");
    assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["status"], "pending");
}

/// What a process that died left for the owner is of the round in which it was sent.
#[test]
fn r121_an_answer_left_for_an_earlier_round_of_the_gate_does_not_open_it() {
    let repo = Repo::new();
    repo.run().exits(3);
    let inbox = repo.session().join("inbox");
    let leave = |name: &str, round: u32| {
        let command = json!({"command": "answer", "id": name, "decision": ASK, "round": round, "answer": "approved"});
        std::fs::write(inbox.join(format!("{name}.json")), command.to_string()).unwrap();
    };
    leave("former", 1);
    let design = repo.session_file("architecture.md");
    std::fs::write(repo.session().join("architecture.md"), format!("{design}\nMore.\n")).unwrap();
    let mut person = Terminal::start(&repo, &["resume"]);
    person.wait_for("has changed since").wait_for("> ");
    let reply = inbox.join("former.reply.json");
    eventually("the reply", || reply.exists());
    let reply = std::fs::read_to_string(reply).unwrap();
    assert!(reply.contains("asked again"), "{reply}");
    assert_eq!(
        (repo.decision(ASK)["status"].as_str(), repo.starts_of("Planner")),
        (Some("pending"), 0)
    );
    // The same for the question as it is asked now counts.
    leave("present", 2);
    person.wait_for("UD-REVIEW-STRATEGY (strategy)").wait_for("> ").hangs_up();
    assert_eq!((person.ends(), repo.starts_of("Planner")), (3, 1));
}
