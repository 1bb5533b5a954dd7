//! Stories of money, tokens and time, and of agents that are out of their usage limit.

use crate::story;

use expect_test::expect;
use story::check;

#[test]
fn r106_every_attempt_is_counted_by_role_task_agent_and_dispatch_and_unknown_is_never_nothing() {
    check(
        "lean
         task T-001 docs
         played alpha
         costs SpecAgent 0.25
         costs Coder 0.50
         lasts Coder 30
         Coder: crash
         Coder: timeout
         SpecAgent: invalid
         go
         ledger",
        expect![[r#"
            waited    1000 ms
            spent     all: usd 1.50, tokens in unknown, out unknown, 4 attempts, 62 s of agent time
            spent     SpecAgent: usd 0.50, tokens in unknown, out unknown, 2 attempts, 2 s of agent time
            spent     Coder: usd 1.00, tokens in unknown, out unknown, 2 attempts, 60 s of agent time
            spent     meta: usd 0.50, tokens in unknown, out unknown, 2 attempts, 2 s of agent time
            spent     T-001: usd 1.00, tokens in unknown, out unknown, 2 attempts, 60 s of agent time
            spent     alpha: usd 1.50, tokens in unknown, out unknown, 4 attempts, 62 s of agent time
            spent     dispatch 1: usd 0.50, tokens in unknown, out unknown, 2 attempts, 2 s of agent time
            spent     dispatch 2: usd 1.00, tokens in unknown, out unknown, 2 attempts, 60 s of agent time
            state     BLOCKED timeout, 0 at work
            tasks     T-001 blocked
            decision  UD-1 escalation pending
            ran       SpecAgentx2 Coder(T-001)x2"#]],
    );
}

#[test]
fn r106_the_ledger_survives_crashes_and_what_is_lost_is_unknown() {
    check(
        "lean
         task T-001 docs
         costs SpecAgent 1.20
         go until Coder
         crash keeping
         crash
         go
         crash
         ledger",
        expect![[r#"
            spent     all: usd 1.20 (3 attempts unknown), tokens in unknown, out unknown, 4 attempts, 3 s of agent time
            spent     SpecAgent: usd 1.20, tokens in unknown, out unknown, 1 attempt, 1 s of agent time
            spent     Coder: cost unknown, 2 attempts, 1 s of agent time
            spent     Reviewer: cost unknown, 1 attempt, 1 s of agent time
            spent     meta: usd 1.20, tokens in unknown, out unknown, 1 attempt, 1 s of agent time
            spent     T-001: cost unknown, 3 attempts, 2 s of agent time
            spent     dispatch 1: usd 1.20, tokens in unknown, out unknown, 1 attempt, 1 s of agent time
            spent     dispatch 2: cost unknown, 2 attempts, 1 s of agent time
            spent     dispatch 3: cost unknown, 1 attempt, 1 s of agent time
            state     DONE, 0 at work
            tasks     T-001 completed
            ran       SpecAgent Coder(T-001)x2 Reviewer(T-001)"#]],
    );
}

#[test]
fn r106_what_may_be_needed_by_those_at_work_is_not_given_twice() {
    check(
        "parallel 3
         task T-001 chore
         task T-002 chore
         task T-003 chore
         gates approved per-batch
         usd 4
         costs SpecAgent 0.50
         costs Architect 1
         costs Planner 0.25
         costs Coder 0.75
         costs Reviewer 0.01
         go until Coder
         who
         first
         who
         first
         who
         crash keeping
         who
         first
         show",
        expect![[r#"
            plays     Coder T-001: somebody usd 2.25
            plays     Coder T-002: somebody usd 1.25
            waits     Coder T-003: somebody for headroom
            ready     Coder T-001: somebody usd 2.25
            plays     Coder T-002: somebody usd 1.25
            plays     Coder T-003: somebody usd 0.75
            ready     Coder T-001: somebody usd 2.25
            ready     Coder T-002: somebody usd 1.25
            plays     Coder T-003: somebody usd 0.75
            ready     Coder T-001: somebody usd 2.25
            ready     Coder T-002: somebody usd 1.25
            plays     Coder T-003: somebody usd 0.75
            state     IMPLEMENT_LOOP, 1 at work
            state     IMPLEMENT_LOOP, 1 at work
            tasks     T-001 in-progress, T-002 in-progress, T-003 in-progress
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002) Coder(T-003)"#]],
    );
}

#[test]
fn r106_who_ran_out_of_what_others_might_need_is_not_to_blame() {
    check(
        "parallel 2
         task T-001 chore
         task T-002 chore
         gates approved per-batch
         wall 1000
         lasts SpecAgent 100
         lasts Architect 100
         lasts Planner 100
         lasts Coder 100
         lasts Reviewer 1
         Coder: ok
         Coder: timeout
         go until Coder
         who
         first
         first
         who",
        expect![[r#"
            plays     Coder T-001: somebody at most 700000 ms
            plays     Coder T-002: somebody at most 600000 ms
            ready     Coder T-001: somebody at most 700000 ms
            plays     Coder T-002: somebody at most 500000 ms
            state     IMPLEMENT_LOOP, 1 at work
            tasks     T-001 in-progress, T-002 in-progress
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "per-batch"
            ran       SpecAgent Architect Planner Coder(T-001) Coder(T-002)x2"#]],
    );
}

#[test]
fn r066_only_who_played_before_is_asked_again() {
    let story = "usd 1
         costs SpecAgent 1
         played alpha
         SpecAgent: invalid
         go";
    check(
        &format!("{story}\nanswer UD-1 retry\nwho"),
        expect![[r#"
        plays     SpecAgent meta: alpha again
        state     INTAKE, 1 at work
        decision  UD-1 escalation answered "retry"
        ran       SpecAgentx2"#]],
    );
    check(
        &format!("{story}\nresume played beta\nanswer UD-1 retry\nwho"),
        expect![[r#"
            plays     SpecAgent meta: beta
            state     INTAKE, 1 at work
            decision  UD-1 escalation answered "retry"
            ran       SpecAgentx2"#]],
    );
}

#[test]
fn r106_who_is_alone_starts_while_anything_is_left_and_gets_no_more_time_than_that() {
    check(
        "usd 2
         wall 100
         costs SpecAgent 1.99
         lasts SpecAgent 40
         lasts Architect 60
         go until Architect
         who
         Architect: timeout
         go
         ledger
         answer UD-1 retry
         who",
        expect![[r#"
            plays     Architect meta: somebody usd 0.01 at most 60000 ms
            spent     all: usd 1.99 (1 attempt unknown), tokens in unknown, out unknown, 2 attempts, 100 s of agent time
            spent     SpecAgent: usd 1.99, tokens in unknown, out unknown, 1 attempt, 40 s of agent time
            spent     Architect: cost unknown, 1 attempt, 60 s of agent time
            spent     meta: usd 1.99 (1 attempt unknown), tokens in unknown, out unknown, 2 attempts, 100 s of agent time
            spent     dispatch 1: usd 1.99, tokens in unknown, out unknown, 1 attempt, 40 s of agent time
            spent     dispatch 2: cost unknown, 1 attempt, 60 s of agent time
            plays     Architect meta: somebody usd 0.01
            state     DESIGN, 1 at work
            decision  UD-1 escalation answered "retry"
            ran       SpecAgent Architectx2"#]],
    );
}

#[test]
fn r106_an_agent_that_used_up_what_was_left_asks_about_the_limit() {
    check(
        "usd 2
         costs SpecAgent 2
         SpecAgent: used-up
         go
         show
         answer UD-1 retry
         who
         go
         answer UD-2 retry
         go",
        expect![[r#"
            state     BLOCKED budget, 0 at work
            plays     SpecAgent meta: somebody
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 escalation answered "retry"
            decision  UD-2 escalation answered "retry"
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx2 Architect"#]],
    );
    check(
        "usd 3\ncosts SpecAgent 2\nSpecAgent: used-up\ngo",
        expect![[r#"
        state     BLOCKED subagent_failure, 0 at work
        decision  UD-1 escalation pending
        ran       SpecAgent"#]],
    );
}

#[test]
fn r106_a_price_that_nobody_tells_is_reported_once_for_each_agent() {
    check(
        "usd 9
         played alpha
         list alpha beta
         SpecAgent: crash
         SpecAgent: parked
         go
         notices
         ledger",
        expect![[r#"
            waited    1000 ms
            notice    budget.unknown alpha did not report what it cost: it counts as unknown, and limits.usd cannot be enforced for it
            notice    agent.fallback alpha has reached its usage limit until 2026-11-06T21:21:03.000Z: beta takes over
            notice    budget.unknown beta did not report what it cost: it counts as unknown, and limits.usd cannot be enforced for it
            spent     all: cost unknown, 4 attempts, 4 s of agent time
            spent     SpecAgent: cost unknown, 3 attempts, 3 s of agent time
            spent     Architect: cost unknown, 1 attempt, 1 s of agent time
            spent     meta: cost unknown, 4 attempts, 4 s of agent time
            spent     alpha: cost unknown, 2 attempts, 2 s of agent time
            spent     beta: cost unknown, 2 attempts, 2 s of agent time
            spent     dispatch 1: cost unknown, 3 attempts, 3 s of agent time
            spent     dispatch 2: cost unknown, 1 attempt, 1 s of agent time
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx3 Architect"#]],
    );
}

#[test]
fn r107_the_next_of_the_list_takes_over_at_once_and_no_retry_is_spent() {
    check(
        "played alpha
         list alpha beta gamma
         SpecAgent: crash
         SpecAgent: parked 600
         SpecAgent: parked 300
         SpecAgent: crash
         SpecAgent: parked 60
         go
         who
         notices",
        expect![[r#"
            waited    1000 ms
            waited    2000 ms
            waited    60000 ms
            notice    agent.fallback alpha has reached its usage limit until 2026-11-06T21:30:03.000Z: beta takes over
            notice    agent.fallback alpha has reached its usage limit until 2026-11-06T21:30:03.000Z: gamma takes over
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx6 Architect"#]],
    );
}

#[test]
fn r107_a_limit_without_a_time_is_handed_on_where_someone_is_free_and_tried_again_where_not() {
    check(
        "played alpha
         list alpha beta
         SpecAgent: limited
         SpecAgent: limited
         go
         who
         notices",
        expect![[r#"
            waited    1000 ms
            notice    agent.fallback alpha has reached its usage limit until 2026-11-06T22:20:01.000Z: beta takes over
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx3 Architect"#]],
    );
}

#[test]
fn r107_an_agent_that_is_out_for_no_time_again_and_again_is_waited_for_longer_and_then_told() {
    check(
        "played alpha
         SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 3
         SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 0
         go
         answer UD-1 retry
         go",
        expect![[r#"
            waited    1000 ms
            waited    2000 ms
            waited    4000 ms
            waited    8000 ms
            waited    16000 ms
            waited    32000 ms
            waited    64000 ms
            waited    128000 ms
            waited    256000 ms
            waited    299000 ms
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 escalation answered "retry"
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx11 Architect"#]],
    );
}

#[test]
fn r107_a_real_wait_in_between_begins_the_count_again() {
    check(
        "SpecAgent: parked 0
         SpecAgent: parked 0
         SpecAgent: parked 600
         SpecAgent: parked 0
         go",
        expect![[r#"
            waited    1000 ms
            waited    2000 ms
            waited    600000 ms
            waited    1000 ms
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx5 Architect"#]],
    );
}

#[test]
fn r107_all_wait_for_the_first_that_is_back_and_the_agent_of_the_role_plays_again() {
    check(
        "played alpha
         list alpha beta
         Architect: parked 90
         SpecAgent: parked 600
         SpecAgent: parked 300
         SpecAgent: ok
         go until Architect
         who
         go
         who
         answer UD-APPROVE-DESIGN approved
         who
         notices",
        expect![[r#"
            waited    300000 ms
            plays     Architect meta: beta for alpha
            waited    90000 ms
            plays     Planner meta: beta for alpha
            notice    agent.fallback alpha has reached its usage limit until 2026-11-06T21:30:01.000Z: beta takes over
            state     PLAN, 1 at work
            decision  UD-APPROVE-DESIGN approve answered "approved"
            ran       SpecAgentx3 Architectx2 Planner"#]],
    );
}

#[test]
fn r107_a_new_dispatch_waits_unstarted_where_everybody_is_out() {
    check(
        "parallel 2
         played alpha
         usd 4
         costs SpecAgent 1
         costs Architect 1
         costs Planner 1
         costs Coder 0.10
         task T-001 chore
         task T-002 chore
         gates approved single-final
         Coder: parked 30
         go until Coder
         who
         first
         who
         crash
         who
         go
         who",
        expect![[r#"
            plays     Coder T-001: alpha usd 1
            waits     Coder T-002: somebody for headroom
            waits     Coder T-001: alpha usd 1 until 2026-11-06T21:20:33.000Z
            waits     Coder T-002: somebody until 2026-11-06T21:20:33.000Z
            waits     Coder T-001: alpha usd 1 until 2026-11-06T21:20:33.000Z
            waits     Coder T-002: somebody until 2026-11-06T21:20:33.000Z
            waited    30000 ms
            state     DONE, 0 at work
            tasks     T-001 completed, T-002 completed
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            ran       SpecAgent Architect Planner Coder(T-001)x2 Coder(T-002) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r107_whom_a_person_names_plays_whatever_is_known_of_its_limit() {
    check(
        "played alpha
         list alpha beta
         SpecAgent: parked 600
         SpecAgent: timeout
         SpecAgent: timeout
         SpecAgent: parked 60
         go
         answer UD-1 retry-with: alpha
         who
         go
         answer UD-2 retry-with: gamma
         who
         go
         who",
        expect![[r#"
            plays     SpecAgent meta: alpha
            plays     SpecAgent meta: gamma
            waited    60000 ms
            state     APPROVE_DESIGN, 0 at work
            decision  UD-1 escalation answered "retry-with: alpha"
            decision  UD-2 escalation answered "retry-with: gamma"
            decision  UD-APPROVE-DESIGN approve pending
            ran       SpecAgentx5 Architect"#]],
    );
}

#[test]
fn r107_a_crash_or_a_timeout_calls_nobody_else() {
    check(
        "played alpha
         list alpha beta
         SpecAgent: crash
         SpecAgent: timeout
         go
         who
         notices",
        expect![[r#"
            waited    1000 ms
            waits     SpecAgent meta: alpha ForPerson
            state     BLOCKED timeout, 0 at work
            decision  UD-1 escalation pending
            ran       SpecAgentx2"#]],
    );
}

#[test]
fn r107_a_list_that_is_written_while_all_wait_ends_the_wait() {
    check(
        "played alpha
         SpecAgent: parked 3600
         go until SpecAgent
         first
         who
         crash
         who
         resume list alpha beta
         who",
        expect![[r#"
            waits     SpecAgent meta: alpha until 2026-11-06T22:20:00.000Z
            waits     SpecAgent meta: alpha until 2026-11-06T22:20:00.000Z
            plays     SpecAgent meta: beta for alpha
            state     INTAKE, 1 at work
            ran       SpecAgentx2"#]],
    );
}
