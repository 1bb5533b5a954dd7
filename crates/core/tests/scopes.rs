//! Stories of files outside a task's scope, and of plans that leave something to a person.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::story;

use expect_test::expect;
use story::{check, tell};
use tollgate_core::reply::Severity;
use tollgate_core::role::Role;

#[test]
fn r105_a_coder_that_needs_another_file_asks_and_continues_with_it_when_allowed() {
    check(
        "task T-001 chore
         Coder: wants src/other.rs
         gates approved per-batch
         go
         show
         answer UD-1 allow
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 scope answered "allow"
            told      Coder(T-001)x2 the person allows you to change: src/other.rs
            ran       SpecAgent Architect Planner Coder(T-001)x2 Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
    let told = tell(
        "task T-001 chore
         Coder: wants src/other.rs
         gates approved per-batch
         go
         answer UD-1 allow",
    );
    let brief = told.session().brief(*told.session().dispatches.keys().next_back().unwrap());
    assert_eq!(brief.unwrap().files.scope.unwrap().allowed, ["src/other.rs"]);
}

#[test]
fn r105_a_refusal_is_reported_and_the_same_request_again_is_an_ordinary_stop() {
    check(
        "task T-001 chore
         Coder: wants src/other.rs
         Coder: wants src/other.rs
         gates approved per-batch
         go
         answer UD-1 refuse: it is frozen
         go
         show",
        expect![[r#"
            state     BLOCKED agent_blocked, 0 at work
            state     BLOCKED agent_blocked, 0 at work
            tasks     T-001 blocked
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 scope answered "refuse: it is frozen"
            decision  UD-2 escalation pending
            told      Coder(T-001)x2 the person does not allow you to change src/other.rs: it is frozen
            ran       SpecAgent Architect Planner Coder(T-001)x2"#]],
    );
}

#[test]
fn r105_a_request_beside_work_that_is_done_brings_back_what_was_left_out() {
    check(
        "task T-001 chore
         Coder: adds src/other.rs
         gates approved per-batch
         go
         show
         answer UD-1 allow
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 scope answered "allow"
            finding   Orchestrator T-001: low fixed
            told      Coder(T-001) the person allows you to change: src/other.rs / your earlier changes to them were left out and are back in your tree: finish them
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
    let told = tell(
        "task T-001 chore
         Coder: adds src/other.rs
         gates approved per-batch
         go
         answer UD-1 allow
         go until Coder",
    );
    let brief = told.session().brief(*told.session().dispatches.keys().next_back().unwrap());
    let restored = brief.unwrap().start.restore;
    assert_eq!(restored[0].paths, ["src/other.rs"]);
    assert_eq!(restored[0].rescue, "left-out");
}

#[test]
fn r096_r100_a_change_out_of_scope_that_nobody_spoke_of_is_a_warning_and_rejects_nothing() {
    check(
        "task T-001 chore
         Coder: beyond src/other.rs
         gates approved per-batch
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Orchestrator T-001: low tracked
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
    let told = tell(
        "task T-001 chore
         Coder: beyond src/other.rs
         gates approved per-batch
         go until Reviewer",
    );
    let finding = &told.session().record.findings[0].report.message;
    assert!(
        finding.starts_with("[Warning] src/other.rs is outside the scope of T-001"),
        "{finding}"
    );
    assert!(finding.contains("the summary does not mention it"), "{finding}");
    let brief = told.session().brief(*told.session().dispatches.keys().next_back().unwrap());
    let constraints = brief.unwrap().task.constraints.join(" / ");
    assert!(constraints.contains("src/other.rs"), "{constraints}");
}

#[test]
fn r099_files_that_a_person_names_count_in_the_next_revision_and_only_there() {
    let told = tell(
        "task T-001 chore
         Reviewer: ok medium:rename it
         gates approved per-batch
         go
         answer UD-1 fix: also the call in src/call.rs
         go until Coder",
    );
    let brief = told.session().brief(*told.session().dispatches.keys().next_back().unwrap());
    assert_eq!(brief.unwrap().files.scope.unwrap().named, ["src/call.rs"]);
    let told = tell(
        "task T-001 chore
         Reviewer: blocked high:see src/agent.rs
         gates approved per-batch
         go until Reviewer
         go until Coder",
    );
    let brief = told.session().brief(*told.session().dispatches.keys().next_back().unwrap());
    assert_eq!(
        brief.unwrap().files.scope.unwrap().named,
        Vec::<String>::new(),
        "an agent names nothing"
    );
}

#[test]
fn r092_a_refinement_is_asked_and_the_plan_made_again_with_the_answer() {
    check(
        "task T-001 chore
         Planner: refine Which limit?
         gates approved per-batch
         go
         show
         answer UD-1 ten a minute
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 info answered "ten a minute"
            told      Planner The plan leaves R-001 to you. Which limit? The person says: ten a minute
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Planner Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r105_who_says_ok_and_asks_again_for_what_is_refused_has_done_nothing() {
    check(
        "task T-001 chore
         Coder: wants src/other.rs
         Coder: insists src/other.rs
         gates approved per-batch
         go
         answer UD-1 refuse: it is frozen
         go
         show",
        expect![[r#"
            state     BLOCKED subagent_failure, 0 at work
            state     BLOCKED subagent_failure, 0 at work
            tasks     T-001 blocked
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 scope answered "refuse: it is frozen"
            decision  UD-2 escalation pending
            told      Coder(T-001)x2 the person does not allow you to change src/other.rs: it is frozen
            ran       SpecAgent Architect Planner Coder(T-001)x2"#]],
    );
}

#[test]
fn fixing_by_hand_is_for_one_attempt_also_where_it_asks_for_a_file() {
    let told = tell(
        "task T-001 chore
         Coder: timeout
         Coder: wants src/other.rs
         gates approved per-batch
         go
         answer UD-1 manual-fix
         go
         answer UD-2 allow",
    );
    let dispatch = told.session().dispatches.values().next_back().unwrap();
    assert_eq!((dispatch.attempts.0, dispatch.agent()), (3, None));
}

#[test]
fn r105_what_was_put_back_once_is_not_laid_over_later_work() {
    let told = tell(
        "task T-001 chore
         Coder: adds src/other.rs
         Reviewer: blocked high:wrong
         gates approved per-batch
         go
         answer UD-1 allow
         go until Reviewer
         go until Coder",
    );
    let coders = told.session().dispatches.values().filter(|d| d.role == Role::Coder).count();
    assert_eq!(coders, 3, "its work, what was allowed, and the repair");
    let brief = told.session().brief(*told.session().dispatches.keys().next_back().unwrap());
    assert_eq!(
        brief.unwrap().start.restore,
        [],
        "the accepted file is newer than what was left out"
    );
}

#[test]
fn r105_a_coder_that_is_allowed_more_waits_until_no_other_coder_is_at_work() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         Coder: wants src/other.rs
         gates approved single-final
         go until Coder
         lanes
         first
         answer UD-1 allow
         lanes
         together
         go until Coder
         lanes
         go",
        expect![[r#"
            at work   Coder(T-001) Coder(T-002)
            at work   Coder(T-002)
            at work   Coder(T-001)
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            decision  UD-1 scope answered "allow"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r100_only_what_was_left_out_takes_the_weight_from_a_blocker_about_scope() {
    let passes = |remark: &str, coder: &str| {
        let told = tell(&format!(
            "task T-001 chore
             Coder: {coder}
             Reviewer: blocked {remark}
             gates approved per-batch
             go until Reviewer
             together
             go"
        ));
        !told
            .session()
            .record
            .findings
            .iter()
            .any(|f| f.source() == Role::Reviewer && f.report.severity > Severity::Low)
    };
    assert!(passes("critical:not yours #scope src/other.rs", "beyond src/other.rs"));
    assert!(passes("high:not yours #scope src/x.rs", "ok"));
    assert!(
        !passes("critical:not yours #scope src/x.rs", "ok"),
        "a blocker the engine knows nothing of"
    );
    assert!(!passes("high:half of the scope is missing #scope", "ok"), "it names no file");
    assert!(!passes("high:wrong", "ok"));
}

#[test]
fn r104_a_folder_full_of_files_is_one_warning() {
    let told = tell(
        "task T-001 chore
         Coder: floods node_modules
         gates approved per-batch
         go",
    );
    let warnings: Vec<&str> =
        told.session().record.findings.iter().map(|f| f.report.message.as_str()).collect();
    let [warning] = warnings.as_slice() else { panic!("{} warnings", warnings.len()) };
    assert!(
        warning.starts_with("[Warning] the changes to 3000 files in node_modules"),
        "{warning}"
    );
}

#[test]
fn r162_a_refinement_holds_back_only_what_waits_for_it() {
    check(
        "task T-001 chore | waits R-001
         task T-002 chore
         task T-003 chore | after T-001
         Planner: refine Which limit?
         gates approved per-batch
         go
         show
         answer UD-1 ten a minute
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed, T-003 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 info answered "ten a minute"
            told      Planner The plan leaves R-001 to you. Which limit? The person says: ten a minute
            ran       SpecAgent Architect Planner Coder(T-002) Reviewer(T-002) Planner Coder(T-001) Reviewer(T-001) Coder(T-003) Reviewer(T-003) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r162_the_urgent_of_what_is_ready_comes_first() {
    check(
        "task T-001 chore | priority low
         task T-002 chore
         task T-003 chore | priority high | after T-004
         task T-004 chore | priority high
         gates approved per-batch
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed, T-003 completed, T-004 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-004) Reviewer(T-004) Coder(T-003) Reviewer(T-003) Coder(T-002) Reviewer(T-002) Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r160_a_plain_criterion_is_verified_by_the_reviewer_by_name_or_asked_about() {
    check(
        "task T-001 chore | criterion it is quick | criterion it is small
         Reviewer: verifies it is  quick
         gates approved per-batch
         go
         show
         answer UD-1 met
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 manual-check answered "met"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r160_what_a_review_verified_before_a_repair_is_verified_again() {
    check(
        "task T-001 chore | criterion it is quick
         Reviewer: blocked
         Reviewer: verifies it is quick
         gates approved per-batch
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Reviewer T-001: high fixed
            told      Coder(T-001) [high] said BLOCKED
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}
