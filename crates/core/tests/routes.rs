//! Stories of how steps of other actions than delivery run: several roles at once, checks by subject, fixing by hand.

use crate::story;

use expect_test::{Expect, expect};
use story::{check, tell};
use tollgate_core::event::CheckTree;
use tollgate_core::id::CheckNumber;
use tollgate_core::session::CheckRun;

#[test]
fn r070_r071_only_the_member_that_failed_runs_again_and_nothing_continues_before() {
    check(
        "step parallel Coder Docs QA
         step dispatch Integrator
         Docs: crash
         go",
        expect![[r#"
            waited    0 ms
            state     DONE, 0 at work
            ran       Coder Docsx2 QA Integrator"#]],
    );
    check(
        "step parallel Coder Docs QA
         step dispatch Integrator
         Docs: invalid
         Docs: invalid
         Docs: invalid
         go
         show
         answer UD-1 retry
         go",
        expect![[r#"
            state     BLOCKED subagent_failure, 0 at work
            state     DONE, 0 at work
            decision  UD-1 escalation answered "retry"
            ran       Coder Docsx4 QA Integrator"#]],
    );
}

#[test]
fn r070_members_that_give_up_at_once_hold_the_session_until_each_is_answered() {
    check(
        "step parallel Coder Docs QA
         Coder: timeout
         Docs: blocked
         together
         show
         answer UD-2 retry
         show
         answer UD-1 retry
         go",
        expect![[r#"
            state     BLOCKED agent_blocked, 0 at work
            state     BLOCKED timeout, 0 at work
            state     DONE, 0 at work
            decision  UD-1 escalation answered "retry"
            decision  UD-2 escalation answered "retry"
            ran       Coderx2 Docsx2 QA"#]],
    );
    check(
        "step parallel Coder Docs QA
         Coder: timeout
         Docs: blocked
         together
         answer UD-1 retry
         show
         answer UD-2 retry
         go",
        expect![[r#"
            state     BLOCKED agent_blocked, 0 at work
            state     DONE, 0 at work
            decision  UD-1 escalation answered "retry"
            decision  UD-2 escalation answered "retry"
            ran       Coderx2 Docsx2 QA"#]],
    );
}

#[test]
fn a_member_that_clashes_does_its_part_again_on_top_of_the_others() {
    check(
        "step parallel Coder Docs
         clash 1
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Orchestrator meta: high fixed
            ran       Coder Docsx2"#]],
    );
    check(
        "step parallel Coder Docs
         clash always
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Orchestrator meta: high fixed
            ran       Coder Docsx2"#]],
    );
}

#[test]
fn an_optional_member_can_be_left_out_and_another_asks_first() {
    check(
        "step parallel Coder Docs? Researcher
         Docs: timeout
         Researcher: info how?
         go
         answer UD-1 skip
         go
         answer UD-2 like this
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 escalation answered "skip"
            decision  UD-2 info answered "like this"
            told      Researcher Researcher needs to know: how? The person says: like this
            ran       Coder Docs Researcher Researcher"#]],
    );
}

#[test]
fn r077_coverage_below_the_minimum_is_a_choice() {
    check(
        "step dispatch Coder
         step checks coverage
         covered 65 70 72
         go
         answer UD-1 lower: 70
         answer UD-1 fix
         go
         answer UD-2 lower: 71 generated code
         go",
        expect![[r#"
            refused   "lower: 70" does not answer UD-1: it needs a percentage and a reason
            state     DONE, 0 at work
            decision  UD-1 coverage answered "fix"
            decision  UD-2 coverage answered "lower: 71 generated code"
            told      Coder Test coverage is not enough: 65 % of the lines are covered (65 of 100); the minimum is 80 % / add tests that reach more lines
            ran       Coder Coder"#]],
    );
    check(
        "step dispatch Coder
         step checks coverage
         covered 65
         go
         answer UD-1 override: a prototype
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 coverage answered "override: a prototype"
            ran       Coder"#]],
    );
}

#[test]
fn r152_without_a_command_the_person_names_one_or_waives_it() {
    check(
        "step dispatch Coder
         step checks evidence
         go
         answer UD-1 waive
         answer UD-1 waive: a toy
         go",
        expect![[r#"
            refused   "waive" does not answer UD-1: it needs text after the colon
            state     DONE, 0 at work
            decision  UD-1 check answered "waive: a toy"
            ran       Coder"#]],
    );
    check(
        "step dispatch Coder
         step checks evidence
         Coder: proves echo done
         go
         answer UD-1 fix-check: true
         go
         answer UD-2 fix-check: make test
         red 1
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 check answered "fix-check: true"
            decision  UD-2 check answered "fix-check: make test"
            finding   Orchestrator meta: critical fixed
            told      Coder the work was reported as done but `make test` fails in a fresh clone of the branch: exit code 1
            ran       Coder Coder"#]],
    );
}

#[test]
fn r152_what_roles_named_is_run_again_on_every_commit_that_a_gate_or_the_end_rests_on() {
    check(
        "step dispatch Coder
         step checks evidence
         step dispatch Docs
         step approve DONE_GATE
         Coder: proves make test
         Docs: ok
         red 1
         go
         answer UD-1 changes-requested: Docs: more
         go
         answer UD-1 approved
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 approve answered "approved"
            rejected  UD-1 INTEGRATE
            correction queued, dispatched Docs, completed
            finding   Orchestrator meta: critical fixed
            told      Coder the work was reported as done but `make test` fails in a fresh clone of the branch: exit code 1
            told      Docs the person asks for changes of your work: Docs: more
            ran       Coder Coder Docs Docs"#]],
    );
}

#[test]
fn r109_a_failure_as_old_as_the_base_is_told_apart_and_stops_nothing_but_a_tasks_own_check() {
    check(
        "step dispatch Coder
         step checks lint
         red 1
         old 1
         go",
        expect![[r#"
            state     DONE, 0 at work
            finding   Orchestrator meta: medium tracked
            ran       Coder"#]],
    );
    let told = tell(
        "task T-001 feat | check cmd: t\ngates approved per-batch\nred 2\nold 2\ngo\nanswer UD-1 repair\ngo",
    );
    let message = told.session().record.findings.first().map(|f| f.report.message.clone());
    expect!["the work was reported as done but `t` fails: exit code 1 (pre-existing: it already failed on the base revision)"].assert_eq(&message.unwrap_or_default());
}

/// Every run of checks: its subject, the tree it ran in and how it went.
fn checked(story: &str, expected: Expect) {
    let told = tell(story);
    let tree = |run: &CheckRun| match run.tree {
        CheckTree::Workspace => "workspace".to_owned(),
        CheckTree::Fresh { since } => format!("clone of {since}"),
    };
    let line = |(number, run): (&CheckNumber, &CheckRun)| {
        let passed = run.passed.map_or("runs", |passed| if passed { "passed" } else { "failed" });
        let commit = run.tip.as_str().trim_start_matches('0');
        format!("{number} {} {}, commit {commit}: {passed}\n", run.purpose, tree(run))
    };
    expected.assert_eq(&told.session().checks.runs.iter().map(line).collect::<String>());
}

#[test]
fn r170_what_the_end_rests_on_runs_in_a_clone_that_lasts_while_all_of_it_holds() {
    checked(
        "step dispatch Coder
         step checks a b
         green 1
         red 1
         go",
        expect![[r#"
            1 `a` clone of 1, commit 1: passed
            2 `b` clone of 1, commit 1: failed
            3 `a` clone of 3, commit 2: passed
            4 `b` clone of 3, commit 2: passed
        "#]],
    );
    checked(
        "task T-001 feat | check cmd: t
         gates approved per-batch
         green 2
         red 2
         go",
        expect![[r#"
            1 T-001 workspace, commit 4: passed
            2 acceptance clone of 2, commit 4: passed
            3 acceptance clone of 3, commit 6: failed
            4 acceptance clone of 4, commit 6: failed
            5 acceptance clone of 5, commit 7: passed
        "#]],
    );
}

#[test]
fn r072_the_step_that_failed_runs_again_and_none_before_it() {
    check(
        "step dispatch SpecAgent
         step dispatch Architect
         step dispatch Docs
         Architect: crash
         Architect: crash
         Architect: crash
         go
         show
         answer UD-1 retry
         go",
        expect![[r#"
            waited    1000 ms
            waited    2000 ms
            state     BLOCKED subagent_failure, 0 at work
            state     DONE, 0 at work
            decision  UD-1 escalation answered "retry"
            ran       SpecAgent Architectx4 Docs"#]],
    );
}

#[test]
fn fixing_by_hand_is_for_one_attempt_and_a_retry_is_the_agents_again() {
    let told = tell(
        "step dispatch Coder
         Coder: timeout
         Coder: timeout
         go
         answer UD-1 manual-fix
         go
         answer UD-2 retry",
    );
    let dispatch = told.session().dispatches.values().next().map(|d| (d.attempts.0, d.agent()));
    expect!["Some((3, None))"].assert_eq(&format!("{dispatch:?}"));
}

#[test]
fn what_a_skipped_member_clashed_with_is_settled() {
    check(
        "step parallel Coder Docs?
         step severity REVIEW
         clash 1
         Docs: ok
         Docs: timeout
         go
         answer UD-1 skip
         go",
        expect![[r#"
            state     DONE, 0 at work
            decision  UD-1 escalation answered "skip"
            finding   Orchestrator meta: high fixed
            ran       Coder Docsx2"#]],
    );
}

#[test]
fn checks_that_end_after_a_cancel_change_nothing() {
    check(
        "step checks lint
         red 1
         cancel enough
         late",
        expect![[r#"
            state     BLOCKED cancelled, 0 at work
            ran       "#]],
    );
}

#[test]
fn a_confined_role_is_told_and_may_fix_checked_planning() {
    let told = tell(
        "step dispatch Architect@planning-mds/validation/**
         step checks planning
         red always
         go",
    );
    let session = told.session();
    let last = *session.dispatches.keys().next_back().expect("it was sent out");
    let constraints = |number| session.brief(number).expect("it is known").task.constraints;
    let first = *session.dispatches.keys().next().expect("it was sent out");
    assert_eq!(constraints(first), ["write nothing but: planning-mds/validation/**"]);
    assert!(
        constraints(last)
            .contains(&"write nothing but: planning-mds/validation/**, planning-mds/**".to_owned())
    );
}
