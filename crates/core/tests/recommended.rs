//! Stories of Researcher and Designer, who come when somebody recommends them, and of whom a correction goes to.

use crate::story;

use expect_test::{Expect, expect};
use story::{check, tell};

fn ran(story: &str, expected: Expect) {
    check(&format!("task T-001 docs\n{story}"), expected);
}

#[test]
fn r137_who_spec_agent_or_architect_recommends_comes() {
    ran(
        "SpecAgent: ok -> Researcher\nArchitect: ok -> Designer\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Researcher Architect Designer"#]],
    );
    ran(
        "SpecAgent: ok -> Designer\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Architect Designer"#]],
    );
    ran(
        "Architect: ok -> Coder\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Architect"#]],
    );
}

#[test]
fn r137_research_that_the_architect_recommends_comes_and_the_architect_uses_it() {
    ran(
        "Architect: ok -> Researcher\nArchitect: ok -> Researcher\ngo",
        expect![[r#"
        state     APPROVE_DESIGN, 0 at work
        decision  UD-APPROVE-DESIGN approve pending
        ran       SpecAgent Architect Researcher Architect"#]],
    );
    let told = tell("task T-001 docs\nArchitect: ok -> Researcher\ngo");
    let session = told.session();
    let last = *session.dispatches.keys().next_back().unwrap();
    let brief = session.brief(last).unwrap();
    assert!(
        brief.task.constraints.iter().any(|line| line.contains("Researcher has looked into")),
        "{:?}",
        brief.task.constraints
    );
}

#[test]
fn r137_a_correction_goes_to_the_designer_where_it_had_a_part() {
    ran(
        "ask Designer
         go
         answer UD-APPROVE-DESIGN changes-requested: other colours
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched SpecAgent, dispatched Architect, dispatched Designer, completed
            told      SpecAgent the person asks for changes of the design: other colours
            told      Architect the person asks for changes of the design: other colours
            told      Designer the person asks for changes of the design: other colours
            ran       SpecAgent Architect Designer SpecAgent Architect Designer"#]],
    );
    ran(
        "go
         answer UD-APPROVE-DESIGN changes-requested: other modules
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched SpecAgent, dispatched Architect, completed
            told      SpecAgent the person asks for changes of the design: other modules
            told      Architect the person asks for changes of the design: other modules
            ran       SpecAgent Architect SpecAgent Architect"#]],
    );
}

#[test]
fn r137_who_is_recommended_in_a_correction_comes_before_the_person_is_asked_again() {
    ran(
        "Architect: ok
         Architect: ok -> Designer
         go
         answer UD-APPROVE-DESIGN changes-requested: Architect: it has a page
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched Architect, queued, dispatched Designer, completed
            told      Architect the person asks for changes of the design: Architect: it has a page
            told      Designer the person asks for changes of the design: Architect: it has a page
            ran       SpecAgent Architect Architect Designer"#]],
    );
    ran(
        "Architect: ok
         Architect: ok -> Researcher
         go
         answer UD-APPROVE-DESIGN changes-requested: Architect: another store
         go",
        expect![[r#"
            state     APPROVE_DESIGN, 0 at work
            decision  UD-APPROVE-DESIGN approve pending
            rejected  UD-APPROVE-DESIGN APPROVE_DESIGN
            correction queued, dispatched Architect, queued, dispatched Researcher, dispatched Architect, completed
            told      Architect the person asks for changes of the design: Architect: another store
            told      Researcher the person asks for changes of the design: Architect: another store
            told      Architect the person asks for changes of the design: Architect: another store
            ran       SpecAgent Architect Architect Researcher Architect"#]],
    );
}

#[test]
fn r137_the_option_says_to_whom_words_can_be_sent() {
    let option = |story: &str| {
        let told = tell(&format!("task T-001 docs\n{story}\ngo"));
        let question = told.session().pending_decisions().next().unwrap().clone();
        question.options[1].consequence.clone()
    };
    expect!["SpecAgent and Architect run again with your comments; to send them to one role, write `changes-requested: Architect: TEXT` (SpecAgent or Architect)"].assert_eq(&option(""));
    expect!["SpecAgent, Architect and Designer run again with your comments; to send them to one role, write `changes-requested: Designer: TEXT` (SpecAgent, Researcher, Architect or Designer)"].assert_eq(&option("ask Designer\nask Researcher"));
}
