//! What a planner result must say beyond its form: bodies, labels, and references between its items.

use super::results::{ItemId, PlannerResult};
use crate::cycle::find_cycle;
use crate::diagnostic::{Diagnostic, Report, reply};
use crate::labels::{self, ItemCategory};
use crate::node::{Node, Value, pointer, read_json};
use crate::work_item::{self, ItemKind};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::limits::TASKS_MAX;

/// The faults of a result that has its form.
pub(crate) fn check(result: &PlannerResult) -> Report {
    let mut found = Report::default();
    let node = serde_json::to_string(result).ok().and_then(|text| read_json(&text).ok());
    rules(&node.expect("what was read from JSON is written as JSON"), &mut found);
    found
}

/// The same of a plan inside another reply.
pub(super) fn of_a_plan(plan: &Node) -> Vec<Diagnostic> {
    let mut found = Report::default();
    rules(plan, &mut found);
    for diagnostic in &mut found.diagnostics {
        diagnostic.path = format!("/plan{}", diagnostic.path);
    }
    found.diagnostics
}

/// Everything that can be told without knowing which items exist. It looks at the node and passes over what cannot
/// be read, so that it speaks also of a result whose form is wrong elsewhere.
pub(super) fn rules(root: &Node, found: &mut Report) {
    let entries = |key: &str| root.get(key).map(Node::items).unwrap_or_default();
    if entries("create").len() > TASKS_MAX {
        found.push(reply::too_many_items(entries("create").len(), TASKS_MAX));
        return;
    }
    let create: Vec<SeenItem<'_>> = seen(entries("create"), "/create", "tempID");
    let update: Vec<SeenItem<'_>> = seen(entries("update"), "/update", "workItemID");
    temp_ids(&create, found);
    let known: BTreeSet<&str> = create.iter().filter_map(|item| item.text("tempID")).collect();
    for item in &create {
        new_item(item, &known, found);
    }
    for item in &update {
        changed_item(item, &known, found);
    }
    waiting(&create, &known, found);
    named_twice(entries("close"), &update, found);
}

/// The faults of a body, at the pointer of the body and with the line in it.
pub(crate) fn in_body(report: Report, pointer: &str) -> Vec<Diagnostic> {
    let place = |mut diagnostic: Diagnostic| {
        if let Some(line) = diagnostic.line.take() {
            diagnostic.message = format!("line {line} of the body: {}", diagnostic.message);
        }
        diagnostic.path = pointer.to_owned();
        diagnostic
    };
    report.diagnostics.into_iter().map(place).collect()
}

/// An item to create or update, as far as it can be read.
struct SeenItem<'a> {
    node: &'a Node,
    at: String,
    /// The file that the item would have if its name were its own, to know it by.
    file: String,
}

fn seen<'a>(nodes: &'a [Node], list: &str, name: &str) -> Vec<SeenItem<'a>> {
    let seen = |(index, node): (usize, &'a Node)| {
        let id = node.get(name).and_then(item_id).map(|id| id.to_string());
        let id = id.filter(|id| !id.contains('/')).unwrap_or_default();
        SeenItem { node, at: pointer(list, index), file: format!("{id}.md") }
    };
    nodes.iter().enumerate().map(seen).collect()
}

impl<'a> SeenItem<'a> {
    /// A text that says something; of any other the form speaks.
    fn text(&self, field: &str) -> Option<&'a str> {
        self.node.get(field).and_then(Node::as_text).filter(|text| !text.trim().is_empty())
    }

    fn at(&self, field: &str) -> String {
        pointer(&self.at, field)
    }

    /// None where one of them cannot be read: it may be the one that seems to be missing.
    fn labels(&self) -> Option<Vec<String>> {
        let Value::List(labels) = &self.node.get("labels")?.value else { return None };
        labels.iter().map(|label| label.as_text().map(str::to_owned)).collect()
    }

    fn is_absent(&self, field: &str) -> bool {
        self.node.get(field).is_none_or(|node| node.value == Value::Null)
    }
}

/// A name that says something.
fn item_id(node: &Node) -> Option<ItemId> {
    match &node.value {
        Value::Number(number) => number.as_u64().map(ItemId::Number),
        Value::Text(text) if !text.trim().is_empty() => Some(ItemId::Text(text.clone())),
        _ => None,
    }
}

fn is_blank(node: &Node) -> bool {
    node.as_text().is_some_and(|text| text.trim().is_empty())
}

fn temp_ids(create: &[SeenItem<'_>], found: &mut Report) {
    let mut known = BTreeSet::new();
    let mut contents = BTreeSet::new();
    for item in create {
        if let Some(id) = item.text("tempID").filter(|id| !known.insert(*id)) {
            found.push(reply::temp_id_twice(&item.at("tempID"), id));
        }
        if let (Some(title), Some(body)) = (item.text("title"), item.text("body"))
            && !contents.insert((title.trim(), body.trim()))
        {
            found.push(reply::item_twice(&item.at, title));
        }
    }
}

fn new_item(item: &SeenItem<'_>, known: &BTreeSet<&str>, found: &mut Report) {
    if let Some(title) = item.text("title").filter(|title| title.trim().contains('\n')) {
        found.push(reply::title_invalid(&item.at("title"), title));
    }
    let labels = item.labels();
    let told = labels.as_deref().and_then(ItemCategory::of);
    let kind = told.or_else(|| item.text("body").map(work_item::kind_of));
    body(item, told, known, found);
    if let (Some(labels), Some(kind)) = (labels, kind) {
        let place = item.at("labels");
        let place = labels::LabelLocation { file: "", pointer: &place, line: None };
        found.extend(labels::check_at(place, &labels, kind, true).diagnostics);
    }
}

/// Which kind it is shows when the item is at hand; until then labels or headings tell.
fn changed_item(item: &SeenItem<'_>, known: &BTreeSet<&str>, found: &mut Report) {
    if item.node.get("workItemID").is_some_and(is_blank) {
        found.push(reply::id_empty(&item.at("workItemID")));
    }
    let is_item = matches!(item.node.value, Value::Map(_));
    if is_item && item.is_absent("body") && item.is_absent("labels") {
        let id = item.node.get("workItemID").and_then(item_id).map(|id| id.to_string());
        found.push(reply::update_nothing(&item.at, &id.unwrap_or_default()));
    }
    let labels = item.labels();
    let told = labels.as_deref().and_then(ItemCategory::of);
    let text = item.node.get("body").and_then(Node::as_text);
    let kind = told.or_else(|| text.map(work_item::kind_of));
    body(item, told, known, found);
    if let (Some(labels), Some(kind)) = (labels, kind) {
        let place = item.at("labels");
        let place = labels::LabelLocation { file: "", pointer: &place, line: None };
        found.extend(labels::check_at(place, &labels, kind, false).diagnostics);
    }
}

fn body(
    item: &SeenItem<'_>,
    told: Option<ItemCategory>,
    known: &BTreeSet<&str>,
    found: &mut Report,
) {
    let Some(body) = item.node.get("body").and_then(Node::as_text) else { return };
    // That a new item has no body is a fault of form; an update that empties one is told here.
    if body.trim().is_empty() && item.node.get("workItemID").is_none() {
        return;
    }
    let (kind, report) = work_item::read_body(body, told, &item.file);
    found.extend(in_body(report, &item.at("body")));
    if let Some(kind) = &kind {
        owners(kind, &item.at("body"), known, found);
    }
}

/// "owned by" names an item of this result, or what may be an existing one.
fn owners(kind: &ItemKind, at: &str, known: &BTreeSet<&str>, found: &mut Report) {
    let ItemKind::Task(task) = kind else { return };
    for excluded in &task.out_of_scope {
        let Some(owner) = &excluded.owner else { continue };
        let may_exist = ItemId::Text(owner.clone()).is_existing();
        if !known.contains(owner.as_str()) && !may_exist && !found.is_full() {
            let names: Vec<&str> = known.iter().copied().collect();
            found.push(reply::owner_unknown(at, &excluded.path, owner, &names));
        }
    }
}

/// References resolve, and nobody waits for itself.
fn waiting(create: &[SeenItem<'_>], known: &BTreeSet<&str>, found: &mut Report) {
    let names: Vec<&str> = known.iter().copied().collect();
    let mut waits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for item in create {
        let others = item.node.get("blockedBy").map(Node::items).unwrap_or_default();
        for (entry, other) in others.iter().enumerate() {
            let at = pointer(&item.at("blockedBy"), entry);
            let Some(id) = item_id(other) else {
                if is_blank(other) {
                    found.push(reply::id_empty(&at));
                }
                continue;
            };
            match other.as_text().filter(|text| known.contains(text)) {
                Some(text) => {
                    let own = item.text("tempID");
                    waits.entry(own.unwrap_or_default()).or_default().push(text);
                }
                None if id.is_existing() || found.is_full() => {}
                None => found.push(reply::blocked_by_unknown(&at, &id.to_string(), &names)),
            }
        }
    }
    found.extend(find_cycle(&waits).map(|cycle| reply::blocked_by_cycle(&cycle)));
}

/// An item is closed or updated, and once.
fn named_twice(close: &[Node], update: &[SeenItem<'_>], found: &mut Report) {
    let mut names: Vec<(String, String, &str)> = Vec::new();
    for (index, node) in close.iter().enumerate() {
        let at = pointer("/close", index);
        match item_id(node) {
            Some(id) => names.push((at, id.to_string(), "closed")),
            None if is_blank(node) => found.push(reply::id_empty(&at)),
            None => {}
        }
    }
    for item in update {
        if let Some(id) = item.node.get("workItemID").and_then(item_id) {
            names.push((item.at("workItemID"), id.to_string(), "updated"));
        }
    }
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for (at, id, verb) in names {
        let plain = id.trim().trim_start_matches('#').to_owned();
        match seen.insert(plain, verb) {
            Some("closed") if verb == "updated" => {
                found.push(reply::closed_and_updated(&at, &id));
            }
            Some(_) => found.push(reply::named_twice(&at, &id, verb)),
            None => {}
        }
    }
}
