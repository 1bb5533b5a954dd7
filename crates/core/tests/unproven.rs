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
