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
    repo.tollgate(&["cancel", "--reason", "the document is committed now"]).exits(0);
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

/// A task whose only criteria are these lines.
fn with_criteria(lines: &str) -> Value {
    let text = body("app.txt", "None");
    let text = text.replace("- [ ] app.txt has the line\n- [ ] cmd: true\n", lines);
    let text = text.replace("- app.txt\n", "- app.txt\n- tests/app.test.sh\n");
    json!({"tempID": "a", "title": "Change app.txt", "body": text, "labels": LABELS, "blockedBy": []})
}

#[test]
fn r160_a_test_that_is_red_is_repaired_and_one_that_is_missing_too() {
    let plan = result(json!([with_criteria("- [ ] Test: tests/app.test.sh passes\n")]));
    let repo = Repo::with(json!([
        {"when": {"role": "Planner"}, "do": {"reply": plan}},
        {"when": {"role": "Coder", "nth": 1}, "do": {"append": {"app.txt": "one\n"}}},
        {"when": {"role": "Coder", "nth": 2}, "do": {
            "append": {"app.txt": "two\n"}, "write": {"tests/app.test.sh": "grep -q two app.txt\n"}}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(repo.starts_of("Coder"), 2);
    let told = repo.session_file(&format!("dispatches/{}/prompt.md", repo.dispatch_of("Coder", 1)));
    assert!(told.contains("the test tests/app.test.sh does not exist"), "{told}");
    assert!(repo.session_file("evidence/commands.log").contains("test: tests/app.test.sh"));
    assert!(repo.session_file("tasks.yaml").contains("test: tests/app.test.sh"));
}

#[test]
fn r160_the_settings_say_how_a_test_is_run_and_without_a_runner_it_is_said() {
    let plan = result(json!([with_criteria("- [ ] Test: tests/words.txt passes\n")]));
    let repo = || {
        let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {"reply": plan}}]));
        repo.write("tests/words.txt", "T-001\n");
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "--message", "words"]);
        repo
    };
    let with = repo();
    with.settings("[check]\ntest = [\"grep\", \"-q\", \"-f\", \"{path}\", \"app.txt\"]\n");
    with.through(&[APPROVE, PER_BATCH]).exits(0);
    let repo = repo();
    repo.through(&[APPROVE, PER_BATCH])
        .exits(3)
        .says("no test runner is known for tests/words.txt");
}

#[test]
fn r160_plain_criteria_are_verified_by_the_reviewer_by_name_or_become_one_question() {
    let plan = || {
        let lines = "- [ ] app.txt has the line\n- [ ] The line is short\n- [ ] cmd: true\n";
        json!({"when": {"role": "Planner"}, "do": {"reply": result(json!([with_criteria(lines)]))}})
    };
    let verified =
        |names: Value| json!({"status": "OK", "artifacts": {"verified_criteria": names}});
    let told = |repo: &Repo| {
        repo.input(repo.dispatch_of("Reviewer", 0), 1)["task"]["criteria_to_verify"].clone()
    };
    let all = json!(["app.txt has the line", "The line is short"]);
    let repo = Repo::with(
        json!([plan(), {"when": {"role": "Reviewer", "task": "T-001"}, "do": {"reply": verified(all.clone())}}]),
    );
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(told(&repo), all);
    // What the Reviewer does not name is asked at the end of the step, in one question.
    let repo = Repo::with(
        json!([plan(), {"when": {"role": "Reviewer"}, "do": {"reply": verified(json!([]))}}]),
    );
    repo.through(&[APPROVE, PER_BATCH])
        .exits(3)
        .says("app.txt has the line")
        .says("The line is short");
    assert_eq!(repo.status()["pending_decisions"][0]["kind"], "manual-check");
    repo.answer("UD-1", "met").exits(0);
    // A typed review names them in the same way.
    let typed = json!({"role": "reviewer", "review": {"verdict": "approve", "summary": "yes", "comments": [],
        "verified_criteria": all}});
    let repo = Repo::with(
        json!([plan(), {"when": {"role": "Reviewer", "task": "T-001"}, "do": {"reply": typed}}]),
    );
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
}

#[test]
fn r162_work_that_does_not_wait_for_a_refinement_is_done_before_the_question() {
    let create = json!([
        question(),
        crate::work_items::task("a", "app.txt", "None", &["q"]),
        crate::work_items::task("b", "lib.txt", "None", &[]),
    ]);
    let closed = json!({"role": "planner", "create": [], "close": ["R-001"], "update": []});
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "nth": 1}, "do": {"reply": result(create)}},
        {"when": {"role": "Planner"}, "do": {"reply": closed}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("R-001").says("Which of the two files?");
    let coded = || -> Vec<String> {
        repo.starts().into_iter().filter(|start| start.starts_with("Coder")).collect()
    };
    assert_eq!(coded(), ["Coder T-002"], "only what waits for the answer is held back");
    // The plan is another one now, so how it is reviewed is asked once more.
    repo.answer("UD-1", "app.txt").exits(3).says("UD-REVIEW-STRATEGY");
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    assert_eq!(coded(), ["Coder T-002", "Coder T-001"]);
}

#[test]
fn r162_a_task_in_files_waits_for_its_refinement_and_priority_orders_the_rest() {
    let item = |file: &str, more: &str, priority: &str| {
        let text = labelled(&body(file, "None")).replace("priority:high", priority);
        text.replacen("---\n\n", &format!("{more}---\n\n"), 1)
    };
    let line = |id: &'static str, file: &'static str| {
        plan(&[Planned::new(id, file)]).split_once("tasks:\n").unwrap().1.to_owned()
            + &format!("    work_item: work-items/{id}.md\n")
    };
    let tasks = format!(
        "tasks:\n{}{}{}",
        line("T-001", "app.txt"),
        line("T-002", "lib.txt"),
        line("T-003", "doc.txt")
    );
    let refinement = |state: &str| {
        format!(
            "---\nlabels: [task:refinement, status:pending, priority:high]\nstate: {state}\n---\n\n{REFINEMENT}"
        )
    };
    let files = |state: &str| {
        json!({
            ".agents-work/{session}/tasks.yaml": tasks,
            ".agents-work/{session}/work-items/T-001.md": item("app.txt", "blocked_by: [R-001]\n", "priority:high"),
            ".agents-work/{session}/work-items/T-002.md": item("lib.txt", "", "priority:low"),
            ".agents-work/{session}/work-items/T-003.md": item("doc.txt", "", "priority:medium"),
            ".agents-work/{session}/work-items/R-001.md": refinement(state),
        })
    };
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "nth": 1}, "do": {"write": files("open")}},
        {"when": {"role": "Planner"}, "do": {"write": {".agents-work/{session}/work-items/R-001.md": refinement("closed")}}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("R-001");
    let coded = || -> Vec<String> {
        repo.starts().into_iter().filter(|start| start.starts_with("Coder")).collect()
    };
    assert_eq!(coded(), ["Coder T-003", "Coder T-002"]);
    repo.answer("UD-1", "app.txt").exits(0);
    assert_eq!(coded(), ["Coder T-003", "Coder T-002", "Coder T-001"]);
}
