//! Stories of lean work that becomes full: by the Coder, by what it changed, or by a person.

use crate::story;

use expect_test::expect;
use story::{check, tell};
use tollgate_core::role::Role;

#[test]
fn r141_a_coder_that_cannot_do_it_in_lean_mode_leaves_the_way_to_full_open() {
    for reply in ["blocked", "fail", "timeout", "crash\nCoder: crash\nCoder: crash"] {
        let told = tell(&format!(
            "lean
             gates approved single-final
             task T-001 docs
             Coder: {reply}
             go
             answer UD-1 full: it needs a design
             go"
        ));
        let session = told.session();
        assert!(session.standing.closed, "{reply}");
        assert!(session.has_become_full());
        let roles: Vec<&str> =
            session.dispatches.values().map(|dispatch| dispatch.role.as_str()).collect();
        assert_eq!(roles[..5], ["SpecAgent", "Coder", "SpecAgent", "Architect", "Planner"]);
    }
}

#[test]
fn r141_a_lean_repair_that_does_not_help_leaves_the_way_to_full_open() {
    check(
        "lean
         gates approved single-final
         task T-001 docs
         Reviewer: blocked high:one
         Reviewer: blocked high:two
         Reviewer: blocked high:three
         Reviewer: blocked high:four
         go
         show
         answer UD-1 full: start over
         go",
        expect![[r#"
            state     ASK_USER, 0 at work
            state     DONE, 0 at work
            tasks     T-001 completed
            decision  UD-1 repair answered "full: start over"
            decision  UD-APPROVE-DESIGN approve answered "approved"
            decision  UD-REVIEW-STRATEGY strategy answered "single-final"
            finding   Reviewer T-001: high fixed
            finding   Reviewer T-001: high fixed
            finding   Reviewer T-001: high fixed
            finding   Reviewer meta: high fixed
            told      Coder(T-001) [high] one
            told      Coder(T-001) [high] two
            told      Coder(T-001) [high] three
            ran       SpecAgent Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) Coder(T-001) Reviewer(T-001) SpecAgent Architect Planner Coder(T-001) Reviewer QA Security Integrator Docs Integrator Reviewer"#]],
    );
}

#[test]
fn r141_in_full_mode_there_is_no_such_way() {
    for (mode, offered) in [("lean\n", true), ("gates approved per-batch\n", false)] {
        let told = tell(&format!("{mode}task T-001 docs\nCoder: blocked\ngo"));
        let question = told.session().pending_decisions().next().unwrap();
        let options: Vec<&str> = question.options.iter().map(|o| o.answer.as_str()).collect();
        assert_eq!(options.contains(&"full: TEXT"), offered, "{options:?}");
    }
}

#[test]
fn r141_spec_agent_is_told_why_and_the_old_plan_is_gone() {
    let told = tell(
        "lean
         task T-001 docs
         Coder: blocked -> SpecAgent
         go until Coder
         go until Architect",
    );
    let session = told.session();
    let spec_agents = session.dispatches.iter().filter(|(_, d)| d.role == Role::SpecAgent);
    let number = *spec_agents.max_by_key(|(number, _)| **number).unwrap().0;
    let brief = session.brief(number).unwrap();
    assert_eq!(
        brief.task.constraints,
        [
            "this session began as lean work and is full now, because Coder asked for it: said BLOCKED",
            "write spec.md and acceptance.json for the whole work; the lean plan no longer counts",
        ]
    );
    assert!(session.has_become_full());
    assert!(session.plan.tasks.is_empty());
    assert!(!session.files.artefacts.contains_key("tasks.yaml"));
}
