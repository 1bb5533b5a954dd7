//! Stories of tasks that are worked on at the same time.

use crate::story;

use expect_test::expect;
use story::{check, tell};
use tollgate_core::event::Verdict;
use tollgate_core::role::Role;

#[test]
fn tasks_start_together_and_are_taken_in_together() {
    check(
        "parallel 3
         task T-001 chore
         task T-002 chore
         task T-003 chore | after T-001
         task T-004 chore
         gates approved per-batch
         go until Coder
         lanes
         together
         lanes
         go",
        expect![[r#"
            at work   Coder(T-001) Coder(T-002) Coder(T-004)
            at work   merge
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed, T-003 completed, T-004 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-004) Reviewer(T-001) Reviewer(T-002) Reviewer(T-004) Coder(T-003) Reviewer(T-003) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn two_tasks_that_may_change_the_same_file_never_work_at_the_same_time() {
    check(
        "parallel 4
         task T-001 chore
         task T-002 chore | beside T-001
         task T-003 chore
         gates approved single-final
         go until Coder
         lanes
         together
         go until Coder
         lanes
         go",
        expect![[r#"
            at work   Coder(T-001) Coder(T-003)
            at work   Coder(T-002)
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed, T-003 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-003) Coder(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn a_conflict_sends_the_later_task_back_on_top_of_the_earlier_one() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         clash 1
         gates approved single-final
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            finding   Orchestrator meta: high fixed
            told      Coder(T-002) another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-5)
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
    let told = tell(
        "parallel 2
         task T-001 chore
         task T-002 chore
         clash 1
         gates approved single-final
         go until Coder
         together
         go until Coder
         lanes",
    );
    let number = told.session().dispatches.keys().next_back().copied().expect("a dispatch");
    let brief = told.session().brief(number).expect("it is open");
    let [told] = brief.feedback.as_slice() else { panic!("{:?}", brief.feedback) };
    assert!(told.contains("changed the same lines in src/shared"), "{told}");
}

#[test]
fn gates_of_several_tasks_look_at_the_same_time_and_tests_of_qa_are_taken_in_together() {
    check(
        "parallel 2
         task T-001 feat
         task T-002 feat
         Reviewer: blocked high:wrong
         gates approved per-batch
         go until Reviewer
         lanes
         together
         lanes
         go until QA
         lanes
         go",
        expect![[r#"
            at work   Reviewer(T-001) Reviewer(T-002)
            at work   Coder(T-001) QA(T-002)
            at work   Coder(T-001) QA(T-002)
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Reviewer T-001: high fixed
            told      Coder(T-001) [high] wrong
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Reviewer(T-001) Reviewer(T-002) Coder(T-001) QA(T-002) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn a_task_that_stops_holds_the_others_until_a_person_has_answered() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         Coder: timeout
         gates approved single-final
         go until Coder
         together
         show
         answer UD-1 retry
         lanes
         crash
         lanes
         go",
        expect![[r#"
            state     BLOCKED timeout, 0 at work
            at work   Coder(T-001)x2
            at work   Coder(T-001)x3
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            decision  UD-1 escalation answered "retry"
            ran       SpecAgent Architect Planner Coder(T-001)x3 Coder(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn a_clash_is_settled_also_where_the_second_try_brings_nothing() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         clash 1
         Coder: ok
         Coder: ok
         Coder: blocked
         gates approved per-batch
         go
         show
         answer UD-1 retry
         go",
        expect![[r#"
            state     BLOCKED agent_blocked, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation answered "retry"
            finding   Orchestrator meta: high fixed
            told      Coder(T-002)x2 another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-5)
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Reviewer(T-001) Coder(T-002)x2 Reviewer(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn what_a_review_finds_after_a_clash_is_repaired_and_the_clash_is_settled() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         clash 1
         Reviewer: blocked high:wrong
         Reviewer: blocked high:wrong
         gates approved per-batch
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Orchestrator meta: high fixed
            finding   Reviewer T-001: high fixed
            finding   Reviewer T-002: high fixed
            told      Coder(T-002) another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-5)
            told      Coder(T-001) [high] wrong
            told      Coder(T-002) [high] wrong
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Reviewer(T-001) Coder(T-002) Coder(T-001) Reviewer(T-002) Reviewer(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn lean_work_has_no_lanes() {
    check(
        "lean
         parallel 3
         task T-001 chore
         go until Coder
         edit tasks.yaml
         go until Reviewer
         lanes",
        expect![[r#"
            at work   Reviewer(T-001)
            state     IMPLEMENT_LOOP, 1 at work
            tasks     T-001 implemented, T-900 not-started
            ran       SpecAgent Coder(T-001) Reviewer(T-001)"#]],
    );
}

#[test]
fn tests_for_a_task_that_leaves_the_plan_are_taken_because_others_lie_on_top_of_them() {
    let told = tell(
        "parallel 2
         task T-001 feat
         task T-002 feat
         QA: files
         QA: files
         gates approved per-batch
         go until QA
         drop T-001
         go until Reviewer",
    );
    let tested = told.session().dispatches.values().filter(|d| d.role == Role::QA);
    let verdicts: Vec<_> = tested.map(|dispatch| dispatch.verdict()).collect();
    assert_eq!(verdicts, [Some(Verdict::Accepted), Some(Verdict::Accepted)]);
}

#[test]
fn tasks_that_clash_are_done_again_one_by_one_and_no_agent_is_blamed() {
    check(
        "parallel 4
         task T-001 chore
         task T-002 chore
         task T-003 chore
         task T-004 chore
         clash always
         gates approved single-final
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed, T-003 completed, T-004 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            finding   Orchestrator meta: high fixed
            finding   Orchestrator meta: high fixed
            finding   Orchestrator meta: high fixed
            told      Coder(T-002) another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-5)
            told      Coder(T-003) another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-6)
            told      Coder(T-004) another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-7)
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-003) Coder(T-004) Coder(T-002) Coder(T-003) Coder(T-004) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}
