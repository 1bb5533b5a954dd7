//! Stories of findings that nobody has fixed: whatever else happens, they are on record and come before a person or a
//! repair.

use crate::story::{check, tell};
use expect_test::expect;
use tollgate_core::engine::Engine;
use tollgate_core::event::{Event, Finding};
use tollgate_core::id::{CommandId, DecisionId};
use tollgate_core::input::{Command, Input};
use tollgate_core::refusal::Refusal;
use tollgate_core::reply::{ReportedFinding, Severity};
use tollgate_core::session::Session;

#[test]
fn r122_what_one_member_reports_another_of_the_same_role_does_not_settle() {
    check(
        "step parallel Coder Coder
         step severity REVIEW
         Coder: ok
         Coder: ok critical:sql
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Coder meta: critical fixed
            told      Coder [critical] sql
            ran       Coder Coder Coder"#]],
    );
    check(
        "step parallel Reviewer Reviewer
         step severity REVIEW
         Reviewer: ok critical:sql
         go
         show",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     ASK_USER, 0 at work
            decision  UD-1 justify pending
            finding   Reviewer meta: critical open
            ran       Reviewer Reviewer"#]],
    );
}

#[test]
fn r122_what_one_step_reports_the_next_of_the_same_role_does_not_settle() {
    check(
        "step dispatch Coder
         step dispatch Coder
         Coder: ok critical:sql
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Coder meta: critical fixed
            told      Coder [critical] sql
            ran       Coder Coder Coder"#]],
    );
    check(
        "step dispatch Coder
         step dispatch Reviewer
         step dispatch Reviewer
         Reviewer: ok critical:sql
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Reviewer meta: critical fixed
            told      Coder [critical] sql
            told      Reviewer look again: the findings have been worked on
            ran       Coder Reviewer Reviewer Coder Reviewer"#]],
    );
}

#[test]
fn r122_two_members_that_report_the_same_are_both_heard() {
    check(
        "step parallel Coder Coder
         Coder: blocked critical:sql
         Coder: ok critical:sql
         together
         answer UD-1 retry
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 escalation answered "retry"
            finding   Coder meta: critical fixed
            told      Coder [critical] sql
            ran       Coderx2 Coder Coder"#]],
    );
}

#[test]
fn r122_what_comes_with_a_contradicted_ok_is_on_record() {
    check(
        "gates approved per-batch
         Coder: empty critical:sql
         Docs: breach critical:false claim
         Reviewer: breach critical:race
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder T-001: critical fixed
            finding   Reviewer T-001: critical fixed
            finding   Docs meta: critical fixed
            ran       SpecAgent Architect Planner Coder(T-001)x2 Reviewer(T-001)x2 QA(T-001) Reviewer Security Integrator Docsx2 Integrator Reviewer"#]],
    );
}

#[test]
fn r122_lean_work_that_becomes_full_keeps_what_is_grave() {
    check(
        "lean
         gates approved per-batch
         Coder: files critical:sql, medium:slow
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder meta: critical fixed
            finding   Coder T-001: medium tracked
            told      Coder [critical] sql
            ran       SpecAgent Coder(T-001) SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Coder Integrator Docs Integrator Reviewer"#]],
    );
    check(
        "lean
         gates approved per-batch
         Coder: ok
         Reviewer: blocked high:race
         Coder: sensitive
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Reviewer meta: high fixed
            told      Coder(T-001) [high] race
            ran       SpecAgent Coder(T-001) Reviewer(T-001) Coder(T-001) SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_what_is_grave_outlives_its_task() {
    check(
        "task T-001 chore
         task T-002 chore
         gates approved per-batch
         Coder: ok critical:sql, medium:slow
         go until Coder
         first
         drop T-001
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder meta: critical fixed
            finding   Coder T-001: medium tracked
            told      Coder(T-001) [critical] sql
            told      Coder [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Security Coder Integrator Docs Integrator Reviewer"#]],
    );
    check(
        "task T-001 chore
         task T-002 chore
         gates approved per-batch
         Coder: blocked critical:sql
         go
         drop T-001
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation skipped "T-001 is no longer in the plan"
            finding   Coder meta: critical fixed
            told      Coder [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Security Coder Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_who_begins_a_task_again_is_told_what_was_reported() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         gates approved per-batch
         clash 1
         Coder: ok
         Coder: ok critical:sql
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder T-002: critical fixed
            finding   Orchestrator meta: high fixed
            told      Coder(T-002) another task that ran at the same time changed the same lines in src/shared; its change is in your tree now, so make yours on top of it (your first one is kept as refs/tollgate/keep/2026-11-15_story/member-5) / [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Reviewer(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_a_review_does_not_settle_what_nobody_told_it() {
    check(
        "task T-001 chore
         task T-002 chore
         gates approved single-final
         Coder: blocked high:sql
         Coder: ok
         Coder: blocked high:sql
         go
         answer UD-1 retry
         go
         answer UD-2 retry
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            decision  UD-1 escalation answered "retry"
            decision  UD-2 escalation answered "retry"
            finding   Coder T-001: high fixed
            finding   Coder T-002: high fixed
            told      Coder(T-002) [high] sql
            ran       SpecAgent Architect Planner Coder(T-001)x2 Coder(T-002)x2 Reviewer QA Security Coder(T-002) Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_what_a_reviewer_finds_and_fails_is_on_record() {
    check(
        "gates approved per-batch
         Reviewer: fail critical:race, low:long line
         go
         show
         answer UD-1 retry
         go",
        expect![[r#"
            state     BLOCKED subagent_failure, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation answered "retry"
            finding   Reviewer T-001: critical fixed
            finding   Reviewer T-001: low tracked
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001)x2 QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
    check(
        "step dispatch Coder
         step parallel Reviewer? QA
         step severity REVIEW
         Reviewer: fail critical:race
         go
         answer UD-1 skip
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 escalation answered "skip"
            finding   Reviewer meta: critical fixed
            told      Coder [critical] race
            told      Reviewer look again: the findings have been worked on
            told      QA look again: the findings have been worked on
            ran       Coder Reviewer QA Coder Reviewer QA"#]],
    );
}

#[test]
fn r122_what_is_found_in_a_task_that_left_the_plan_is_on_record() {
    check(
        "task T-001 chore
         task T-002 chore
         gates approved per-batch
         Reviewer: ok high:race
         go until Reviewer
         drop T-001
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Reviewer meta: high fixed
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_no_agent_reports_in_the_name_of_the_engine() {
    check(
        "ask Researcher
         gates approved per-batch
         Researcher: blocked critical:stolen #weakened-tests tests/a.rs
         go
         answer UD-1 skip
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-1 escalation answered "skip"
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Researcher meta: critical fixed
            told      Coder [critical] tests/a.rs: stolen
            ran       SpecAgent Researcher Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Coder Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_notes_are_not_accepted_over_something_critical() {
    let told = tell("gates approved per-batch\nReviewer: ok medium:slow\ngo");
    let mut session = told.session().clone();
    let noted = session.record.findings[0].clone();
    let answer = |session: &Session| {
        let (id, decision) = (CommandId::new("c"), DecisionId::parse("UD-1").unwrap());
        let answer =
            Command::Answer { id, decision, round: 1, answer: "accept".to_owned(), reason: None };
        let mut engine = Engine::resume(session.clone());
        engine.handle(session.updated_at, vec![Input::Command(answer)]).1.remove(0)
    };
    assert_eq!(answer(&session), Ok(()), "a medium one");
    let report = ReportedFinding { severity: Severity::Critical, ..noted.report.clone() };
    let event = Event::FindingRecorded { finding: Finding { report, ..noted } };
    session.follow(session.updated_at, &event).unwrap();
    assert!(matches!(answer(&session), Err(Refusal::CriticalOpen { open: 1, .. })));
}
