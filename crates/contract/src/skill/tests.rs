//! Stories of role files.

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;

fn said(text: &str) -> String {
    said_in("coder", text)
}

fn said_in(folder: &str, text: &str) -> String {
    let (file, report) = read(text, &format!("agents/{folder}/SKILL.md"));
    let read = file.map_or_else(String::new, |file| {
        let RoleFile { role, name, writes, artefacts, body, .. } = file;
        format!("{role} {name} writes {writes:?} artefacts {artefacts:?}\n{body}")
    });
    format!("{read}{}", shown(&report))
}

#[test]
fn r148_the_folder_tells_the_role_whatever_the_name_says() {
    said_in("backend-developer", "---\nname: Developing all\ndescription: Writes code.\nwrites: [\"**\"]\n---\n\n# Coder\nDo it.\n").shows(expect![[r#"
        Coder backend-developer writes ["**"] artefacts []
        # Coder
        Do it.
    "#]]);
}

#[test]
fn r009_every_fault_of_a_role_file_is_named_with_its_line() {
    said("---\nname: Back End\ndescription: x\nrole: coder\nwrite: [a]\nartefacts: [../up]\n---\n").shows(expect![[r#"
        error skill.no_text agents/coder/SKILL.md: there is no text after the front matter
          help: Write the instructions for the role
        error skill.role_unknown agents/coder/SKILL.md:4: "coder" does not name a role
          help: Did you mean "Coder"?
        warning shape.field_ignored agents/coder/SKILL.md:5: the field "write" is unknown and is ignored
          help: Did you mean "writes"?
        error globs.pattern_invalid agents/coder/SKILL.md:6: the pattern "../up" cannot be read: it points outside the repository
          help: Write a path relative to the repository, a glob, or a folder that ends in /
    "#]]);
}

#[test]
fn a_name_that_nobody_knows_needs_a_role() {
    said_in("sage", "---\nname: wizard\ndescription: x\n---\nDo magic.\n").shows(expect![[r#"
        error skill.role_unknown agents/sage/SKILL.md:2: "sage" does not name a role
          help: Add the field role with SpecAgent, Architect, Planner, Designer, Researcher, Coder, Reviewer, QA, Security, Integrator, Docs or Orchestrator
    "#]]);
    said("---\nname: coder\n").shows(expect![[r#"
        error front_matter.missing agents/coder/SKILL.md:1: the front matter has no line "---" at its end
          help: Begin the file with a line `---`, the fields as YAML, and a line `---`
    "#]]);
}

#[test]
fn r148_a_role_file_without_fields_is_used_and_says_so() {
    said("# Coder\nDo it.\n").shows(expect![[r#"
        Coder coder writes ["**"] artefacts []
        # Coder
        Do it.
        warning skill.no_fields agents/coder/SKILL.md: there is no front matter; the whole file is used as the text of the role
    "#]]);
}

#[test]
fn fields_of_the_agent_skills_convention_are_accepted_and_writing_comes_from_the_built_in_role() {
    said_in("planner", "---\nname: planner\ndescription: Plans.\nlicense: MIT\ncompatibility: [any, other]\nmetadata: {version: \"1\"}\nallowed-tools: Read Grep\n---\nPlan.\n").shows(expect![[r#"
        Planner planner writes [] artefacts ["tasks.yaml", "work-items/**"]
        Plan.
    "#]]);
    said_in("planner", "---\nname: planner\ndescription: Plans.\nartefacts: []\nallowed-tools: [Read]\n---\nPlan.\n").shows(expect![[r#"
        Planner planner writes [] artefacts []
        Plan.
    "#]]);
}

#[test]
fn agent_files_of_other_tools_are_known_by_their_place() {
    for path in [".claude/agents/qa.md", "x/.github/agents/07-qa.agent.md", "agents/qa.md"] {
        assert_eq!(foreign_name(path).as_deref(), Some("qa"), "{path}");
    }
    for other in ["agents/notes.md", "agents/qa/SKILL.md", "my.claude/agents/qa.md", "qa.md"] {
        assert_eq!(foreign_name(other), None, "{other}");
    }
    let text = "---\nname: qa\ntools: Read\nmodel: opus\n---\nTest it.\n";
    assert!(super::check(text, ".claude/agents/qa.md").is_ok());
    assert!(!super::check("---\nname: qa\n---\n", ".claude/agents/qa.md").is_ok());
}
