//! From a planner's result to the files of a session, and from a plan with work items to tasks with a scope.

mod edit;
mod entry;
mod items;
mod names;

pub use items::with_items;

use crate::agent_output::PlannerResult;
use crate::agent_output::items::{check, in_body};
use crate::diagnostic::{Report, plan as say};
use crate::labels::{self, Category, category_of};
use crate::node::pointer;
use crate::tasks::{self, PlanRead};
use crate::work_item::{self, ItemKind, ItemState, WorkItem, rename_owners, trimmed};
use names::ItemNames;
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::id::TaskId;
use tollgate_core::task::{TaskSpec, TaskStatus};
use tollgate_core::work::Refinement;

/// What a session has before the planner's result is applied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Existing {
    pub tasks_yaml: Option<String>,
    /// The text of every work item by its name, such as `T-001`.
    pub items: BTreeMap<String, String>,
    /// How far tasks are; one that is not named is not started.
    pub statuses: BTreeMap<TaskId, TaskStatus>,
}

/// What it has afterwards. Files that the result does not touch are the same to the byte.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Applied {
    /// None while there is no task at all.
    pub tasks_yaml: Option<String>,
    /// The text of every work item by its path, such as `work-items/T-001.md`.
    pub items: BTreeMap<String, String>,
    /// Open questions, in the order of their names.
    pub refinements: Vec<Refinement>,
}

/// The file of a session that holds its plan.
pub const TASKS: &str = "tasks.yaml";

/// Whether a file of a session says what the plan is.
pub fn is_part(path: &str) -> bool {
    path == TASKS || is_item(path)
}

/// Whether a file of a session is a work item.
pub fn is_item(path: &str) -> bool {
    path.strip_prefix("work-items/").is_some_and(|name| name.ends_with(".md"))
}

/// The path of a work item from the session's folder.
pub fn item_path(id: &str) -> String {
    format!("work-items/{id}.md")
}

/// Applying the same result again changes nothing.
pub fn apply(result: &PlannerResult, existing: &Existing) -> Result<Applied, Report> {
    let mut report = check(result);
    let before = Book::read(existing, &mut report);
    if !report.is_ok() {
        return Err(report);
    }
    let names = ItemNames::of(result, &before, &mut report);
    let mut after = before.items.clone();
    let mut dropped = BTreeSet::new();
    if report.is_ok() {
        create(result, &names, &mut after, &mut report);
        update(result, &names, &before, &mut after, &mut report);
        dropped = close(result, &names, &before, &mut after, &mut report);
    }
    if !report.is_ok() {
        return Err(report);
    }
    let tasks_yaml = tasks_file(existing, &before, &after, &dropped)?;
    let written = |(id, item): (&String, &WorkItem)| {
        let is_same = before.items.get(id) == Some(item);
        let text = existing.items.get(id).filter(|_| is_same).cloned();
        (item_path(id), text.unwrap_or_else(|| work_item::write(item)))
    };
    let items = after.iter().map(written).collect();
    Ok(Applied { tasks_yaml, items, refinements: refinements(&after) })
}

/// What the items of a result refer to and that is not there, at the place of each body.
pub fn unfound(result: &PlannerResult, document: &dyn Fn(&str) -> Option<String>) -> Report {
    let created = result.create.iter().map(|new| (Some(&new.body), Some(&new.labels)));
    let updated = result.update.iter().map(|update| (update.body.as_ref(), update.labels.as_ref()));
    let lists = [("/create", created.collect::<Vec<_>>()), ("/update", updated.collect())];
    let mut report = Report::default();
    for (list, bodies) in lists {
        for (index, (body, labels)) in bodies.into_iter().enumerate() {
            let told = labels.and_then(|labels| labels::ItemCategory::of(labels));
            let (Some(kind), _) = work_item::read_body(body.map_or("", String::as_str), told, "")
            else {
                continue;
            };
            let at = pointer(&pointer(list, index), "body");
            report.extend(in_body(work_item::unfound(&kind, "", document), &at));
        }
    }
    report
}

/// The files of a session, read.
struct Book {
    items: BTreeMap<String, WorkItem>,
    plan: Option<PlanRead>,
    statuses: BTreeMap<TaskId, TaskStatus>,
}

impl Book {
    fn read(existing: &Existing, report: &mut Report) -> Self {
        let mut items = BTreeMap::new();
        for (id, text) in &existing.items {
            let (item, found) = work_item::read(text, &item_path(id));
            report.extend(found.diagnostics.into_iter().filter(|d| d.is_error()));
            items.extend(item.map(|item| (id.clone(), item)));
        }
        let plan = existing.tasks_yaml.as_deref().and_then(|text| {
            let (plan, found) = tasks::read(text, "tasks.yaml");
            report.extend(found.diagnostics.into_iter().filter(|d| d.is_error()));
            plan
        });
        Self { items, plan, statuses: existing.statuses.clone() }
    }

    fn tasks(&self) -> &[TaskSpec] {
        self.plan.as_ref().map(|plan| plan.tasks.as_slice()).unwrap_or_default()
    }

    fn status(&self, id: &str) -> TaskStatus {
        let id = TaskId::parse(id).ok();
        id.and_then(|id| self.statuses.get(&id).copied()).unwrap_or(TaskStatus::NotStarted)
    }

    /// Every name that can be referred to.
    fn names(&self) -> BTreeSet<&str> {
        let tasks = self.tasks().iter().map(|task| task.id.as_str());
        self.items.keys().map(String::as_str).chain(tasks).collect()
    }
}

fn create(
    result: &PlannerResult,
    names: &ItemNames,
    after: &mut BTreeMap<String, WorkItem>,
    report: &mut Report,
) {
    for (index, new) in result.create.iter().enumerate() {
        let id = names.temporary(&new.temp_id);
        let body = rename_owners(trimmed(&new.body), |name| names.find(name));
        let blocked_by =
            new.blocked_by.iter().filter_map(|id| names.find(&id.to_string())).collect();
        if let Some(known) = after.get_mut(&id) {
            // The same work again: only what it waits for may be new.
            if own_labels(&known.labels) != own_labels(&new.labels) {
                let at = pointer(&pointer("/create", index), "labels");
                report.push(say::item_exists(&at, &id, &known.labels));
            }
            known.blocked_by = blocked_by;
            continue;
        }
        let told = labels::ItemCategory::of(&new.labels);
        let (Some(kind), _) = work_item::read_body(&body, told, "") else { continue };
        let item = WorkItem {
            title: Some(new.title.trim().to_owned()),
            labels: new.labels.clone(),
            state: Some(ItemState::Open),
            blocked_by,
            body,
            kind,
        };
        after.insert(id, item);
    }
}

/// Without that of the status, which the engine writes.
fn own_labels(labels: &[String]) -> BTreeSet<&str> {
    labels.iter().map(String::as_str).filter(|label| !label.starts_with("status:")).collect()
}

fn update(
    result: &PlannerResult,
    names: &ItemNames,
    before: &Book,
    after: &mut BTreeMap<String, WorkItem>,
    report: &mut Report,
) {
    for (index, update) in result.update.iter().enumerate() {
        let at = pointer("/update", index);
        let Some(id) = names.find(&update.work_item_id.to_string()) else { continue };
        let Some(item) = after.get(&id) else { continue };
        let mut changed = item.clone();
        let kind = item.kind.label_kind();
        if let Some(body) = &update.body {
            let body = rename_owners(trimmed(body), |name| names.find(name));
            let (read, found) = work_item::read_body(&body, Some(kind), &item_path(&id));
            report.extend(in_body(found, &pointer(&at, "body")));
            if let Some(kind) = read {
                changed = WorkItem { body, kind, ..changed };
            }
        }
        if let Some(labels) = &update.labels {
            let place = pointer(&at, "labels");
            let place = labels::LabelLocation { file: "", pointer: &place, line: None };
            report.extend(labels::check_at(place, labels, kind, false).diagnostics);
            changed.labels = with_status_of(item, labels);
        }
        let named = pointer(&at, "workItemID");
        match before.status(&id) {
            _ if changed == *item => continue,
            _ if item.is_closed() => report.push(say::update_closed(&named, &id)),
            TaskStatus::Completed => report.push(say::update_completed(&named, &id)),
            _ => {}
        }
        after.insert(id, changed);
    }
}

/// How far a task is, is the engine's to say and stays; the rest of its labels is the planner's.
fn with_status_of(item: &WorkItem, labels: &[String]) -> Vec<String> {
    let is_status = |label: &&String| category_of(label) == Some(Category::Status);
    let present = item.labels.iter().find(is_status).filter(|_| item.as_task().is_some());
    let kept = |label: &String| match present.filter(|_| is_status(&label)) {
        Some(status) => status.clone(),
        None => label.clone(),
    };
    labels.iter().map(kept).collect()
}

/// Closes items. Tasks of the plan that have none are given back: they just leave it.
fn close(
    result: &PlannerResult,
    names: &ItemNames,
    before: &Book,
    after: &mut BTreeMap<String, WorkItem>,
    report: &mut Report,
) -> BTreeSet<String> {
    let mut dropped = BTreeSet::new();
    for (index, named) in result.close.iter().enumerate() {
        let Some(id) = names.find(&named.to_string()) else { continue };
        if after.get(&id).is_some_and(WorkItem::is_closed) {
            continue;
        }
        let status = before.status(&id);
        if status != TaskStatus::NotStarted {
            report.push(say::close_started(&pointer("/close", index), &id, status.as_str()));
        }
        match after.get_mut(&id) {
            Some(item) => item.state = Some(ItemState::Closed),
            None => {
                dropped.insert(id);
            }
        }
    }
    dropped
}

/// tasks.yaml follows the work items; what it says beside them stays.
fn tasks_file(
    existing: &Existing,
    before: &Book,
    after: &BTreeMap<String, WorkItem>,
    dropped: &BTreeSet<String>,
) -> Result<Option<String>, Report> {
    let mut active = active(before, after);
    active.retain(|id| !dropped.contains(*id));
    let mut change = edit::PlanChange::default();
    for task in before.tasks() {
        let id = task.id.as_str();
        let (was, is) = (before.items.get(id), after.get(id));
        if !active.contains(id) {
            change.removed.push(task.id.clone());
            continue;
        }
        let mut wanted = match is.filter(|_| was != is) {
            Some(item) => entry::follow(task, was, item, &active),
            None => task.clone(),
        };
        wanted.depends_on.retain(|other| active.contains(other.as_str()));
        if wanted != *task {
            change.replaced.push(wanted);
        }
    }
    for (id, item) in after.iter().filter(|(id, _)| active.contains(id.as_str())) {
        if !before.tasks().iter().any(|task| task.id.as_str() == id.as_str()) {
            change.added.extend(entry::new(id, item, &active));
        }
    }
    let is_question_open = after
        .values()
        .any(|item| matches!(item.kind, ItemKind::Refinement(_)) && !item.is_closed());
    if active.is_empty() && (existing.tasks_yaml.is_some() || !is_question_open) {
        return Err(say::no_task().into());
    }
    if active.is_empty() {
        return Ok(None);
    }
    edit::edited(existing.tasks_yaml.as_deref(), before.plan.as_ref(), &change).map(Some)
}

/// Tasks to be worked on: open ones that wait for no open question, and for no task that does.
fn active<'a>(before: &'a Book, after: &'a BTreeMap<String, WorkItem>) -> BTreeSet<&'a str> {
    let plain = before.tasks().iter().map(|task| task.id.as_str());
    let plain = plain.filter(|id| !after.contains_key(*id));
    let open = |(_, item): &(&'a String, &'a WorkItem)| !item.is_closed();
    let is_task = |(_, item): &(&'a String, &'a WorkItem)| item.as_task().is_some();
    let mut active: BTreeSet<&str> =
        after.iter().filter(open).filter(is_task).map(|(id, _)| id.as_str()).chain(plain).collect();
    loop {
        let is_held = |id: &&&str| {
            let waits = after.get(**id).map(|item| item.blocked_by.as_slice()).unwrap_or_default();
            waits.iter().any(|other| match after.get(other) {
                Some(other_item) => !other_item.is_closed() && !active.contains(other.as_str()),
                None => false,
            })
        };
        let held: Vec<&str> = active.iter().filter(is_held).copied().collect();
        if held.is_empty() {
            return active;
        }
        held.iter().for_each(|id| {
            active.remove(id);
        });
    }
}

fn refinements(after: &BTreeMap<String, WorkItem>) -> Vec<Refinement> {
    let open = after.iter().filter(|(_, item)| !item.is_closed());
    open.filter_map(|(id, item)| question(id, item)).collect()
}

/// What a refinement asks a person; none for a task.
pub fn question(id: &str, item: &WorkItem) -> Option<Refinement> {
    let ItemKind::Refinement(refinement) = &item.kind else { return None };
    let title = item.title.as_deref().unwrap_or(id);
    let options: Vec<String> = (1..)
        .zip(&refinement.options)
        .map(|(number, option)| format!("{number}. {option}"))
        .collect();
    let question = format!(
        "{title}\n\n{}\n\n{}\n\nRecommended: {}",
        refinement.ambiguity,
        options.join("\n"),
        refinement.recommendation
    );
    Some(Refinement { item: id.to_owned(), question })
}

#[cfg(test)]
mod tests;
