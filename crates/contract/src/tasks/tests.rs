//! Stories of plans, and of statuses written into them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;
use tollgate_core::task::TaskStatus;

fn said(text: &str) -> String {
    let (plan, report) = read(text, "tasks.yaml");
    let tasks: String = plan.iter().flat_map(|plan| &plan.tasks).map(line).collect();
    assert_eq!(plan.is_some(), report.is_ok());
    format!("{tasks}{}", shown(&report))
}

fn line(task: &TaskSpec) -> String {
    let checks: Vec<String> = task.acceptance_checks.iter().map(ToString::to_string).collect();
    let TaskSpec { id, kind, title, depends_on, .. } = task;
    let depends_on: Vec<&str> = depends_on.iter().map(TaskId::as_str).collect();
    format!("{id} {kind} {title:?} after {depends_on:?} checks {checks:?}\n")
}

const PLAN: &str = r#"# The plan of login
project:
  name: shop   # the shop
  definition_of_done:
    - tests pass
tasks:
  - id: T-001
    status: not-started      # keep me
    type: feat
    title: "Limit logins"
    depends_on: []
    goal: |
      Limit logins
      per address.
    non_goals: []
    context_files: []
    files_expected: [src/login.rs]
    acceptance_checks:
      - "cmd: cargo test"
      - "manual: try it"
    risk_flags: [security]
    done_when: ["a sixth try is refused"]

  - id: T-002
    type: docs
    status: "not-started"
    title: Tell
    depends_on: [T-001]
    goal: Tell people
    files_expected: [docs/]
    acceptance_checks: ["manual: read it"]
    done_when: [told]
"#;

#[test]
fn a_valid_plan_has_no_diagnostics() {
    said(PLAN).shows(expect![[r#"
        T-001 feat "Limit logins" after [] checks ["cmd: cargo test", "manual: try it"]
        T-002 docs "Tell" after ["T-001"] checks ["manual: read it"]
    "#]]);
    let (plan, _) = read(PLAN, "tasks.yaml");
    let plan = plan.unwrap();
    assert_eq!(plan.project_name.as_deref(), Some("shop"));
    assert_eq!(plan.definition_of_done, ["tests pass"]);
    assert_eq!(plan.statuses.values().collect::<Vec<_>>(), ["not-started", "not-started"]);
}

#[test]
fn a_plan_that_does_not_parse_says_where() {
    said("tasks:\n  - id: T-001\n    goal: \"open\n").shows(expect![[r#"
        error yaml.syntax tasks.yaml:4: this is not valid YAML: invalid indentation in multiline quoted scalar
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
    said("tasks:\n  - id: T-001\n    id: T-002\n").shows(expect![[r#"
        error yaml.syntax tasks.yaml:3: this is not valid YAML: the key "id" occurs twice
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
    said("tasks:\n\t- id: x\n").shows(expect![[r#"
        error yaml.syntax tasks.yaml:2: this is not valid YAML: tabs disallowed within this context (block indentation)
          help: Put quotes around text that contains `: `, `#`, or quotes, and indent with spaces
    "#]]);
    said("").shows(expect![[r#"
        error tasks.none tasks.yaml: the plan has no tasks
          help: Add at least one task under `tasks:`
    "#]]);
    said("tasks: []\n").shows(expect![[r#"
        error tasks.none tasks.yaml:1: the plan has no tasks
          help: Add at least one task under `tasks:`
    "#]]);
    said("project: {name: x}\n").shows(expect![[r#"
        error tasks.none tasks.yaml:1: the plan has no tasks
          help: Add at least one task under `tasks:`
    "#]]);
}

#[test]
fn tolerant_reading_takes_what_is_meant_and_says_so() {
    said("tasks:\n  - id: 7\n    status: not-started\n    goal: Do it\n    files_expected: [a/]\n    acceptance_checks:\n      - cmd: npm test\n      - manual: look at it\n").shows(expect![[r#"
        7 feat "Do it" after [] checks ["cmd: npm test", "manual: look at it"]
        warning tasks.id_odd tasks.yaml:2: the task id "7" does not have the form T-001
        warning tasks.no_title tasks.yaml:2: task 7 has no title; the first line of its goal is used
        warning tasks.no_done_when tasks.yaml:2: task 7 does not say under done_when what makes it done
        warning tasks.no_type tasks.yaml:2: task 7 has no type; it counts as feat
        warning tasks.check_unquoted tasks.yaml:7: a check of task 7 is not quoted; it was read as "cmd: npm test"
          help: Write it as - "cmd: npm test"
        warning tasks.check_unquoted tasks.yaml:8: a check of task 7 is not quoted; it was read as "manual: look at it"
          help: Write it as - "manual: look at it"
    "#]]);
}

#[test]
fn every_fault_of_a_plan_is_reported_with_its_line() {
    said("tasks:
  - id: T-001
    status: done
    type: feature
    goal: ''
    depends_on: [T-002, T-009]
    acceptance_checks: []
    files_expected: []
    filess: x
  - id: T-002
    status: not-started
    goal: b
    depends_on: [T-001]
    acceptance_checks: ['cmd:']
    files_expected: [b.rs]
  - id: T-002
    status: not-started
    goal: c
    depends_on: T-001
    acceptance_checks: [yes please, 3]
    work_item: work-items/c.md
  - id: meta
    goal: d
").shows(expect![[r#"
    warning tasks.no_title tasks.yaml:2: task T-001 has no title; the first line of its goal is used; the same on lines 10, 16
    warning tasks.no_done_when tasks.yaml:2: task T-001 does not say under done_when what makes it done; the same on lines 10, 16
    error tasks.status_unknown tasks.yaml:3: the status of task T-001 is "done", but must be not-started, in-progress, implemented, completed or blocked
    error tasks.type_unknown tasks.yaml:4: the type of task T-001 is "feature", but must be feat, fix, refactor, chore, test or docs
    error shape.empty tasks.yaml:5: `goal` is empty
    error tasks.dependency_unknown tasks.yaml:6: task T-001 depends on "T-009", which is not a task of the plan
      help: Did you mean "T-001"?
    error tasks.dependency_cycle tasks.yaml:6: these tasks wait for each other: T-001 → T-002 → T-001
      help: Remove one of these dependencies
    error tasks.no_check tasks.yaml:7: task T-001 has no acceptance check
      help: Add a check such as "cmd: npm test" or "manual: the page shows the total"
    error tasks.no_scope tasks.yaml:8: task T-001 does not say which files it may change
      help: List paths, globs or folders ending in / under files_expected
    warning shape.field_ignored tasks.yaml:9: the field "filess" is unknown and is ignored
    warning tasks.no_type tasks.yaml:10: task T-002 has no type; it counts as feat; the same on line 16
    error tasks.check_empty tasks.yaml:14: the check "cmd:" of task T-002 is empty
      help: Write a command after cmd:, or what to look at after manual:
    error tasks.id_twice tasks.yaml:16: the task id "T-002" is used twice
      help: Give each task its own id
    error shape.wrong_type tasks.yaml:19: `depends_on` is the text "T-001", but a list is expected
    error shape.wrong_type tasks.yaml:20: entry 1 of `acceptance_checks` is the number 3, but a text is expected
    error shape.field_missing tasks.yaml:22: the field "status" is missing
      help: Add "status" to entry 3 of `tasks`
    error tasks.no_check tasks.yaml:22: task meta has no acceptance check
      help: Add a check such as "cmd: npm test" or "manual: the page shows the total"
    error tasks.id_invalid tasks.yaml:22: "meta" cannot be a task id
      help: Use the form T-001: letters, digits, '-', '_' and '.' only
    warning tasks.no_title tasks.yaml:22: task meta has no title; the first line of its goal is used
    warning tasks.no_done_when tasks.yaml:22: task meta does not say under done_when what makes it done
    warning tasks.no_type tasks.yaml:22: task meta has no type; it counts as feat
    error tasks.no_scope tasks.yaml:22: task meta does not say which files it may change
      help: List paths, globs or folders ending in / under files_expected
"#]]);
}

#[test]
fn r054_paths_of_a_task_stay_inside_and_name_no_placeholder() {
    said("tasks:
  - id: T-001
    status: not-started
    type: chore
    title: t
    goal: g
    done_when: [d]
    context_files: [.agents-work/<session>/spec.md]
    files_expected: [../up, 'src/*{a', ok.rs]
    work_item: /etc/item.md
    acceptance_checks: [x]
").shows(expect![[r#"
        error input.session_placeholder tasks.yaml:8: the path ".agents-work/<session>/spec.md" contains the placeholder <session>
          help: Replace it with the name of the session
        error globs.pattern_invalid tasks.yaml:9: the pattern "../up" cannot be read: it points outside the repository
          help: Write a path relative to the repository, a glob, or a folder that ends in /
        error globs.pattern_invalid tasks.yaml:9: the pattern "src/*{a" cannot be read: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
          help: Write a path relative to the repository, a glob, or a folder that ends in /
        error globs.pattern_invalid tasks.yaml:10: the pattern "/etc/item.md" cannot be read: it points outside the repository
          help: Write a path relative to the repository, a glob, or a folder that ends in /
    "#]]);
}

#[test]
fn too_many_tasks_are_refused() {
    let task = |n: usize| {
        format!(
            "  - {{id: T-{n:03}, status: not-started, type: feat, title: t, goal: g, done_when: [d], files_expected: [a], acceptance_checks: [x]}}\n"
        )
    };
    let text: String = (0..=tollgate_core::limits::TASKS_MAX).map(task).collect();
    said(&format!("tasks:\n{text}")).shows(expect![[r#"
        error tasks.too_many tasks.yaml:2: the plan has 501 tasks; the limit is 500
          help: Combine tasks or split the goal
    "#]]);
}

fn set(text: &str, statuses: &[(&str, TaskStatus)]) -> Result<String, String> {
    let statuses = statuses.iter().map(|(id, s)| (TaskId::parse(id).unwrap(), *s)).collect();
    set_statuses(text, &statuses).map_err(|diagnostic| diagnostic.message)
}

#[test]
fn r034_statuses_are_set_in_place_and_nothing_else_changes() {
    let edited =
        set(PLAN, &[("T-001", TaskStatus::InProgress), ("T-002", TaskStatus::Blocked)]).unwrap();
    let changed: Vec<(&str, &str)> =
        PLAN.lines().zip(edited.lines()).filter(|(before, after)| before != after).collect();
    expect![[r#"
        [
            (
                "    status: not-started      # keep me",
                "    status: in-progress      # keep me",
            ),
            (
                "    status: \"not-started\"",
                "    status: blocked",
            ),
        ]
    "#]]
    .assert_debug_eq(&changed);
    assert_eq!(
        set(&edited, &[("T-001", TaskStatus::NotStarted), ("T-002", TaskStatus::NotStarted)])
            .map(|t| t.len()),
        Ok(PLAN.len() - 2)
    );
    assert_eq!(set(PLAN, &[("T-001", TaskStatus::NotStarted)]).as_deref(), Ok(PLAN));
}

#[test]
fn unusual_yaml_keeps_its_form() {
    let crlf = PLAN.replace('\n', "\r\n");
    let edited = set(&crlf, &[("T-002", TaskStatus::Completed)]).unwrap();
    assert_eq!(edited, crlf.replace("\"not-started\"", "completed"));
    let flow = "tasks: [{id: ü, status: x}, {id: T-1, status: not-started, goal: é}]";
    assert_eq!(
        set(flow, &[("T-1", TaskStatus::Implemented)]).unwrap(),
        "tasks: [{id: ü, status: x}, {id: T-1, status: implemented, goal: é}]"
    );
    let anchors = "tasks:\n- {id: T-1, status: &s not-started}\n- {id: T-2, status: *s}\n";
    expect![[r#"
        Ok(
            "tasks:\n- {id: T-1, status: &s not-started}\n- {id: T-2, status: blocked}\n",
        )
    "#]]
    .assert_debug_eq(&set(anchors, &[("T-2", TaskStatus::Blocked)]));
    expect![[r#"
        Err(
            "the statuses cannot be written into this file: something else would change with them",
        )
    "#]]
    .assert_debug_eq(&set(anchors, &[("T-1", TaskStatus::Blocked)]));
    expect![[r#"
        Err(
            "the statuses cannot be written into this file: task T-003 has no status in it",
        )
    "#]]
    .assert_debug_eq(&set(PLAN, &[("T-003", TaskStatus::Blocked)]));
}
