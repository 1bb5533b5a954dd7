//! The order of work: what runs when, and what never runs before what.

use crate::support::plan::{Planned, comment, planner, replies, security_question};
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, SINGLE_FINAL};
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn r002_done_is_explained_in_words() {
    let repo = Repo::new();
    let done = repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let shown = done.err.split_once("\nDONE").unwrap().1;
    expect![[r#"
          Add a line to the app
        2 tasks completed, 1 acceptance criteria met, 2 files changed, 11 dispatches
        next: see it with `tollgate diff SESSION`, merge it with `tollgate merge SESSION`
        report: .agents-work/SESSION/report.md
        evidence: .agents-work/SESSION/evidence/
    "#]]
    .assert_eq(&repo.neutral(shown));
    assert_eq!(done.out, format!("{}\n", repo.session_name()), "talk is not data");
    assert!(!done.err.lines().any(|line| line.trim_start().starts_with('{')));
    let again = repo.resume().exits(0).says("DONE");
    assert!(again.err.contains("tollgate merge"));
}

#[test]
fn r002_blocked_is_explained_in_words() {
    let repo =
        Repo::with(json!([replies("SpecAgent", json!({"status": "FAIL", "summary": "no way"}))]));
    let blocked = repo.run().exits(4);
    let shown = blocked.err.split_once("\nBLOCKED").unwrap().1;
    expect![[r#"
          SESSION (subagent_failure)
        │   message      SpecAgent for the session replied FAIL (dispatch 1): no way
        │   action       deliver
        │   step         1 (SpecAgent)
        │   role file    built-in spec-agent sha256 HASH
        │   agent        crew
        │   task         session
        │   dispatch     1, attempt 1
        │   failed at    TIME
        │   duration     N s
        │   spent        cost unknown, 1 attempt, N s of agent time
        │   error type   blocked, subagent_failure
        │
        │ Earlier attempts
        │   - attempt 1, ended TIME after N s: it replied FAIL: no way
        │
        │ What to do
        │   1. read why it stopped in .agents-work/SESSION/dispatches/1/, and decide what it needs, then answer UD-1
        │   2. answer `retry: GUIDANCE`: one more attempt with your guidance (recommended)
        │   3. or choose one of the other options
        │
        │ Kept
        │   - .agents-work/SESSION/dispatches/1/attempt-1/
        │
        │ Next: the session waits for your answer to UD-1, with no time limit
        │ Question: UD-1
        report: logs/errors/TIME_SESSION_dispatch-1-attempt-1.json, and .txt for people

        UD-1 SpecAgent for the session replied FAIL (dispatch 1): no way
           tollgate answer SESSION UD-1 "retry" --resume
              Try once more: one more attempt with the same input
           tollgate answer SESSION UD-1 "retry: GUIDANCE" --resume
              Try once more with guidance: one more attempt with your guidance
           tollgate answer SESSION UD-1 "retry-with: AGENT" --resume
              Try another agent: one more attempt by that agent of tollgate.toml
           tollgate answer SESSION UD-1 "manual-fix" --resume
              Fix it by hand: you get what the agent left, edit it, and submit the reply
           tollgate answer SESSION UD-1 "cancel: TEXT" --resume
              End the session: ends the whole session for good, not only this question; accepted work stays on its branch
    "#]]
    .assert_eq(&repo.neutral(shown));
    assert!(!blocked.err.lines().any(|line| line.trim_start().starts_with('{')));
}

#[test]
fn r010_the_session_is_named_by_the_day_and_a_slug() {
    let repo = Repo::new();
    let day = || jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    let before = day();
    repo.tollgate(&["run", "--no-input", "Ändere die App: jetzt!"]).exits(3);
    let name = repo.session_name();
    let (date, slug) = name.split_once('_').unwrap();
    assert!([before, day()].contains(&date.to_owned()), "{name}");
    assert!(
        !slug.is_empty()
            && slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
        "{name}"
    );
    repo.tollgate(&["run", "--no-input", "--slug", "my slug", GOAL]).exits(3);
    repo.tollgate(&["run", "--no-input", "--slug", "my slug", GOAL]).exits(3);
    let names: Vec<String> = std::fs::read_dir(repo.root().join(".agents-work"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "each run is a session of its own: {names:?}");
    assert!(names.iter().any(|name| name.ends_with("_my-slug")), "{names:?}");
}

#[test]
fn r040_nothing_is_planned_before_the_design_is_approved() {
    let repo = Repo::new();
    repo.run().exits(3);
    repo.resume().exits(3);
    repo.answer("UD-APPROVE-DESIGN", "changes-requested: x").exits(3);
    assert_eq!(repo.starts_of("Planner"), 0);
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    let journal = repo.journal();
    let approved = journal.iter().position(|event| {
        event["type"] == "decision_resolved" && event["resolution"]["answer"] == "approved"
    });
    let planned =
        journal.iter().position(|e| e["type"] == "dispatch_opened" && e["role"] == "Planner");
    assert!(approved.unwrap() < planned.unwrap());
}

#[test]
fn r041_nothing_is_coded_before_the_strategy_is_chosen() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    repo.resume().exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "whatever").exits(2);
    assert_eq!(repo.starts_of("Coder"), 0);
    assert_eq!(repo.status()["state"], "REVIEW_STRATEGY");
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
}

#[test]
fn r042_the_recommendation_follows_number_risk_and_dependencies() {
    let simple = |count: usize| -> Vec<Planned> {
        let ids = ["T-001", "T-002", "T-003", "T-004", "T-005"];
        let files = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];
        (0..count).map(|index| Planned::new(ids[index], files[index])).collect()
    };
    let mut risky = simple(2);
    risky[0].risk = "[security]";
    let mut crossing = simple(3);
    crossing[1].depends_on = "[T-001]";
    crossing[2].depends_on = "[T-001, T-002]";
    for (tasks, recommended) in [
        (simple(2), "single-final"),
        (simple(4), "single-final"),
        (simple(5), "per-batch"),
        (risky, "per-batch"),
        (crossing, "per-batch"),
    ] {
        let repo = Repo::with(json!([planner(&tasks)]));
        repo.through(&[APPROVE]).exits(3).says(&format!("Recommended: {recommended}"));
        let question = repo.decision("UD-REVIEW-STRATEGY")["question"].to_string();
        assert!(question.contains(&format!("The plan has {} task", tasks.len())), "{question}");
    }
}

#[test]
fn r043_the_strategy_can_be_changed_in_the_middle_of_the_loop() {
    let remark = json!({"artifacts": {"review_comments": [comment("minor", "a nicer name")]}});
    let note = json!({"when": {"role": "Reviewer", "task": "T-001"}, "do": {"reply": remark}});
    let repo = Repo::with(json!([note]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("a nicer name");
    repo.tollgate(&["answer", "latest", "UD-REVIEW-STRATEGY", "single-final"]).exits(0);
    repo.answer("UD-1", "accept").exits(0);
    assert!(repo.starts().contains(&"Reviewer T-001".to_owned()));
    assert!(!repo.starts().contains(&"Reviewer T-002".to_owned()), "{:?}", repo.starts());
    assert!(repo.starts().contains(&"Reviewer meta".to_owned()));
}

#[test]
fn r043_a_status_edited_by_hand_is_noticed_and_written_again() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let path = repo.session().join("status.json");
    let mut status = repo.status_file();
    status["current_state"] = json!("DONE");
    status["user_decisions"][0]["answer"] = json!("changes-requested: all of it");
    std::fs::write(&path, status.to_string()).unwrap();
    repo.answer("UD-REVIEW-STRATEGY", "per-batch")
        .exits(0)
        .says("status.json was changed by hand")
        .says("tollgate answer");
    assert_eq!(repo.decision("UD-APPROVE-DESIGN")["answer"], "approved");
    assert_eq!(repo.status_file()["current_state"], "DONE");
}

#[test]
fn r044_each_task_is_reviewed_and_the_whole_once_more() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(
        repo.starts()[3..],
        [
            "Coder T-001",
            "Reviewer T-001",
            "QA T-001",
            "Coder T-002",
            "Reviewer T-002",
            "QA T-002",
            "Reviewer meta",
            "Security meta",
            "Integrator meta",
            "Docs meta",
            "Integrator meta"
        ]
    );
}

#[test]
fn r045_single_final_reviews_once_after_all_tasks() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    assert_eq!(
        repo.starts()[3..],
        [
            "Coder T-001",
            "Coder T-002",
            "Reviewer meta",
            "QA meta",
            "Security meta",
            "Integrator meta",
            "Docs meta",
            "Integrator meta"
        ]
    );
}

#[test]
fn r045_what_docs_change_afterwards_is_reviewed_again() {
    let docs = json!({"when": {"role": "Docs"}, "do": {"default": true, "write": {"docs/use.md": "how\n"}}});
    let repo = Repo::with(json!([docs]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    assert_eq!(repo.starts_of("Reviewer"), 2);
    assert_eq!(repo.starts().last().unwrap(), "Reviewer meta");
    let last = repo.input(repo.dispatch_of("Reviewer", 1), 1);
    let changed = last["task"]["session_changed_files"].to_string();
    for path in ["app.txt", "lib.txt", "docs/use.md"] {
        assert!(changed.contains(path), "{changed}");
    }
}

#[test]
fn r046_a_task_starts_on_an_implemented_dependency_in_single_final() {
    let tasks = [
        Planned::new("T-001", "a.txt"),
        Planned { depends_on: "[T-001]", ..Planned::new("T-002", "b.txt") },
        Planned { depends_on: "[T-002]", ..Planned::new("T-003", "c.txt") },
    ];
    let repo = Repo::with(json!([planner(&tasks)]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let journal = repo.journal();
    let moved = |task: &str, status: &str| {
        journal
            .iter()
            .position(|e| e["type"] == "task_moved" && e["task"] == task && e["status"] == status)
    };
    assert!(moved("T-002", "in-progress") < moved("T-001", "completed"));
    assert_eq!(repo.starts()[3..6], ["Coder T-001", "Coder T-002", "Coder T-003"]);
}

#[test]
fn r047_a_later_review_sees_what_earlier_tasks_and_others_changed() {
    let build =
        json!({"when": {"role": "Integrator", "nth": 1}, "do": {"write": {"Makefile": "all:\n"}}});
    let repo = Repo::with(json!([build]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let changed = |nth: usize| -> Vec<String> {
        let input = repo.input(repo.dispatch_of("Reviewer", nth), 1);
        let files = input["task"]["session_changed_files"].as_array().unwrap().clone();
        files
            .iter()
            .map(|file| {
                format!(
                    "{} {}",
                    file["change_type"].as_str().unwrap(),
                    file["path"].as_str().unwrap()
                )
            })
            .collect()
    };
    assert_eq!(changed(0), ["modified app.txt"]);
    assert_eq!(changed(1), ["modified app.txt", "added lib.txt"]);
    let last = repo.starts_of("Reviewer") - 1;
    assert_eq!(changed(last), ["added Makefile", "modified app.txt", "added lib.txt"]);
    assert_eq!(last, 3, "what Integrator changed is reviewed before DONE");
}

#[test]
fn r049_a_full_run_has_dispatched_every_core_agent() {
    let repo = Repo::new();
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    for role in [
        "SpecAgent",
        "Architect",
        "Planner",
        "Coder",
        "Reviewer",
        "QA",
        "Security",
        "Integrator",
        "Docs",
    ] {
        assert!(repo.starts_of(role) > 0, "{role}");
    }
    assert_eq!(repo.starts_of("Researcher") + repo.starts_of("Designer"), 0);
    assert_eq!(repo.status()["state"], "DONE");
}

#[test]
fn r050_a_lean_run_takes_the_short_way_and_is_reviewed() {
    let repo = Repo::new();
    repo.lean().exits(0).says("DONE");
    assert_eq!(repo.starts(), ["SpecAgent meta", "Coder T-001", "Reviewer T-001", "QA T-001"]);
    assert_eq!(repo.status()["mode"], "lean");
    for part in ["## What was done", "## How to run", "## How to test", "## Known issues"] {
        assert!(repo.session_file("report.md").contains(part), "{part}");
    }
}

#[test]
fn r051_a_coder_who_finds_it_too_complex_makes_a_lean_run_full() {
    let reply = json!({"status": "BLOCKED", "summary": "three modules are touched",
        "next": {"recommended_agent": "SpecAgent", "recommended_task_id": "meta", "reason": "too complex"}});
    let repo =
        Repo::with(json!([{"when": {"role": "Coder", "mode": "lean"}, "do": {"reply": reply}}]));
    repo.lean().exits(3).says("full from now on");
    assert_eq!(
        repo.starts(),
        ["SpecAgent meta", "Coder T-001", "SpecAgent meta", "Architect meta"]
    );
    let status = repo.status();
    assert_eq!((&status["mode"], &status["state"]), (&json!("full"), &json!("APPROVE_DESIGN")));
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
}

#[test]
fn r051_evidence_makes_a_lean_run_full() {
    for files in [&["app.txt", "app.1", "app.2", "app.3"][..], &["login.txt"][..]] {
        let writes: serde_json::Map<String, Value> =
            files.iter().map(|file| ((*file).to_owned(), json!("x\n"))).collect();
        let tasks = [Planned::new("T-001", "\"*\"")];
        let plan = crate::support::plan::plan(&tasks)
            .replace("Change \"*\"", "Change all")
            .replace("goal: \"*\" has", "goal: all has")
            .replace("[\"\"*\" has the line\"]", "[done]");
        let repo = Repo::with(json!([
            {"when": {"role": "SpecAgent", "mode": "lean"}, "do": {"default": true, "write": {".agents-work/{session}/tasks.yaml": plan}}},
            {"when": {"role": "Coder", "mode": "lean"}, "do": {"write": writes}},
        ]));
        repo.lean().exits(3).says("full from now on");
        assert_eq!(repo.status()["mode"], "full", "{files:?}");
    }
}

#[test]
fn r052_done_is_refused_while_a_criterion_is_not_met() {
    let acceptance = json!({"acceptance_criteria": [
        {"id": "AC-001", "description": "one line", "verify": ["test $(wc -l < app.txt) -eq 1"]}]});
    let repo = Repo::with(json!([crate::support::plan::writes(
        "SpecAgent",
        "acceptance.json",
        &acceptance.to_string()
    ),]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(3).says("test $(wc -l < app.txt) -eq 1");
    let status = repo.status();
    assert_eq!(status["state"], "ASK_USER");
    assert_eq!(status["pending_decisions"][0]["kind"], "repair");
    assert_ne!(repo.status_file()["ac_results"][0]["result"], "met");
    assert_eq!(repo.starts_of("Docs"), 0, "nothing is released");
}

#[test]
fn r052_done_waits_for_what_only_a_person_can_see() {
    let acceptance = json!({"acceptance_criteria": [
        {"id": "AC-001", "description": "it looks good", "verify": ["manual: look at it"]}]});
    let repo = Repo::with(json!([crate::support::plan::writes(
        "SpecAgent",
        "acceptance.json",
        &acceptance.to_string()
    ),]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(3).says("look at it");
    assert_eq!(repo.status()["pending_decisions"][0]["kind"], "manual-check");
    repo.resume().exits(3);
    repo.answer("UD-1", "met").exits(0);
    assert_eq!(repo.status_file()["ac_results"][0]["result"], "met");
}

#[test]
fn r052_done_is_refused_while_the_report_lacks_a_part() {
    let report =
        "# Report\n\n## What was done\n\nx\n\n## How to run\n\nx\n\n## Known issues\n\nx\n";
    let repo = Repo::with(json!([crate::support::plan::writes("Docs", "report.md", report)]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(4).says("How to test");
    assert_eq!(repo.starts_of("Docs"), 3);
    assert_eq!(repo.status()["state"], "BLOCKED");
}

#[test]
fn r053_every_dispatch_names_the_files_its_role_must_read() {
    let repo = Repo::new();
    repo.tollgate(&["run", "--no-input", "--design", "--research", GOAL]).exits(3);
    repo.answer("UD-APPROVE-DESIGN", "approved").exits(3);
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(0);
    let name = repo.session_name();
    let context = |role: &str| -> Vec<String> {
        let input = repo.input(repo.dispatch_of(role, 0), 1);
        let files = input["task"]["context_files"].as_array().unwrap().clone();
        files
            .iter()
            .map(|f| f.as_str().unwrap().replace(&format!(".agents-work/{name}/"), ""))
            .collect()
    };
    for (role, needed) in [
        ("Architect", &["spec.md", "acceptance.json", "research/report.md"][..]),
        ("Designer", &["spec.md", "architecture.md", "acceptance.json"]),
        ("Planner", &["spec.md", "acceptance.json", "architecture.md", "design-specs/overview.md"]),
        ("Coder", &["spec.md", "tasks.yaml", "architecture.md", "design-specs/overview.md"]),
        ("Reviewer", &["spec.md", "tasks.yaml", "architecture.md", "design-specs/overview.md"]),
        ("QA", &["spec.md", "acceptance.json", "tasks.yaml", "design-specs/overview.md"]),
        ("Security", &["tasks.yaml", "architecture.md"]),
        ("Integrator", &["tasks.yaml", "acceptance.json"]),
        ("Docs", &["spec.md", "tasks.yaml", "acceptance.json"]),
    ] {
        let files = context(role);
        for file in needed {
            assert!(files.contains(&(*file).to_owned()), "{role} lacks {file}: {files:?}");
        }
    }
}

#[test]
fn a_security_question_that_is_fixed_now_goes_to_the_coder() {
    let asks = json!({"when": {"role": "Security", "nth": 1}, "do": {"reply": security_question("who reads it?")}});
    let repo = Repo::with(json!([asks]));
    repo.through(&[APPROVE, SINGLE_FINAL, ("UD-1", "fix-now")]).exits(0);
    assert_eq!(repo.starts_of("Security"), 2);
    assert!(repo.starts().contains(&"Coder meta".to_owned()));
}

#[test]
fn a_note_that_must_be_fixed_goes_to_the_coder() {
    let remark = json!({"artifacts": {"review_comments": [comment("minor", "a nicer name")]}});
    let note =
        json!({"when": {"role": "Reviewer", "task": "T-001", "nth": 1}, "do": {"reply": remark}});
    let repo = Repo::with(json!([note]));
    repo.through(&[APPROVE, PER_BATCH, ("UD-1", "fix")]).exits(0);
    assert_eq!(
        repo.starts()[3..7],
        ["Coder T-001", "Reviewer T-001", "Coder T-001", "Reviewer T-001"]
    );
}

#[test]
fn accepted_work_is_on_the_sessions_branch_and_the_checkout_is_untouched() {
    let repo = Repo::new();
    repo.write("mine.txt", "not committed\n");
    let before = repo.git(&["status", "--porcelain"]);
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), before);
    assert_eq!(std::fs::read_to_string(repo.root().join("app.txt")).unwrap(), "one\n");
    let branch = format!("tollgate/{}", repo.session_name());
    assert_eq!(repo.git(&["diff", "--name-only", "main", &branch]), "app.txt\nlib.txt\n");
    assert_eq!(repo.git(&["rev-list", "--count", &format!("main..{branch}")]), "2\n");
    let message = repo.git(&["log", "-1", "--format=%B", &branch]);
    for words in ["Coder", "T-002", &repo.session_name()] {
        assert!(message.contains(words), "{message}");
    }
    repo.git(&["merge", "--quiet", &branch]);
}

#[test]
fn what_is_not_committed_is_left_out_and_said_so() {
    let repo = Repo::new();
    repo.write("mine.txt", "x");
    repo.run().exits(3).says("without 1 uncommitted file");
}

#[test]
fn r043_a_status_that_is_only_behind_is_not_called_edited() {
    let repo = Repo::new();
    repo.run().exits(3);
    let behind = repo.session_file("status.json");
    repo.tollgate(&["answer", "latest", "UD-APPROVE-DESIGN", "approved"]).exits(0);
    std::fs::write(repo.session().join("status.json"), behind).unwrap();
    repo.resume().exits(3).does_not_say("changed by hand");
    assert_eq!(repo.status_file()["current_state"], "REVIEW_STRATEGY");
    std::fs::remove_file(repo.session().join("status.json")).unwrap();
    repo.resume().exits(3).does_not_say("changed by hand");
    assert_eq!(repo.status_file()["current_state"], "REVIEW_STRATEGY");
}
