//! Stories of the implement loop: who looks at what, repairs, checks, and the end.

use crate::story;

use expect_test::expect;
use story::check;

#[test]
fn r042_many_tangled_or_risky_tasks_are_reviewed_early() {
    for (tasks, recommended) in [
        ("task T-001 feat\ntask T-002 fix | after T-001", "single-final"),
        ("task T-001 feat | flag security", "per-batch"),
        (
            "task T-001 feat\ntask T-002 feat | after T-001\ntask T-003 feat | after T-001",
            "per-batch",
        ),
        (
            "task T-001 docs\ntask T-002 docs\ntask T-003 docs\ntask T-004 docs\ntask T-005 docs",
            "per-batch",
        ),
    ] {
        let told = story::tell(&format!("{tasks}\ngo\nanswer UD-APPROVE-DESIGN approved\ngo"));
        let question = told.pending_question();
        assert!(question.contains(&format!("Recommended: {recommended}.")), "{question}");
    }
}

#[test]
fn r034_r035_r044_per_batch_reviews_each_task_and_the_whole() {
    check(
        "gates approved per-batch
         task T-001 feat
         task T-002 docs | after T-001 | flag security
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Coder(T-002) Reviewer(T-002) Security(T-002) Reviewer Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r045_r046_single_final_codes_all_then_passes_once() {
    check(
        "gates approved single-final
         task T-001 feat
         task T-002 docs | after T-001
         task T-003 fix | after T-002 | flag security
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed, T-003 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-003) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r043_the_strategy_chosen_again_applies_from_the_next_review_both_ways() {
    check(
        "gates approved single-final
         task T-001 feat
         task T-002 feat
         go until Reviewer
         answer UD-REVIEW-STRATEGY per-batch
         crash keeping
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Reviewer Reviewer(T-001) QA(T-001) Reviewer(T-002) QA(T-002) Security Integrator Docs Integrator Reviewer"#]],
    );
    check(
        "gates approved per-batch
         task T-001 feat
         task T-002 feat
         go until QA
         answer UD-REVIEW-STRATEGY single-final
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Coder(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r047_a_later_review_sees_all_that_changed() {
    let told = story::tell(
        "gates approved per-batch
         task T-001 feat
         task T-002 feat
         go",
    );
    let last =
        told.session().dispatches.keys().next_back().copied().expect("there were dispatches");
    let brief = told.session().brief(last).expect("it has a brief");
    let seen: Vec<String> =
        brief.task.session_changed_files.unwrap_or_default().into_iter().map(|c| c.path).collect();
    assert_eq!(seen, ["README.md", "src/T-001.rs", "src/T-002.rs"]);
}

#[test]
fn r048_ruling_5_three_repairs_then_a_person_and_each_consent_buys_one() {
    check(
        "gates approved per-batch
         Reviewer: blocked high:a
         Reviewer: blocked high:b
         Reviewer: blocked high:c
         Reviewer: blocked critical:d
         Reviewer: blocked high:e
         go
         show
         answer UD-1 accept-with-known-issues: fine
         answer UD-1 guidance: use the other one
         go
         answer UD-2 accept-with-known-issues: fine
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            refused   UD-1 cannot be answered with "accept-with-known-issues: fine" because of 1 open critical finding
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "guidance: use the other one"
            decision  UD-2 repair answered "accept-with-known-issues: fine"
            finding   Reviewer T-001: high fixed
            finding   Reviewer T-001: high fixed
            finding   Reviewer T-001: high fixed
            finding   Reviewer T-001: critical fixed
            finding   Reviewer T-001: high accepted
            told      Coder(T-001) [high] a
            told      Coder(T-001) [high] b
            told      Coder(T-001) [high] c
            told      Coder(T-001) the person says to follow this guidance: use the other one / [critical] d
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r049_r052_a_full_run_has_called_all_nine_roles() {
    check(
        "gates approved per-batch
         task T-001 chore
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r102_ruling_18_a_red_check_is_repaired_and_then_a_person_decides() {
    check(
        "gates approved per-batch
         task T-001 feat | check cmd: test
         red 4
         go
         answer UD-1 simplify: drop it
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "simplify: drop it"
            finding   Orchestrator T-001: critical fixed
            told      Coder(T-001) the work was reported as done but `test` fails: exit code 1
            told      Coder(T-001) the work was reported as done but `test` fails: exit code 1
            told      Coder(T-001) the work was reported as done but `test` fails: exit code 1
            told      Coder(T-001) the person says to simplify the scope: drop it / [critical] the work was reported as done but `test` fails: exit code 1
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r111_the_same_finding_three_times_stops_the_loop() {
    check(
        "gates approved per-batch
         Reviewer: blocked high:leak, high:leak
         Reviewer: blocked high:leak
         Reviewer: blocked high:leak
         go
         show
         answer UD-1 accept-with-known-issues: known
         go",
        expect![[r#"
            state     BLOCKED non_convergence, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "accept-with-known-issues: known"
            finding   Reviewer T-001: high accepted
            told      Coder(T-001) [high] leak
            told      Coder(T-001) [high] leak
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r114_ruling_18_an_ok_without_work_or_with_a_breach_is_invalid() {
    check(
        "gates approved per-batch
         Coder: empty
         Coder: breach
         Coder: empty
         go",
        expect![[r#"
            state     BLOCKED subagent_failure, 0 at work
            tasks     T-001 blocked
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation pending
            ran       SpecAgent Architect Planner Coder(T-001)x3"#]],
    );
}

#[test]
fn ruling_6_a_risk_accepted_as_medium_is_not_accepted_as_critical() {
    check(
        "gates approved per-batch
         task T-001 feat | flag security
         Security: ok medium:weak, medium:slow
         Security: ok medium:slow
         go
         answer UD-1 fix-now
         answer UD-2 accept-risk: small
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 security answered "fix-now"
            decision  UD-2 security answered "accept-risk: small"
            finding   Security T-001: medium fixed
            finding   Security T-001: medium accepted
            told      Coder(T-001) [medium] weak
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Security(T-001) Coder(T-001) Security(T-001) Reviewer Integrator Docs Integrator Reviewer"#]],
    );
    check(
        "gates approved per-batch
         task T-001 feat | flag security
         Security: ok medium:weak, medium:slow
         Security: ok critical:slow
         go
         answer UD-1 fix-now
         answer UD-2 accept-risk: small
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 security answered "fix-now"
            decision  UD-2 security answered "accept-risk: small"
            finding   Security T-001: medium fixed
            finding   Security T-001: critical fixed
            told      Coder(T-001) [medium] weak
            told      Coder(T-001) [critical] slow
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Security(T-001) Coder(T-001) Security(T-001) Coder(T-001) Security(T-001) Reviewer Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn ruling_6_needs_decision_asks_once_for_each_finding_and_passes_when_all_are_answered() {
    check(
        "gates approved single-final
         Security: decision medium:a, medium:b, low:c
         go
         answer UD-2 accept-risk: small
         show
         answer UD-1 fix-later: soon
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            decision  UD-1 security cancelled "fix-later: soon"
            decision  UD-2 security answered "accept-risk: small"
            finding   Security meta: medium tracked
            finding   Security meta: medium accepted
            finding   Security meta: low tracked
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn ruling_7_ok_with_a_blocker_is_blocked_and_notes_are_one_question() {
    check(
        "gates approved per-batch
         Reviewer: ok critical:broken
         Reviewer: ok medium:name, medium:order, low:space
         go
         answer UD-1 fix
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 notes answered "fix"
            finding   Reviewer T-001: critical fixed
            finding   Reviewer T-001: medium fixed
            finding   Reviewer T-001: medium fixed
            finding   Reviewer T-001: low tracked
            told      Coder(T-001) [critical] broken
            told      Coder(T-001) [medium] name / [medium] order
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn ruling_8_a_sensitive_path_calls_security() {
    check(
        "gates approved per-batch
         task T-001 docs
         Coder: sensitive
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Security(T-001) Reviewer QA Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn ruling_12_what_docs_changed_is_reviewed_before_done() {
    check(
        "gates approved single-final
         Reviewer: ok
         Reviewer: blocked high:typo
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            finding   Reviewer meta: high fixed
            told      Coder [high] typo
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer Coder Reviewer"#]],
    );
}

#[test]
fn ruling_20_manual_checks_are_one_question_and_not_met_comes_back() {
    check(
        "gates approved per-batch
         task T-001 docs | check manual: look
         task T-002 docs | check manual: listen
         criterion manual: taste
         go
         answer UD-1 not-met: too loud
         show
         go
         answer UD-2 met
         go
         answer UD-3 waived: no spoon
         go",
        expect![[r#"
            state     FIX_TESTS, 1 at work
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 manual-check answered "not-met: too loud"
            decision  UD-2 manual-check answered "met"
            decision  UD-3 manual-check answered "waived: no spoon"
            told      Coder a manual check failed: too loud / look / listen
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-002) Reviewer(T-002) Reviewer QA Security Coder Reviewer Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r052_a_red_acceptance_check_goes_to_the_integrator_and_then_to_the_coder() {
    check(
        "gates approved per-batch
         criterion cmd: accept
         red 2
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Orchestrator meta: critical fixed
            told      Integrator the work was reported as done but `accept` fails in a fresh clone of the branch: exit code 1
            told      Coder the work was reported as done but `accept` fails in a fresh clone of the branch: exit code 1
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Integrator Coder Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r052_a_task_added_after_the_loop_leads_back_into_it() {
    check(
        "gates approved per-batch
         go until Docs
         edit tasks.yaml
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-900 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Coder(T-900) Reviewer(T-900) Reviewer Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn what_a_check_found_is_kept_for_later_when_its_task_leaves_the_plan() {
    check(
        "task T-001 chore
         task T-002 chore | check cmd: t
         green 1
         red 1
         Reviewer: ok
         Reviewer: ok
         Reviewer: blocked high:x
         gates approved per-batch
         go until Coder
         go until Reviewer
         go until Coder
         go until Reviewer
         go until Coder
         together
         go until Coder
         drop T-002
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Reviewer meta: high fixed
            finding   Orchestrator meta: critical tracked
            told      Coder [high] x
            told      Coder the work was reported as done but `t` fails: exit code 1
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) Coder(T-002) Reviewer(T-002) QA(T-002) Reviewer Coder Coder Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}
