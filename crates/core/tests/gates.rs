//! Stories of the two mandatory gates and of questions in general.

use crate::story;

use expect_test::expect;
use story::check;

#[test]
fn r017_r018_ids_count_up_after_a_crash_and_well_known_ones_stand_once() {
    check(
        "Architect: blocked
         Architect: blocked
         go
         answer UD-1 retry
         go
         crash
         answer UD-2 retry
         go
         answer UD-APPROVE-DESIGN changes-requested: Architect: again
         go
         answer UD-APPROVE-DESIGN changes-requested: Architect: and again
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 escalation answered "retry"
            decision  UD-2 escalation answered "retry"
            decision  UD-APPROVE-DESIGN approve pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched Architect, completed, queued, dispatched Architect, completed
            told      Architect the person asks for changes of the design: Architect: again
            told      Architect the person asks for changes of the design: Architect: and again
            ran       SpecAgent Architectx3 Architect Architect"#]],
    );
}

#[test]
fn r019_two_of_three_answers_come_and_the_third_question_lapses() {
    check(
        "ask Researcher
         Researcher: info why?, where?, when?
         go
         answer UD-1 because
         answer UD-2 here
         silence UD-3
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 info answered "because"
            decision  UD-2 info answered "here"
            decision  UD-3 info cancelled "no response provided"
            decision  UD-APPROVE-DESIGN approve pending
            told      Researcher Researcher needs to know: why? The person says: because / Researcher needs to know: where? The person says: here / Researcher needs to know: when? The person says: no answer was given
            ran       SpecAgent Researcher Researcher Architect"#]],
    );
}

#[test]
fn r020_a_security_question_never_lapses_and_a_deferral_is_cancelled_with_its_reason() {
    check(
        "gates approved per-batch
         task T-001 feat | flag security
         Security: ok medium:weak hash
         go
         silence UD-1
         show
         answer UD-1 fix-later:
         answer UD-1 fix-later: next quarter
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            refused   "fix-later:" does not answer UD-1: it needs text after the colon
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 security cancelled "fix-later: next quarter"
            finding   Security T-001: medium tracked
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Security(T-001) Reviewer Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r021_r022_an_exhausted_gate_blocks_under_its_id_and_asks_again_after_a_resume() {
    check(
        "go
         exhaust UD-APPROVE-DESIGN
         show
         answer UD-APPROVE-DESIGN approved
         crash
         show
         answer UD-APPROVE-DESIGN approved
         go",
        expect![[r#"
            state     BLOCKED mandatory_user_decision_missing, 0 at work
            refused   UD-APPROVE-DESIGN is not open: it is cancelled
            state     APPROVE_DESIGN, 0 at work
            state     REVIEW_STRATEGY, 0 at work
            tasks     T-001 not-started
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy pending
            ran       SpecAgent Architect Planner"#]],
    );
}

#[test]
fn r021_a_reopened_gate_that_is_given_up_holds_the_work_behind_it() {
    check(
        "gates approved per-batch
         go until Coder
         edit spec.md
         exhaust UD-APPROVE-DESIGN
         show
         crash
         show",
        expect![[r#"
            state     BLOCKED mandatory_user_decision_missing, 0 at work
            state     APPROVE_DESIGN, 0 at work
            state     APPROVE_DESIGN, 0 at work
            tasks     T-001 in-progress
            decision  UD-APPROVE-DESIGN approve pending
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001)"#]],
    );
}

#[test]
fn r023_only_an_approval_passes_the_design() {
    check(
        "go
         answer UD-APPROVE-DESIGN Looks fine
         answer UD-APPROVE-DESIGN
         answer UD-APPROVE-DESIGN approved?
         answer UD-APPROVE-DESIGN Approved
         answer UD-APPROVE-DESIGN changes-requested:
         show
         answer UD-APPROVE-DESIGN approved with thanks
         show",
        expect![[r#"
            refused   "Looks fine" does not answer UD-APPROVE-DESIGN
            refused   "" does not answer UD-APPROVE-DESIGN
            refused   "approved?" does not answer UD-APPROVE-DESIGN
            refused   "Approved" does not answer UD-APPROVE-DESIGN
            refused   "changes-requested:" does not answer UD-APPROVE-DESIGN: it needs text after the colon
            state     APPROVE_DESIGN, 0 at work
            state     PLAN, 1 at work
            state     PLAN, 1 at work
            decision  UD-APPROVE-DESIGN approve answered "approved with thanks"
            ran       SpecAgent Architect Planner"#]],
    );
}

#[test]
fn r024_r025_ruling_25_a_rejection_sends_spec_and_architecture_back() {
    check(
        "go
         answer UD-APPROVE-DESIGN changes-requested: smaller
         show
         go
         answer UD-APPROVE-DESIGN changes-requested: Architect: no queue
         go
         answer UD-APPROVE-DESIGN approved
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 1 at work
            state     REVIEW_STRATEGY, 0 at work
            tasks     T-001 not-started
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched SpecAgent, dispatched Architect, completed, queued, dispatched Architect, completed
            told      SpecAgent the person asks for changes of the design: smaller
            told      Architect the person asks for changes of the design: smaller
            told      Architect the person asks for changes of the design: Architect: no queue
            ran       SpecAgent Architect SpecAgent Architect Architect Planner"#]],
    );
}

#[test]
fn r026_a_synonym_is_stored_canonically() {
    check(
        "go
         answer UD-APPROVE-DESIGN approved
         go
         answer UD-REVIEW-STRATEGY sometimes
         answer UD-REVIEW-STRATEGY Single Final
         show",
        expect![[r#"
            refused   "sometimes" does not answer UD-REVIEW-STRATEGY
            state     IMPLEMENT_LOOP, 1 at work
            state     IMPLEMENT_LOOP, 1 at work
            tasks     T-001 in-progress
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001)"#]],
    );
}

#[test]
fn r182_the_plan_is_sent_back_with_words_and_asked_about_again() {
    check(
        "go
         answer UD-APPROVE-DESIGN approved
         go
         answer UD-REVIEW-STRATEGY changes-requested: split the first task
         go
         show
         answer UD-REVIEW-STRATEGY per-batch
         answer UD-REVIEW-STRATEGY changes-requested: too late
         show",
        expect![[r#"
            state     REVIEW_STRATEGY, 0 at work
            refused   UD-REVIEW-STRATEGY is not open: it is answered
            state     IMPLEMENT_LOOP, 1 at work
            state     IMPLEMENT_LOOP, 1 at work
            tasks     T-001 in-progress
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            told      Planner the person asks for changes of the plan: split the first task
            ran       SpecAgent Architect Planner Planner Coder(T-001)"#]],
    );
}

#[test]
fn r030_r031_after_a_crash_the_open_question_comes_first_and_leads_back() {
    check(
        "gates approved per-batch
         Reviewer: ok medium:naming
         go
         crash
         show
         answer UD-1 accept
         again UD-1 accept
         show
         answer UD-1 accept
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     IMPLEMENT_LOOP, 1 at work
            refused   UD-1 is not open: it is answered
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 notes answered "accept"
            finding   Reviewer T-001: medium accepted
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r032_a_dispatched_correction_is_not_sent_again_after_a_crash() {
    check(
        "go
         answer UD-APPROVE-DESIGN changes-requested: Architect: again
         crash keeping
         show
         go
         crash
         show",
        expect![[r#"
            state     APPROVE_DESIGN, 1 at work
            state     APPROVE_DESIGN, 0 at work
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched Architect, completed
            told      Architect the person asks for changes of the design: Architect: again
            ran       SpecAgent Architect Architect"#]],
    );
}

#[test]
fn r040_r041_neither_plan_nor_loop_without_their_gate() {
    check(
        "go
         crash
         go
         answer UD-REVIEW-STRATEGY maybe
         answer UD-APPROVE-DESIGN approved
         go",
        expect![[r#"
            refused   UD-REVIEW-STRATEGY has not been asked; a question cannot be answered before it is asked
            state     REVIEW_STRATEGY, 0 at work
            tasks     T-001 not-started
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy pending
            ran       SpecAgent Architect Planner"#]],
    );
}

#[test]
fn r101_ruling_16_an_edit_reopens_the_gate_and_the_same_attempt_continues() {
    check(
        "gates approved per-batch
         go until Coder
         edit architecture.md
         show
         crash
         show
         answer UD-APPROVE-DESIGN approved: still good
         show
         edit README.md
         show
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            state     APPROVE_DESIGN, 0 at work
            state     IMPLEMENT_LOOP, 1 at work
            state     IMPLEMENT_LOOP, 1 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved: still good"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r101_a_good_edit_beside_a_broken_one_is_not_forgotten() {
    check(
        "gates approved per-batch
         go until Coder
         break spec.md
         show
         edit architecture.md
         show
         answer UD-1 retry
         show
         answer UD-APPROVE-DESIGN approved
         go",
        expect![[r#"
            state     BLOCKED invalid_output, 0 at work
            state     BLOCKED invalid_output, 0 at work
            state     APPROVE_DESIGN, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            decision  UD-1 escalation answered "retry"
            ran       SpecAgent Architect Planner Coder(T-001) Reviewer(T-001) QA(T-001) Reviewer Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r121_an_answer_before_its_question_is_refused_and_not_kept() {
    check(
        "answer UD-APPROVE-DESIGN approved early
         answer UD-REVIEW-STRATEGY batch
         answer UD-1 retry
         go
         show
         answer UD-REVIEW-STRATEGY batch
         answer UD-APPROVE-DESIGN approved
         go
         show
         answer UD-REVIEW-STRATEGY batch
         go until Coder
         answer UD-REVIEW-STRATEGY single",
        expect![[r#"
            refused   UD-APPROVE-DESIGN has not been asked; a question cannot be answered before it is asked
            refused   UD-REVIEW-STRATEGY has not been asked; a question cannot be answered before it is asked
            refused   UD-1 has not been asked; a question cannot be answered before it is asked
            state     APPROVE_DESIGN, 0 at work
            refused   UD-REVIEW-STRATEGY has not been asked; a question cannot be answered before it is asked
            state     REVIEW_STRATEGY, 0 at work
            state     IMPLEMENT_LOOP, 1 at work
            tasks     T-001 in-progress
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001)"#]],
    );
}

#[test]
fn r121_an_answer_to_an_earlier_round_of_a_gate_is_refused() {
    check(
        "go
         answer-former UD-APPROVE-DESIGN approved",
        expect![[r#"
            refused   UD-APPROVE-DESIGN has not been asked; a question cannot be answered before it is asked
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgent Architect"#]],
    );
    check(
        "go
         edit architecture.md
         answer-former UD-APPROVE-DESIGN approved
         show
         answer UD-APPROVE-DESIGN approved
         go",
        expect![[r#"
            refused   UD-APPROVE-DESIGN was asked again after you answered; answer the new question
            state     APPROVE_DESIGN, 0 at work
            state     REVIEW_STRATEGY, 0 at work
            tasks     T-001 not-started
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy pending
            ran       SpecAgent Architect Planner"#]],
    );
}

/// As older versions wrote it: read, and without effect.
#[test]
fn r121_a_kept_answer_of_an_older_journal_opens_nothing() {
    check(
        "kept UD-APPROVE-DESIGN approved early
         crash
         go
         show
         answer UD-APPROVE-DESIGN approved
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            state     REVIEW_STRATEGY, 0 at work
            tasks     T-001 not-started
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy pending
            ran       SpecAgentx2 Architect Planner"#]],
    );
}

#[test]
fn ruling_30_a_cancel_is_final_and_skips_what_is_open() {
    check(
        "go
         cancel
         cancel no money
         cancel no money
         answer UD-APPROVE-DESIGN approved
         crash
         go",
        expect![[r#"
            refused   a cancel needs a reason
            refused   the session is BLOCKED and takes no more answers
            state     BLOCKED cancelled, 0 at work
            decision  UD-APPROVE-DESIGN approve skipped "the session was cancelled"
            ran       SpecAgent Architect"#]],
    );
}

#[test]
fn a_cancel_while_an_agent_runs_drops_what_it_brings() {
    check(
        "gates approved per-batch
         go until Coder
         cancel enough
         go",
        expect![[r#"
            state     BLOCKED cancelled, 0 at work
            tasks     T-001 in-progress
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001)"#]],
    );
}
