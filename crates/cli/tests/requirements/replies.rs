//! What agents say: read strictly, refused with reasons, never taken at their word.

use crate::support::plan::{Planned, objection, planner, replies};
use crate::support::{APPROVE, PER_BATCH, Repo, SINGLE_FINAL};
use expect_test::expect;
use serde_json::json;

/// A reply that the contract accepts, as text.
fn good_reply() -> String {
    json!({"status": "OK", "summary": "done", "artifacts": {}, "next": null,
           "gates": {"meets_definition_of_done": true, "needs_review": false, "needs_tests": false, "security_concerns": []}})
    .to_string()
}

/// SpecAgent says this first and does better after it was told; returns what the second attempt was told.
fn told_after(first: serde_json::Value) -> String {
    let mut bad = json!({"default": true});
    bad.as_object_mut().unwrap().extend(first.as_object().unwrap().clone());
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "attempt": 1}, "do": bad}]));
    repo.run().exits(3).says("invalid");
    assert_eq!(repo.starts(), ["SpecAgent meta", "SpecAgent meta", "Architect meta"]);
    let input = repo.input(1, 2);
    let errors = input["previous_errors"].as_array().unwrap().clone();
    assert!(!errors.is_empty());
    for error in &errors {
        assert!(error["code"].is_string() && error["path"].is_string(), "{error}");
    }
    let prompt = repo.session_file("dispatches/1/attempt-2/prompt.md");
    assert!(prompt.contains(errors[0]["message"].as_str().unwrap()), "{prompt}");
    let lines = errors.iter().map(|e| {
        let word = |key: &str| e[key].as_str().unwrap().to_owned();
        format!("{} {} {}\n", word("code"), word("path"), word("message"))
    });
    lines.collect()
}

#[test]
fn r001_text_around_the_reply_makes_it_invalid() {
    for stdout in [
        format!("Sure! Here it is:\n{}", good_reply()),
        format!("{}\nAnything else?", good_reply()),
        format!("```json\n{}\n```", good_reply()),
        format!("{}{}", good_reply(), good_reply()),
    ] {
        told_after(json!({ "stdout": stdout }));
    }
}

#[test]
fn r001_white_space_around_the_reply_is_fine() {
    let stdout = format!("\n\n  {}\n\t\n", good_reply());
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "stdout": stdout}}
    ]));
    repo.run().exits(3);
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn r006_a_status_outside_the_five_is_named() {
    let told = told_after(json!({"reply": {"status": "DONE"}}));
    expect![[r#"
        reply.status_unknown /status the status is "DONE", but must be OK, BLOCKED, NEEDS_INFO, NEEDS_DECISION or FAIL
    "#]].assert_eq(&told);
}

#[test]
fn r007_needs_info_is_the_researchers() {
    let told = told_after(json!({"reply": {"status": "NEEDS_INFO"}}));
    expect![[r#"
        reply.status_not_for_role /status SpecAgent cannot reply "NEEDS_INFO". Reply OK, BLOCKED or FAIL; say in the summary what is missing
    "#]].assert_eq(&told);
}

#[test]
fn r008_needs_decision_is_securitys() {
    let told = told_after(json!({"reply": {"status": "NEEDS_DECISION"}}));
    expect![[r#"
        reply.status_not_for_role /status SpecAgent cannot reply "NEEDS_DECISION". Reply OK, BLOCKED or FAIL; say in the summary what is missing
    "#]].assert_eq(&told);
}

#[test]
fn every_missing_field_of_a_reply_is_named() {
    let told = told_after(json!({"stdout": {"status": "OK"}}));
    expect![[r#"
        shape.field_missing / these fields are missing: "summary", "artifacts", "gates". Add them to the top level
    "#]]
    .assert_eq(&told);
}

#[test]
fn no_output_and_bytes_that_are_not_text_are_distinguished() {
    let nothing = told_after(json!({"stdout": ""}));
    expect![[r#"
        reply.empty / the reply is empty. Write exactly one JSON object to standard output
    "#]]
    .assert_eq(&nothing);
    let bytes = told_after(json!({"stdout_hex": "7b22ff22fe7d"}));
    expect![[r#"
        reply.not_utf8 / byte 2 is not part of UTF-8 text; before it comes "{\"". Reply in UTF-8
    "#]]
    .assert_eq(&bytes);
}

#[test]
fn r055_an_agent_is_started_three_times_whatever_went_wrong() {
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent", "attempt": 1}, "do": {"exit": 1, "stderr": "disk on fire\n"}},
        {"when": {"role": "SpecAgent", "attempt": 2}, "do": {"stdout": "no JSON"}},
        {"when": {"role": "SpecAgent", "attempt": 3}, "do": {"exit": 1, "stderr": "disk on fire\n"}},
    ]));
    let blocked = repo.run().exits(4).says("BLOCKED").says("subagent_failure");
    assert_eq!(repo.starts_of("SpecAgent"), 3);
    assert_eq!(repo.blocker().0, "subagent_failure");
    assert!(!repo.session().join("spec.md").exists(), "nobody else makes its artefact");
    let shown = blocked.err.split_once("BLOCKED").unwrap().1;
    expect![[r#"
          SESSION (subagent_failure)
        │   message      SpecAgent for the session failed 3 times (dispatch 1): it ended with exit code 1; the last line of its output: disk on fire
        │   action       deliver
        │   step         1 (SpecAgent)
        │   role file    built-in spec-agent sha256 HASH
        │   agent        crew
        │   task         session
        │   dispatch     1, attempt 3
        │   failed at    TIME
        │   duration     N s
        │   spent        cost unknown, 3 attempts, N s of agent time
        │   error type   transient, crashed, subagent_failure
        │
        │ Affected artefacts
        │   - .agents-work/SESSION/spec.md: it should have been written
        │   - .agents-work/SESSION/acceptance.json: it should have been written
        │
        │ Earlier attempts
        │   - attempt 1, ended TIME after N s: it ended with exit code 1; the last line of its output: disk on fire
        │   - attempt 2, ended TIME after N s: what it delivered is invalid: the reply: the reply is not a JSON object; it begins with "no JSON". Reply with one object that begins with { and ends with }
        │   - attempt 3, ended TIME after N s: it ended with exit code 1; the last line of its output: disk on fire
        │
        │ What to do
        │   1. read the end of its standard error in .agents-work/SESSION/dispatches/1/, then answer UD-1
        │   2. answer `retry`: one more attempt with the same input (recommended)
        │   3. or choose one of the other options
        │
        │ Kept
        │   - .agents-work/SESSION/dispatches/1/attempt-3/
        │
        │ Next: the session waits for your answer to UD-1, with no time limit
        │ Question: UD-1
        report: logs/errors/TIME_SESSION_dispatch-1-attempt-3.json, and .txt for people

        UD-1 SpecAgent for the session failed 3 times (dispatch 1): it ended with exit code 1; the last line of its output: disk on fire
        │ All attempts:
        │ - attempt 1: it ended with exit code 1; the last line of its output: disk on fire
        │ - attempt 2: what it delivered is invalid: the reply: the reply is not a JSON object; it begins with "no JSON". Reply with one object that begins with { and ends with }
        │ - attempt 3: it ended with exit code 1; the last line of its output: disk on fire
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
    "#]].assert_eq(&repo.neutral(shown));
    // One consent buys one start.
    repo.crew(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 1}}]));
    repo.answer("UD-1", "retry").exits(4);
    assert_eq!(repo.starts_of("SpecAgent"), 4);
    repo.crew(json!([]));
    repo.answer("UD-2", "retry: be careful").exits(3);
    assert_eq!(repo.starts_of("SpecAgent"), 5);
    let input = repo.session_file("dispatches/1/attempt-5/prompt.md");
    assert!(input.contains("be careful"));
}

#[test]
fn r055_crashes_alone_are_tried_three_times() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent"}, "do": {"exit": 9}}]));
    repo.run().exits(4);
    assert_eq!(repo.starts(), ["SpecAgent meta"; 3]);
}

#[test]
fn r114_an_ok_without_a_change_is_not_an_implementation() {
    let repo = Repo::with(json!([{"when": {"role": "Coder"}, "do": {}}]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("no file was changed");
    assert_eq!(repo.starts_of("Coder"), 3);
    assert_eq!(repo.starts_of("Reviewer"), 0);
    assert_eq!(repo.status()["tasks"][0]["status"], "blocked");
    assert!(repo.events("task_moved").iter().all(|event| event["status"] != "implemented"));
}

#[test]
fn r102_a_check_that_fails_after_an_ok_is_a_finding_and_nothing_is_promoted() {
    let checks = r#"["cmd: ! grep -q bad app.txt"]"#;
    let plan = [Planned { checks, ..Planned::new("T-001", "app.txt") }];
    let breaks =
        json!({"when": {"role": "Coder", "nth": 1}, "do": {"append": {"app.txt": "bad\n"}}});
    let fixes =
        json!({"when": {"role": "Coder", "nth": 2}, "do": {"write": {"app.txt": "one\ngood\n"}}});
    let repo = Repo::with(json!([planner(&plan), breaks, fixes]));
    let ran = repo.through(&[APPROVE, PER_BATCH]);
    let journal = repo.journal();
    let at = |found: &dyn Fn(&serde_json::Value) -> bool| journal.iter().position(found).unwrap();
    let finding = at(&|e| e["type"] == "finding_recorded");
    let words = journal[finding]["finding"]["report"]["message"].as_str().unwrap();
    assert!(words.contains("grep -q bad app.txt"), "{words}");
    let promoted = at(&|e| e["type"] == "task_moved" && e["status"] == "implemented");
    assert!(finding < promoted, "not implemented before its check passes");
    assert_eq!(repo.starts_of("Coder"), 2);
    let prompt = repo
        .session_file(&format!("dispatches/{}/attempt-1/prompt.md", repo.dispatch_of("Coder", 1)));
    assert!(prompt.contains("exit code 1"), "{prompt}");
    ran.exits(0);
    assert_eq!(repo.status()["findings"][0]["status"], "fixed");
}

#[test]
fn r102_work_whose_check_never_holds_is_never_done_unasked() {
    // It holds on the base, and no change of the Coder leaves it so.
    let checks = r#"["cmd: test $(wc -l < app.txt) -eq 1"]"#;
    let plan = [Planned { checks, ..Planned::new("T-001", "app.txt") }];
    let repo = Repo::with(json!([planner(&plan)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("FIX_TESTS");
    assert_eq!(repo.starts_of("Coder"), 4, "the work and three repairs");
    repo.resume().exits(3);
    assert_ne!(repo.status()["tasks"][0]["status"], "completed");
}

#[test]
fn r048_after_three_repairs_a_person_is_asked_with_four_ways_on() {
    let blames = objection("{dispatch} is wrong");
    let repo = Repo::with(json!([replies("Reviewer", blames)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3);
    assert_eq!(repo.starts_of("Coder"), 4, "the work and three repairs");
    let status = repo.status();
    assert_eq!(status["state"], "ASK_USER");
    let question = &status["pending_decisions"][0];
    assert_eq!(question["kind"], "repair");
    let answers: Vec<&str> = question["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["answer"].as_str().unwrap())
        .collect();
    assert_eq!(
        answers,
        [
            "different-approach: TEXT",
            "accept-with-known-issues: TEXT",
            "simplify: TEXT",
            "guidance: TEXT",
            "cancel: TEXT"
        ]
    );
    assert_eq!(repo.status_file()["retry_counts"]["T-001"]["FIX_REVIEW"], 3);
    // Each way on buys one repair.
    repo.answer("UD-1", "guidance: look at line 3").exits(3);
    assert_eq!(repo.starts_of("Coder"), 5);
    assert_eq!(repo.status_file()["retry_counts"]["T-001"]["FIX_REVIEW"], 3);
    repo.answer("UD-2", "accept-with-known-issues: good enough");
    assert!(repo.status_file()["known_issues"].to_string().contains("good enough"));
}

#[test]
fn r111_the_same_finding_three_times_stops_the_loop() {
    let rule = |line: u32, nth: u32| {
        let mut reply = objection("the name is wrong");
        reply["artifacts"]["review_comments"][0]["line"] = json!(line);
        json!({"when": {"role": "Reviewer", "task": "T-001", "nth": nth}, "do": {"reply": reply}})
    };
    let repo = Repo::with(json!([rule(1, 1), rule(20, 2), rule(300, 3)]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("non_convergence").says("the name is wrong");
    assert_eq!(repo.starts_of("Coder"), 3, "two repairs, not three");
    assert_eq!(repo.blocker().0, "non_convergence");
    repo.answer("UD-1", "different-approach: rename it").exits(0);
}

#[test]
fn r119_control_sequences_of_agents_do_not_reach_the_terminal() {
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}gnp.exe\r";
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent", "attempt": 1}, "do": {"exit": 1, "stderr": format!("{evil}\n")}},
        {"when": {"role": "SpecAgent"}, "do": {"default": true, "reply": {"summary": evil,
            "artifacts": {"notes": [format!("assumption: {evil}")]}}}},
        replies("Reviewer", objection(evil)),
        {"when": {"role": "Planner", "attempt": 1}, "do": {"stdout": {(evil): evil}}},
    ]));
    let is_evil = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
    let check = |shown: &str| assert!(!shown.contains(is_evil), "{shown:?}");
    check(&repo.run().exits(3).err);
    check(&repo.answer("UD-APPROVE-DESIGN", "approved").exits(3).err);
    check(&repo.answer("UD-REVIEW-STRATEGY", "per-batch").err);
    check(&repo.tollgate(&["status"]).exits(0).out);
    check(&repo.tollgate(&["status", "--json"]).exits(0).out);
    check(&repo.tollgate(&["answer", "latest", "UD-9", evil]).err);
    check(&repo.tollgate(&["status", evil]).err);
    check(&repo.tollgate(&["run", "--no-input", evil]).err);
}

#[test]
fn a_gigabyte_of_output_is_stopped_at_the_limit() {
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"flood_bytes": 1u64 << 30}}
    ]));
    repo.settings("[limits]\noutput_bytes = 100000");
    repo.run().exits(4).says("output_limit").says("100000 bytes");
    assert_eq!(repo.starts_of("SpecAgent"), 1, "no retry");
    let kept = std::fs::metadata(repo.session().join("dispatches/1/attempt-1/stdout.log")).unwrap();
    assert!(kept.len() <= 100_000);
}

#[test]
fn an_agents_own_blocked_stops_with_its_words() {
    let repo = Repo::with(json!([replies(
        "Architect",
        json!({"status": "BLOCKED", "summary": "the schema is missing"})
    )]));
    repo.run().exits(4).says("the schema is missing").says("retry").says("cancel");
    assert_eq!(repo.blocker().0, "agent_blocked");
    assert_eq!(repo.starts_of("Architect"), 1);
}

#[test]
fn a_timeout_is_not_retried_and_can_be_extended() {
    let repo = Repo::with(json!([{"when": {"role": "SpecAgent", "nth": 1}, "do": {"hang": true}}]));
    repo.settings("[timeout]\nSpecAgent = \"150ms\"");
    repo.run().exits(4).says("timeout").says("extend: DURATION");
    assert_eq!(repo.starts_of("SpecAgent"), 1);
    repo.answer("UD-1", "extend: soon").exits(2).says("extend: 30m");
    repo.answer("UD-1", "extend: 20s").exits(3);
}

#[test]
fn a_permission_refused_is_not_retried() {
    let repo = Repo::with(json!([
        {"when": {"role": "SpecAgent"}, "do": {"exit": 77, "stderr": "may not read /etc\n"}}
    ]));
    repo.run().exits(4).says("permission").says("may not read /etc");
    assert_eq!(repo.starts_of("SpecAgent"), 1);
}

#[test]
fn typed_results_of_implementor_and_reviewer_are_taken() {
    let repo = Repo::with(json!([
        replies("Coder", json!({"role": "implementor", "outcome": "completed", "summary": "done"})),
        replies(
            "Reviewer",
            json!({"role": "reviewer", "review": {"verdict": "approve", "summary": "fine", "comments": []}})
        ),
    ]));
    repo.through(&[APPROVE, SINGLE_FINAL]).exits(0).says("DONE");
}
