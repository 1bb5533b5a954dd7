//! Stories of checks that show nothing about the work, and of what a person decides about them.

use crate::story;

use expect_test::expect;
use story::{Told, check, tell};
use tollgate_core::event::{CriterionResult, Event};

fn issues(told: &Told) -> String {
    told.session().record.known_issues.join("; ")
}

#[test]
fn r126_ruling_31_a_check_that_cannot_run_blocks_its_task_and_spends_no_repair() {
    check(
        "gates approved per-batch
         task T-001 feat | check cmd: t
         red 2
         missing 2
         go
         show
         crash keeping
         answer UD-1 retry
         go
         answer UD-2 fix-check: u
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 check answered "retry"
            decision  UD-2 check answered "fix-check: u"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r126_each_check_is_a_question_of_its_own_and_the_task_leaves_with_the_last_answer() {
    check(
        "gates approved per-batch
         task T-001 feat | check cmd: t | check cmd: u
         red 1
         missing 1
         go
         answer UD-1 waive: no t here
         show
         answer UD-2 fix-check: v
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 check answered "waive: no t here"
            decision  UD-2 check answered "fix-check: v"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r126_a_waived_check_is_run_no_more_and_its_criterion_is_waived() {
    let told = tell(
        "gates approved per-batch
         task T-001 feat | check cmd: t
         criterion cmd: t
         red 1
         missing 1
         go
         answer UD-1 waive: not here
         go",
    );
    assert_eq!(issues(&told), "`t` was not checked (waived: not here); not proven: AC-001");
    let result = told.session().plan.criteria_results.get("AC-001");
    assert_eq!(result, Some(&CriterionResult::Waived { reason: "not here".to_owned() }));
    let started = told.journal().iter().filter_map(|(_, event)| match event {
        Event::ChecksStarted { commands, .. } => Some(commands.join(",")),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), ["t", "", ""]);
}

#[test]
fn r126_qa_without_a_way_to_run_tests_spends_no_repair_and_one_with_a_fault_does() {
    check(
        "gates approved per-batch
         QA: blocked
         QA: blocked high:no pytest #no-test-runner
         QA: blocked high:no pytest #no-test-runner, high:wrong sum
         go
         answer UD-1 retry
         go
         answer UD-2 retry
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 check answered "retry"
            decision  UD-2 check answered "retry"
            finding   QA T-001: high fixed
            finding   QA T-001: high fixed
            told      Coder(T-001) [high] no pytest / [high] wrong sum
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) QA(T-001) QA(T-001) Coder(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r127_a_red_check_is_accepted_and_the_gate_behind_it_still_looks() {
    let told = tell(
        "gates approved per-batch
         task T-001 feat | check cmd: t
         criterion cmd: t
         red 4
         go
         answer UD-1 accept-with-known-issues: it is outdated
         go",
    );
    assert_eq!(issues(&told), "`t` fails (accepted: it is outdated); not proven: AC-001");
    check(
        "gates approved per-batch
         task T-001 feat | check cmd: t
         red 4
         go
         answer UD-1 accept-with-known-issues: it is outdated
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "accept-with-known-issues: it is outdated"
            finding   Orchestrator T-001: critical accepted
            told      Coder(T-001) the work was reported as done but `t` fails: exit code 1
            told      Coder(T-001) the work was reported as done but `t` fails: exit code 1
            told      Coder(T-001) the work was reported as done but `t` fails: exit code 1
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r128_an_old_failure_is_asked_about_once_and_repaired_as_often_as_any_other() {
    check(
        "gates approved per-batch
         task T-001 feat | check cmd: t
         red 5
         old 5
         go
         show
         answer UD-1 repair
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     ASK_USER, 0 at work
            tasks     T-001 blocked
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 check answered "repair"
            decision  UD-2 repair pending
            finding   Orchestrator T-001: critical open
            told      Coder(T-001) the work was reported as done but `t` fails: exit code 1 (pre-existing: it already failed on the base revision)
            told      Coder(T-001) the work was reported as done but `t` fails: exit code 1 (pre-existing: it already failed on the base revision)
            told      Coder(T-001) the work was reported as done but `t` fails: exit code 1 (pre-existing: it already failed on the base revision)
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001)"#]],
    );
}

#[test]
fn r128_what_passed_in_this_session_is_not_called_old() {
    check(
        "gates approved per-batch
         task T-001 feat | check cmd: t
         green 1
         red 1
         old 1
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Orchestrator meta: critical fixed
            told      Integrator the work was reported as done but `t` fails in a fresh clone of the branch: exit code 1 (pre-existing: it already failed on the base revision)
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r130_a_question_about_a_task_that_left_the_plan_is_skipped() {
    check(
        "gates approved per-batch
         task T-001 feat
         task T-002 feat | check cmd: t
         green 1
         red 1
         missing 1
         go
         drop T-002
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 check skipped "`t` is no longer in the plan"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Coder(T-002) Reviewer(T-002) QA(T-002) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r130_also_after_repairs_an_escalation_and_notes() {
    for (said, kind) in [
        ("Coder: fail", "escalation"),
        ("Reviewer: ok medium:x", "notes"),
        ("Reviewer: blocked high:a\nReviewer: blocked high:a\nReviewer: blocked high:a", "repair"),
        ("Coder: info which one", "info"),
        ("Coder: wants src/x.rs", "scope"),
    ] {
        let told = tell(&format!(
            "gates approved per-batch\ntask T-001 feat\ntask T-002 feat\n{said}\ngo\ndrop T-001\ngo"
        ));
        let asked = told.session().decisions.asked.iter().filter(|d| d.kind.as_str() == kind);
        let closed: Vec<_> =
            asked.map(|d| (d.resolution.status.as_str(), d.resolution.reason.clone())).collect();
        let reason = Some("T-001 is no longer in the plan".to_owned());
        assert_eq!(closed, [("skipped", reason)], "{said}");
        assert!(told.session().standing.closed, "{said}");
    }
}

#[test]
fn r132_a_correction_stays_queued_until_somebody_is_started_for_it() {
    check(
        "tokens 10
         go
         answer UD-APPROVE-DESIGN changes-requested: Architect: smaller
         go
         show
         answer UD-1 retry
         go",
        expect![[r#"
            state     BLOCKED budget, 0 at work
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            decision  UD-1 escalation answered "retry"
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched Architect, completed
            told      Architect the person asks for changes of the design: Architect: smaller
            ran       SpecAgent Architect Architect"#]],
    );
}

#[test]
fn r134_the_question_lists_every_repair_and_what_was_wrong_after_it() {
    let told = tell(
        "gates approved per-batch
         Reviewer: blocked high:a
         Reviewer: blocked high:b
         Reviewer: blocked high:c
         Reviewer: blocked high:d
         go",
    );
    expect![[r#"
        [high] d
        FIX_REVIEW of T-001 was tried 3 times without success:
        - dispatch 6, Coder: it replied OK: said OK. Then: [high] b
        - dispatch 8, Coder: it replied OK: said OK. Then: [high] c
        - dispatch 10, Coder: it replied OK: said OK. Then: [high] d"#]]
    .assert_eq(&told.pending_question());
}

#[test]
fn r134_the_question_lists_every_attempt_of_a_dispatch() {
    let told = tell("SpecAgent: crash\nSpecAgent: invalid\nSpecAgent: crash\ngo");
    expect![[r#"
        SpecAgent for the session failed 3 times (dispatch 1): it ended with exit code 1
        All attempts:
        - attempt 1: it ended with exit code 1
        - attempt 2: what it delivered is invalid: /status: not a status
        - attempt 3: it ended with exit code 1"#]]
    .assert_eq(&told.pending_question());
}
