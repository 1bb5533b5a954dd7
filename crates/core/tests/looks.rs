//! Stories of reviewing roles that come because an accepted reply asks for them, and of what is left to a person.

use crate::story;

use expect_test::expect;
use story::{check, tell};

#[test]
fn r123_a_concern_about_a_task_without_the_flag_brings_security_to_it() {
    check(
        "gates approved per-batch
         task T-001 docs
         task T-002 docs
         Coder: asks security:the redirect is open
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Security(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r123_tests_that_are_asked_for_bring_qa_to_a_task_that_has_none() {
    check(
        "gates approved per-batch
         task T-001 docs
         Coder: asks tests, review
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r123_in_single_final_mode_the_combined_pass_is_told() {
    check(
        "gates approved single-final
         task T-001 docs
         Coder: asks tests, security:the redirect is open
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r123_lean_work_brings_who_is_asked_for() {
    check(
        "lean
         task T-001 docs
         SpecAgent: asks security:a password is in play
         Coder: asks tests
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            ran       SpecAgent Coder(T-001) Reviewer(T-001) QA(T-001) Security(T-001)"#]],
    );
}

#[test]
fn r123_a_concern_of_the_design_brings_security_to_the_whole() {
    check(
        "gates approved per-batch
         task T-001 docs | flag security
         Architect: asks security:tokens are kept in a file, review, tests
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Security(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r123_who_is_asked_for_after_the_loop_comes_before_the_end() {
    check(
        "gates approved per-batch
         task T-001 docs
         Integrator: ok
         Docs: asks security:the example has a real key, tests
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer QA Security"#]],
    );
}

#[test]
fn r123_reviewing_roles_do_not_call_each_other_for_ever() {
    check(
        "lean
         task T-001 feat
         Reviewer: asks security:one, review
         QA: asks review, tests, security:two
         Reviewer: asks security:one, tests
         Security: asks review, tests, security:three
         QA: asks review
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            ran       SpecAgent Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer(T-001) QA(T-001) Security(T-001)"#]],
    );
}

#[test]
fn r123_after_a_change_who_is_asked_for_looks_again() {
    check(
        "gates approved per-batch
         task T-001 docs
         Coder: asks security:one
         Security: blocked high:still open
         Coder: asks security:one
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Security T-001: high fixed
            told      Coder(T-001) [high] still open
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Security(T-001) Coder(T-001) Security(T-001) Reviewer QA Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r123_an_action_without_a_loop_brings_them_before_its_end() {
    check(
        "step dispatch Docs
         Docs: asks security:the example has a real key
         Security: ok high:a real key
         go
         answer UD-1 approve: it is revoked
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 justify answered "approve: it is revoked"
            finding   Security meta: high accepted
            ran       Docs Security"#]],
    );
    // A part of the action that comes later is told, and nobody comes twice.
    check(
        "step dispatch Coder
         step dispatch Security
         Coder: asks security:the redirect is open
         go",
        expect![[r#"
            state     DONE, 0 at work
            ran       Coder Security"#]],
    );
    // Who worked beside it was not told.
    check(
        "step parallel Coder Security
         Coder: asks security:the redirect is open
         go",
        expect![[r#"
            state     DONE, 0 at work
            ran       Coder Security Security"#]],
    );
}

#[test]
fn r123_the_concerns_are_told_to_security() {
    let told = tell(
        "gates approved per-batch
         task T-001 docs
         Coder: asks security:the redirect is open
         go until Security",
    );
    let session = told.session();
    let number = session.dispatches.keys().next_back().copied().unwrap();
    let brief = session.brief(number).unwrap();
    assert_eq!(
        brief.task.constraints,
        ["look at this concern of Coder (T-001): the redirect is open"]
    );
}

#[test]
fn r123_a_session_that_becomes_full_keeps_what_was_asked_for() {
    check(
        "lean
         gates approved per-batch
         task T-001 docs
         SpecAgent: asks security:a password is in play
         Coder: files
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Coder(T-001) SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r124_each_step_that_is_left_to_a_person_is_kept_once() {
    let told = tell(
        "gates approved per-batch
         task T-001 feat
         Architect: leaves order a certificate
         Coder: leaves run the migration
         QA: blocked high:it fails
         Coder: leaves run the migration
         Integrator: leaves push the tag
         go",
    );
    let session = told.session();
    let steps = session.record.manual_steps.iter().map(|step| {
        let dispatch = &session.dispatches[&step.dispatch];
        format!("{} {} {}: {}", step.dispatch, dispatch.role, dispatch.task, step.text)
    });
    expect![[r#"
        2 Architect session: order a certificate
        4 Coder T-001: run the migration
        11 Integrator session: push the tag"#]]
    .assert_eq(&steps.collect::<Vec<_>>().join("\n"));
}
