//! What each role does when no rule fits: the least that the contract accepts.

use super::leave;
use super::plan::files_expected;
use super::start::Start;
use super::write::{append_file, write_file};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

pub(super) fn work(start: &Start) -> Result<(), String> {
    let outputs = leave::declared(start);
    if leave::is_asked(&outputs) {
        return leave::work(start, &outputs);
    }
    let folder = start.session_folder();
    let put = |name: &str, text: &str| {
        write_file(&folder.join(name), text.as_bytes())
            .map_err(|error| format!("cannot write {name}: {error}"))
    };
    match start.role.as_str() {
        "SpecAgent" => {
            put("spec.md", &spec(start))?;
            put("acceptance.json", &acceptance())?;
            if start.mode() == "lean" {
                put("tasks.yaml", &plan(&[("T-001", "app.txt", "[]")]))?;
            }
            Ok(())
        }
        "Architect" => put("architecture.md", ARCHITECTURE),
        "Planner" => {
            put("tasks.yaml", &plan(&[("T-001", "app.txt", "[]"), ("T-002", "lib.txt", "[T-001]")]))
        }
        "Designer" => put("design-specs/overview.md", "# Design\n\nOne line of text per task.\n"),
        "Researcher" => {
            put("research/report.md", "# Research\n\nNothing outside the repository is needed.\n")
        }
        "Coder" => code(start),
        "Docs" => put("report.md", &REPORT.replace("None.", &start.report_points())),
        _ => Ok(()),
    }
}

/// One line more, in the first file that this task may change.
fn code(start: &Start) -> Result<(), String> {
    let file = file_to_change(start);
    let line = start.fill("{task}: dispatch {dispatch}, attempt {attempt}\n");
    append_file(&start.workspace.join(&file), &line)
        .map_err(|error| format!("cannot append to {file}: {error}"))
}

fn file_to_change(start: &Start) -> String {
    let tasks_yaml =
        fs::read_to_string(start.session_folder().join("tasks.yaml")).unwrap_or_default();
    let is_meta = start.task == "meta";
    let changed = is_meta.then(|| first_changed_file(&start.input)).flatten();
    let expected = || {
        let task = (!is_meta).then_some(start.task.as_str());
        files_expected(&tasks_yaml, task).into_iter().find(|file| !file.contains('*'))
    };
    let file = changed.or_else(expected).unwrap_or_else(|| "app.txt".to_owned());
    if file.ends_with('/') { format!("{file}app.txt") } else { file }
}

fn first_changed_file(input: &Value) -> Option<String> {
    let changes = input.pointer("/task/session_changed_files")?.as_array()?;
    let alive = changes.iter().find(|change| change["change_type"] != "deleted")?;
    let path = alive["path"].as_str()?;
    Path::new(path).is_relative().then(|| path.to_owned())
}

fn spec(start: &Start) -> String {
    let goal =
        start.input.pointer("/task/goal").and_then(Value::as_str).unwrap_or("Deliver the change");
    format!(
        "# Specification\n\n## Goals\n\n{goal}\n\n## Acceptance Criteria\n\n- AC-001: every check passes.\n\n\
         ## Definition of Done\n\n- All acceptance criteria are met.\n"
    )
}

fn acceptance() -> String {
    let criterion =
        json!({"id": "AC-001", "description": "every check passes", "verify": ["cmd: true"]});
    format!("{:#}\n", json!({"acceptance_criteria": [criterion]}))
}

fn plan(tasks: &[(&str, &str, &str)]) -> String {
    let task = |(id, file, depends_on): &(&str, &str, &str)| {
        format!(
            "  - id: {id}
    status: not-started
    type: feat
    title: Change {file}
    depends_on: {depends_on}
    goal: {file} has one line more
    non_goals: []
    context_files: []
    files_expected: [{file}]
    acceptance_checks: [\"cmd: true\"]
    risk_flags: [none]
    done_when: [\"{file} has the line\"]
"
        )
    };
    let tasks: String = tasks.iter().map(task).collect();
    format!(
        "project:\n  name: scripted\n  definition_of_done: [\"every check passes\"]\ntasks:\n{tasks}"
    )
}

const ARCHITECTURE: &str = "# Architecture\n\n## Overview\n\nPlain text files.\n\n## Modules/components\n\n- app.txt\n- lib.txt\n";

const REPORT: &str = "# Report\n\n## What was done\n\nThe planned files were changed.\n\n## How to run\n\nNothing to run.\n\n\
                      ## How to test\n\nRun `true`.\n\n## Known issues\n\nNone.\n";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn played(dir: &Path, role: &str, task: &str, change: impl FnOnce(&mut Start)) {
        let mut start = Start::sample(dir, role, task);
        change(&mut start);
        work(&start).unwrap();
    }

    fn session_file(dir: &Path, name: &str) -> String {
        fs::read_to_string(dir.join(".agents-work/2026-11-15_demo").join(name)).unwrap_or_default()
    }

    #[test]
    fn every_role_leaves_what_its_step_asks_for() {
        let dir = tempfile::tempdir().unwrap();
        for role in [
            "SpecAgent",
            "Architect",
            "Designer",
            "Researcher",
            "Planner",
            "Reviewer",
            "QA",
            "Security",
            "Integrator",
            "Docs",
        ] {
            played(dir.path(), role, "meta", |_| {});
        }
        for heading in ["## Goals", "## Acceptance Criteria", "## Definition of Done"] {
            assert!(session_file(dir.path(), "spec.md").contains(heading), "{heading}");
        }
        let acceptance: Value =
            serde_json::from_str(&session_file(dir.path(), "acceptance.json")).unwrap();
        assert_eq!(acceptance["acceptance_criteria"][0]["verify"][0], "cmd: true");
        for heading in ["## What was done", "## How to run", "## How to test", "## Known issues"] {
            assert!(session_file(dir.path(), "report.md").contains(heading), "{heading}");
        }
        assert!(session_file(dir.path(), "architecture.md").contains("## Modules/components"));
        let plan = session_file(dir.path(), "tasks.yaml");
        assert_eq!(files_expected(&plan, Some("T-001")), ["app.txt"]);
        assert_eq!(files_expected(&plan, Some("T-002")), ["lib.txt"]);
        assert!(plan.contains("depends_on: [T-001]"));
        assert!(session_file(dir.path(), "design-specs/overview.md").contains("Design"));
        assert!(session_file(dir.path(), "research/report.md").contains("Research"));
    }

    #[test]
    fn lean_intake_writes_a_plan_of_one_task() {
        let dir = tempfile::tempdir().unwrap();
        played(dir.path(), "SpecAgent", "meta", |start| start.input["mode"] = json!("lean"));
        let plan = session_file(dir.path(), "tasks.yaml");
        assert_eq!(plan.matches("- id:").count(), 1);
        assert_eq!(files_expected(&plan, None), ["app.txt"]);
    }

    #[test]
    fn a_coder_changes_the_first_file_of_its_task() {
        let dir = tempfile::tempdir().unwrap();
        played(dir.path(), "Planner", "meta", |_| {});
        played(dir.path(), "Coder", "T-002", |_| {});
        played(dir.path(), "Coder", "T-002", |start| start.attempt = 2);
        let text = fs::read_to_string(dir.path().join("lib.txt")).unwrap();
        assert_eq!(text, "T-002: dispatch 7, attempt 1\nT-002: dispatch 7, attempt 2\n");
        played(dir.path(), "Coder", "meta", |start| {
            start.input["task"]["session_changed_files"] = json!([
                {"path": "gone.txt", "change_type": "deleted"},
                {"path": "src/kept.txt", "change_type": "modified"},
            ]);
        });
        assert!(dir.path().join("src/kept.txt").exists() && !dir.path().join("gone.txt").exists());
    }
}
