//! Stories of failures, budgets, crashes and lean work that turns out not to be lean.

use crate::story;

use expect_test::expect;
use story::check;

#[test]
fn r055_three_starts_whatever_the_mix_and_one_more_for_a_consent() {
    check(
        "SpecAgent: crash
         SpecAgent: invalid
         SpecAgent: crash
         SpecAgent: invalid
         go
         answer UD-1 retry: think
         go
         answer UD-2 retry-with: other
         go",
        expect![[r#"
            waited    1000 ms
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 escalation answered "retry: think"
            decision  UD-2 escalation answered "retry-with: other"
            decision  UD-APPROVE-DESIGN approve pending
            told      SpecAgentx5 the person says: think
            ran       SpecAgentx5 Architect"#]],
    );
}

#[test]
fn r064_r065_r066_waits_for_a_crash_reruns_an_invalid_reply_and_never_a_timeout() {
    check(
        "SpecAgent: crash\nSpecAgent: crash\ngo",
        expect![[r#"
        waited    1000 ms
        waited    2000 ms
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgentx3 Architect"#]],
    );
    check(
        "SpecAgent: invalid\nSpecAgent: invalid\nSpecAgent: invalid\ngo",
        expect![[r#"
        state     BLOCKED subagent_failure, 0 at work
        decision  UD-1 escalation pending
        ran       SpecAgentx3"#]],
    );
    check(
        "SpecAgent: timeout
         go
         answer UD-1 extend: soon
         answer UD-1 extend: 1h
         go",
        expect![[r#"
            refused   "extend: soon" does not answer UD-1: that is not a duration
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 escalation answered "extend: 1h"
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx2 Architect"#]],
    );
}

#[test]
fn r055_parking_crashes_of_the_engine_and_stops_spend_nothing() {
    check(
        "SpecAgent: parked
         SpecAgent: crash
         SpecAgent: crash
         crash
         crash
         stop
         show
         crash
         go",
        expect![[r#"
            state     INTAKE, 0 at work
            waited    1000 ms
            waited    60000 ms
            waited    1000 ms
            waited    2000 ms
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx6 Architect"#]],
    );
}

#[test]
fn r171_the_third_lost_supervisor_is_put_to_a_person_and_a_crash_of_the_engine_is_none() {
    check(
        "SpecAgent: unsupervised
         SpecAgent: unsupervised
         SpecAgent: unsupervised
         go until SpecAgent
         crash
         crash
         go
         answer UD-1 retry: leave it alone
         SpecAgent: unsupervised
         go",
        expect![[r#"
            waited    1000 ms
            waited    1000 ms
            waited    2000 ms
            state     BLOCKED subagent_failure, 0 at work
            decision  UD-1 escalation answered "retry: leave it alone"
            decision  UD-2 escalation pending
            told      SpecAgentx6 the person says: leave it alone
            ran       SpecAgentx6"#]],
    );
}

#[test]
fn r012_a_missing_context_file_blocks_at_once() {
    check(
        "SpecAgent: missing\ngo",
        expect![[r#"
        state     BLOCKED missing_context, 0 at work
        decision  UD-1 escalation pending
        ran       SpecAgent"#]],
    );
}

#[test]
fn ruling_17_an_agents_own_blocked_stops_and_guidance_reaches_it() {
    check(
        "gates approved per-batch
         Coder: blocked
         Coder: fail
         go
         answer UD-1 retry: use the library
         go
         answer UD-2 retry
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation answered "retry: use the library"
            decision  UD-2 escalation answered "retry"
            told      Coder(T-001)x3 the person says: use the library
            ran       SpecAgent Architect Planner Coder(T-001)x3 Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn ruling_17_answers_to_needs_info_reach_the_next_researcher() {
    check(
        "ask Researcher
         Researcher: info which one?
         go
         answer UD-1 the red one
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 info answered "the red one"
            decision  UD-APPROVE-DESIGN approve pending
            told      Researcher Researcher needs to know: which one? The person says: the red one
            ran       SpecAgent Researcher Researcher Architect"#]],
    );
}

#[test]
fn ruling_17_a_repair_that_cannot_be_made_is_a_repair_spent() {
    check(
        "gates approved per-batch
         Reviewer: blocked high:a
         Coder: ok
         Coder: blocked
         Coder: blocked
         Coder: blocked
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            tasks     T-001 blocked
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair pending
            finding   Reviewer T-001: high open
            told      Coder(T-001) [high] a
            told      Coder(T-001) the last repair failed: said BLOCKED / [high] a
            told      Coder(T-001) the last repair failed: said BLOCKED / [high] a
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-001) Coder(T-001) Coder(T-001)"#]],
    );
}

#[test]
fn r050_lean_calls_few_and_always_the_reviewer() {
    check(
        "lean\ntask T-001 docs\ngo",
        expect![[r#"
        state     DONE, 0 at work
        tasks     T-001 completed
        ran       SpecAgent Coder(T-001) Reviewer(T-001)"#]],
    );
    check(
        "lean\ntask T-001 feat | flag security | check cmd: test\nred 1\ngo",
        expect![[r#"
        state     DONE, 0 at work
        tasks     T-001 completed
        finding   Orchestrator T-001: critical fixed
        told      Coder(T-001) the work was reported as done but `test` fails: exit code 1
        ran       SpecAgent Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Security(T-001)"#]],
    );
}

#[test]
fn r051_ruling_26_a_coder_can_ask_for_the_full_way() {
    check(
        "lean\nCoder: blocked -> SpecAgent\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Coder(T-001) SpecAgent Architect"#]],
    );
}

#[test]
fn ruling_11_evidence_leads_to_the_full_way() {
    check(
        "lean\nCoder: files\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Coder(T-001) SpecAgent Architect"#]],
    );
    check(
        "lean\nCoder: sensitive\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Coder(T-001) SpecAgent Architect"#]],
    );
}

#[test]
fn what_lean_work_changed_in_a_sensitive_path_is_audited_in_full_mode() {
    check(
        "lean
         gates approved per-batch
         task T-001 feat | flag security
         Coder: sensitive
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Coder(T-001) SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Security(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn a_budget_asks_once_a_dispatch_and_a_raised_limit_answers_it() {
    check(
        "gates approved per-batch
         tokens 18
         go
         answer UD-1 retry
         go
         show
         resume 1000
         show
         go",
        expect![[r#"
            state     BLOCKED budget, 0 at work
            state     IMPLEMENT_LOOP, 1 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation answered "retry"
            decision  UD-2 escalation skipped "the limit was raised"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r028_a_full_disk_blocks_until_a_resume_and_no_answer_is_lost() {
    check(
        "go
         full disk
         show
         answer UD-APPROVE-DESIGN approved
         show
         crash
         show",
        expect![[r#"
            state     BLOCKED persistence, 0 at work
            state     BLOCKED persistence, 0 at work
            state     PLAN, 1 at work
            state     PLAN, 1 at work
            decision  UD-APPROVE-DESIGN approve answered "approved"
            ran       SpecAgent Architect Plannerx2"#]],
    );
}
