//! Checks that show nothing about the work: they cannot run here, or failed before the session began. A person decides before
//! a repair is spent.

use crate::route::{commit, findings, go, nth, options_of, prompt, route};
use crate::support::plan::{Planned, planner, replies, writes};
use crate::support::{APPROVE, PER_BATCH, Repo, SINGLE_FINAL};
use serde_json::{Value, json};
use std::fs;

const ALL: [&str; 6] =
    ["fix-check: COMMAND", "waive: TEXT", "repair", "manual-fix", "retry", "cancel: TEXT"];

fn acceptance(verify: &str) -> Value {
    let criterion = json!({"id": "AC-001", "description": "it works", "verify": [verify]});
    writes("SpecAgent", "acceptance.json", &json!({"acceptance_criteria": [criterion]}).to_string())
}

/// One task with this check, which the only criterion is verified by as well.
fn checked(command: &'static str, rules: &[Value]) -> Repo {
    let checks = Box::leak(format!("['cmd: {command}']").into_boxed_str());
    let task = Planned { checks, ..Planned::new("T-001", "app.txt") };
    Repo::with(Value::Array([&[planner(&[task]), acceptance(command)], rules].concat()))
}

fn task_status(repo: &Repo) -> Value {
    repo.status()["tasks"][0]["status"].clone()
}

fn repairs(repo: &Repo) -> usize {
    repo.events("repair_opened").len()
}

#[test]
fn r126_a_check_whose_program_is_not_there_is_a_question_at_once_and_spends_no_repair() {
    let repo = checked("no-such-tool --all", &[]);
    repo.through(&[APPROVE, PER_BATCH])
        .exits(3)
        .says("`no-such-tool --all` cannot run here")
        .says("127")
        .says("not found")
        .says("a check of T-001");
    assert_eq!(repo.decision("UD-1")["state_context"], "IMPLEMENT_LOOP");
    assert_eq!(repo.status()["pending_decisions"][0]["kind"], "check");
    assert_eq!(options_of(&repo, "UD-1"), ALL);
    assert_eq!(task_status(&repo), "blocked");
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (0, 1));
    // Nothing that a person did not answer moves it.
    repo.resume().exits(3);
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (0, 1));
}

#[test]
fn r126_a_file_that_may_not_be_executed_is_such_a_check_too() {
    let repo = checked("./run.sh", &[]);
    repo.write("run.sh", "true\n");
    commit(&repo);
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("126").says("may not be executed");
    assert_eq!(repairs(&repo), 0);
}

#[test]
fn r126_a_runner_that_is_not_there_is_a_question_which_no_repair_can_answer() {
    let repo = checked("true", &[]);
    repo.settings("[check]\nrunner = [\"no-such-runner\", \"--\"]");
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("no-such-runner");
    let mut offered = ALL.to_vec();
    offered.retain(|answer| *answer != "repair");
    assert_eq!(options_of(&repo, "UD-1"), offered);
    assert_eq!(repairs(&repo), 0);
    repo.answer("UD-1", "repair").exits(2).says("does not answer UD-1");
    // The person fixes the settings.
    let toml = repo.root().join("tollgate.toml");
    let text = fs::read_to_string(&toml).unwrap();
    fs::write(&toml, text.replace("\"no-such-runner\", \"--\"", "")).unwrap();
    repo.answer("UD-1", "retry").exits(0);
    assert_eq!(repairs(&repo), 0);
}

#[test]
fn r126_fix_check_takes_the_new_command_into_the_plan_and_reopens_no_gate() {
    let repo = checked("no-such-tool", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "fix-check: grep -q 'one' app.txt && test -z \"\"").exits(0);
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (0, 1));
    let tasks = repo.session_file("tasks.yaml");
    let wanted = r#"grep -q 'one' app.txt && test -z \"\""#;
    assert!(tasks.contains(wanted) && !tasks.contains("no-such-tool"), "{tasks}");
    let acceptance = repo.session_file("acceptance.json");
    assert!(acceptance.contains(wanted) && !acceptance.contains("no-such-tool"), "{acceptance}");
    let status = repo.status_file();
    assert_eq!(status["ac_results"][0]["result"], "met");
    assert_eq!(status["known_issues"], json!([]));
    let asked = |id: &str| {
        repo.events("decision_asked").iter().filter(|e| e["decision"]["decision_id"] == id).count()
    };
    assert_eq!((asked(APPROVE.0), asked(PER_BATCH.0)), (1, 1), "our own edit reopens no gate");
    repo.tollgate(&["check", &repo.session().display().to_string()]).exits(0);
}

#[test]
fn r126_an_edit_by_others_after_a_fixed_check_still_reopens_the_gates() {
    let repo = checked("no-such-tool", &[nth("Coder", 2, json!({"hang": true}))]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.tollgate(&["answer", "latest", "UD-1", "fix-check: true"]).exits(0);
    assert!(repo.session_file("acceptance.json").contains("cmd: true"));
    let path = repo.session().join("acceptance.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("it works", "it works well")).unwrap();
    repo.resume().exits(3).says("UD-APPROVE-DESIGN").says("acceptance.json");
    repo.answer(APPROVE.0, "approved").exits(0);
}

#[test]
fn r126_the_command_that_a_person_puts_back_by_hand_is_not_overwritten() {
    let repo = checked("no-such-tool", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "fix-check: also-missing").exits(3).says("`also-missing` cannot run here");
    let path = repo.session().join("tasks.yaml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("also-missing", "no-such-tool")).unwrap();
    let told = repo.resume().exits(3);
    assert!(repo.session_file("tasks.yaml").contains("no-such-tool"), "{told:?}");
}

#[test]
fn r126_a_kill_before_the_plan_is_written_loses_no_fixed_check() {
    let repo = checked("no-such-tool", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    let mut killed = repo.command(&["answer", "latest", "UD-1", "fix-check: true"]);
    let killed = killed.env("TOLLGATE_CRASH_AT", "projection.before_replaced:1").output().unwrap();
    assert!(!killed.status.success(), "the point was not reached");
    assert!(repo.session_file("tasks.yaml").contains("no-such-tool"));
    repo.resume().exits(0);
    assert!(!repo.session_file("tasks.yaml").contains("no-such-tool"));
    assert!(!repo.session_file("acceptance.json").contains("no-such-tool"));
}

#[test]
fn r126_waive_continues_without_the_check_and_names_it_under_known_issues() {
    let repo = checked("no-such-tool", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "waive").exits(2).says("needs text");
    repo.answer("UD-1", "waive: it runs in CI only").exits(0).says("it runs in CI only");
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (0, 1));
    let status = repo.status_file();
    assert_eq!(status["ac_results"][0]["result"], "waived");
    assert_eq!(status["ac_results"][0]["evidence"], "it runs in CI only");
    let issues = status["known_issues"].to_string();
    for words in ["no-such-tool", "it runs in CI only", "AC-001"] {
        assert!(issues.contains(words), "{words}: {issues}");
    }
    assert_eq!(task_status(&repo), "completed");
}

#[test]
fn r126_r127_in_lean_mode_the_report_names_the_waived_check() {
    let plan = crate::support::plan::plan(&[Planned {
        checks: "['cmd: no-such-tool']",
        ..Planned::new("T-001", "app.txt")
    }]);
    let repo = Repo::with(json!([writes("SpecAgent", "tasks.yaml", &plan)]));
    repo.lean().exits(3).says("cannot run here");
    repo.answer("UD-1", "waive: it runs in CI only").exits(0);
    let report = repo.session_file("report.md");
    let issues = report.split("## Known issues").nth(1).unwrap();
    assert!(
        issues.contains("`no-such-tool` was not checked (waived: it runs in CI only)"),
        "{report}"
    );
}

#[test]
fn r126_repair_retry_and_manual_fix_are_taken() {
    let makes = nth("Coder", 2, json!({"default": true, "write": {"run.sh": "#!/bin/sh\n"}}));
    let task =
        Planned { checks: "['cmd: sh ./run.sh; ./tool']", ..Planned::new("T-001", "app.txt") };
    let repo = Repo::with(json!([planner(&[task]), makes]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "retry").exits(3).says("UD-2");
    assert_eq!(repairs(&repo), 0);
    repo.answer("UD-2", "repair").exits(3);
    let told = prompt(&repo, repo.dispatch_of("Coder", 1));
    assert!(told.contains("./tool") && told.contains("127"), "{told}");
    assert_eq!(repo.status_file()["retry_counts"]["T-001"]["FIX_TESTS"], 3);

    let repo = checked("test -e app.txt && ./tool", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "manual-fix").exits(3).says("tollgate submit");
    assert_eq!(repo.status_file()["retry_counts"]["T-001"]["FIX_TESTS"], 0, "no repair is spent");
}

#[test]
fn r126_qa_that_has_no_way_to_run_tests_asks_at_once_and_is_told_the_command() {
    let finding = json!({"severity": "high", "category": "no-test-runner", "file": "app.txt",
        "description": "pytest is not installed", "recommended_fix": "install it"});
    let with_finding = json!({"status": "BLOCKED", "artifacts": {"findings": [finding]}});
    let plain = json!({"status": "BLOCKED", "summary": "pytest is not installed", "artifacts": {}});
    for (reply, strategy) in [(with_finding, PER_BATCH), (plain, SINGLE_FINAL)] {
        let once = nth("QA", 1, json!({"default": true, "reply": reply}));
        let task = Planned::new("T-001", "app.txt");
        let repo = Repo::with(json!([planner(&[task]), once]));
        repo.through(&[APPROVE, strategy]).exits(3).says("QA cannot run the tests").says("pytest");
        assert_eq!(options_of(&repo, "UD-1"), ALL);
        assert_eq!((repairs(&repo), repo.starts_of("Coder")), (0, 1));
        let status = if strategy == PER_BATCH { "blocked" } else { "implemented" };
        assert_eq!(task_status(&repo), status);
        repo.answer("UD-1", "fix-check: make check-all").exits(0);
        let told = prompt(&repo, repo.dispatch_of("QA", 1));
        assert!(told.contains("make check-all"), "{told}");
    }
}

#[test]
fn r126_tests_that_qa_cannot_run_can_be_waived_or_made_to_run() {
    let reply = json!({"status": "BLOCKED", "summary": "there is no runner", "artifacts": {}});
    let one = planner(&[Planned::new("T-001", "app.txt")]);
    let repo = Repo::with(json!([one, nth("QA", 1, json!({"default": true, "reply": reply}))]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "waive: a toy").exits(0);
    assert_eq!(repo.starts_of("QA"), 1);
    assert!(repo.status_file()["known_issues"].to_string().contains("(waived: a toy)"));
    let repo = Repo::with(json!([one, nth("QA", 1, json!({"default": true, "reply": reply}))]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "repair").exits(0);
    let told = prompt(&repo, repo.dispatch_of("Coder", 1));
    assert!(told.contains("there is no runner"), "{told}");
    assert_eq!(repo.starts_of("QA"), 2);
}

#[test]
fn r126_a_gate_and_a_command_of_an_action_that_cannot_run_are_asked_about() {
    let build = "{dispatch: Coder, state: IMPLEMENT_LOOP, writes: ['**']}";
    let coder = json!({"when": {"role": "Coder"}, "do": {"write": {"app.txt": "two\n"}}});
    let repo = route(json!([coder]), &[build, "{checks: ['cmd: no-such-tool'], state: INTEGRATE}"]);
    go(&repo).exits(3).says("`no-such-tool` cannot run here");
    assert_eq!(options_of(&repo, "UD-1"), ALL);
    repo.answer("UD-1", "fix-check: grep -q two app.txt").exits(0);
    assert_eq!(repairs(&repo), 0);

    let repo = route(json!([coder]), &[build, "{checks: [lifecycle], state: INTEGRATE}"]);
    repo.write(
        "lifecycle-stage.yaml",
        "version: 1\ncurrent_stage: design\nstages:\n  design:\n    description: x\n    required_gates: [lint]\n\
         gates:\n  lint:\n    description: x\n    command: [no-such-linter]\n",
    );
    commit(&repo);
    go(&repo).exits(3).says("no-such-linter").says("cannot run here");
    assert_eq!(options_of(&repo, "UD-1"), ["waive: TEXT", "manual-fix", "retry", "cancel: TEXT"]);
    assert_eq!(repairs(&repo), 0);
    repo.answer("UD-1", "waive: the linter is not ours").exits(0);
    assert!(repo.status_file()["known_issues"].to_string().contains("the linter is not ours"));
}

#[test]
fn r127_a_red_check_is_accepted_with_a_reason_when_its_repairs_are_used_up() {
    // Green on the base, and broken by every change.
    let repo = checked("test $(wc -l < app.txt) -eq 1", &[]);
    repo.settings("repairs = 1");
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("FIX_TESTS");
    let option = "accept-with-known-issues: TEXT".to_owned();
    assert!(options_of(&repo, "UD-1").contains(&option));
    repo.answer("UD-1", "accept-with-known-issues: the count is outdated").exits(0);
    let status = repo.status_file();
    assert_eq!(status["ac_results"][0]["result"], "waived");
    assert_eq!(status["ac_results"][0]["evidence"], "the count is outdated");
    assert!(status["known_issues"].to_string().contains("(accepted: the count is outdated)"));
    assert_eq!(repo.starts_of("QA"), 1, "the check is accepted, and QA looks all the same");
    let found = findings(&repo);
    assert!(found.iter().any(|f| f.starts_with("critical accepted:")), "{found:?}");
}

#[test]
fn r127_at_integration_and_in_the_lean_report_as_well() {
    let spec = acceptance("test $(wc -l < app.txt) -eq 1");
    let repo = Repo::with(json!([spec]));
    repo.settings("repairs = 1");
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("FIX_BUILD");
    repo.answer("UD-1", "accept-with-known-issues: outdated").exits(0);
    assert_eq!(repo.status_file()["ac_results"][0]["result"], "waived");

    let mut lean = acceptance("test $(wc -l < app.txt) -eq 1");
    lean["do"]["default"] = json!(true);
    let repo = Repo::with(json!([lean]));
    repo.settings("repairs = 1");
    repo.lean().exits(3).says("FIX_BUILD");
    repo.answer("UD-1", "accept-with-known-issues: outdated").exits(0);
    let report = repo.session_file("report.md");
    let issues = report.split("## Known issues").nth(1).unwrap();
    assert!(issues.contains("(accepted: outdated); not proven: AC-001"), "{report}");
}

#[test]
fn r127_an_open_critical_finding_of_a_role_keeps_its_no() {
    let critical = json!({"severity": "critical", "category": "x", "file": "app.txt",
        "description": "it loses data", "recommended_fix": "keep it"});
    let reply = json!({"status": "OK", "artifacts": {"findings": [critical]}});
    let repo = checked("test $(wc -l < app.txt) -eq 1", &[replies("Coder", reply)]);
    repo.settings("repairs = 1");
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "accept-with-known-issues: never mind").exits(2).says("critical");
}

#[test]
fn r128_a_check_that_was_red_before_is_put_to_the_person_before_a_repair_is_spent() {
    let repo = checked("test -e never.txt", &[]);
    repo.through(&[APPROVE, PER_BATCH])
        .exits(3)
        .says("`test -e never.txt` fails")
        .says("failed on the base revision already");
    assert_eq!(options_of(&repo, "UD-1"), ALL);
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (0, 1));
    assert_eq!(task_status(&repo), "blocked");
    repo.answer("UD-1", "waive: it has been red for years").exits(0);
    assert_eq!(repo.status_file()["ac_results"][0]["result"], "waived");
}

#[test]
fn r128_it_is_repaired_too_when_the_person_wants_it_and_asked_about_once() {
    let scope =
        Planned { checks: "['cmd: grep -q two app.txt']", ..Planned::new("T-001", "app.txt") };
    let fixes = nth("Coder", 3, json!({"default": true, "append": {"app.txt": "two\n"}}));
    let repo = Repo::with(json!([planner(&[scope]), fixes]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("on the base revision already");
    repo.answer("UD-1", "repair").exits(0);
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (2, 3));
    assert_eq!(repo.events("decision_asked").len(), 3);
}

#[test]
fn r128_a_check_about_files_that_the_work_brings_is_repaired_without_a_question() {
    let fixes = nth("Coder", 2, json!({"default": true, "write": {"new/app.txt": "two\n"}}));
    let scope = Planned {
        checks: "['cmd: grep -q two new/app.txt']",
        ..Planned::new("T-001", "app.txt, new/app.txt")
    };
    let repo = Repo::with(json!([planner(&[scope]), fixes]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!((repairs(&repo), repo.starts_of("Coder")), (1, 2));
    assert_eq!(repo.events("decision_asked").len(), 2, "the two gates");
}

#[test]
fn r128_it_can_be_changed_and_what_the_work_broke_is_repaired_unasked() {
    let repo = checked("test -e never.txt", &[]);
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.answer("UD-1", "fix-check: test -e app.txt").exits(0);
    assert_eq!(repo.status_file()["ac_results"][0]["result"], "met");

    // Green on the base, so whatever makes it red is new.
    let fixes = nth("Coder", 2, json!({"write": {"app.txt": "one\n"}}));
    let repo = checked("test $(wc -l < app.txt) -lt 2", &[fixes]);
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(repairs(&repo), 1);
}
