//! Fills the tasks of a plan with what their work items say, and tells which of them may meet in a file.

use crate::diagnostic::{Report, plan as say};
use crate::scope::{Effort, Reach};
use crate::work_item::{self, ItemKind, WorkItem};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::task::TaskSpec;

/// `items` are texts by their paths from the session's folder.
pub fn with_items(
    tasks: Vec<TaskSpec>,
    items: &BTreeMap<String, String>,
) -> Result<Vec<TaskSpec>, Report> {
    let mut report = Report::default();
    let mut tasks = tasks;
    let names = names(&tasks, items);
    for task in &mut tasks {
        task.overlaps.clear();
        fill(task, items, &names, &mut report);
    }
    if !report.is_ok() {
        return Err(report);
    }
    meet(&mut tasks);
    Ok(tasks)
}

/// Who may own a file: tasks of the plan, and items that are not in it yet or any more.
fn names(tasks: &[TaskSpec], items: &BTreeMap<String, String>) -> BTreeSet<String> {
    let of_items = items.keys().filter_map(|path| {
        path.strip_prefix("work-items/")?.strip_suffix(".md").map(str::to_owned)
    });
    tasks.iter().map(|task| task.id.to_string()).chain(of_items).collect()
}

fn fill(
    task: &mut TaskSpec,
    items: &BTreeMap<String, String>,
    names: &BTreeSet<String>,
    report: &mut Report,
) {
    let Some(named) = &task.work_item else { return };
    let path = named.trim();
    let path = path.strip_prefix("./").unwrap_or(path);
    let id = task.id.as_str();
    let Some(text) = items.get(path) else {
        report.push(say::item_missing(id, path));
        return;
    };
    let (item, found) = work_item::read(text, path);
    report.extend(found.diagnostics.into_iter().filter(|diagnostic| diagnostic.is_error()));
    let Some(item) = item else { return };
    if matches!(item.kind, ItemKind::Refinement(_)) {
        report.push(say::item_refinement(id, path));
    }
    if item.is_closed() {
        report.push(say::item_closed(id, path));
    }
    owners(&item, path, names, report);
    task.in_scope = item.in_scope().to_vec();
    task.out_of_scope = item.out_of_scope();
}

fn owners(item: &WorkItem, path: &str, names: &BTreeSet<String>, report: &mut Report) {
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    for excluded in item.as_task().map(|task| task.out_of_scope.as_slice()).unwrap_or_default() {
        if let Some(owner) = excluded.owner.as_ref().filter(|owner| !names.contains(*owner)) {
            report.push(say::owner_unknown(path, &excluded.path, owner, &known));
        }
    }
}

/// Tasks that may change the same file never work at the same time.
fn meet(tasks: &mut [TaskSpec]) {
    let reaches: Vec<Reach> = tasks.iter().map(|task| Reach::of(task.scope())).collect();
    let mut effort = Effort::default();
    for one in 0..tasks.len() {
        for other in one + 1..tasks.len() {
            if reaches[one].may_meet_within(&reaches[other], &mut effort) {
                let (first, second) = (tasks[one].id.clone(), tasks[other].id.clone());
                tasks[one].overlaps.push(second);
                tasks[other].overlaps.push(first);
            }
        }
    }
}
