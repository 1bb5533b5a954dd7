//! Stories of results: faults of form and of content come together, and no value that can never be right passes.

use super::*;
use serde_json::json;

fn planned(create: serde_json::Value, close: serde_json::Value) -> String {
    let result = json!({"role": "planner", "create": create, "close": close, "update": []});
    said(Role::Planner, &bare(result))
}

#[test]
fn r093_r094_a_fault_of_form_hides_no_other_fault_of_a_plan() {
    let mut untitled = task("a", &["task-z"]);
    untitled["title"] = "".into();
    let mut nameless = task("", &[]);
    nameless["body"] = TASK.replace("## Context", "## Kontext").into();
    let mut twice = task("a", &["a"]);
    twice["labels"] = json!(["task:implement", "status:pending", "priority:low"]);
    twice["title"] = 7.into();
    let mut without = task("b", &[]);
    without.as_object_mut().unwrap().remove("labels");
    without.as_object_mut().unwrap().remove("body");
    planned(json!([untitled, nameless, twice, without, 3]), json!(["T-001", "T-001", true])).shows(expect![[r###"
        shape.wrong_type at /close/2: entry 2 of `close` is true, but a whole number or a text is expected
        shape.empty at /create/0/title: `title` is empty
        shape.empty at /create/1/tempID: `tempID` is empty
        shape.wrong_type at /create/2/title: `title` is the number 7, but a text is expected
        shape.field_missing at /create/3: the field "body" is missing. Add "body" to entry 3 of `create`
        shape.field_missing at /create/3: the field "labels" is missing. Add "labels" to entry 3 of `create`
        shape.wrong_type at /create/4: entry 4 of `create` is the number 3, but an object is expected
        reply.temp_id_twice at /create/2/tempID: the tempID "a" is used twice. Give every item its own tempID
        work_item.section_missing at /create/1/body: line 34 of the body: the section "Context" is missing. Add a heading "## Context" with its content below it
        labels.missing at /create/2/labels: a task has no complexity label. Add complexity:trivial, complexity:low, complexity:medium or complexity:high
        reply.blocked_by_unknown at /create/0/blockedBy/0: no created item has the tempID "task-z". Known: a or b.
        reply.blocked_by_cycle at /create: these items wait for each other: a → a. Remove one of these blockedBy references
        reply.item_named_twice at /close/1: "T-001" is closed twice. Name it once
    "###]]);
}

#[test]
fn r093_a_list_that_is_none_hides_no_other_fault() {
    let mut item = task("a", &[]);
    item["blockedBy"] = "b".into();
    item["labels"] = json!(["task:implement", 1]);
    item["body"] = "## Objective\n\nx\n".into();
    let result = json!({
        "role": "planner", "create": [item], "close": 1,
        "update": [{"workItemID": "T-002", "body": null, "labels": null}, {"body": "x", "labels": null}],
    });
    said(Role::Planner, &bare(result)).shows(expect![[r####"
        shape.wrong_type at /close: `close` is the number 1, but a list is expected
        shape.wrong_type at /create/0/blockedBy: `blockedBy` is the text "b", but a list is expected
        shape.wrong_type at /create/0/labels/1: entry 1 of `labels` is the number 1, but a text is expected
        shape.field_missing at /update/1: the field "workItemID" is missing. Add "workItemID" to entry 1 of `update`
        work_item.section_missing at /create/0/body: line 4 of the body: the section "Spec Reference" is missing. Add a heading "## Spec Reference" with its content below it
        work_item.section_missing at /create/0/body: line 4 of the body: the section "In Scope" is missing. Add a heading "### In Scope" with its content below it
        work_item.section_missing at /create/0/body: line 4 of the body: the section "Out of Scope" is missing. Add a heading "### Out of Scope" with its content below it
        work_item.section_missing at /create/0/body: line 4 of the body: the section "Acceptance Criteria" is missing. Add a heading "## Acceptance Criteria" with its content below it
        work_item.section_missing at /create/0/body: line 4 of the body: the section "Context" is missing. Add a heading "## Context" with its content below it
        work_item.section_missing at /create/0/body: line 4 of the body: the section "Constraints" is missing. Add a heading "## Constraints" with its content below it
        reply.update_nothing at /update/0: the update of "T-002" has neither body nor labels. Say what should change, or remove the update
        work_item.section_missing at /update/1/body: line 2 of the body: the section "Objective" is missing. Add a heading "## Objective" with its content below it
        work_item.section_missing at /update/1/body: line 2 of the body: the section "Spec Reference" is missing. Add a heading "## Spec Reference" with its content below it
        work_item.section_missing at /update/1/body: line 2 of the body: the section "In Scope" is missing. Add a heading "### In Scope" with its content below it
        work_item.section_missing at /update/1/body: line 2 of the body: the section "Out of Scope" is missing. Add a heading "### Out of Scope" with its content below it
        work_item.section_missing at /update/1/body: line 2 of the body: the section "Acceptance Criteria" is missing. Add a heading "## Acceptance Criteria" with its content below it
        work_item.section_missing at /update/1/body: line 2 of the body: the section "Context" is missing. Add a heading "## Context" with its content below it
        work_item.section_missing at /update/1/body: line 2 of the body: the section "Constraints" is missing. Add a heading "## Constraints" with its content below it
    "####]]);
}

#[test]
fn r094_an_empty_name_and_the_item_s_own_name_are_not_references() {
    let mut item = task("a", &["", " "]);
    item["body"] = TASK.replace("owned by T-002", "owned by a").into();
    planned(json!([item]), json!([""])).shows(expect![[r#"
        work_item.owned_by_itself at /create/0/body: line 21 of the body: "bin/login" is out of scope because "a" owns it, but "a" is this item. Name the item that owns it, or put the file in scope
        reply.id_empty at /create/0/blockedBy/0: the name of a work item is empty. Write a name such as T-001, or leave the entry out
        reply.id_empty at /create/0/blockedBy/1: the name of a work item is empty. Write a name such as T-001, or leave the entry out
        reply.id_empty at /close/0: the name of a work item is empty. Write a name such as T-001, or leave the entry out
    "#]]);
    let update = |id: &str| json!({"workItemID": id, "body": TASK, "labels": null});
    let result = json!({"role": "planner", "create": [], "close": [], "update": [update(""), update("T-002")]});
    said(Role::Planner, &bare(result)).shows(expect![[r#"
        reply.id_empty at /update/0/workItemID: the name of a work item is empty. Write a name such as T-001, or leave the entry out
        work_item.owned_by_itself at /update/1/body: line 21 of the body: "bin/login" is out of scope because "T-002" owns it, but "T-002" is this item. Name the item that owns it, or put the file in scope
    "#]]);
}

fn review(verdict: &str, summary: &str, comments: serde_json::Value) -> String {
    let review = json!({"verdict": verdict, "summary": summary, "comments": comments});
    said(Role::Reviewer, &bare(json!({"role": "reviewer", "review": review})))
}

#[test]
fn r093_a_fault_of_form_hides_no_other_fault_of_a_review() {
    review("approve", "", json!([{"path": "a.rs", "body": "fix this"}, {"path": "/a.rs", "line": 0, "body": ""}])).shows(expect![[r#"
        shape.empty at /review/comments/1/body: `body` is empty
        shape.empty at /review/summary: `summary` is empty
        reply.path_invalid at /review/comments/1/path: "/a.rs" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
        reply.line_invalid at /review/comments/1/line: "0" is neither a line number nor a range. Write a number starting at 1, a range such as "4-6", or null
        reply.review_approves_finding at /review/comments/0/body: the verdict is "approve" but a comment says "fix this". Begin it with [Warning], or reply needs-changes
    "#]]);
    review("needs-changes", "", json!([])).shows(expect![[r#"
        shape.empty at /review/summary: `summary` is empty
        reply.review_without_finding at /review/comments: the verdict is "needs-changes" but no comment asks for a change. Add a comment for each change, or approve
    "#]]);
    // The comment that cannot be read may be the one that asks.
    review("needs-changes", "x", json!([{"path": "a.rs", "body": 3}])).shows(expect![[r#"
        shape.wrong_type at /review/comments/0/body: `body` is the number 3, but a text is expected
    "#]]);
}

#[test]
fn r093_a_comment_names_a_file_of_the_repository_and_a_line_of_it() {
    let one = |path: &str, line: serde_json::Value| {
        let review = json!({"verdict": "needs-changes", "summary": "x", "comments": [{"path": path, "line": line, "body": "off by one"}]});
        let read = read_reply(&bare(json!({"role": "reviewer", "review": review})), Role::Reviewer);
        read.err().map(|errors| errors.iter().map(|e| e.code.clone()).collect::<Vec<_>>().join(" "))
    };
    for path in ["", " ", "/src/a.rs", "../a.rs", "src/../../a.rs", "C:/a.rs", "..\\a.rs", "\\a.rs"]
    {
        assert_eq!(one(path, json!(1)).as_deref(), Some("reply.path_invalid"), "{path}");
    }
    for line in
        [json!(0), json!(-3), json!(""), json!("0"), json!("the end"), json!("3-"), json!("4-x")]
    {
        assert_eq!(one("a.rs", line.clone()).as_deref(), Some("reply.line_invalid"), "{line}");
    }
    for line in [
        json!(1),
        json!(null),
        json!("12"),
        json!("4-6"),
        json!("4 - 6"),
        json!("L4-L6"),
        json!("4–6"),
        json!("3, 7-9"),
        json!("10:5"),
    ] {
        assert_eq!(one("./src/a..b.rs", line.clone()), None, "{line}");
    }
}

#[test]
fn r093_r096_declared_paths_stay_inside_the_repository_and_empty_ones_count_as_missing() {
    let result = |path: &str, other: &str| {
        json!({
            "role": "implementor", "outcome": "completed", "summary": "Done.",
            "incidental": [{"path": path, "motivated_by": other}],
            "scope_corrections": [{"listed": other, "actual": path}],
        })
    };
    said(Role::Coder, &bare(result("/etc/passwd", "../a.rs"))).shows(expect![[r#"
        reply.path_invalid at /incidental/0/path: "/etc/passwd" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
        reply.path_invalid at /incidental/0/motivated_by: "../a.rs" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
        reply.path_invalid at /scope_corrections/0/listed: "../a.rs" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
        reply.path_invalid at /scope_corrections/0/actual: "/etc/passwd" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
    "#]]);
    said(Role::Coder, &bare(result("", " "))).shows(expect![[r#"
        Implementor {
          "status": "OK",
          "summary": "Done."
        }
    "#]]);
    let mut formless = result("/x", "src/");
    formless["summary"] = "".into();
    said(Role::Coder, &bare(formless)).shows(expect![[r#"
        shape.empty at /summary: `summary` is empty
        reply.path_invalid at /incidental/0/path: "/x" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
        reply.path_invalid at /scope_corrections/0/actual: "/x" is not a path inside the repository. Write the path from the root of the repository, such as src/app.ts
    "#]]);
}
