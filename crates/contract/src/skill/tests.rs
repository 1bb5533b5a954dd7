//! Stories of role files.

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;

fn said(text: &str) -> String {
    let (file, report) = read(text, "agents/coder/SKILL.md");
    let read = file.map_or_else(String::new, |file| {
        let RoleFile { role, name, writes, artefacts, body, .. } = file;
        format!("{role} {name} writes {writes:?} artefacts {artefacts:?}\n{body}")
    });
    format!("{read}{}", shown(&report))
}

#[test]
fn a_role_file_names_its_role_by_an_alias() {
    said("---\nname: backend-developer\ndescription: Writes code.\nwrites: [\"**\"]\n---\n\n# Coder\nDo it.\n").shows(expect![[r#"
        Coder backend-developer writes ["**"] artefacts []
        # Coder
        Do it.
    "#]]);
}

#[test]
fn r009_every_fault_of_a_role_file_is_named_with_its_line() {
    said("---\nname: Back End\ndescription: x\nrole: coder\nwrite: [a]\nartefacts: [../up]\n---\n").shows(expect![[r#"
        error action.name_invalid agents/coder/SKILL.md:2: "Back End" cannot be used as a name
          help: Use lowercase letters, digits and dashes, such as quick-fix
        error skill.role_unknown agents/coder/SKILL.md:4: "coder" does not name a role
          help: Did you mean "Coder"?
        error shape.field_unknown agents/coder/SKILL.md:5: there is no field "write" here
          help: Did you mean "writes"?
        error globs.pattern_invalid agents/coder/SKILL.md:6: the pattern "../up" cannot be read: it points outside the repository
          help: Write a path relative to the repository, a glob, or a folder that ends in /
    "#]]);
}

#[test]
fn a_name_that_nobody_knows_needs_a_role() {
    said("---\nname: wizard\ndescription: x\n---\n").shows(expect![[r#"
        error skill.role_unknown agents/coder/SKILL.md:2: "wizard" does not name a role
          help: Add the field role with SpecAgent, Architect, Planner, Designer, Researcher, Coder, Reviewer, QA, Security, Integrator, Docs or Orchestrator
    "#]]);
    said("# no front matter\n").shows(expect![[r#"
        error front_matter.missing agents/coder/SKILL.md:1: the file does not begin with a line "---"
          help: Begin the file with a line `---`, the fields as YAML, and a line `---`
    "#]]);
}

#[test]
fn fields_of_the_agent_skills_convention_are_accepted_and_writing_comes_from_the_built_in_role() {
    said("---\nname: planner\ndescription: Plans.\nlicense: MIT\ncompatibility: any\nmetadata: {version: \"1\"}\nallowed-tools: Read Grep\n---\nPlan.\n").shows(expect![[r#"
        Planner planner writes [] artefacts ["tasks.yaml", "work-items/**"]
        Plan.
    "#]]);
    said("---\nname: planner\ndescription: Plans.\nartefacts: []\nallowed-tools: [Read]\n---\nPlan.\n").shows(expect![[r#"
        Planner planner writes [] artefacts []
        Plan.
    "#]]);
}

#[test]
fn agent_files_of_other_tools_are_known_by_their_place() {
    assert_eq!(foreign_name(".claude/agents/qa.md"), Some("qa"));
    assert_eq!(foreign_name("x/.github/agents/qa.agent.md"), Some("qa"));
    for other in
        [".github/agents/notes.md", "agents/qa/SKILL.md", "my.claude/agents/qa.md", "qa.md"]
    {
        assert_eq!(foreign_name(other), None, "{other}");
    }
    let text = "---\nname: qa\ntools: Read\nmodel: opus\n---\nTest it.\n";
    assert!(super::check(text, ".claude/agents/qa.md").is_ok());
    assert!(!super::check("---\nname: qa\n---\n", ".claude/agents/qa.md").is_ok());
}
