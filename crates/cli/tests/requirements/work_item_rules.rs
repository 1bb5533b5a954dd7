//! What a plan demands of its work items beyond their form, however the plan was submitted.

use crate::support::plan::{Planned, plan};
use crate::support::{APPROVE, PER_BATCH, Repo};
use crate::work_items::{LABELS, REFINEMENT, body, labelled, question, result, told_after, two};
use serde_json::{Value, json};

const OBJECTIVE: &str = "app.txt has one line more.";

#[test]
fn r159_a_plan_whose_items_refer_to_what_is_not_there_is_refused() {
    for (old, new, code, words) in [
        ("`spec.md`", "`docs/none.md`", "document_missing", "docs/none.md"),
        ("Section(s): Goals", "Section(s): Goals, Storage", "section_unknown", "Storage"),
        ("- Section(s): Goals\n", "", "reference_missing", "Section(s)"),
        (OBJECTIVE, "One line. Then another.", "objective_long", "Then another."),
    ] {
        let mut bad = two();
        bad["create"][0]["body"] = json!(body("app.txt", "None").replace(old, new));
        let told = told_after(bad);
        assert!(told.contains(&format!("work_item.{code}")) && told.contains(words), "{told}");
        assert!(told.contains("/create/0/body") && told.contains("line "), "{told}");
    }
    for (old, new, code) in [
        ("\"a line\"", "\"no such words\"", "quote_unknown"),
        ("2. lib.txt\n", "", "too_few_options"),
    ] {
        let mut bad = question();
        bad["body"] = json!(REFINEMENT.replace(old, new));
        let told = told_after(result(json!([bad])));
        assert!(told.contains(&format!("work_item.{code}")), "{told}");
    }
}

#[test]
fn r159_a_document_of_the_repository_is_looked_for_in_its_last_commit() {
    let item = body("app.txt", "None").replace("`spec.md`", "`docs/lines.md`");
    let mut good = two();
    good["create"][0]["body"] = json!(item);
    let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {"reply": good}}]));
    repo.write("docs/lines.md", "# Lines\n\n## Goals\n\nMore of them.\n");
    // Not committed, so no agent can read it.
    repo.through(&[APPROVE]).exits(4).says("docs/lines.md");
    repo.git(&["add", "--all"]);
    repo.git(&["commit", "--quiet", "--message", "spec"]);
    repo.tollgate(&["cancel"]).exits(0);
    repo.through(&[APPROVE]).exits(3).says("UD-REVIEW-STRATEGY");
}

#[test]
fn r159_check_of_a_work_item_alone_looks_at_its_form_only() {
    let repo = Repo::new();
    repo.write("item.md", &body("app.txt", "None").replace("`spec.md`", "`docs/none.md`"));
    repo.tollgate(&["check", "item.md"]).exits(0);
    repo.write("item.md", &body("app.txt", "None").replace(OBJECTIVE, "One line. Then another."));
    let ran = repo.tollgate(&["check", "item.md"]).exits(1);
    assert!(format!("{}{}", ran.out, ran.err).contains("more than one sentence"));
}

/// What the Planner was told about a plan that it left as files.
fn told_about_files(item: &str) -> String {
    let tasks = plan(&[Planned::new("T-001", "app.txt")]) + "    work_item: work-items/T-001.md\n";
    let files = |item: &str| -> Value {
        json!({".agents-work/{session}/tasks.yaml": tasks,
               ".agents-work/{session}/work-items/T-001.md": item})
    };
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "attempt": 1}, "do": {"write": files(item)}},
        {"when": {"role": "Planner"}, "do": {"write": files(&labelled(&body("app.txt", "None")))}},
        {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "more\n"}}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    repo.errors_of(repo.dispatch_of("Planner", 0), 1)
}

#[test]
fn r162_files_of_a_planner_need_the_labels_and_references_of_a_result() {
    let told = told_about_files(&body("app.txt", "None"));
    for category in ["type", "status", "priority", "complexity"] {
        assert!(told.contains("labels.missing") && told.contains(category), "{told}");
    }
    let started = labelled(&body("app.txt", "None")).replace(LABELS[1], "status:ready");
    let told = told_about_files(&started);
    assert!(told.contains("labels.not_pending") && told.contains("work-items/T-001.md"), "{told}");
    let nowhere = labelled(&body("app.txt", "None")).replace("`spec.md`", "`docs/none.md`");
    let told = told_about_files(&nowhere);
    assert!(told.contains("work_item.document_missing"), "{told}");
    let bare = labelled(&body("app.txt", "None")).replace("## Context", "## Kontext");
    assert!(told_about_files(&bare).contains("work_item.section_missing"));
}

#[test]
fn r163_the_reviewer_reads_what_the_implementor_says_and_the_sections_of_the_specification() {
    let plan = result(json!([crate::work_items::task("a", "app.txt", "None", &[])]));
    let coded = json!({"role": "implementor", "outcome": "completed", "summary": "The line is in lib.txt now.",
        "incidental": [{"path": "notes.txt", "reason": "it names the line", "behaviour_preserving": true,
                        "motivated_by": "lib.txt", "narrow": true}],
        "scope_corrections": [{"listed": "app.txt", "actual": "lib.txt", "reason": "the lines are kept there"}]});
    let repo = Repo::with(json!([
        {"when": {"role": "Planner"}, "do": {"reply": plan}},
        {"when": {"role": "Coder"}, "do": {"write": {"lib.txt": "two\n", "notes.txt": "lib.txt\n"}, "reply": coded}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let input = repo.input(repo.dispatch_of("Reviewer", 0), 1);
    let said = &input["task"]["implementations"][0];
    assert_eq!(said["summary"], "The line is in lib.txt now.");
    assert_eq!(said["task"], "T-001");
    assert_eq!(
        said["declarations"],
        json!([
            {"kind": "incidental", "path": "notes.txt", "motivated_by": "lib.txt", "reason": "it names the line"},
            {"kind": "scope_correction", "listed": "app.txt", "actual": "lib.txt", "reason": "the lines are kept there"},
        ])
    );
    let section = &input["task"]["spec_sections"][0];
    assert_eq!(section["spec"], "spec.md");
    let text = section["text"].as_str().unwrap();
    assert!(text.starts_with("## Goals") && text.contains("Add a line to the app"), "{text}");
    // Who looks at the whole at the end is told the same.
    let whole = repo.input(repo.dispatch_of("Reviewer", 1), 1);
    assert_eq!(whole["task"]["id"], "meta");
    assert_eq!(whole["task"]["implementations"], input["task"]["implementations"]);
    let coder = repo.input(repo.dispatch_of("Coder", 0), 1);
    assert!(coder["task"].get("implementations").is_none(), "{coder}");
    let message = repo.git(&["log", "--format=%B", &format!("tollgate/{}", repo.session_name())]);
    for words in [
        "Scope correction",
        "- Listed: app.txt",
        "- Actual: lib.txt",
        "- Reason: the lines are kept there",
    ] {
        assert!(message.contains(words), "{message}");
    }
    let trace = repo.session_file("evidence/artifact-trace.md");
    assert!(trace.contains("scope correction: `lib.txt` instead of `app.txt`"), "{trace}");
    assert!(trace.contains("declared incidental: `notes.txt`"), "{trace}");
}
