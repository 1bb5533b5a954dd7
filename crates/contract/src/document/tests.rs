//! Stories of documents of any origin.

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;

#[test]
fn every_kind_has_a_name_that_reads_back() {
    for (kind, name) in DocumentKind::ALL {
        assert_eq!(DocumentKind::parse(name), Some(*kind));
    }
    assert_eq!(DocumentKind::parse("poem"), None);
}

#[test]
fn a_kind_is_guessed_by_name_and_else_by_content() {
    let cases: &[(&str, &str, Option<DocumentKind>)] = &[
        ("x/.agents-work/s/status.json", "", Some(DocumentKind::Status)),
        ("tasks.yaml", "", Some(DocumentKind::Tasks)),
        ("agents/actions/deliver.md", "", Some(DocumentKind::Action)),
        ("agents/actions/README.md", "# list", None),
        ("agents/coder/SKILL.md", "", Some(DocumentKind::Skill)),
        ("tollgate.toml", "", Some(DocumentKind::Config)),
        ("x/lifecycle-stage.yaml", "", Some(DocumentKind::Lifecycle)),
        ("stages.yml", "version: 1\ncurrent_stage: a\n", Some(DocumentKind::Lifecycle)),
        ("a.json", r#"{"role": "planner"}"#, Some(DocumentKind::PlannerResult)),
        ("a.json", r#"{"role": "implementor"}"#, Some(DocumentKind::ImplementorResult)),
        ("a.json", r#"{"role": "reviewer"}"#, Some(DocumentKind::ReviewerResult)),
        ("reply.json", r#"{"status": "OK", "summary": "x"}"#, Some(DocumentKind::AgentOutput)),
        ("input.json", r#"{"task": {}, "repo_state": {}}"#, Some(DocumentKind::AgentInput)),
        ("a.json", r#"{"acceptance_criteria": []}"#, Some(DocumentKind::Acceptance)),
        ("a.json", r#"{"current_state": "DONE"}"#, Some(DocumentKind::Status)),
        ("plan.yml", "tasks:\n- id: x\n", Some(DocumentKind::Tasks)),
        ("a.md", "---\nname: x\nsteps: []\n---\n", Some(DocumentKind::Action)),
        ("a.md", "---\nname: x\n---\n", Some(DocumentKind::Skill)),
        ("s/work-items/T-001.md", "", Some(DocumentKind::WorkItem)),
        (
            "item.md",
            "## Objective\n## Spec Reference\n### In Scope\n### Out of Scope\n",
            Some(DocumentKind::WorkItem),
        ),
        ("q.md", "## Ambiguity\n## Options\n## Recommendation\n", Some(DocumentKind::WorkItem)),
        ("a.md", "# Hello\n", None),
        ("a.json", "{}", None),
        ("a.bin", "\u{0}", None),
    ];
    for (path, text, kind) in cases {
        assert_eq!(guess(path, text.as_bytes()), *kind, "{path} {text}");
    }
    assert_eq!(guess("a.bin", b"\xff\xfe"), None);
}

fn said(kind: DocumentKind, path: &str, bytes: &[u8]) -> String {
    shown(&check(kind, path, bytes))
}

#[test]
fn faults_name_the_file() {
    said(DocumentKind::Spec, "spec.md", b"# Goals \xff").shows(expect![[r#"
        error text.not_utf8 spec.md: byte 8 is not part of UTF-8 text
          help: Save the file as UTF-8
    "#]]);
    said(DocumentKind::Status, "status.json", b"\xff").shows(expect![[r#"
        error text.not_utf8 status.json: byte 0 is not part of UTF-8 text
          help: Save the file as UTF-8
    "#]]);
    said(DocumentKind::AgentOutput, "reply.json", b"Sure! {}").shows(expect![[r#"
        error reply.text_before reply.json: before the JSON object comes "Sure!"
          help: Reply with the object alone; remarks belong in `summary` or `artifacts.notes`
    "#]]);
    said(DocumentKind::AgentOutput, "reply.json", br#"{"status":"NEEDS_INFO","summary":"","artifacts":{},"gates":{"meets_definition_of_done":true}}"#).shows(expect![[r#"
        error shape.empty reply.json#/summary: `summary` is empty
    "#]]);
    said(DocumentKind::AgentOutput, "reply.json", br#"{"role":"wizard"}"#).shows(expect![[r#"
        error reply.result_role reply.json#/role: the role of the result is "wizard", but must be planner, implementor or reviewer
    "#]]);
    said(DocumentKind::PlannerResult, "plan.json", br#"{"role":"reviewer","create":[]}"#).shows(
        expect![[r#"
        error shape.value_unknown plan.json#/role: `role` is "reviewer", but must be planner
        error shape.field_missing plan.json: the field "close" is missing
          help: Add "close" to the top level
        error shape.field_missing plan.json: the field "update" is missing
          help: Add "update" to the top level
    "#]],
    );
    said(DocumentKind::Config, "tollgate.toml", b"[roles]\ndefault = 3\n").shows(expect![[r#"
        error shape.wrong_type tollgate.toml:2: `default` is the number 3, but a text is expected
    "#]]);
}
