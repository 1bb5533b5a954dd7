//! Typed results and work items: the plan that the engine makes of them, questions they ask, and what is refused.

use crate::support::plan::{Planned, plan, planner};
use crate::support::{APPROVE, PER_BATCH, Repo, ran};
use serde_json::{Value, json};
use std::fs;

pub const LABELS: [&str; 4] =
    ["task:implement", "status:pending", "priority:high", "complexity:low"];
pub const QUESTION: [&str; 3] = ["task:refinement", "status:pending", "priority:high"];

/// The body of a task that may change one file.
pub fn body(file: &str, out_of_scope: &str) -> String {
    format!(
        "## Objective\n\n{file} has one line more.\n\n## Spec Reference\n\n- Spec: `spec.md`\n- Section(s): Goals\n\n\
         ## Scope\n\n### In Scope\n\n- {file}\n\n### Out of Scope\n\n{out_of_scope}\n\n\
         ## Acceptance Criteria\n\n- [ ] {file} has the line\n- [ ] cmd: true\n\n## Context\n\nNone.\n\n\
         ## Constraints\n\n- Nothing else changes.\n"
    )
}

/// The file of a task.
pub fn labelled(body: &str) -> String {
    format!("---\nlabels: [{}]\n---\n\n{body}", LABELS.join(", "))
}

pub const REFINEMENT: &str = "## Ambiguity\n\nWhich of the two files?\n\n## Spec Reference\n\n- Spec: `spec.md`\n\
    - Section(s): Goals\n- Quote: \"a line\"\n\n## Options\n\n1. app.txt\n2. lib.txt\n\n## Recommendation\n\napp.txt\n\n\
    ## Blocked Tasks\n\n- the line\n";

pub fn task(id: &str, file: &str, out_of_scope: &str, by: &[&str]) -> Value {
    json!({"tempID": id, "title": format!("Change {file}"), "body": body(file, out_of_scope),
           "labels": LABELS, "blockedBy": by})
}

pub fn question() -> Value {
    json!({"tempID": "q", "title": "Which file?", "body": REFINEMENT, "labels": QUESTION, "blockedBy": []})
}

pub fn result(create: Value) -> Value {
    json!({"role": "planner", "create": create, "close": [], "update": []})
}

pub fn two() -> Value {
    result(json!([
        task("a", "app.txt", "- lib.txt (owned by b)", &[]),
        task("b", "lib.txt", "- app.txt (owned by a)", &["a"]),
    ]))
}

/// What the second attempt of the Planner was told about its first.
pub fn told_after(first: Value) -> String {
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "attempt": 1}, "do": {"reply": first}},
        {"when": {"role": "Planner"}, "do": {"reply": two()}},
    ]));
    repo.through(&[APPROVE]).exits(3);
    assert_eq!(repo.starts_of("Planner"), 2);
    let input = repo.input(repo.dispatch_of("Planner", 0), 2);
    let errors = input["previous_errors"].as_array().unwrap().iter();
    errors.map(|e| format!("{} {} {}\n", e["code"], e["path"], e["message"])).collect()
}

#[test]
fn r090_a_task_without_a_section_is_refused_and_the_heading_named() {
    for heading in [
        "Objective",
        "Spec Reference",
        "In Scope",
        "Out of Scope",
        "Acceptance Criteria",
        "Context",
        "Constraints",
    ] {
        let mut bad = two();
        let text = body("app.txt", "None").replace(&format!("# {heading}"), "# Other");
        bad["create"][0]["body"] = json!(text);
        let told = told_after(bad);
        assert!(told.contains("work_item.section_missing"), "{told}");
        assert!(told.contains("/create/0/body") && told.contains(heading), "{told}");
    }
    let repo = Repo::with(json!([]));
    repo.write("item.md", &body("app.txt", "None").replace("## Context", "## Kontext"));
    let ran = repo.tollgate(&["check", "--as", "work-item", "item.md"]).exits(1);
    assert!(
        ran.out.contains("\"Context\" is missing") || ran.err.contains("\"Context\" is missing")
    );
    repo.write("item.md", &body("app.txt", "None"));
    repo.tollgate(&["check", "item.md"]).exits(0);
}

#[test]
fn r091_a_task_with_wrong_labels_is_refused() {
    let mut bad = two();
    bad["create"][1]["labels"] = json!(["task:implement", "status:ready", "priority:high"]);
    let told = told_after(bad);
    assert!(told.contains("labels.not_pending") && told.contains("labels.missing"), "{told}");
    assert!(told.contains("/create/1/labels"), "{told}");
}

#[test]
fn r092_a_refinement_with_complexity_or_low_priority_is_refused() {
    let mut bad = question();
    bad["labels"] = json!(["task:refinement", "status:pending", "priority:low", "complexity:low"]);
    let told = told_after(result(json!([bad])));
    assert!(told.contains("labels.priority_low") && told.contains("labels.complexity_refused"));
}

#[test]
fn r093_a_planner_result_is_carried_out_by_the_engine() {
    // The agent claims and does other things beside its result; none of it counts.
    let other = plan(&[Planned::new("T-009", "other.txt")]);
    let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {
        "reply": two(),
        "write": {
            ".agents-work/{session}/tasks.yaml": other,
            ".agents-work/{session}/work-items/T-009.md": "mine",
        },
    }}]));
    repo.through(&[APPROVE]).exits(3).says("tasks.yaml").says("dropped");
    let tasks = repo.session_file("tasks.yaml");
    assert!(
        !tasks.contains("T-009") && tasks.contains("work_item: \"work-items/T-002.md\""),
        "{tasks}"
    );
    assert!(!repo.session().join("work-items/T-009.md").exists());
    let item = repo.session_file("work-items/T-002.md");
    assert!(
        item.contains("app.txt (owned by T-001)") && item.contains("blocked_by: [\"T-001\"]"),
        "{item}"
    );
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let done: Vec<String> = repo.status()["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| {
            format!("{} {}", task["id"].as_str().unwrap(), task["status"].as_str().unwrap())
        })
        .collect();
    assert_eq!(done, ["T-001 completed", "T-002 completed"]);
    let adopted = &repo.events("plan_adopted")[0]["tasks"];
    assert_eq!(adopted[0]["in_scope"], json!(["app.txt"]));
    assert_eq!(adopted[0]["out_of_scope"], json!(["lib.txt"]));
    repo.tollgate(&["check", &format!(".agents-work/{}/work-items/T-001.md", repo.session_name())])
        .exits(0);
}

#[test]
fn r093_results_of_the_wrong_role_or_shape_are_refused_and_run_again() {
    let told = told_after(json!({"role": "reviewer", "review": {}}));
    assert!(told.contains("reply.result_role"), "{told}");
    let told = told_after(json!({"role": "planner", "create": [], "close": []}));
    assert!(told.contains("update"), "{told}");
    let told =
        told_after(json!({"role": "planner", "create": [], "close": ["T-004"], "update": []}));
    assert!(told.contains("plan.id_unknown") && told.contains("/close/0"), "{told}");
}

#[test]
fn r093_a_review_that_needs_changes_leads_to_a_repair() {
    let review = json!({"role": "reviewer", "review": {"verdict": "needs-changes", "summary": "no",
        "comments": [{"path": "app.txt", "line": 1, "body": "say it better"}]}});
    let repo = Repo::with(json!([
        planner(&[Planned::new("T-001", "app.txt")]),
        {"when": {"role": "Reviewer", "task": "T-001", "nth": 1}, "do": {"reply": review}},
        {"when": {"role": "Reviewer"}, "do": {"reply": {"role": "reviewer", "review":
            {"verdict": "approve", "summary": "yes", "comments": []}}}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    assert_eq!(repo.starts_of("Coder"), 2);
}

#[test]
fn r094_references_resolve_or_are_refused() {
    for (change, word) in [
        (json!({"tempID": "b"}), "reply.temp_id_twice"),
        (json!({"blockedBy": ["zz"]}), "reply.blocked_by_unknown"),
        (json!({"blockedBy": ["b"]}), "reply.blocked_by_cycle"),
        (json!({"blockedBy": ["T-044"]}), "plan.id_unknown"),
        (json!({"body": body("app.txt", "- lib.txt (owned by zz)")}), "reply.owner_unknown"),
        (json!({"body": body("app.txt", "- lib.txt (owned by T-044)")}), "plan.id_unknown"),
    ] {
        let mut bad = two();
        bad["create"][0].as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let told = told_after(bad);
        assert!(told.contains(word), "{change}: {told}");
    }
}

#[test]
fn r092_a_refinement_asks_and_is_never_given_to_a_coder() {
    let first = result(json!([question(), task("a", "app.txt", "None", &["q"])]));
    let answered = json!({"role": "planner", "create": [], "close": ["R-001"], "update": []});
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "nth": 1}, "do": {"reply": first}},
        {"when": {"role": "Planner"}, "do": {"reply": answered}},
    ]));
    repo.through(&[APPROVE]).exits(3).says("R-001").says("Which of the two files?");
    assert!(!repo.session().join("tasks.yaml").exists(), "no task can be done yet");
    assert!(repo.session().join("work-items/R-001.md").exists());
    let open = repo.status();
    let decision = open["pending_decisions"][0]["decision_id"].as_str().unwrap().to_owned();
    assert_eq!(open["pending_decisions"][0]["kind"], "info");
    repo.answer(&decision, "app.txt, it is smaller").exits(3).says("UD-REVIEW-STRATEGY");
    assert_eq!(repo.starts_of("Planner"), 2);
    let prompt =
        repo.session_file(&format!("dispatches/{}/prompt.md", repo.dispatch_of("Planner", 1)));
    assert!(prompt.contains("app.txt, it is smaller"), "{prompt}");
    assert!(repo.session_file("work-items/R-001.md").contains("state: closed"));
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    let coded: Vec<String> = repo.starts().into_iter().filter(|s| s.starts_with("Coder")).collect();
    assert_eq!(coded, ["Coder T-001"]);
}

#[test]
fn r092_a_plan_whose_task_is_a_refinement_is_refused() {
    let text = plan(&[Planned::new("T-001", "app.txt")]) + "    work_item: work-items/R-001.md\n";
    let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {"write": {
        ".agents-work/{session}/tasks.yaml": text,
        ".agents-work/{session}/work-items/R-001.md": REFINEMENT,
    }}}]));
    repo.through(&[APPROVE]).exits(4).says("cannot be a task");
    assert_eq!(repo.starts_of("Coder"), 0);
}

#[test]
fn r090_work_items_that_the_planner_wrote_itself_give_the_scope() {
    let text = plan(&[Planned::new("T-001", "lib.txt")]) + "    work_item: work-items/T-001.md\n";
    let files = |item: String| {
        json!({".agents-work/{session}/tasks.yaml": text,
               ".agents-work/{session}/work-items/T-001.md": item})
    };
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "attempt": 1}, "do": {"write": files(labelled(&body("app.txt", "")))}},
        {"when": {"role": "Planner"}, "do": {"write": files(labelled(&body("app.txt", "None")))}},
        {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "more\n"}}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(0);
    let told = repo.errors_of(repo.dispatch_of("Planner", 0), 1);
    assert!(
        told.contains("work_item.section_empty") && told.contains("work-items/T-001.md"),
        "{told}"
    );
    assert!(
        repo.git(&["diff", "--stat", "main", &format!("tollgate/{}", repo.session_name())])
            .contains("app.txt")
    );
}

#[test]
fn r090_a_person_s_edit_of_a_work_item_is_the_new_scope_and_a_broken_one_stops() {
    let repo = Repo::with(json!([
        {"when": {"role": "Planner"}, "do": {"reply": result(json!([task("a", "app.txt", "None", &[])]))}},
        {"when": {"role": "Coder"}, "do": {"write": {"new.txt": "x\n"}}},
    ]));
    repo.through(&[APPROVE]).exits(3);
    let item = repo.session().join("work-items/T-001.md");
    let text = fs::read_to_string(&item).unwrap();
    fs::write(&item, text.replace("### In Scope", "### Scope of it")).unwrap();
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(4).says("In Scope");
    fs::write(&item, text.replace("- app.txt", "- new.txt")).unwrap();
    repo.answer("UD-1", "retry").exits(0);
    let adopted = repo.events("plan_adopted");
    assert_eq!(adopted.last().unwrap()["tasks"][0]["in_scope"], json!(["new.txt"]));
    assert_eq!(repo.starts_of("Coder"), 1);
}

#[test]
fn r098_a_blocked_implementor_stops_and_nothing_of_its_tree_is_taken() {
    let blocked = json!({"role": "implementor", "outcome": "blocked",
        "summary": "the handler is not in app.txt, and it is not clear which file is meant"});
    let repo = Repo::with(json!([
        {"when": {"role": "Planner"}, "do": {"reply": result(json!([task("a", "app.txt", "None", &[])]))}},
        {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "half\n"}, "reply": blocked}},
    ]));
    repo.through(&[APPROVE, PER_BATCH]).exits(4).says("BLOCKED").says("which file is meant");
    let branches = repo.git(&["branch", "--list", "tollgate/*"]);
    assert_eq!(branches.trim(), "", "no patch was applied");
    assert_eq!(repo.status()["changed_files"], json!([]));
    assert_eq!(repo.starts_of("Reviewer"), 0);
}

#[test]
fn r094_planning_the_same_again_changes_no_file() {
    let create = json!([
        question(),
        task("a", "app.txt", "- lib.txt (owned by b)", &["q"]),
        task("b", "lib.txt", "- app.txt (owned by a)", &[]),
    ]);
    let closed = json!({"role": "planner", "create": [], "close": ["R-001"], "update": []});
    let repo = Repo::with(json!([
        {"when": {"role": "Planner", "nth": 3}, "do": {"reply": closed}},
        {"when": {"role": "Planner"}, "do": {"reply": result(create)}},
    ]));
    let files = || {
        ["tasks.yaml", "work-items/T-001.md", "work-items/T-002.md", "work-items/R-001.md"]
            .map(|name| repo.session_file(name))
    };
    repo.through(&[APPROVE, PER_BATCH]).exits(3).says("UD-1");
    let before = files();
    assert!(before[0].contains("T-002") && !before[0].contains("T-001"), "{}", before[0]);
    // The question was left open, so it is asked again; nothing else happened.
    repo.answer("UD-1", "app.txt").exits(3).says("UD-2");
    assert_eq!(files(), before);
    repo.answer("UD-2", "app.txt, as I said").exits(3).says("UD-REVIEW-STRATEGY");
    assert!(repo.session_file("tasks.yaml").contains("T-001"));
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
}

#[test]
fn r091_the_status_label_of_a_work_item_follows_its_task() {
    let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {"reply": two()}}]));
    repo.through(&[APPROVE]).exits(3);
    let label = |name: &str| {
        let text = repo.session_file(&format!("work-items/{name}.md"));
        let front = text.lines().find(|line| line.starts_with("labels:")).unwrap().to_owned();
        front.split('"').find(|part| part.starts_with("status:")).unwrap().to_owned()
    };
    assert_eq!([label("T-001"), label("T-002")], ["status:ready", "status:pending"]);
    // A label that a person sets is not theirs to set, and no edit; the rest of the file is.
    let path = repo.session().join("work-items/T-001.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("status:ready", "status:blocked")).unwrap();
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0).does_not_say("edited");
    assert_eq!([label("T-001"), label("T-002")], ["status:approved", "status:approved"]);
    assert_eq!(repo.events("files_edited"), Vec::<Value>::new());
}

#[test]
fn r091_a_person_edits_a_work_item_that_carries_our_label() {
    let repo = Repo::with(json!([{"when": {"role": "Planner"}, "do": {"reply": two()}}]));
    repo.through(&[APPROVE]).exits(3);
    let path = repo.session().join("work-items/T-002.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("priority:high", "priority:low")).unwrap();
    repo.answer(PER_BATCH.0, PER_BATCH.1).exits(0);
    assert_eq!(repo.events("files_edited").len(), 1);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("priority:low") && text.contains("status:approved"), "{text}");
}

#[test]
fn r103_killed_before_a_changed_work_item_is_taken_over_the_change_stays() {
    let create = json!([
        question(),
        task("a", "app.txt", "None", &["q"]),
        task("b", "lib.txt", "None", &[])
    ]);
    let lower = ["task:implement", "status:pending", "priority:low", "complexity:low"];
    let update = json!([{"workItemID": "T-001", "labels": lower}]);
    let answered = json!({"role": "planner", "create": [], "close": ["R-001"], "update": update});
    let mut kills = 0;
    for nth in 1.. {
        let repo = Repo::with(json!([
            {"when": {"role": "Planner", "nth": 1}, "do": {"reply": result(create.clone())}},
            {"when": {"role": "Planner"}, "do": {"reply": answered}},
        ]));
        repo.through(&[APPROVE, PER_BATCH]).exits(3).says("UD-1");
        // Another label than on record: nobody's edit, and no reason to take the file for another.
        let path = repo.session().join("work-items/T-001.md");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("status:pending", "status:blocked")).unwrap();
        let mut answer = repo.command(&["answer", "latest", "UD-1", "app.txt", "--resume"]);
        answer.env("TOLLGATE_CRASH_AT", format!("projection.before_take_over:{nth}"));
        let was_killed = ran(&mut answer).code == -1;
        repo.resume().exits(3);
        let text = repo.session_file("work-items/T-001.md");
        assert!(text.contains("priority:low") && text.contains("status:ready"), "{nth}: {text}");
        assert_eq!(repo.events("files_edited"), Vec::<Value>::new(), "{nth}");
        if !was_killed {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "{kills}");
}
