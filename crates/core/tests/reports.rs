//! Stories of findings that roles report which do not review.

use crate::story::check;
use expect_test::expect;

#[test]
fn r122_a_critical_finding_of_a_coder_is_repaired_before_the_review() {
    check(
        "gates approved per-batch
         Coder: ok critical:sql, low:long line
         go until Reviewer
         show
         crash keeping
         go",
        expect![[r#"
            state     IMPLEMENT_LOOP, 1 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder T-001: critical fixed
            finding   Coder T-001: low tracked
            told      Coder(T-001) [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_a_coder_that_reports_the_same_in_every_repair_stops_at_a_person() {
    check(
        "gates approved per-batch
         Coder: ok critical:sql
         Coder: ok critical:sql
         Coder: ok critical:sql
         go
         answer UD-1 accept-with-known-issues: never mind
         answer UD-1 guidance: use a prepared statement
         go",
        expect![[r#"
            refused   UD-1 cannot be answered with "accept-with-known-issues: never mind" because of 1 open critical finding
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "guidance: use a prepared statement"
            finding   Coder T-001: critical fixed
            told      Coder(T-001) [critical] sql
            told      Coder(T-001) [critical] sql
            told      Coder(T-001) the person says to follow this guidance: use a prepared statement / [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_high_findings_of_a_coder_are_accepted_only_after_the_repairs() {
    check(
        "gates approved per-batch
         Coder: ok high:a
         Coder: ok high:b
         Coder: ok high:c
         Coder: ok high:d
         go
         answer UD-1 accept-with-known-issues: known
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 repair answered "accept-with-known-issues: known"
            finding   Coder T-001: high fixed
            finding   Coder T-001: high fixed
            finding   Coder T-001: high fixed
            finding   Coder T-001: high accepted
            told      Coder(T-001) [high] a
            told      Coder(T-001) [high] b
            told      Coder(T-001) [high] c
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_medium_and_low_findings_of_a_coder_are_tracked() {
    check(
        "gates approved per-batch
         Coder: ok medium:slow, low:long
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder T-001: medium tracked
            finding   Coder T-001: low tracked
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_a_critical_finding_of_the_integrator_or_docs_stops_the_release() {
    check(
        "gates approved per-batch
         Integrator: ok critical:key in the image
         Docs: ok high:a wrong claim
         go until Docs
         show
         go",
        expect![[r#"
            state     RELEASE, 1 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Integrator meta: critical fixed
            finding   Docs meta: high fixed
            told      Coder [critical] key in the image
            told      Coder [high] a wrong claim
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Coder Docs Coder Integrator Reviewer"#]],
    );
}

#[test]
fn r122_a_critical_finding_before_there_is_code_is_put_to_a_person_and_cannot_be_approved() {
    check(
        "SpecAgent: ok critical:the goal is against the law
         go
         answer UD-1 approve: it is fine
         answer UD-1 fix
         crash
         go",
        expect![[r#"
            refused   "approve: it is fine" does not answer UD-1
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 justify answered "fix"
            decision  UD-APPROVE-DESIGN approve pending
            finding   SpecAgent meta: critical fixed
            told      SpecAgentx3 fix what you reported:
            - [critical] the goal is against the law
            ran       SpecAgentx3 Architect"#]],
    );
}

#[test]
fn r122_a_high_finding_before_there_is_code_can_be_justified() {
    check(
        "gates approved per-batch
         Planner: ok high:a hard part
         go
         answer UD-1 approve: we know
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-1 justify answered "approve: we know"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Planner meta: high accepted
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_what_a_blocked_coder_reports_is_on_record_until_it_does_its_part() {
    check(
        "gates approved per-batch
         Coder: blocked critical:no schema
         go
         show
         answer UD-1 retry: it is in db/
         go",
        expect![[r#"
            state     BLOCKED agent_blocked, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation answered "retry: it is in db/"
            finding   Coder T-001: critical fixed
            told      Coder(T-001)x2 the person says: it is in db/
            ran       SpecAgent Architect Planner Coder(T-001)x2 Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_what_a_skipped_role_reported_is_repaired_before_the_end() {
    check(
        "ask Researcher
         gates approved per-batch
         Researcher: blocked critical:the library is stolen
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
            told      Coder [critical] the library is stolen
            ran       SpecAgent Researcher Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Coder Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_on_a_route_what_anyone_reports_waits_for_the_severity_gate() {
    check(
        "step dispatch Docs
         step dispatch Researcher
         step severity REVIEW
         Docs: ok critical:false claim
         Researcher: ok high:old source
         go
         answer UD-1 approve: fine
         answer UD-1 fix
         go",
        expect![[r#"
            refused   "approve: fine" does not answer UD-1
            state     DONE, 0 at work
            decision  UD-1 justify answered "fix"
            finding   Docs meta: critical fixed
            finding   Researcher meta: high fixed
            told      Researcher [critical] false claim / [high] old source
            ran       Docs Researcher Researcher"#]],
    );
}

#[test]
fn r122_without_a_severity_gate_the_end_asks() {
    check(
        "step dispatch Coder
         Coder: ok critical:sql
         Coder: ok critical:sql
         Coder: ok critical:sql
         go
         answer UD-1 accept-with-known-issues: no
         answer UD-1 different-approach: again
         go",
        expect![[r#"
            refused   UD-1 cannot be answered with "accept-with-known-issues: no" because of 1 open critical finding
            state     DONE, 0 at work
            decision  UD-1 repair answered "different-approach: again"
            finding   Coder meta: critical fixed
            told      Coder [critical] sql
            told      Coder [critical] sql
            told      Coder the person says to take a different approach: again / [critical] sql
            ran       Coder Coder Coder Coder"#]],
    );
}

#[test]
fn r122_a_coder_of_several_at_work_is_heard_too() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         gates approved per-batch
         Coder: ok critical:sql
         go until Coder
         together
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            finding   Coder T-001: critical fixed
            told      Coder(T-001) [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-001) Reviewer(T-002) Reviewer(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_a_repair_that_waits_is_made_with_what_a_person_allows() {
    check(
        "gates approved per-batch
         Coder: adds src/b.rs, critical:sql
         go
         answer UD-1 allow
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 scope answered "allow"
            finding   Coder T-001: critical fixed
            finding   Orchestrator T-001: low fixed
            told      Coder(T-001) the person allows you to change: src/b.rs / your earlier changes to them were left out and are back in your tree: finish them / [critical] sql
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r122_a_lean_coder_is_heard_too() {
    check(
        "lean
         Coder: ok critical:sql
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            finding   Coder T-001: critical fixed
            told      Coder(T-001) [critical] sql
            ran       SpecAgent Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001)"#]],
    );
}

#[test]
fn r122_known_issues_of_a_coder_do_not_stand_for_a_review() {
    check(
        "lean
         Coder: ok high:a
         Coder: ok high:b
         Coder: ok high:c
         Coder: ok high:d
         go
         answer UD-1 accept-with-known-issues: known
         go",
        expect![[r#"
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-1 repair answered "accept-with-known-issues: known"
            finding   Coder T-001: high fixed
            finding   Coder T-001: high fixed
            finding   Coder T-001: high fixed
            finding   Coder T-001: high accepted
            told      Coder(T-001) [high] a
            told      Coder(T-001) [high] b
            told      Coder(T-001) [high] c
            ran       SpecAgent Coder(T-001) Coder(T-001) Coder(T-001) Coder(T-001) Reviewer(T-001) QA(T-001)"#]],
    );
}
