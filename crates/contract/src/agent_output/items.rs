//! What a planner result must say beyond its form: bodies, labels, and references between its items.

use super::results::{ItemId, ItemUpdate, NewItem, PlannerResult};
use crate::cycle::find_cycle;
use crate::diagnostic::{Diagnostic, Report, reply};
use crate::labels::{self, Kind};
use crate::node::pointer;
use crate::work_item::{self, ItemKind};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::limits::TASKS_MAX;

/// Everything that can be told without knowing which items exist.
pub(crate) fn check(result: &PlannerResult) -> Report {
    let mut found = Report::default();
    if result.create.len() > TASKS_MAX {
        found.push(reply::too_many_items(result.create.len(), TASKS_MAX));
        return found;
    }
    temp_ids(result, &mut found);
    let known: BTreeSet<&str> = result.create.iter().map(|item| item.temp_id.as_str()).collect();
    for (index, item) in result.create.iter().enumerate() {
        new_item(item, &pointer("/create", index), &known, &mut found);
    }
    for (index, update) in result.update.iter().enumerate() {
        changed_item(update, &pointer("/update", index), &known, &mut found);
    }
    waiting(result, &known, &mut found);
    named_twice(result, &mut found);
    found
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

fn temp_ids(result: &PlannerResult, found: &mut Report) {
    let mut known = BTreeSet::new();
    let mut contents = BTreeSet::new();
    for (index, item) in result.create.iter().enumerate() {
        let at = pointer("/create", index);
        if !known.insert(item.temp_id.as_str()) {
            found.push(reply::temp_id_twice(&pointer(&at, "tempID"), &item.temp_id));
        }
        if !contents.insert((item.title.trim(), item.body.trim())) {
            found.push(reply::item_twice(&at, &item.title));
        }
    }
}

fn new_item(item: &NewItem, at: &str, known: &BTreeSet<&str>, found: &mut Report) {
    if item.title.trim().is_empty() || item.title.trim().contains('\n') {
        found.push(reply::title_invalid(&pointer(at, "title"), &item.title));
    }
    let told = Kind::of(&item.labels);
    let (kind, report) = work_item::read_body(&item.body, told, "");
    found.extend(in_body(report, &pointer(at, "body")));
    if let Some(kind) = &kind {
        owners(kind, &pointer(at, "body"), known, found);
    }
    let kind = told.unwrap_or_else(|| work_item::kind_of(&item.body));
    let place = pointer(at, "labels");
    let place = labels::At { file: "", pointer: &place, line: None };
    found.extend(labels::check_at(place, &item.labels, kind, true).diagnostics);
}

/// Which kind it is shows when the item is at hand; until then labels or headings tell.
fn changed_item(update: &ItemUpdate, at: &str, known: &BTreeSet<&str>, found: &mut Report) {
    if update.body.is_none() && update.labels.is_none() {
        found.push(reply::update_nothing(at, &update.work_item_id.to_string()));
    }
    let told = update.labels.as_deref().and_then(Kind::of);
    let mut kind = told;
    if let Some(body) = &update.body {
        let (item, report) = work_item::read_body(body, told, "");
        found.extend(in_body(report, &pointer(at, "body")));
        if let Some(item) = &item {
            owners(item, &pointer(at, "body"), known, found);
        }
        kind = kind.or_else(|| Some(work_item::kind_of(body)));
    }
    if let (Some(labels), Some(kind)) = (&update.labels, kind) {
        let place = pointer(at, "labels");
        let place = labels::At { file: "", pointer: &place, line: None };
        found.extend(labels::check_at(place, labels, kind, false).diagnostics);
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
fn waiting(result: &PlannerResult, known: &BTreeSet<&str>, found: &mut Report) {
    let names: Vec<&str> = known.iter().copied().collect();
    let mut waits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (index, item) in result.create.iter().enumerate() {
        for (entry, id) in item.blocked_by.iter().enumerate() {
            match id {
                ItemId::Text(text) if known.contains(text.as_str()) => {
                    waits.entry(&item.temp_id).or_default().push(text);
                }
                id if id.is_existing() || found.is_full() => {}
                id => {
                    let at = pointer(&pointer(&pointer("/create", index), "blockedBy"), entry);
                    found.push(reply::blocked_by_unknown(&at, &id.to_string(), &names));
                }
            }
        }
    }
    found.extend(find_cycle(&waits).map(|cycle| reply::blocked_by_cycle(&cycle)));
}

/// An item is closed or updated, and once.
fn named_twice(result: &PlannerResult, found: &mut Report) {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let closed = result
        .close
        .iter()
        .enumerate()
        .map(|(index, id)| (pointer("/close", index), id.to_string(), "closed"));
    let updated = result.update.iter().enumerate().map(|(index, update)| {
        let at = pointer(&pointer("/update", index), "workItemID");
        (at, update.work_item_id.to_string(), "updated")
    });
    for (at, id, verb) in closed.chain(updated) {
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
