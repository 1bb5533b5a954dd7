//! Dispatches in odd circumstances: killed engines, parked agents, other agents, odd repositories.

use crate::support::plan::{Planned, objection, planner};
use crate::support::{APPROVE, GOAL, PER_BATCH, Repo, SINGLE_FINAL, eventually, scripted};
use serde_json::{Value, json};
use std::fs;

/// Runs a command until a role has been started this often, then kills the engine.
fn killed_during(repo: &Repo, args: &[&str], role: &str, starts: usize) {
    let mut child = repo.start(args);
    eventually(role, || repo.starts_of(role) == starts);
    child.kill().unwrap();
    child.wait().unwrap();
    let status: Value =
        serde_json::from_slice(&fs::read(repo.session().join("status.json")).unwrap()).unwrap();
    assert!(status["current_state"].is_string());
}

#[test]
fn r032_a_correction_that_was_dispatched_is_not_dispatched_again() {
    let slow =
        json!({"when": {"role": "Architect", "nth": 2}, "do": {"default": true, "sleep_ms": 600}});
    let repo = Repo::with(json!([slow]));
    repo.run().exits(3);
    let answer = [
        "answer",
        "latest",
        "UD-APPROVE-DESIGN",
        "changes-requested: Architect: smaller",
        "--resume",
    ];
    killed_during(&repo, &answer, "Architect", 2);
    assert_eq!(
        repo.status_file()["gate_tracking"]["APPROVE_DESIGN"]["correction_status"],
        "dispatched"
    );
    repo.resume().exits(3).says("UD-APPROVE-DESIGN");
    assert_eq!(repo.starts_of("Architect"), 2, "its outcome was taken up");
    let corrections =
        repo.events("dispatch_opened").into_iter().filter(|e| e["purpose"]["why"] == "correction");
    assert_eq!(corrections.count(), 1);
    assert_eq!(
        repo.status_file()["gate_tracking"]["APPROVE_DESIGN"]["correction_status"],
        "completed"
    );
}

#[test]
fn r043_the_strategy_survives_a_kill() {
    let slow = json!({"when": {"role": "Coder", "task": "T-002"}, "do": {"default": true, "sleep_ms": 500}});
    let repo = Repo::with(json!([slow]));
    repo.through(&[APPROVE]).exits(3);
    let answer = ["answer", "latest", "UD-REVIEW-STRATEGY", "single-final", "--resume"];
    killed_during(&repo, &answer, "Coder", 2);
    repo.resume().exits(0);
    assert_eq!(repo.starts_of("Coder"), 2);
    assert!(
        repo.starts().iter().all(|start| !start.starts_with("Reviewer T-")),
        "{:?}",
        repo.starts()
    );
}

#[test]
fn a_usage_limit_with_a_reset_time_waits_and_spends_no_attempt() {
    let park = |nth: u32| json!({"when": {"role": "SpecAgent", "nth": nth}, "do": {"exit": 75, "stderr": "limit\nretry-after: 1\n"}});
    let repo = Repo::with(json!([park(1), park(2), park(3)]));
    repo.run().exits(3).says("parked");
    assert_eq!(repo.starts_of("SpecAgent"), 4);
}

#[test]
fn r055_a_reset_time_that_is_not_ahead_is_a_failure_like_any_other() {
    for line in ["retry-after: 0", "retry-at: 2020-01-01T00:00:00Z", "retry-after: 999999999999"] {
        let stderr = format!("limit\n{line}\n");
        let repo = Repo::with(
            json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 75, "stderr": stderr}}]),
        );
        repo.run().exits(4).says("subagent_failure");
        assert_eq!(repo.starts_of("SpecAgent"), 3, "{line}");
        repo.tollgate(&["audit", "--verify"]).exits(0);
    }
}

#[test]
fn a_cancel_after_a_crash_ends_the_agent_that_was_left_running() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"hang": true}}]));
    let mut engine = repo.start(&["run", "--no-input", crate::support::GOAL]);
    crate::support::eventually("the agent runs", || repo.starts_of("SpecAgent") == 1);
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert_eq!(repo.status()["dispatches"][0]["outcome"], "running");
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    let outcome = repo.session().join("dispatches/1/attempt-1/outcome.json");
    crate::support::eventually("the agent is gone", || outcome.exists());
    assert!(fs::read_to_string(outcome).unwrap().contains("stopped"));
}

#[test]
fn a_cancel_after_a_crash_ends_the_gate_that_was_left_running() {
    let repo = crate::route::route(json!([]), &["{checks: [lifecycle], state: PLAN}"]);
    repo.write(
        "lifecycle-stage.yaml",
        "version: 1\ncurrent_stage: now\nstages:\n  now: {required_gates: [slow]}\n\
         gates:\n  slow: {command: [sleep, '600']}\n",
    );
    let mut engine = repo.start(&["run", "--no-input", "--action", "x", "Make it"]);
    let sessions = repo.root().join(".agents-work");
    let begun = || crate::support::files_below(&sessions).iter().any(|p| p.ends_with("1/started"));
    crate::support::eventually("the gate runs", begun);
    engine.kill().unwrap();
    engine.wait().unwrap();
    repo.tollgate(&["cancel", "--reason", "enough"]).exits(0);
    let outcome = repo.session().join("checks/1/0/1/outcome.json");
    crate::support::eventually("the gate is gone", || outcome.exists());
    assert!(fs::read_to_string(outcome).unwrap().contains("stopped"));
}

#[test]
fn usage_without_bounds_is_counted_without_harm() {
    let usage = json!({"input_tokens": u64::MAX, "output_tokens": u64::MAX, "usd": 1e12});
    let repo = Repo::with(
        json!([{"when": {"role": "SpecAgent"}, "do": {"default": true, "reply": {"usage": usage}}}]),
    );
    repo.settings("[limits]\ntokens = 1000");
    repo.run().exits(4).says("budget");
    repo.resume().exits(4);
}

#[test]
fn another_agent_can_take_over() {
    let repo =
        Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 77, "stderr": "no\n"}}]));
    fs::write(repo.outside("other.json"), "{}").unwrap();
    repo.settings(&scripted("other", &repo.outside("other.json")));
    repo.run().exits(4);
    repo.answer("UD-1", "retry-with: nobody").exits(2).says("nobody").says("crew, other");
    repo.answer("UD-1", "retry-with: other").exits(3);
    repo.tollgate(&["run", "--agent", "other", "--no-input", "Another"]).exits(3);
}

#[test]
fn an_optional_role_that_fails_can_be_skipped() {
    let repo =
        Repo::with(json!([{"when": {"role": "Researcher"}, "do": {"exit": 77, "stderr": "no\n"}}]));
    repo.tollgate(&["run", "--research", "--no-input", GOAL]).exits(4).says("skip");
    repo.answer("UD-1", "skip").exits(3).says("UD-APPROVE-DESIGN");
    let repo =
        Repo::with(json!([{"when": {"role": "Architect"}, "do": {"exit": 77, "stderr": "no\n"}}]));
    repo.run().exits(4).does_not_say("\"skip\"");
    repo.answer("UD-1", "skip").exits(2);
}

#[test]
fn a_missing_output_is_not_retried_and_is_listed() {
    let repo = Repo::with(
        json!([{"when": {"role": "SpecAgent"}, "do": {"write": {".agents-work/{session}/notes.md": "x"}}}]),
    );
    repo.run().exits(4).says("spec.md").says("acceptance.json");
    assert_eq!(repo.blocker().0, "missing_output");
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn a_session_file_that_a_person_removed_is_named_and_can_be_put_back() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let path = repo.session().join("spec.md");
    let spec = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    repo.answer("UD-REVIEW-STRATEGY", "per-batch").exits(4).says("spec.md").says("gone");
    fs::write(&path, spec).unwrap();
    repo.answer("UD-1", "retry").exits(0);
}

#[test]
fn a_plan_that_a_person_edits_is_taken_up_and_asked_about() {
    let repo = Repo::new();
    repo.through(&[APPROVE]).exits(3);
    let plan = crate::support::plan::plan(&[
        Planned::new("T-001", "one.txt"),
        Planned::new("T-002", "two.txt"),
        Planned::new("T-003", "three.txt"),
    ]);
    fs::write(repo.session().join("tasks.yaml"), plan).unwrap();
    let last = repo.answer("UD-REVIEW-STRATEGY", "single-final").exits(2).says("plan has changed");
    assert!(last.err.contains("3 tasks"), "{}", last.err);
    repo.answer("UD-REVIEW-STRATEGY", "single-final").exits(0);
    assert_eq!(repo.starts_of("Coder"), 3);
}

#[test]
fn qa_that_objects_sends_the_work_back() {
    let reply = json!({"status": "BLOCKED", "summary": "two tests fail", "artifacts": {"findings": ["the sum is wrong"]}});
    let repo = Repo::with(
        json!([{"when": {"role": "QA", "task": "T-001", "nth": 1}, "do": {"reply": reply}}]),
    );
    repo.through(&[APPROVE, PER_BATCH]).exits(0).says("FIX_TESTS");
    assert_eq!(repo.starts_of("Coder"), 3);
}

#[test]
fn a_reviewer_that_fails_is_escalated() {
    let repo = Repo::with(
        json!([{"when": {"role": "Reviewer", "task": "T-001", "nth": 1}, "do": {"reply": {"status": "FAIL", "summary": "cannot read it"}}}]),
    );
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("cannot read it");
    repo.answer("UD-1", "retry").exits(0);
}

#[test]
fn what_a_check_leaves_behind_is_nobodys_change() {
    let tasks = [Planned {
        checks: r#"["cmd: touch junk.txt && rm -f app.txt"]"#,
        ..Planned::new("T-001", "app.txt")
    }];
    let repo = Repo::with(json!([planner(&tasks)]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    let branch = format!("tollgate/{}", repo.session_name());
    assert_eq!(repo.git(&["diff", "--name-status", "main", &branch]), "M\tapp.txt\n");
}

#[test]
fn a_detached_head_and_a_linked_worktree_will_do() {
    let repo = Repo::new();
    repo.git(&["checkout", "--quiet", "--detach"]);
    repo.run().exits(3);
    let tree = repo.outside("tree");
    repo.git(&["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    fs::copy(repo.root().join("tollgate.toml"), tree.join("tollgate.toml")).unwrap();
    let run = |args: &[&str]| crate::support::ran(repo.command(args).current_dir(&tree));
    run(&["run", "--no-input", "In a worktree"]).exits(3);
    run(&["answer", "latest", APPROVE.0, APPROVE.1, "--resume"]).exits(3);
    run(&["answer", "latest", SINGLE_FINAL.0, SINGLE_FINAL.1, "--resume"]).exits(0);
    assert!(tree.join(".agents-work").is_dir());
}

#[test]
fn files_of_the_engine_do_not_show_in_git_status() {
    let repo = Repo::new();
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn two_sessions_of_one_repository_do_not_meet() {
    let repo = Repo::with(
        json!([{"when": {"role": "Architect"}, "do": {"default": true, "sleep_ms": 200}}]),
    );
    let first = repo.start(&["run", "--no-input", "--slug", "a", GOAL]);
    let second = repo.start(&["run", "--no-input", "--slug", "b", GOAL]);
    for child in [first, second] {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{}", crate::support::text(&output.stderr));
    }
    for name in ["a", "b"] {
        let session = fs::read_dir(repo.root().join(".agents-work"))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .find(|n| n.ends_with(&format!("_{name}")))
            .unwrap();
        for (id, answer) in [APPROVE, SINGLE_FINAL] {
            repo.tollgate(&["answer", &session, id, answer, "--resume"]);
        }
        let status: Value =
            serde_json::from_str(&repo.tollgate(&["status", &session, "--json"]).out).unwrap();
        assert_eq!(status["state"], "DONE");
    }
}

#[test]
fn guidance_reaches_the_repair() {
    let repo = Repo::with(
        json!([{"when": {"role": "Reviewer", "task": "T-001"}, "do": {"reply": objection("{dispatch} is wrong")}}]),
    );
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    repo.crew(json!([]));
    repo.answer("UD-1", "simplify: leave out the queue").exits(0);
    let number = repo.dispatch_of("Coder", 4);
    let prompt = repo.session_file(&format!("dispatches/{number}/attempt-1/prompt.md"));
    assert!(prompt.contains("leave out the queue") && prompt.contains("is wrong"), "{prompt}");
}

#[test]
fn an_agent_that_wrecks_its_workspace_gets_an_error_and_the_next_start_is_clean() {
    for wreck in [
        "git init -q nested && git -C nested -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && echo y > nested/f",
        "ln -s /etc/passwd app.link",
        "rm -rf .agents-work && ln -s /tmp .agents-work",
        "mkfifo pipe",
        "rm -rf .git",
        "printf x > \"$(printf 'bad\\nname')\"",
    ] {
        let repo = Repo::with(json!([
            {"when": {"role": "Coder", "task": "T-001", "attempt": 1}, "do": {"default": true, "run": ["sh", "-c", wreck]}},
        ]));
        let ran = repo.through(&[APPROVE, SINGLE_FINAL]);
        assert_eq!(ran.code, 0, "{wreck}: {}", ran.err);
        let branch = format!("tollgate/{}", repo.session_name());
        assert_eq!(
            repo.git(&["diff", "--name-only", "main", &branch]),
            "app.txt\nlib.txt\n",
            "{wreck}"
        );
    }
}

#[test]
fn a_new_workspace_is_set_up_once_with_what_it_needs() {
    let task = Planned {
        checks: "['cmd: grep -q plain .env && test $(wc -l < built) -eq 1']",
        ..Planned::new("T-001", "app.txt")
    };
    let repo = Repo::with(json!([crate::support::plan::planner(&[task])]));
    repo.settings("[workspace]\nsetup = [\"echo built >> built\"]\ncopy = [\".env\"]");
    fs::write(repo.root().join(".gitignore"), ".env\nbuilt\n").unwrap();
    fs::write(repo.root().join(".env"), "plain").unwrap();
    repo.git(&["add", ".gitignore"]);
    repo.git(&["commit", "-qm", "ignore"]);
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0);
}

#[test]
fn a_setup_command_that_fails_is_named() {
    let repo = Repo::new();
    repo.settings("[workspace]\nsetup = [\"echo no compiler >&2; exit 3\"]");
    repo.run().exits(4).says("exit code 3").says("no compiler");
    assert_eq!(repo.starts_of("SpecAgent"), 0);
}
