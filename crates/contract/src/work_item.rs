//! Reads work items: a task with its scope and criteria, or a question that the specification leaves open.

mod edit;
mod list;
mod objective;
mod outline;
mod reference;
mod refinement;
mod scope_list;
mod task;
mod write;

pub use edit::{set_status, with_each_status};
pub(crate) use reference::unfound;
pub use reference::{SpecReference, Told, sections_of};
pub use refinement::RefinementItem;
pub use scope_list::Excluded;
pub use task::{AcceptanceCriterion, TaskItem};
pub(crate) use write::quoted;
pub use write::write;

use crate::diagnostic::{Report, shape as words};
use crate::json_file::typed;
use crate::labels::{self, ItemCategory};
use crate::node::Node;
use crate::{front_matter, sections};
use outline::Outline;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_judge::scope::entry_of;

/// One work item. Its words are in `body` as they were written; the rest is what was read in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    pub title: Option<String>,
    pub labels: Vec<String>,
    /// None where the file does not say; it is open then.
    pub state: Option<ItemState>,
    /// What must be done or answered first, by the names of items.
    pub blocked_by: Vec<String>,
    /// Without line ends around it.
    pub body: String,
    pub kind: ItemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    Task(TaskItem),
    Refinement(RefinementItem),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ItemState {
    Open,
    Closed,
}

impl WorkItem {
    /// Paths, globs, or folders ending in `/` that the work may change; none for a refinement.
    pub fn in_scope(&self) -> &[String] {
        match &self.kind {
            ItemKind::Task(task) => &task.in_scope,
            ItemKind::Refinement(_) => &[],
        }
    }

    pub fn out_of_scope(&self) -> Vec<String> {
        match &self.kind {
            ItemKind::Task(task) => task.out_of_scope.iter().map(|x| entry_of(&x.path)).collect(),
            ItemKind::Refinement(_) => Vec::new(),
        }
    }

    pub fn is_closed(&self) -> bool {
        self.state == Some(ItemState::Closed)
    }

    pub fn as_task(&self) -> Option<&TaskItem> {
        match &self.kind {
            ItemKind::Task(task) => Some(task),
            ItemKind::Refinement(_) => None,
        }
    }
}

impl ItemKind {
    pub fn label_kind(&self) -> ItemCategory {
        match self {
            Self::Task(_) => ItemCategory::Task,
            Self::Refinement(_) => ItemCategory::Refinement,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct FrontFields {
    title: Option<String>,
    labels: Option<Vec<String>>,
    state: Option<ItemState>,
    blocked_by: Option<Vec<String>>,
}

/// The item when there is no error; warnings may come with it.
pub fn read(text: &str, path: &str) -> (Option<WorkItem>, Report) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut report = Report::default();
    let (front, body) = match front(text, path, &mut report) {
        Some(parts) => parts,
        None => return (None, report),
    };
    let labels = front.labels.clone().unwrap_or_default();
    let first_line = line_count(&text[..text.len() - body.len()]) + 1;
    let kind_told = ItemCategory::of(&labels);
    let kind = read_kind(body, kind_told, path, first_line, &mut report);
    if let Some(labels) = &front.labels {
        let kind = kind_told.unwrap_or_else(|| kind_of(body));
        let at = labels::LabelLocation { file: path, pointer: "", line: label_line(text) };
        report.extend(labels::check_at(at, labels, kind, false).diagnostics);
    }
    let item = kind.filter(|_| report.is_ok()).map(|kind| WorkItem {
        title: front.title.filter(|title| !title.trim().is_empty()),
        labels,
        state: front.state,
        blocked_by: front.blocked_by.unwrap_or_default(),
        body: trimmed(body).to_owned(),
        kind,
    });
    (item, report)
}

/// A body alone, as a result carries it; lines count from its own top.
pub fn read_body(body: &str, kind: Option<ItemCategory>, path: &str) -> (Option<ItemKind>, Report) {
    let mut report = Report::default();
    let item = read_kind(body, kind, path, 1, &mut report).filter(|_| report.is_ok());
    (item, report)
}

/// What a plan demands of an item beyond its form: every label, of a new one that it begins as pending, and that what it
/// refers to is there.
pub fn demanded(
    item: &WorkItem,
    text: &str,
    path: &str,
    is_new: bool,
    document: &dyn Fn(&str) -> Option<String>,
) -> Report {
    let at = labels::LabelLocation { file: path, pointer: "", line: label_line(text) };
    let mut report = labels::check_at(at, &item.labels, item.kind.label_kind(), is_new);
    report.extend(unfound(&item.kind, path, document).diagnostics);
    report
}

/// A task's body with owners in Out of Scope called by other names, where `rename` knows one.
pub(crate) fn rename_owners(body: &str, rename: impl Fn(&str) -> Option<String>) -> String {
    task::rename_owners(body, rename)
}

/// Whether a text without front matter looks like a work item: most of its headings are those of one.
pub(crate) fn is_likely(text: &str) -> bool {
    let body = front_matter::split(text).map_or(text, |(_, body)| body);
    let task = Outline::of(body, 1, task::TEMPLATE).sections.len();
    let refinement = Outline::of(body, 1, refinement::TEMPLATE).sections.len();
    task >= 4 || refinement >= 3
}

fn front<'a>(text: &'a str, path: &str, report: &mut Report) -> Option<(FrontFields, &'a str)> {
    let begins = text.lines().next().is_some_and(|line| line.trim_end() == "---");
    if !begins {
        return Some((FrontFields::default(), text));
    }
    let (node, body) = match front_matter::read(text, path) {
        Ok(parts) => parts,
        Err(found) => {
            report.extend(found.diagnostics);
            return None;
        }
    };
    let is_empty = node == Node::plain(crate::node::Value::Null);
    let front = match is_empty {
        true => FrontFields::default(),
        // What is wrong with it is reported beside what is wrong with the body.
        false => typed(&node, path, report, |fault| words::fault(path, fault)).unwrap_or_default(),
    };
    Some((front, body))
}

fn read_kind(
    body: &str,
    kind: Option<ItemCategory>,
    path: &str,
    first_line: u32,
    report: &mut Report,
) -> Option<ItemKind> {
    match kind.unwrap_or_else(|| kind_of(body)) {
        ItemCategory::Task => task::read(body, path, first_line, report).map(ItemKind::Task),
        ItemCategory::Refinement => {
            refinement::read(body, path, first_line, report).map(ItemKind::Refinement)
        }
    }
}

/// By the headings, where no label says it.
pub fn kind_of(body: &str) -> ItemCategory {
    let count = |template| Outline::of(body, 1, template).sections.len();
    match count(refinement::TEMPLATE) > count(task::TEMPLATE) {
        true => ItemCategory::Refinement,
        false => ItemCategory::Task,
    }
}

fn label_line(text: &str) -> Option<u32> {
    let at = text.lines().position(|line| line.trim_start().starts_with("labels"))?;
    u32::try_from(at + 1).ok()
}

fn line_count(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// Line ends around a body are layout, not content.
pub(crate) fn trimmed(body: &str) -> &str {
    body.trim_matches(['\r', '\n'])
}

fn plain_heading(title: &str) -> String {
    sections::plain_name(title).replace('-', " ")
}

#[cfg(test)]
mod tests;
