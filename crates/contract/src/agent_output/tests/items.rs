//! Stories of the work items of a planner's result: names, bodies, labels, owners.

use super::*;

#[test]
fn r094_temp_ids_are_unique_and_resolve_without_a_circle() {
    let item = task;
    said(Role::Planner, &bare(
            serde_json::json!({"role": "planner", "create": [item("a", &["b"]), item("b", &["a", "task-z"]), item("a", &[])], "close": [], "update": []}),
        )).shows(expect![[r#"
        reply.temp_id_twice at /create/2/tempID: the tempID "a" is used twice. Give every item its own tempID
        reply.blocked_by_unknown at /create/1/blockedBy/1: no created item has the tempID "task-z". Known: a or b.
        reply.blocked_by_cycle at /create: these items wait for each other: a → b → a. Remove one of these blockedBy references
    "#]]);
}

/// The errors of a result that creates one item.
fn one(item: serde_json::Value) -> String {
    let result =
        serde_json::json!({"role": "planner", "create": [item], "close": [], "update": []});
    said(Role::Planner, &bare(result))
}

#[test]
fn r090_r093_the_body_of_a_new_item_is_read_and_every_fault_has_its_pointer_and_line() {
    let mut item = task("a", &[]);
    item["body"] =
        TASK.replace("## Context", "## Kontext").replace("### In Scope", "### Scope").into();
    one(item).shows(expect![[r####"
        work_item.section_missing at /create/0/body: line 19 of the body: the section "In Scope" is missing. Add a heading "### In Scope" with its content below it
        work_item.section_missing at /create/0/body: line 34 of the body: the section "Context" is missing. Add a heading "## Context" with its content below it
    "####]]);
    let mut item = task("a", &[]);
    item["body"] = TASK
        .replace("- docs/", "- tests/test_other.sh")
        .replace("tests/test_limit.sh passes", "tests/test_other.sh passes")
        .into();
    one(item).shows(expect![[r#"
        work_item.check_out_of_scope at /create/0/body: line 28 of the body: the criterion "Test: tests/test_other.sh passes" needs "tests/test_other.sh", which is out of scope. Put the file in scope, or the criterion into the task that owns the file
    "#]]);
    let mut item = task("a", &[]);
    item["title"] = "two\nlines".into();
    one(item).shows(expect![[r#"
        reply.title_invalid at /create/0/title: the title "two\nlines" is not one line of text. Give one short line
    "#]]);
}

#[test]
fn r091_a_new_task_has_exactly_one_label_of_each_category_and_is_pending() {
    let mut item = task("a", &[]);
    item["labels"] =
        serde_json::json!(["task:implement", "status:ready", "priority:high", "priority:low"]);
    one(item).shows(expect![[r#"
        labels.not_pending at /create/0/labels: a new item has "status:ready", but must start as status:pending. Use status:pending instead
        labels.several at /create/0/labels: 2 priority labels: priority:high, priority:low. Keep exactly one of them
        labels.missing at /create/0/labels: a task has no complexity label. Add complexity:trivial, complexity:low, complexity:medium or complexity:high
    "#]]);
}

#[test]
fn r092_a_new_refinement_has_its_sections_no_complexity_and_a_priority_above_low() {
    let mut item = task("a", &[]);
    item["body"] = REFINEMENT.into();
    item["labels"] =
        serde_json::json!(["task:refinement", "status:pending", "priority:low", "complexity:low"]);
    one(item.clone()).shows(expect![[r#"
        labels.priority_low at /create/0/labels: a refinement has "priority:low", although other work waits for its answer. Use priority:high or priority:medium
        labels.complexity_refused at /create/0/labels: a refinement has "complexity:low", but it is a question, not work. Remove it
    "#]]);
    item["body"] = TASK.into();
    item["labels"] = serde_json::json!(["task:refinement", "status:pending", "priority:high"]);
    one(item).shows(expect![[r###"
        work_item.section_missing at /create/0/body: line 5 of the body: the section "Ambiguity" is missing. Add a heading "## Ambiguity" with its content below it
        work_item.section_missing at /create/0/body: line 39 of the body: the section "Options" is missing. Add a heading "## Options" with its content below it
        work_item.section_missing at /create/0/body: line 39 of the body: the section "Recommendation" is missing. Add a heading "## Recommendation" with its content below it
        work_item.section_missing at /create/0/body: line 39 of the body: the section "Blocked Tasks" is missing. Add a heading "## Blocked Tasks" with its content below it
    "###]]);
}

#[test]
fn r094_an_owner_is_an_item_of_the_result_or_an_existing_one() {
    let mut item = task("a", &[]);
    item["body"] = TASK.replace("owned by T-002", "owned by task-zz").into();
    one(item).shows(expect![[r#"
        reply.owner_unknown at /create/0/body: "bin/login" is owned by "task-zz", which is not an item. Known: a.
    "#]]);
    let mut item = task("a", &[]);
    item["body"] = TASK.replace("owned by T-002", "owned by task-b").into();
    let other = task("task-b", &["a"]);
    let result =
        serde_json::json!({"role": "planner", "create": [item, other], "close": [], "update": []});
    said(Role::Planner, &bare(result)).shows(expect![[r#"
        Planner {
          "status": "OK",
          "summary": "2 items to create, 0 to close, 0 to update"
        }
    "#]]);
}

#[test]
fn r094_an_item_is_made_closed_or_updated_once_and_an_update_says_what() {
    let update = |id: &str, body: Option<&str>| serde_json::json!({"workItemID": id, "body": body, "labels": null});
    let mut again = task("b", &[]);
    again["title"] = "a 0".into();
    let result = serde_json::json!({
        "role": "planner", "create": [task("a", &[]), again], "close": ["T-001", "T-001", 12],
        "update": [update("T-002", None), update("#12", Some(TASK)), update("T-003", Some("## Objective\n"))],
    });
    said(Role::Planner, &bare(result)).shows(expect![[r####"
        reply.item_twice at /create/1: there is already an item with the title "a 0" and the same body. Create it once
        reply.update_nothing at /update/0: the update of "T-002" has neither body nor labels. Say what should change, or remove the update
        work_item.section_empty at /update/2/body: line 1 of the body: the section "Objective" is empty. Write its content, or say that there is none
        work_item.section_missing at /update/2/body: line 2 of the body: the section "Spec Reference" is missing. Add a heading "## Spec Reference" with its content below it
        work_item.section_missing at /update/2/body: line 2 of the body: the section "In Scope" is missing. Add a heading "### In Scope" with its content below it
        work_item.section_missing at /update/2/body: line 2 of the body: the section "Out of Scope" is missing. Add a heading "### Out of Scope" with its content below it
        work_item.section_missing at /update/2/body: line 2 of the body: the section "Acceptance Criteria" is missing. Add a heading "## Acceptance Criteria" with its content below it
        work_item.section_missing at /update/2/body: line 2 of the body: the section "Context" is missing. Add a heading "## Context" with its content below it
        work_item.section_missing at /update/2/body: line 2 of the body: the section "Constraints" is missing. Add a heading "## Constraints" with its content below it
        reply.item_named_twice at /close/1: "T-001" is closed twice. Name it once
        reply.closed_and_updated at /update/1/workItemID: "#12" is closed and updated. Do one of the two
    "####]]);
}
