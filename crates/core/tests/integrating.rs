//! Stories of INTEGRATE: code at fault goes to the Coder, and the person's branch is merged where it has moved.

use crate::story;

use expect_test::expect;
use story::check;

#[test]
fn r138_an_integrator_that_blames_the_code_sends_it_to_the_coder_and_looks_again() {
    check(
        "gates approved per-batch
         Integrator: blocked -> Coder
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            told      Coder Integrator cannot make it pass: said BLOCKED
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Coder Integrator Docs Integrator Reviewer"#]],
    );
    check(
        "gates approved per-batch
         Integrator: blocked
         go",
        expect![[r#"
            state     BLOCKED agent_blocked, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation pending
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator"#]],
    );
}

#[test]
fn r138_three_repairs_then_a_person_and_what_they_accept_is_told_to_the_integrator() {
    check(
        "gates approved per-batch
         Integrator: blocked -> Coder
         Integrator: blocked -> Coder
         Integrator: blocked -> Coder
         Integrator: blocked -> Coder
         go
         answer UD-1 accept-with-known-issues: shipped as it is
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "accept-with-known-issues: shipped as it is"
            told      Coder Integrator cannot make it pass: said BLOCKED
            told      Coder Integrator cannot make it pass: said BLOCKED
            told      Coder Integrator cannot make it pass: said BLOCKED
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Coder Integrator Coder Integrator Coder Integrator Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r138_a_moved_branch_is_merged_at_integrate_and_the_merged_tree_is_checked() {
    check(
        "gates approved per-batch
         go until Reviewer
         moved
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            merged    main: clean
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r138_a_branch_that_moves_twice_while_the_integrator_works_is_merged_once_before_the_checks() {
    check(
        "gates approved per-batch
         go until Integrator
         moved
         crash keeping
         moved
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            merged    main: clean
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r138_a_conflict_is_a_finding_that_the_coder_resolves() {
    check(
        "gates approved per-batch
         go until Reviewer
         moved conflicts
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            merged    main: conflicts
            finding   Orchestrator meta: high fixed
            told      Coder [high] src/both.rs: main has moved, and both it and the session changed src/both.rs
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Coder Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r138_a_person_may_leave_a_conflict_unmerged() {
    check(
        "gates approved per-batch
         Coder: ok
         Coder: blocked
         Coder: blocked
         Coder: blocked
         go until Reviewer
         moved conflicts
         go
         answer UD-1 accept-with-known-issues: I merge it myself
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "accept-with-known-issues: I merge it myself"
            merged    main: conflicts
            finding   Orchestrator meta: high accepted
            told      Coder [high] src/both.rs: main has moved, and both it and the session changed src/both.rs
            told      Coder the last repair failed: said BLOCKED / [high] src/both.rs: main has moved, and both it and the session changed src/both.rs
            told      Coder the last repair failed: said BLOCKED / [high] src/both.rs: main has moved, and both it and the session changed src/both.rs
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Coder Coder Coder Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r140_what_is_found_after_the_report_brings_docs_back() {
    check(
        "gates approved per-batch
         Integrator: ok
         Integrator: ok low:slow
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Integrator meta: low tracked
            told      Docs what your constraints list came up after the report was written; add what is missing there
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer Docs Reviewer"#]],
    );
}
