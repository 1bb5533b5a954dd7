//! Stories of gates in other actions than delivery: severity, approvals of any name, lifecycle stages.

use crate::story;

use expect_test::expect;
use story::{check, tell};

#[test]
fn r074_a_critical_finding_passes_by_no_route() {
    check(
        "step dispatch Reviewer
         step severity REVIEW
         Reviewer: blocked critical:sql, high:loop
         go
         answer UD-1 approve: it is fine
         answer UD-1 approved
         answer UD-1 fix
         Reviewer: ok
         go",
        expect![[r#"
            refused   "approve: it is fine" does not answer UD-1
            refused   "approved" does not answer UD-1
            state     DONE, 0 at work
            decision  UD-1 justify answered "fix"
            finding   Reviewer meta: critical fixed
            finding   Reviewer meta: high fixed
            told      Coder [critical] sql / [high] loop
            told      Reviewer look again: the findings have been worked on
            ran       Reviewer Coder Reviewer"#]],
    );
}

#[test]
fn r075_high_findings_pass_with_a_justification_and_only_after_repairs_where_there_is_a_coder() {
    check(
        "step dispatch Security
         step severity SECURITY
         Security: ok high:weak
         go
         answer UD-1 approve:
         answer UD-1 approve: behind the firewall
         go",
        expect![[r#"
            refused   "approve:" does not answer UD-1: it needs text after the colon
            state     DONE, 0 at work
            decision  UD-1 justify answered "approve: behind the firewall"
            finding   Security meta: high accepted
            ran       Security"#]],
    );
    check(
        "step dispatch Coder
         step parallel Reviewer Security
         step severity REVIEW
         Reviewer: blocked high:loop
         Security: ok
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Reviewer meta: high fixed
            told      Coder [high] loop
            told      Reviewer look again: the findings have been worked on
            told      Security look again: the findings have been worked on
            ran       Coder Reviewer Security Coder Reviewer Security"#]],
    );
}

#[test]
fn r076_medium_and_low_findings_are_tracked_and_stop_nothing() {
    check(
        "step parallel Reviewer Security
         step severity REVIEW
         Reviewer: ok medium:name, low:blank
         Security: decision medium:log
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Reviewer meta: medium tracked
            finding   Reviewer meta: low tracked
            finding   Security meta: medium tracked
            ran       Reviewer Security"#]],
    );
    // Without a severity step grave findings still stop the end.
    check(
        "step dispatch Reviewer
         Reviewer: blocked critical:sql
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            decision  UD-1 justify pending
            finding   Reviewer meta: critical open
            ran       Reviewer"#]],
    );
}

#[test]
fn r073_a_rejection_needs_words_and_sends_the_maker_back_any_number_of_times() {
    check(
        "step dispatch Docs
         step approve TEXT
         go
         answer UD-1 changes-requested
         answer UD-1 changes-requested: shorter
         go
         answer UD-1 changes-requested: shorter still
         go
         answer UD-1 approved
         go",
        expect![[r#"
            refused   "changes-requested" does not answer UD-1: it needs text after the colon
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            rejected  UD-1 INTEGRATE
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Docs, completed, queued, dispatched Docs, completed
            told      Docs the person asks for changes of your work: shorter
            told      Docs the person asks for changes of your work: shorter still
            ran       Docs Docs Docs"#]],
    );
}

#[test]
fn r089_an_approval_counts_under_its_stage_and_evidence_of_another_one_is_renewed() {
    check(
        "declared planning
         step checks lifecycle
         step approve PLAN
         step dispatch Coder
         go
         stage implementation
         show
         go
         answer UD-1 approved
         go until Coder
         stage release-readiness
         go
         answer UD-1 approved
         go",
        expect![[r#"
            state     INTEGRATE, 1 at work
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            ran       Coder"#]],
    );
}

#[test]
fn r074_what_a_reviewer_finds_when_a_gate_sends_it_back_counts_like_any_other_finding() {
    check(
        "step dispatch Coder
         step dispatch Reviewer
         step approve CODE
         Reviewer: ok
         Reviewer: blocked critical:sql
         go
         answer UD-1 changes-requested: Reviewer: look closer
         go
         answer UD-1 approved
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Reviewer, completed
            finding   Reviewer meta: critical fixed
            told      Reviewer the person asks for changes of your work: Reviewer: look closer
            told      Coder [critical] sql
            told      Reviewer look again: the findings have been worked on
            ran       Coder Reviewer Reviewer Coder Reviewer"#]],
    );
}

#[test]
fn r074_who_objected_looks_again_also_where_the_repair_changed_no_file_of_the_repository() {
    check(
        "step dispatch Researcher
         step dispatch Reviewer
         step severity REVIEW
         Reviewer: blocked critical:claim
         go
         answer UD-1 fix
         Reviewer: ok
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 justify answered "fix"
            finding   Reviewer meta: critical fixed
            told      Researcher [critical] claim
            told      Reviewer look again: the findings have been worked on
            ran       Researcher Reviewer Researcher Reviewer"#]],
    );
}

#[test]
fn r101_an_approved_session_file_that_is_made_again_reopens_its_gate() {
    check(
        "step dispatch SpecAgent spec.md
         step approve GOALS
         step dispatch Coder
         step approve CODE
         go
         answer UD-1 approved
         go
         answer UD-2 changes-requested: SpecAgent: other goals
         go
         show
         answer UD-1 approved
         go
         answer UD-2 approved
         go",
        expect![[r#"
            state     INTEGRATE, 0 at work
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            decision  UD-2 approve answered "approved"
            rejected  UD-2 INTEGRATE
            correction queued, dispatched SpecAgent, completed
            told      SpecAgent the person asks for changes of your work: SpecAgent: other goals
            ran       SpecAgent Coder SpecAgent"#]],
    );
}

#[test]
fn r089_lifecycle_gates_that_fail_under_the_new_stage_are_repaired_and_run_again() {
    check(
        "declared planning
         step checks lifecycle
         step dispatch Coder
         step dispatch Docs
         go until Coder
         stage implementation
         green 1
         red 1
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Orchestrator meta: critical fixed
            told      Coder the work was reported as done but `lifecycle gates` fails in a fresh clone of the branch: exit code 1
            ran       Coder Coder Docs"#]],
    );
}

#[test]
fn r089_a_stage_declared_during_a_correction_renews_the_evidence_before_the_gate_asks_again() {
    check(
        "declared planning
         step checks lifecycle
         step dispatch Docs
         step approve TEXT
         go
         answer UD-1 changes-requested: shorter
         stage implementation
         go
         answer UD-1 approved
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Docs, completed
            told      Docs the person asks for changes of your work: shorter
            ran       Docs Docs"#]],
    );
}

#[test]
fn what_a_correction_changed_is_checked_and_judged_again_before_it_counts() {
    check(
        "step dispatch Coder
         step dispatch Reviewer
         step severity REVIEW
         step checks lint
         step approve BUILD
         go
         answer UD-1 changes-requested: faster
         go
         answer UD-1 approved
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Coder, completed
            told      Coder the person asks for changes of your work: faster
            told      Reviewer look again: the findings have been worked on
            ran       Coder Reviewer Coder Reviewer"#]],
    );
}

#[test]
fn a_question_of_security_in_a_step_is_put_before_a_person() {
    check(
        "step dispatch Security
         step severity SECURITY
         Security: decision
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            decision  UD-1 justify pending
            finding   Security meta: high open
            ran       Security"#]],
    );
}

#[test]
fn a_gate_calls_parts_as_the_action_does_and_sends_back_the_one_that_is_named() {
    let story = "step parallel Coder=backend Coder=frontend
         step dispatch Integrator=devops
         step approve BUILD
         go";
    let told = tell(story);
    let question = told.session().pending_decisions().next().expect("the gate asks").clone();
    assert!(question.question.starts_with("Please review what BUILD is about"));
    assert!(question.options[1].consequence.starts_with("backend, frontend and devops run again"));
    check(
        &format!(
            "{story}\nanswer UD-1 changes-requested: Frontend: larger\ngo\nanswer UD-1 approved\ngo"
        ),
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Coder, completed
            told      Coder the person asks for changes of your work: Frontend: larger
            ran       Coder Coder Integrator Coder"#]],
    );
}

#[test]
fn r074_what_a_reviewer_finds_when_it_is_sent_back_counts_as_well() {
    check(
        "step dispatch Reviewer
         step severity REVIEW
         step approve REVIEW
         Reviewer: ok
         Reviewer: blocked critical:sql
         go
         answer UD-1 changes-requested: Reviewer: look closer
         go
         answer UD-1 approved
         go
         answer UD-2 approve: it is fine
         answer UD-2 fix
         go",
        expect![[r#"
            refused   "approve: it is fine" does not answer UD-2
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            decision  UD-2 justify answered "fix"
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Reviewer, completed
            finding   Reviewer meta: critical fixed
            told      Reviewer the person asks for changes of your work: Reviewer: look closer
            told      Coder [critical] sql
            told      Reviewer look again: the findings have been worked on
            ran       Reviewer Reviewer Coder Reviewer"#]],
    );
}
