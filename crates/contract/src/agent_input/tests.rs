//! Stories of dispatch inputs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;
use serde_json::{Value as Json, json};

fn good() -> Json {
    json!({
        "task": {
            "id": "T-001", "title": "Limit logins", "goal": "Limit them", "non_goals": [],
            "context_files": [".agents-work/2026-11-15_login/spec.md"],
            "constraints": [], "acceptance_checks": ["cmd: cargo test"], "risk_flags": ["none"]
        },
        "project_type": "web",
        "repo_state": {"branch": "main", "ci_status": "unknown", "last_failed_step": null},
        "tools_available": ["read_file"],
        "session": "2026-11-15_login", "mode": "full", "dispatch": 3, "attempt": 1
    })
}

fn said(input: &Json, role: Option<Role>) -> String {
    let (read, report) = read(input.to_string().as_bytes(), "", role);
    assert_eq!(read.is_some(), report.is_ok());
    shown(&report)
}

#[test]
fn r003_every_missing_field_is_named() {
    said(&good(), Some(Role::Coder)).shows(expect![[""]]);
    said(&json!({"task": {}}), Some(Role::Coder)).shows(expect![[r#"
        error shape.other /task: `task` has another shape: it has no fields, and none of id, title, goal, non_goals, context_files, constraints, acceptance_checks, risk_flags
          help: Write it again in its own form; `tollgate schema` prints the form of each document
        error shape.field_missing /: these fields are missing: "project_type", "repo_state", "tools_available"
          help: Add them to the top level
    "#]]);
    let required = [
        "/task/id",
        "/task/title",
        "/task/goal",
        "/task/non_goals",
        "/task/context_files",
        "/task/constraints",
        "/task/acceptance_checks",
        "/task/risk_flags",
        "/project_type",
        "/repo_state",
        "/tools_available",
    ];
    for pointer in required {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let mut input = good();
        input.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field);
        let (_, report) = read(input.to_string().as_bytes(), "", Some(Role::Coder));
        let codes: Vec<&str> = report.errors().map(|d| d.code).collect();
        assert_eq!(codes, ["shape.field_missing"], "{pointer}");
        assert!(report.diagnostics[0].message.contains(field));
    }
}

#[test]
fn r004_a_reviewer_needs_the_changed_files() {
    said(&good(), Some(Role::Reviewer)).shows(expect![[r#"
        error input.changed_files_missing /task: a Reviewer is dispatched without session_changed_files
          help: List every file changed in the session; [] when there is none
    "#]]);
    let mut input = good();
    input["agent"] = "Reviewer".into();
    said(&input, None).shows(expect![[r#"
        error input.changed_files_missing /task: a Reviewer is dispatched without session_changed_files
          help: List every file changed in the session; [] when there is none
    "#]]);
    input["task"]["session_changed_files"] = json!([]);
    said(&input, None).shows(expect![[""]]);
    input["agent"] = "QA".into();
    said(&input, None).shows(expect![[""]]);
}

#[test]
fn r005_a_renamed_file_has_an_old_path_and_a_known_change() {
    let mut input = good();
    input["task"]["session_changed_files"] = json!([
        {"path": "a", "change_type": "renamed"},
        {"path": "b", "change_type": "renamed", "old_path": "c"},
        {"path": "d", "change_type": "copied"},
        {"path": "e", "change_type": "deleted"},
    ]);
    said(&input, None).shows(expect![[r#"
        error shape.value_unknown /task/session_changed_files/2/change_type: `change_type` is "copied", but must be added, modified, deleted or renamed
        error input.old_path_missing /task/session_changed_files/0: "a" is renamed but has no old_path
          help: Add old_path with the former name
    "#]]);
}

#[test]
fn r009_agent_names_are_canonical() {
    for name in ["coder", "Qa", "reviewer ", ""] {
        let mut input = good();
        input["agent"] = name.into();
        let (_, report) = read(input.to_string().as_bytes(), "", None);
        assert_eq!(report.errors().map(|d| d.code).collect::<Vec<_>>(), ["input.agent_unknown"]);
    }
    let mut input = good();
    input["agent"] = "QA".into();
    assert!(read(input.to_string().as_bytes(), "", None).1.is_ok());
}

#[test]
fn r054_the_literal_placeholder_is_refused_in_every_path() {
    let mut input = good();
    input["task"]["context_files"] = json!([".agents-work/<session>/spec.md"]);
    input["task"]["session_changed_files"] =
        json!([{"path": "<session>/x", "change_type": "renamed", "old_path": "<session>/y"}]);
    input["artifact_list"] = json!([".agents-work/<session>/adr/"]);
    input["task"]["goal"] = "explain what <session> means".into();
    said(&input, None).shows(expect![[r#"
        error input.session_placeholder /task/context_files/0: the path ".agents-work/<session>/spec.md" contains the placeholder <session>
          help: Replace it with the name of the session
        error input.session_placeholder /artifact_list/0: the path ".agents-work/<session>/adr/" contains the placeholder <session>
          help: Replace it with the name of the session
        error input.session_placeholder /task/session_changed_files/0/path: the path "<session>/x" contains the placeholder <session>
          help: Replace it with the name of the session
        error input.session_placeholder /task/session_changed_files/0/old_path: the path "<session>/y" contains the placeholder <session>
          help: Replace it with the name of the session
    "#]]);
}

#[test]
fn a_made_input_is_validated_like_a_read_one() {
    let mut input: AgentInput = serde_json::from_value(good()).unwrap();
    let validate = |input: &AgentInput, role| read(&serde_json::to_vec(input).unwrap(), "", role).1;
    assert!(validate(&input, Some(Role::Coder)).is_ok());
    input.task.id = "a b".into();
    input.task.title = String::new();
    expect![[r#"
        error shape.empty /task/title: `title` is empty
        error input.task_id_invalid /task/id: "a b" is not the id of a task
          help: Write an id such as T-001, or meta
        error input.changed_files_missing /task: a Reviewer is dispatched without session_changed_files
          help: List every file changed in the session; [] when there is none
    "#]].assert_eq(&shown(&validate(&input, Some(Role::Reviewer))));
}
