//! Stories of planner results applied to a session, and of plans with work items.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod follow;

use super::*;
use crate::testing::{REFINEMENT, Shows, TASK, shown};
use expect_test::expect;
use serde_json::{Value, json};

const LABELS: [&str; 4] = ["task:implement", "status:pending", "priority:high", "complexity:low"];
const QUESTION: [&str; 3] = ["task:refinement", "status:pending", "priority:high"];

fn result(create: Value, close: Value, update: Value) -> PlannerResult {
    let value = json!({"role": "planner", "create": create, "close": close, "update": update});
    serde_json::from_value(value).unwrap()
}

/// A body of a task whose scope is one file.
fn body(file: &str, owner: &str) -> String {
    TASK.replace("- bin/limit\n- `tests/test_limit.sh` (new)", &format!("- {file}"))
        .replace("- [ ] Test: tests/test_limit.sh passes\n", "")
        .replace("owned by T-002", &format!("owned by {owner}"))
}

fn task(id: &str, file: &str, owner: &str, by: &[&str]) -> Value {
    let title = format!("Change {file}");
    json!({"tempID": id, "title": title, "body": body(file, owner), "labels": LABELS, "blockedBy": by})
}

fn question(id: &str) -> Value {
    json!({"tempID": id, "title": "Per user?", "body": REFINEMENT, "labels": QUESTION, "blockedBy": []})
}

/// Two tasks, the second after the first; each calls the other by its tempID.
fn two() -> PlannerResult {
    result(
        json!([task("a", "bin/a", "b", &[]), task("b", "bin/b", "a", &["a"])]),
        json!([]),
        json!([]),
    )
}

fn after(applied: &Applied) -> Existing {
    let id =
        |path: &String| path.trim_start_matches("work-items/").trim_end_matches(".md").to_owned();
    Existing {
        tasks_yaml: applied.tasks_yaml.clone(),
        items: applied.items.iter().map(|(path, text)| (id(path), text.clone())).collect(),
        statuses: BTreeMap::new(),
    }
}

fn applied(result: &PlannerResult, existing: &Existing) -> Applied {
    apply(result, existing).unwrap_or_else(|report| panic!("{}", shown(&report)))
}

fn refused(result: &PlannerResult, existing: &Existing) -> String {
    shown(&apply(result, existing).unwrap_err())
}

fn at(id: &str, status: TaskStatus) -> BTreeMap<TaskId, TaskStatus> {
    BTreeMap::from([(TaskId::parse(id).unwrap(), status)])
}

#[test]
fn r094_temp_ids_become_real_ids_in_the_plan_and_in_the_items() {
    let made = applied(&two(), &Existing::default());
    expect![[r#"
        tasks:
          - id: T-001
            status: not-started
            type: feat
            title: "Change bin/a"
            depends_on: []
            goal: "Wrong passwords are counted and the sixth is refused."
            non_goals:
              - "Do not change the format of data/users."
              - "No new dependency, not even a small one."
            context_files: []
            files_expected:
              - "bin/a"
            acceptance_checks:
              - "cmd: sh tests/run.sh limit"
            risk_flags: []
            done_when:
              - "The sixth wrong password within a minute is refused"
              - "cmd: sh tests/run.sh limit"
            work_item: "work-items/T-001.md"
          - id: T-002
            status: not-started
            type: feat
            title: "Change bin/b"
            depends_on: [T-001]
            goal: "Wrong passwords are counted and the sixth is refused."
            non_goals:
              - "Do not change the format of data/users."
              - "No new dependency, not even a small one."
            context_files: []
            files_expected:
              - "bin/b"
            acceptance_checks:
              - "cmd: sh tests/run.sh limit"
            risk_flags: []
            done_when:
              - "The sixth wrong password within a minute is refused"
              - "cmd: sh tests/run.sh limit"
            work_item: "work-items/T-002.md"
    "#]]
    .assert_eq(made.tasks_yaml.as_deref().unwrap());
    assert_eq!(
        made.items.keys().collect::<Vec<_>>(),
        ["work-items/T-001.md", "work-items/T-002.md"]
    );
    let second = &made.items["work-items/T-002.md"];
    assert!(second.contains("- bin/login (owned by T-001)"), "{second}");
    expect![[r#"
        ---
        title: "Change bin/b"
        labels: ["task:implement", "status:pending", "priority:high", "complexity:low"]
        state: open
        blocked_by: ["T-001"]
        ---

    "#]]
    .assert_eq(second.split("## Objective").next().unwrap());
    assert_eq!(made.refinements, []);
    let plan = tasks::read(made.tasks_yaml.as_deref().unwrap(), "tasks.yaml").0.unwrap();
    let tasks = with_items(plan.tasks, &made.items).unwrap();
    assert_eq!(tasks[1].in_scope, ["bin/b"]);
    assert_eq!(tasks[1].out_of_scope, ["bin/login", "docs/"]);
    assert_eq!(tasks[1].depends_on, [TaskId::parse("T-001").unwrap()]);
}

#[test]
fn r094_names_continue_after_the_highest_and_are_never_given_again() {
    let first = after(&applied(&two(), &Existing::default()));
    let closed = applied(&result(json!([]), json!(["T-002"]), json!([])), &first);
    assert!(closed.items["work-items/T-002.md"].contains("state: closed"));
    assert!(!closed.tasks_yaml.as_ref().unwrap().contains("T-002"));
    let more = result(json!([task("T-009", "bin/c", "T-001", &["T-001"])]), json!([]), json!([]));
    let third = applied(&more, &after(&closed));
    assert!(third.items.contains_key("work-items/T-003.md"));
    assert!(third.tasks_yaml.as_ref().unwrap().contains("depends_on: [T-001]"));
}

#[test]
fn applying_the_same_again_changes_no_byte() {
    let plans = [
        two(),
        result(
            json!([question("q"), task("a", "bin/a", "b", &["q"]), task("b", "bin/b", "a", &[])]),
            json!([]),
            json!([]),
        ),
    ];
    for plan in plans {
        let once = applied(&plan, &Existing::default());
        let mut existing = after(&once);
        // A person's comments and order, and labels that a tracker moved on.
        existing.tasks_yaml = existing.tasks_yaml.map(|text| format!("# ours\n{text}\n# end\n"));
        existing.items = existing
            .items
            .into_iter()
            .map(|(id, text)| (id, text.replace("status:pending", "status:ready")))
            .collect();
        let twice = applied(&plan, &existing);
        assert_eq!(after(&twice), existing);
        assert_eq!(twice.refinements, once.refinements);
    }
    let first = after(&applied(&two(), &Existing::default()));
    let same = result(
        json!([]),
        json!([]),
        json!([{"workItemID": "T-001", "body": body("bin/a", "T-002"), "labels": LABELS}]),
    );
    let mut done = first.clone();
    done.statuses = at("T-001", TaskStatus::Completed);
    assert_eq!(after(&applied(&same, &done)), first);
}

#[test]
fn what_people_wrote_into_the_plan_stays_where_it_is() {
    let by_hand = "# the plan\nproject:\n  name: app\ntasks:\n- id: T-001   # first\n  status: implemented\n  type: chore\n  title: By hand\n  goal: g\n  files_expected: [x]\n  acceptance_checks: [\"cmd: true\"]\n  done_when: [d]\n# about the second\n- id: T-002\n  status: not-started\n  type: feat\n  title: Two\n  goal: g\n  depends_on: [T-001]\n  files_expected: [y]\n  acceptance_checks: [\"cmd: true\"]\n  done_when: [d]\n# the end\n";
    let existing = Existing { tasks_yaml: Some(by_hand.to_owned()), ..Existing::default() };
    let made = applied(
        &result(json!([task("a", "bin/c", "T-001", &["T-002", "#1"])]), json!([]), json!([])),
        &existing,
    );
    let text = made.tasks_yaml.clone().unwrap();
    let (before, rest) = text.split_once("- id: T-003").unwrap();
    assert_eq!(before, by_hand.trim_end_matches("# the end\n"));
    assert!(rest.ends_with("# the end\n"));
    assert!(rest.contains("depends_on: [T-002, T-001]"), "{rest}");
    // Closing an own task and updating another touch only these two.
    let mut next = after(&made);
    next.statuses = at("T-001", TaskStatus::Implemented);
    let updated = result(
        json!([task("b", "bin/d", "T-003", &[])]),
        json!([]),
        json!([{"workItemID": "T-003", "body": body("bin/e", "T-002"), "labels": null}]),
    );
    let text = applied(&updated, &next).tasks_yaml.unwrap();
    assert!(text.starts_with(before));
    assert!(
        text.contains("\"bin/e\"") && !text.contains("\"bin/c\"") && text.contains("id: T-004")
    );
    let closed = applied(&result(json!([]), json!(["T-003"]), json!([])), &next);
    assert_eq!(closed.tasks_yaml.as_deref(), Some(by_hand));
    // A task without a work item is just left out, and nobody waits for it any more.
    let dropped =
        applied(&result(json!([]), json!(["T-002"]), json!([])), &next).tasks_yaml.unwrap();
    assert!(!dropped.contains("- id: T-002") && dropped.contains("# about the second"));
    assert!(dropped.contains("depends_on: [T-001]"), "{dropped}");
}

#[test]
fn a_plan_in_an_odd_form_is_not_edited() {
    let odd = "tasks: [{id: T-001, status: not-started, type: feat, title: t, goal: g, files_expected: [x], acceptance_checks: [\"cmd: true\"], done_when: [d]}]\n";
    let existing = Existing { tasks_yaml: Some(odd.to_owned()), ..Existing::default() };
    let more = result(json!([task("a", "bin/c", "T-001", &[])]), json!([]), json!([]));
    refused(&more, &existing).shows(expect![[r#"
        error plan.edit_unsafe tasks.yaml: the tasks cannot be written into this file: the tasks are not a plain list
          help: Write each task as a block that begins with `- id:`
    "#]]);
    assert_eq!(
        applied(&result(json!([]), json!([]), json!([])), &existing).tasks_yaml.as_deref(),
        Some(odd)
    );
}

#[test]
fn r092_a_refinement_is_a_question_and_work_that_waits_for_it_is_not_a_task_yet() {
    let plan = result(
        json!([
            question("q"),
            task("a", "bin/a", "b", &["q"]),
            task("b", "bin/b", "a", &["a"]),
            task("c", "bin/c", "a", &[]),
        ]),
        json!([]),
        json!([]),
    );
    let made = applied(&plan, &Existing::default());
    assert_eq!(made.items.len(), 4);
    expect![[r#"
        [
            Refinement {
                item: "R-001",
                question: "Per user?\n\nThe specification does not say whether the limit is per user or per address.\n\n1. **Per user** — simple and cheap\n2. **Per address** — fair\n\nRecommended: Per user.",
            },
        ]"#]].assert_eq(&format!("{:#?}", made.refinements));
    let ids = |applied: &Applied| {
        let plan = tasks::read(applied.tasks_yaml.as_deref().unwrap(), "tasks.yaml").0.unwrap();
        plan.tasks.iter().map(|task| task.id.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&made), "T-003");
    // Answered: the question is closed, and what waited for it is planned.
    let answered = applied(&result(json!([]), json!(["R-001"]), json!([])), &after(&made));
    assert_eq!(ids(&answered), "T-003 T-001 T-002");
    assert_eq!(answered.refinements, []);
    // The same task again without the question: it is the same task.
    let again = result(json!([task("x", "bin/a", "T-002", &[])]), json!(["R-001"]), json!([]));
    let again = applied(&again, &after(&made));
    assert_eq!(again.items.len(), 4);
    assert!(!again.items["work-items/T-001.md"].contains("blocked_by"));
    // Only a question: no plan yet.
    let only = applied(&result(json!([question("q")]), json!([]), json!([])), &Existing::default());
    assert_eq!(only.tasks_yaml, None);
    assert_eq!(only.refinements.len(), 1);
}

#[test]
fn r094_names_that_mean_nothing_or_two_things_are_refused() {
    let first = after(&applied(&two(), &Existing::default()));
    let wrong = result(
        json!([task("T-001", "bin/c", "T-077", &["T-099", "#98", "#2"])]),
        json!(["T-055", "T-001"]),
        json!([{"workItemID": "R-001", "body": null, "labels": QUESTION}]),
    );
    refused(&wrong, &first).shows(expect![[r##"
        error plan.temp_id_taken /create/0/tempID: the tempID "T-001" is the name of an existing item
          help: Choose another tempID
        error plan.id_unknown /create/0/blockedBy/0: there is no work item "T-099"
          help: Known: T-001 or T-002.
        error plan.id_unknown /create/0/blockedBy/1: there is no work item "#98"
          help: Known: T-001 or T-002.
        error plan.id_unknown /create/0/body: there is no work item "T-077"
          help: Known: T-001 or T-002.
        error plan.id_unknown /close/0: there is no work item "T-055"
          help: Known: T-001 or T-002.
        error plan.id_unknown /update/0/workItemID: there is no work item "R-001"
          help: Did you mean "T-001"?
    "##]]);
}

#[test]
fn what_is_begun_is_not_closed_and_what_is_done_not_changed() {
    let mut first = after(&applied(&two(), &Existing::default()));
    first.statuses = at("T-001", TaskStatus::InProgress);
    refused(&result(json!([]), json!(["T-001"]), json!([])), &first).shows(expect![[r#"
        error plan.close_started /close/0: task T-001 is in-progress and can no longer be closed
          help: Close only tasks that are not started; to undo work, plan a new task
    "#]]);
    first.statuses = at("T-001", TaskStatus::Completed);
    let change = |body: String| {
        result(json!([]), json!([]), json!([{"workItemID": "T-001", "body": body, "labels": null}]))
    };
    refused(&change(body("bin/x", "T-002")), &first).shows(expect![[r#"
        error plan.update_completed /update/0/workItemID: task T-001 is completed and can no longer be changed
          help: Plan further work as a new task
    "#]]);
    refused(&change(REFINEMENT.to_owned()), &first).shows(expect![[r####"
        error work_item.section_missing /update/0/body: line 5 of the body: the section "Objective" is missing
          help: Add a heading "## Objective" with its content below it
        error work_item.section_missing /update/0/body: line 24 of the body: the section "In Scope" is missing
          help: Add a heading "### In Scope" with its content below it
        error work_item.section_missing /update/0/body: line 24 of the body: the section "Out of Scope" is missing
          help: Add a heading "### Out of Scope" with its content below it
        error work_item.section_missing /update/0/body: line 24 of the body: the section "Acceptance Criteria" is missing
          help: Add a heading "## Acceptance Criteria" with its content below it
        error work_item.section_missing /update/0/body: line 24 of the body: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
        error work_item.section_missing /update/0/body: line 24 of the body: the section "Constraints" is missing
          help: Add a heading "## Constraints" with its content below it
    "####]]);
    refused(
        &result(json!([]), json!(["T-001", "T-002"]), json!([])),
        &after(&applied(&two(), &Existing::default())),
    )
    .shows(expect![[r#"
        error plan.no_task /create: this leaves no task to do and no question to answer
          help: Create at least one task, or a refinement that says what is not clear
    "#]]);
    refused(&result(json!([]), json!([]), json!([])), &Existing::default()).shows(expect![[r#"
        error plan.no_task /create: this leaves no task to do and no question to answer
          help: Create at least one task, or a refinement that says what is not clear
    "#]]);
    let closed = applied(
        &result(json!([]), json!(["T-002"]), json!([])),
        &after(&applied(&two(), &Existing::default())),
    );
    let update = result(
        json!([]),
        json!([]),
        json!([{"workItemID": "T-002", "body": body("bin/x", "T-001"), "labels": null}]),
    );
    refused(&update, &after(&closed)).shows(expect![[r#"
        error plan.update_closed /update/0/workItemID: work item T-002 is closed
          help: Create a new item
    "#]]);
}

#[test]
fn labels_flag_risks_and_criteria_become_checks() {
    let mut flagged = task("a", "bin/a", "a", &[]);
    let labels: Vec<&str> = LABELS.iter().copied().chain(["risk:security", "area:x"]).collect();
    flagged["labels"] = json!(labels);
    let body =
        TASK.replace("- [x] cmd: sh tests/run.sh limit\n", "").replace(" (owned by T-002)", "");
    flagged["body"] = json!(body);
    let made =
        applied(&result(json!([flagged.clone()]), json!([]), json!([])), &Existing::default());
    let plan = tasks::read(made.tasks_yaml.as_deref().unwrap(), "tasks.yaml").0.unwrap();
    assert!(plan.tasks[0].is_flagged("security"));
    let checks = |tasks: &[TaskSpec]| {
        tasks[0].acceptance_checks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(checks(&plan.tasks), ["test: tests/test_limit.sh"]);
    assert_eq!(plan.tasks[0].done_when.len(), 2);
    flagged["body"] =
        json!(body.replace("- [ ] Test: tests/test_limit.sh passes\n", "- [ ] It is fast\n"));
    let made = applied(&result(json!([flagged]), json!([]), json!([])), &Existing::default());
    let plan = tasks::read(made.tasks_yaml.as_deref().unwrap(), "tasks.yaml").0.unwrap();
    assert_eq!(
        checks(&plan.tasks),
        ["manual: The sixth wrong password within a minute is refused", "manual: It is fast"]
    );
}

fn plan_of(work_items: &[(&str, &str)]) -> Vec<TaskSpec> {
    let mut text = "tasks:\n".to_owned();
    for (id, item) in work_items {
        let item = if item.is_empty() { String::new() } else { format!("    work_item: {item}\n") };
        text.push_str(&format!(
            "  - id: {id}\n    status: not-started\n    type: feat\n    title: t\n    goal: g\n    files_expected: [src/{id}.rs]\n    acceptance_checks: [\"cmd: true\"]\n    done_when: [d]\n{item}"
        ));
    }
    tasks::read(&text, "tasks.yaml").0.unwrap().tasks
}

#[test]
fn r092_r094_a_plan_with_work_items_needs_good_ones() {
    let items = BTreeMap::from([
        ("work-items/a.md".to_owned(), REFINEMENT.to_owned()),
        ("work-items/b.md".to_owned(), format!("---\nstate: closed\n---\n{TASK}")),
        ("work-items/c.md".to_owned(), TASK.replace("## Context", "## Kontext")),
        ("work-items/d.md".to_owned(), TASK.replace("T-002", "T-777")),
        ("work-items/e.md".to_owned(), TASK.to_owned()),
    ]);
    let tasks = plan_of(&[
        ("T-001", "work-items/a.md"),
        ("T-002", "work-items/b.md"),
        ("T-003", "work-items/c.md"),
        ("T-004", "work-items/d.md"),
        ("T-005", "work-items/none.md"),
        ("T-006", "./work-items/e.md"),
    ]);
    expect![[r###"
        error plan.item_refinement work-items/a.md: the work item of task T-001 is a refinement, which cannot be a task
          help: Remove the task from tasks.yaml until the question is answered
        error plan.item_closed work-items/b.md: the work item of task T-002 is closed
          help: Remove the task from tasks.yaml, or reopen the item
        error work_item.section_missing work-items/c.md:34: the section "Context" is missing
          help: Add a heading "## Context" with its content below it
        error plan.owner_unknown work-items/d.md: "bin/login" is owned by "T-777", which is not a task of the plan
          help: Known: T-001, T-002, T-003, T-004, T-005, T-006, a, b, c, d or e.
        error plan.item_missing tasks.yaml: the work item "work-items/none.md" of task T-005 does not exist
          help: Write it, or remove `work_item` from the task and list files_expected
    "###]].assert_eq(&shown(&with_items(tasks, &items).unwrap_err()));
}

#[test]
fn the_scope_of_a_work_item_counts_and_tasks_that_may_meet_know_it() {
    let items = BTreeMap::from([("work-items/T-001.md".to_owned(), body("src/T-003.rs", "T-002"))]);
    let tasks = plan_of(&[("T-001", "work-items/T-001.md"), ("T-002", ""), ("T-003", "")]);
    let tasks = with_items(tasks, &items).unwrap();
    assert_eq!(tasks[0].scope(), ["src/T-003.rs"]);
    assert_eq!(tasks[0].overlaps, [tasks[2].id.clone()]);
    assert_eq!(tasks[2].overlaps, [tasks[0].id.clone()]);
    assert_eq!(tasks[1].overlaps, []);
}

#[test]
fn r091_how_far_a_task_is_stays_what_the_engine_says() {
    let mut existing = after(&applied(&two(), &Existing::default()));
    let moved = |text: &String| work_item::set_status(text, "status:in-progress").unwrap();
    existing.items.insert("T-001".to_owned(), moved(&existing.items["T-001"]));
    existing.statuses = at("T-001", TaskStatus::InProgress);
    let again = applied(&two(), &existing);
    assert_eq!(again.items["work-items/T-001.md"], existing.items["T-001"]);
    let update = |labels: &[&str]| {
        let update = json!([{"workItemID": "T-001", "labels": labels}]);
        applied(&result(json!([]), json!([]), update), &existing)
    };
    assert_eq!(update(&LABELS).items["work-items/T-001.md"], existing.items["T-001"]);
    let lower = ["task:implement", "status:pending", "priority:low", "complexity:low"];
    let text = &update(&lower).items["work-items/T-001.md"];
    assert!(text.contains("status:in-progress") && text.contains("priority:low"), "{text}");
}
