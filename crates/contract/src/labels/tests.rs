#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::testing::{Shows, shown};
use expect_test::expect;

#[track_caller]
fn is_fine(labels: &str, kind: ItemCategory, is_new: bool) {
    assert_eq!(shown(&check(&split(labels), kind, is_new)), "", "{labels}");
}

#[track_caller]
fn faults(labels: &str, kind: ItemCategory, is_new: bool) -> String {
    shown(&check(&split(labels), kind, is_new))
}

fn split(labels: &str) -> Vec<&str> {
    labels.split_whitespace().collect()
}

const TASK: &str = "task:implement status:pending priority:low complexity:high";

#[test]
fn r091_a_task_has_one_label_of_each_category() {
    is_fine(TASK, ItemCategory::Task, true);
    is_fine(&format!("{TASK} area:login help-wanted"), ItemCategory::Task, true);
    is_fine(&format!("{TASK} complexity:high"), ItemCategory::Task, true);
    faults("area:login", ItemCategory::Task, true).shows(expect![[r#"
        error labels.missing /labels: a task has no type label
          help: Add task:implement
        error labels.missing /labels: a task has no status label
          help: Add status:pending
        error labels.missing /labels: a task has no priority label
          help: Add priority:high, priority:medium or priority:low
        error labels.missing /labels: a task has no complexity label
          help: Add complexity:trivial, complexity:low, complexity:medium or complexity:high
    "#]]);
    faults(
        &format!("{TASK} task:refinement priority:high complexity:trivial"),
        ItemCategory::Task,
        true,
    )
    .shows(expect![[r#"
        error labels.several /labels: 2 type labels: task:implement, task:refinement
          help: Keep exactly one of them
        error labels.several /labels: 2 priority labels: priority:high, priority:low
          help: Keep exactly one of them
        error labels.several /labels: 2 complexity labels: complexity:trivial, complexity:high
          help: Keep exactly one of them
    "#]]);
}

#[test]
fn r091_a_new_task_is_pending_and_an_old_one_has_any_status() {
    for label in LABELS.iter().filter(|label| label.category == Category::Status) {
        let labels = TASK.replace("status:pending", label.name);
        is_fine(&labels, ItemCategory::Task, false);
        let new = check(&split(&labels), ItemCategory::Task, true);
        assert_eq!(new.is_ok(), label.name == "status:pending", "{}", label.name);
    }
    faults(&TASK.replace("pending", "ready"), ItemCategory::Task, true).shows(expect![[r#"
        error labels.not_pending /labels: a new item has "status:ready", but must start as status:pending
          help: Use status:pending instead
    "#]]);
}

#[test]
fn r091_an_unknown_label_of_our_namespaces_is_named_with_the_nearest() {
    faults("task:implment Status:Pending priority:urgent complexity:low", ItemCategory::Task, true)
        .shows(expect![[r#"
        error labels.unknown /labels: "task:implment" is not a known label
          help: Did you mean "task:implement"?
        error labels.unknown /labels: "Status:Pending" is not a known label
          help: Did you mean "status:pending"?
        error labels.unknown /labels: "priority:urgent" is not a known label
          help: Known: priority:high, priority:medium or priority:low.
    "#]]);
    let mut labels = split(TASK);
    labels.push("status:\u{1b}[2J");
    assert!(!shown(&check(&labels, ItemCategory::Task, true)).contains('\u{1b}'));
}

#[test]
fn r092_a_refinement_has_no_complexity_and_is_never_low() {
    is_fine("task:refinement status:pending priority:high", ItemCategory::Refinement, true);
    is_fine("task:refinement status:pending priority:medium", ItemCategory::Refinement, true);
    is_fine(
        "task:refinement status:needs-refinement priority:high",
        ItemCategory::Refinement,
        false,
    );
    faults("task:refinement status:pending priority:low complexity:low complexity:high", ItemCategory::Refinement, true).shows(expect![[r#"
        error labels.priority_low /labels: a refinement has "priority:low", although other work waits for its answer
          help: Use priority:high or priority:medium
        error labels.complexity_refused /labels: a refinement has "complexity:low", but it is a question, not work
          help: Remove it
    "#]]);
    faults("task:implement status:pending", ItemCategory::Refinement, true).shows(expect![[r#"
        error labels.type_wrong /labels: a refinement is labelled "task:implement"
          help: Use task:refinement instead
        error labels.missing /labels: a refinement has no priority label
          help: Add priority:high or priority:medium
    "#]]);
}

#[test]
fn a_diagnostic_points_at_the_labels() {
    let at = LabelLocation { file: "work-items/T-001.md", pointer: "/labels", line: Some(3) };
    let report = check_at(at, &split("task:implement"), ItemCategory::Task, false);
    assert!(report.errors().all(|fault| fault.place() == "work-items/T-001.md:3"));
}

#[test]
fn the_table_is_what_a_tracker_takes() {
    let mut names: Vec<&str> = LABELS.iter().map(|label| label.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 16);
    for label in &LABELS {
        assert_eq!(category_of(label.name), Some(label.category));
        assert_eq!(find(label.name), Some(label));
        assert_eq!(label.colour.len(), 6);
        assert!(label.colour.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
        // GitHub takes no longer ones.
        assert!(label.name.len() <= 50 && (1..=100).contains(&label.description.len()));
    }
}

#[test]
fn every_status_of_a_task_has_its_label() {
    use TaskStatus::{Blocked, Completed, Implemented, InProgress, NotStarted};
    for status in [NotStarted, InProgress, Implemented, Completed, Blocked] {
        for is_ready in [false, true] {
            assert_eq!(find(of_task(status, is_ready)).unwrap().category, Category::Status);
        }
    }
    assert_eq!(of_task(NotStarted, false), "status:pending");
    assert_eq!(of_task(NotStarted, true), "status:ready");
    assert_eq!(of_task(Implemented, true), "status:review");
    assert!(find(of_open_refinement()).is_some());
}

#[test]
fn the_type_label_decides_the_kind() {
    assert_eq!(ItemCategory::of(&split(TASK)), Some(ItemCategory::Task));
    assert_eq!(ItemCategory::of(&["task:refinement"]), Some(ItemCategory::Refinement));
    assert_eq!(ItemCategory::of(&["task:refinement", "task:implement"]), None);
    assert_eq!(ItemCategory::of(&["area:login"]), None);
}
