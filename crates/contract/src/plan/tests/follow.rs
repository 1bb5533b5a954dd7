//! What an update keeps, and what a task takes over from its work item.

use super::*;

#[test]
fn an_update_of_an_item_keeps_what_only_the_plan_has() {
    let mut first = after(&applied(&two(), &Existing::default()));
    let yaml = first.tasks_yaml.take().unwrap();
    let (head, tail) = yaml.split_once("- id: T-002").unwrap();
    let own = "limit\"\n      - \"cmd: make audit\"\n    risk_flags: [security]";
    let tail = tail.replace("limit\"\n    risk_flags: []", own);
    assert!(tail.contains("make audit") && tail.contains("[security]"), "{tail}");
    first.tasks_yaml = Some(format!("{head}- id: T-002{tail}"));
    let body =
        body("bin/b", "T-001").replace("cmd: sh tests/run.sh limit", "cmd: sh tests/run.sh b");
    let labels: Vec<&str> = LABELS.into_iter().chain(["risk:perf", "risk:payment"]).collect();
    let update = json!([{"workItemID": "T-002", "body": body, "labels": labels}]);
    let made = applied(&result(json!([]), json!([]), update), &first);
    let plan = tasks::read(made.tasks_yaml.as_deref().unwrap(), "tasks.yaml").0.unwrap();
    let second = &plan.tasks[1];
    let checks: Vec<String> = second.acceptance_checks.iter().map(ToString::to_string).collect();
    assert_eq!(checks, ["cmd: sh tests/run.sh b", "cmd: make audit"]);
    assert_eq!(second.risk_flags, ["perf", "security"]);
    assert_eq!(second.depends_on, [TaskId::parse("T-001").unwrap()]);
}

#[test]
fn the_same_item_with_other_labels_must_be_updated() {
    let mut again = two();
    again.create[1].labels[2] = "priority:low".to_owned();
    refused(&again, &after(&applied(&two(), &Existing::default()))).shows(expect![[r#"
        error plan.item_exists /create/1/labels: this item already exists as T-002, with the labels task:implement, status:pending, priority:high, complexity:low
          help: Change its labels with an entry of `update` for T-002
    "#]]);
    // The status is the engine's to write.
    let mut started = after(&applied(&two(), &Existing::default()));
    let text = started.items["T-001"].replace("status:pending", "status:in-progress");
    started.items.insert("T-001".to_owned(), text.clone());
    assert_eq!(applied(&two(), &started).items["work-items/T-001.md"], text);
}

#[test]
fn r094_what_a_work_item_waits_for_its_task_waits_for() {
    let made = applied(&two(), &Existing::default());
    let with = |first: &str, second: &str| {
        let yaml =
            made.tasks_yaml.as_deref().unwrap().replace("depends_on: [T-001]", "depends_on: []");
        let mut items = made.items.clone();
        for (id, by) in [("T-001", first), ("T-002", second)] {
            let text = items[&item_path(id)].replace("blocked_by: [\"T-001\"]\n", "");
            let text = text.replace("state: open\n", &format!("state: open\nblocked_by: [{by}]\n"));
            items.insert(item_path(id), text);
        }
        items.insert("work-items/R-001.md".to_owned(), REFINEMENT.to_owned());
        with_items(tasks::read(&yaml, "tasks.yaml").0.unwrap().tasks, &items)
    };
    let waits = |tasks: &[TaskSpec]| {
        tasks
            .iter()
            .map(|t| t.depends_on.iter().map(TaskId::as_str).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(waits(&with("", "T-001, T-001, R-001").unwrap()), ["", "T-001"]);
    assert_eq!(waits(&with("T-002", "").unwrap()), ["T-002", ""]);
    expect![[r#"
        error plan.blocked_by_cycle tasks.yaml: these tasks wait for each other: T-001 → T-002 → T-001
          help: Remove one of these from depends_on or blocked_by
    "#]].assert_eq(&shown(&with("T-002", "T-001").unwrap_err()));
    expect![[r#"
        error plan.blocked_by_unknown work-items/T-002.md: it is blocked by "T-003", which is not a task of the plan
          help: Did you mean "T-001"?
    "#]].assert_eq(&shown(&with("", "T-003").unwrap_err()));
}
