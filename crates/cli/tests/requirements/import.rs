//! A session that another orchestrator began is imported, and continues like any other.

use crate::support::foreign::{Foreign, OLD, SPEC, codes, continues};
use crate::support::plan::{objection, replies};
use crate::support::pty::Terminal;
use crate::support::{APPROVE, PER_BATCH, Repo};
use serde_json::{Value, json};
use std::fs;

#[test]
fn r146_a_session_of_another_orchestrator_is_imported_and_resumed_to_done() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.file("adr/ADR-001.md", "# Text files\n").file("backlog.md", "later\n");
    let imported = foreign.imported();
    assert_eq!(codes(&imported), Vec::<String>::new(), "{imported:#}");
    assert_eq!(imported["state"], "IMPLEMENT_LOOP");
    assert_eq!(imported["goal"], "People can log in.");
    assert_eq!(imported["decisions"], 3);
    assert_eq!(imported["repair_counters"], json!({"T-001": {"FIX_REVIEW": 1}}));
    assert_eq!(imported["questions"], json!([]));

    let status = repo.status_file();
    assert_eq!(status["current_state"], "IMPLEMENT_LOOP");
    assert_eq!(status["assumptions"], json!(["one user at a time"]));
    assert_eq!(status["known_issues"], json!(["slow on old disks"]));
    assert_eq!(status["retry_counts"]["T-001"]["FIX_REVIEW"], 1);
    let kept = repo.decision("UD-1");
    assert_eq!((&kept["answer"], &kept["status"]), (&json!("port 8080"), &json!("answered")));
    assert_eq!(kept["resolved_at"], "2020-01-05T10:00:00.000Z");
    assert_eq!(kept["state_context"], "DESIGN");
    assert_eq!(repo.session_file("backlog.md"), "later\n");
    assert_eq!(repo.session_file("adr/ADR-001.md"), "# Text files\n");

    assert!(repo.starts().is_empty(), "nothing runs before it is resumed");
    repo.resume().exits(0);
    assert_eq!(repo.status()["state"], "DONE");
    assert_eq!(repo.starts_of("SpecAgent") + repo.starts_of("Planner"), 0);
    assert!(!repo.starts().contains(&"Coder T-001".to_owned()), "what is completed stays so");
    assert!(repo.starts().contains(&"Coder T-002".to_owned()));
    let name = repo.session_name();
    let listed: Value =
        serde_json::from_str(&repo.tollgate(&["sessions", "--json"]).exits(0).out).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["session"], name.as_str());
    repo.tollgate(&["audit", "latest", "--verify"]).exits(0);
    assert!(repo.tollgate(&["audit", "latest"]).exits(0).out.contains("the import"));
    assert!(repo.tollgate(&["log", "latest"]).exits(0).out.contains(OLD));
    assert!(repo.session_file("evidence/action-context.md").contains(OLD));
}

#[test]
fn r146_without_import_every_command_says_what_the_folder_is() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    let before = foreign.content();
    let name = "2020-01-05_login";
    let commands: [&[&str]; 12] = [
        &["resume"],
        &["resume", name],
        &["status"],
        &["status", "2020-01"],
        &["answer", name, "UD-1", "yes"],
        &["log", OLD],
        &["audit", name],
        &["audit", name, "--verify"],
        &["findings", name],
        &["cancel", name, "--reason", "no"],
        &["submit", name, "1"],
        &["gates", "--session", name],
    ];
    for command in commands {
        let ran = repo.tollgate(command);
        if ran.err.contains("unexpected argument") || ran.err.contains("Usage:") {
            continue;
        }
        let said: Vec<&str> = ran.err.lines().filter(|line| line.contains("import")).collect();
        assert_eq!(ran.code, 2, "{command:?}: {ran:?}");
        assert_eq!(said.len(), 1, "{command:?}: {ran:?}");
        assert!(said[0].contains("another orchestrator"), "{command:?}: {ran:?}");
        assert!(said[0].contains(&format!("tollgate import {OLD}")), "{command:?}: {ran:?}");
        assert!(!ran.err.contains("cannot open the journal"), "{command:?}: {ran:?}");
    }
    let listed =
        repo.tollgate(&["sessions"]).exits(0).says("another orchestrator").says("tollgate import");
    assert_eq!(listed.out, "", "it is no session yet");
    repo.tollgate(&["check", OLD]).exits(0).says(&format!("tollgate import {OLD}"));
    assert!(foreign.content() == before);
    repo.tollgate(&["explain", "cli.foreign_session"]).exits(0);
}

#[test]
fn r146_sessions_of_ours_are_found_beside_folders_of_others() {
    let repo = Repo::new();
    Foreign::new(&repo);
    repo.run().exits(3);
    repo.tollgate(&["status"]).exits(0);
    let listed: Value =
        serde_json::from_str(&repo.tollgate(&["sessions", "--json"]).exits(0).out).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
}

#[test]
fn r146_a_folder_that_was_imported_is_not_offered_again() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.imported();
    let name = repo.session_name();
    repo.tollgate(&["sessions"]).exits(0).does_not_say("tollgate import");
    repo.tollgate(&["status", "2020-01-05_login"]).exits(2).says(&format!("imported as {name}"));
    foreign.import().exits(2).says("imported already").says(&format!("tollgate resume {name}"));
    // It was continued elsewhere meanwhile: that is another session.
    foreign.tasks("completed", "completed");
    foreign.import().exits(0);
    assert_eq!(repo.session_name(), format!("{name}-2"));
}

#[test]
fn r146_a_dry_run_says_the_same_and_writes_nothing() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.tasks("completed", "in-progress");
    let everything = || (crate::support::files_below(&repo.root()), repo.git(&["for-each-ref"]));
    let before = everything();
    let previewed = foreign.previewed();
    repo.tollgate(&["import", "--dry-run", OLD]).exits(0).says("nothing was written");
    assert!(everything() == before);
    assert!(crate::support::files_below(&repo.outside("state")).is_empty());
    let mut imported = foreign.imported();
    imported["dry_run"] = json!(true);
    for (notice, before) in imported["notices"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .zip(previewed["notices"].as_array().unwrap())
    {
        notice["at"] = before["at"].clone();
    }
    assert_eq!(imported, previewed);
    assert_eq!(imported["tasks"][1], json!({"id": "T-002", "status": "not-started"}));
}

#[test]
fn r146_an_approval_is_kept_for_the_documents_as_they_are_at_the_import() {
    let repo = Repo::new();
    Foreign::new(&repo).imported();
    let asked = repo.events("decision_asked");
    let approval = asked.iter().map(|event| &event["decision"]).find(|d| d["kind"] == "approve");
    let shown: Vec<&str> = approval.unwrap()["shown"]
        .as_array()
        .unwrap()
        .iter()
        .map(|shown| shown["path"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["acceptance.json", "architecture.md", "spec.md"]);
    let spec = repo.session().join("spec.md");
    fs::write(&spec, SPEC.replace("log in", "log in twice")).unwrap();
    repo.resume().exits(3).says("UD-APPROVE-DESIGN").says("spec.md");
    repo.answer(APPROVE.0, APPROVE.1).exits(0);
}

#[test]
fn r146_what_was_decided_is_told_to_agents() {
    let repo = Repo::new();
    Foreign::new(&repo).imported_to_done(&[]);
    let coder = repo.input(repo.dispatch_of("Coder", 0), 1);
    assert!(coder["task"]["constraints"].to_string().contains("port 8080"), "{coder:#}");
    let reviewer = repo.input(repo.dispatch_of("Reviewer", 0), 1);
    let constraints = reviewer["task"]["constraints"].to_string();
    assert!(constraints.contains("begun by another orchestrator"), "{reviewer:#}");
}

#[test]
fn r146_statuses_of_tasks_mean_where_their_work_continues() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.tasks("implemented", "in-progress");
    let imported = foreign.imported_to_done(&[]);
    assert_eq!(imported["tasks"][0]["status"], "implemented");
    assert_eq!(imported["tasks"][1]["status"], "not-started");
    assert!(imported["notices"].to_string().contains("T-002 was in progress"), "{imported:#}");
    let starts = repo.starts();
    assert!(!starts.contains(&"Coder T-001".to_owned()), "{starts:?}");
    assert_eq!(starts[0], "Reviewer T-001", "what is implemented needs its review");
    let checks = repo.events("checks_started");
    assert_eq!(checks[0]["purpose"], json!({"of": "task", "task": "T-001"}));
}

#[test]
fn r146_a_blocked_task_is_a_question() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.tasks("completed", "blocked");
    let imported = foreign.imported();
    assert_eq!(imported["questions"][0]["decision_id"], "UD-2");
    assert!(imported["questions"][0]["question"].to_string().contains("T-002"));
    assert_eq!(repo.status()["state"], "ASK_USER");
    repo.resume().exits(3).says("UD-2");
    assert!(repo.starts().is_empty());
    repo.answer("UD-2", "retry: use the other library").exits(0);
    let coder = repo.input(repo.dispatch_of("Coder", 0), 1);
    assert!(coder["task"]["constraints"].to_string().contains("use the other library"));
}

#[test]
fn r146_counters_of_repairs_are_kept() {
    let repo = Repo::with(json!([replies("Reviewer", objection("too long"))]));
    let foreign = Foreign::new(&repo);
    foreign.tasks("completed", "implemented");
    foreign.status(|status| status["retry_counts"] = json!({"T-002": {"FIX_REVIEW": 3}}));
    let imported = foreign.imported();
    assert_eq!(imported["repair_counters"], json!({"T-002": {"FIX_REVIEW": 3}}));
    repo.resume().exits(3).says("FIX_REVIEW of T-002 was tried 3 times");
    assert_eq!(repo.starts_of("Coder"), 0, "no repair is left");
}

#[test]
fn r146_the_state_of_every_kind_has_a_place_to_continue() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    let cases = [
        ("INTAKE", "INTAKE"),
        ("DESIGN", "DESIGN"),
        ("APPROVE_DESIGN", "APPROVE_DESIGN"),
        ("PLAN", "PLAN"),
        ("REVIEW_STRATEGY", "REVIEW_STRATEGY"),
        ("IMPLEMENT_LOOP", "IMPLEMENT_LOOP"),
        ("FIX_REVIEW", "IMPLEMENT_LOOP"),
        ("FIX_TESTS", "IMPLEMENT_LOOP"),
        ("FIX_SECURITY", "IMPLEMENT_LOOP"),
        ("FIX_BUILD", "INTEGRATE"),
        ("INTEGRATE", "INTEGRATE"),
        ("RELEASE", "INTEGRATE"),
        // The last decision was about the design.
        ("ASK_USER", "DESIGN"),
        ("BLOCKED", "DESIGN"),
        ("implement loop", "IMPLEMENT_LOOP"),
    ];
    foreign.tasks("completed", "completed");
    foreign.status(|status| {
        status["user_decisions"][2]["resolved_at"] = json!("2020-01-06T10:00:00Z")
    });
    for (recorded, expected) in cases {
        foreign.status(|status| status["current_state"] = json!(recorded));
        assert_eq!(foreign.previewed()["state"], expected, "{recorded}");
    }
}

#[test]
fn r146_a_question_that_was_open_is_asked_and_the_work_returns_where_it_was() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.status(|status| {
        status["current_state"] = json!("ASK_USER");
        let open = json!({"decision_id": "UD-7", "question": "Which database?", "status": "pending", "answer": null,
                          "asked_at": "2020-01-06T10:00:00Z", "resolved_at": null, "state_context": "IMPLEMENT_LOOP",
                          "resolution_reason": null});
        status["user_decisions"].as_array_mut().unwrap().push(open);
    });
    let imported = foreign.imported_to_done(&[("UD-7", "SQLite")]);
    assert_eq!((&imported["state"], &imported["decisions_open"]), (&json!("ASK_USER"), &json!(1)));
    assert!(continues(&imported).ends_with("it continues at IMPLEMENT_LOOP"));
    assert_eq!(repo.decision("UD-7")["answer"], "SQLite");
    let coder = repo.input(repo.dispatch_of("Coder", 0), 1);
    assert!(coder["task"]["constraints"].to_string().contains("SQLite"));
}

#[test]
fn r146_a_blocked_session_asks_what_is_over() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.status(|status| {
        status["current_state"] = json!("BLOCKED");
        status["blocker"] = json!("the token has expired");
        status["user_decisions"][2]["state_context"] = json!("IMPLEMENT_LOOP");
        status["user_decisions"][2]["resolved_at"] = json!("2020-01-07T10:00:00Z");
    });
    let imported = foreign.imported_to_done(&[("UD-2", "there is a new one")]);
    assert!(imported["questions"][0]["question"].to_string().contains("the token has expired"));
}

#[test]
fn r146_a_rejected_design_is_corrected_unless_that_was_begun() {
    let rejected = |foreign: &Foreign<'_>, correction: &str| {
        foreign.status(|status| {
            status["current_state"] = json!("APPROVE_DESIGN");
            status["user_decisions"][0]["answer"] = json!("changes-requested: Architect: smaller");
            status["gate_tracking"] = json!({"APPROVE_DESIGN": {"correction_status": correction}});
        });
        let line = json!({"at": "2020-01-04T08:00:00Z", "decision_id": "UD-APPROVE-DESIGN",
                          "answer": "changes-requested: other words", "state_context": "APPROVE_DESIGN"});
        foreign.file("approve-design-history.jsonl", &format!("{line}\n"));
    };
    for (correction, starts) in [("queued", 1), ("dispatched", 0), ("completed", 0)] {
        let repo = Repo::new();
        let foreign = Foreign::new(&repo);
        rejected(&foreign, correction);
        assert_eq!(foreign.imported()["state"], "APPROVE_DESIGN");
        let history = repo.session_file("approve-design-history.jsonl");
        assert!(history.contains("other words") && history.contains("smaller"), "{history}");
        assert!(history.contains("2020-01-04T08:00:00"), "{history}");
        repo.resume().exits(3).says("UD-APPROVE-DESIGN");
        assert_eq!(repo.starts_of("Architect"), starts, "{correction}");
        repo.answer(APPROVE.0, APPROVE.1).exits(3).says("UD-REVIEW-STRATEGY");
        repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    }
}

#[test]
fn r146_a_lean_session_is_imported_once_it_is_known_to_be_one() {
    let repo = Repo::new();
    let foreign = Foreign::lean(&repo);
    foreign.import().exits(2).says("full or lean").says("--mode");
    assert!(!repo.root().join(".snapshots").exists(), "nothing was made");
    repo.tollgate(&["import", "--mode", "lean", OLD]).exits(0);
    repo.resume().exits(0);
    assert_eq!(repo.status()["mode"], "lean");
    assert_eq!(repo.starts_of("SpecAgent"), 0);

    let repo = Repo::new();
    let foreign = Foreign::lean(&repo);
    foreign.status(|status| status["current_state"] = json!("INTAKE_LEAN"));
    foreign.imported_to_done(&[]);
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn r146_at_a_terminal_the_mode_is_asked_for() {
    let repo = Repo::new();
    Foreign::lean(&repo);
    let mut terminal = Terminal::start(&repo, &["import", OLD]);
    terminal.wait_for("full or lean: ").types("what?");
    terminal.wait_for("full or lean: ").types("lean");
    terminal.wait_for("continue with `tollgate resume");
    assert_eq!(terminal.ends(), 0);
    assert_eq!(repo.status()["mode"], "lean");
}

#[test]
fn r146_gates_that_were_not_answered_are_asked() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.status(|status| {
        status["user_decisions"][0]["answer"] = json!("looks good to me");
        status["user_decisions"][1]["answer"] = json!("whatever");
    });
    let imported = foreign.imported_to_done(&[APPROVE, PER_BATCH]);
    assert!(continues(&imported).contains("the design is not approved"), "{imported:#}");
    assert!(imported["notices"].to_string().contains("looks good to me"));
    assert_eq!(repo.starts_of("Architect"), 0, "the design is there");
    assert_eq!(repo.starts_of("Planner"), 0, "and so is the plan");
}

#[test]
fn r146_obvious_spellings_of_gate_answers_are_understood() {
    let repo = Repo::new();
    let foreign = Foreign::new(&repo);
    foreign.status(|status| {
        status["user_decisions"][0]["answer"] = json!("Approved, go ahead");
        status["user_decisions"][1]["answer"] = json!("Single final review");
    });
    foreign.imported_to_done(&[]);
    assert_eq!(repo.decision("UD-APPROVE-DESIGN")["answer"], "approved: go ahead");
    assert_eq!(repo.decision("UD-REVIEW-STRATEGY")["answer"], "single-final");
}

#[test]
fn r146_a_folder_outside_the_repository_is_imported_too() {
    let repo = Repo::new();
    Foreign::new(&repo);
    let other = repo.outside("other");
    fs::rename(repo.root().join(OLD), &other).unwrap();
    fs::remove_dir(repo.root().join(".agents-work")).unwrap();
    let path = other.display().to_string();
    repo.tollgate(&["import", "--slug", "elsewhere", &path]).exits(0);
    assert!(repo.session_name().ends_with("_elsewhere"));
    repo.resume().exits(0);
}
