//! Fills the tasks of a plan with what their work items say, and tells which of them may meet in a file.

use super::entry::check_of;
use super::item_path;
use crate::cycle::find_cycle;
use crate::diagnostic::{Diagnostic, Report, plan as say};
use crate::labels;
use crate::work_item::{self, AcceptanceCriterion, ItemKind, WorkItem};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::id::TaskId;
use tollgate_core::task::{ItemTerms, TaskSpec};
use tollgate_judge::scope::{Effort, Reach};

/// `items` are texts by their paths from the session's folder.
pub fn with_items(
    tasks: Vec<TaskSpec>,
    items: &BTreeMap<String, String>,
) -> Result<Vec<TaskSpec>, Report> {
    let mut report = Report::default();
    let mut tasks = tasks;
    let names = names(&tasks, items);
    let planned: BTreeSet<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
    for task in &mut tasks {
        task.overlaps.clear();
        task.item = ItemTerms::default();
        if let Some((item, path)) = fill(task, items, &names, &mut report) {
            wait(task, &item, &path, &planned, &names, &mut report);
        }
    }
    if report.is_ok() {
        report.extend(circle(&tasks));
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
) -> Option<(WorkItem, String)> {
    let named = task.work_item.as_ref()?;
    let path = named.trim();
    let path = path.strip_prefix("./").unwrap_or(path);
    let id = task.id.as_str();
    let Some(text) = items.get(path) else {
        report.push(say::item_missing(id, path));
        return None;
    };
    let (item, found) = work_item::read(text, path);
    report.extend(found.diagnostics.into_iter().filter(|diagnostic| diagnostic.is_error()));
    let item = item?;
    if matches!(item.kind, ItemKind::Refinement(_)) {
        report.push(say::item_refinement(id, path));
    }
    if item.is_closed() {
        report.push(say::item_closed(id, path));
    }
    owners(&item, path, names, report);
    let path = path.to_owned();
    task.in_scope = item.in_scope().to_vec();
    task.out_of_scope = item.out_of_scope();
    let criteria = item.as_task().map(|task| task.criteria.as_slice()).unwrap_or_default();
    let is_plain = |criterion: &&AcceptanceCriterion| check_of(criterion).is_none();
    task.item = ItemTerms {
        priority: labels::priority_of(&item.labels),
        waits_for: open_questions(&item, items),
        checks: criteria.iter().filter_map(check_of).collect(),
        criteria: criteria.iter().filter(is_plain).map(|c| c.text.clone()).collect(),
    };
    Some((item, path))
}

/// Refinements that the item waits for and that are not answered. A page that cannot be read is reported elsewhere.
fn open_questions(item: &WorkItem, items: &BTreeMap<String, String>) -> Vec<String> {
    let is_open = |name: &&String| {
        let path = item_path(name.trim());
        let text = items.get(&path);
        let other = text.and_then(|text| work_item::read(text, &path).0);
        other.is_some_and(|o| matches!(o.kind, ItemKind::Refinement(_)) && !o.is_closed())
    };
    item.blocked_by.iter().filter(is_open).map(|name| name.trim().to_owned()).collect()
}

/// What the item waits for, the task waits for. Items that are no task are questions or closed, and hold nobody here.
fn wait(
    task: &mut TaskSpec,
    item: &WorkItem,
    path: &str,
    planned: &BTreeSet<TaskId>,
    names: &BTreeSet<String>,
    report: &mut Report,
) {
    for name in &item.blocked_by {
        let id = TaskId::parse(name.trim()).ok().filter(|id| planned.contains(id));
        match id {
            Some(id) if !task.depends_on.contains(&id) => task.depends_on.push(id),
            Some(_) => {}
            None if names.contains(name.trim()) => {}
            None => {
                let known: Vec<&str> = names.iter().map(String::as_str).collect();
                report.push(say::blocked_by_unknown(path, name, &known));
            }
        }
    }
}

fn circle(tasks: &[TaskSpec]) -> Option<Diagnostic> {
    let waits: BTreeMap<&str, Vec<&str>> = tasks
        .iter()
        .map(|task| (task.id.as_str(), task.depends_on.iter().map(TaskId::as_str).collect()))
        .collect();
    find_cycle(&waits).map(|cycle| say::blocked_by_cycle(&cycle))
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
