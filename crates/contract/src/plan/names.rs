//! Which real name every tempID gets, and which existing item every other name means.

use super::Book;
use crate::agent_output::PlannerResult;
use crate::agent_output::results::NewItem;
use crate::diagnostic::{Report, plan as say};
use crate::labels::ItemCategory;
use crate::node::pointer;
use crate::work_item::{self, ItemKind, WorkItem, rename_owners, trimmed};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct ItemNames {
    /// tempIDs by themselves: they are unique in their result.
    temporary: BTreeMap<String, String>,
    existing: BTreeSet<String>,
}

impl ItemNames {
    /// Names are given in the order of the result, after the highest there is; none is given twice.
    pub fn of(result: &PlannerResult, before: &Book, report: &mut Report) -> Self {
        let known = before.names();
        let existing: BTreeSet<String> = known.iter().map(|name| (*name).to_owned()).collect();
        let mut names = Self { temporary: same_as(result, before, &existing), existing };
        let mut next =
            BTreeMap::from([("T-", highest("T-", &known) + 1), ("R-", highest("R-", &known) + 1)]);
        for (index, new) in result.create.iter().enumerate() {
            let at = pointer(&pointer("/create", index), "tempID");
            if !names.temporary.contains_key(&new.temp_id) {
                let prefix = match kind(new) {
                    ItemCategory::Task => "T-",
                    ItemCategory::Refinement => "R-",
                };
                let number = next.entry(prefix).or_insert(1);
                names.temporary.insert(new.temp_id.clone(), format!("{prefix}{number:03}"));
                *number += 1;
            }
            let is_taken = known.contains(new.temp_id.as_str());
            if is_taken && names.temporary[&new.temp_id] != new.temp_id {
                report.push(say::temp_id_taken(&at, &new.temp_id));
            }
        }
        names.check(result, before, report);
        names
    }

    /// The real name of a tempID of the result.
    pub fn temporary(&self, temp_id: &str) -> String {
        self.temporary.get(temp_id).cloned().unwrap_or_else(|| temp_id.to_owned())
    }

    /// The item that a name means: a tempID, an existing item, or the number of a task.
    pub fn find(&self, name: &str) -> Option<String> {
        let name = name.trim();
        if let Some(real) = self.temporary.get(name) {
            return Some(real.clone());
        }
        if self.existing.contains(name) {
            return Some(name.to_owned());
        }
        let number: u32 = name.strip_prefix('#').unwrap_or(name).parse().ok()?;
        let task = format!("T-{number:03}");
        self.existing.contains(&task).then_some(task)
    }

    /// Every name that the result uses means something; what is closed or updated exists.
    fn check(&self, result: &PlannerResult, before: &Book, report: &mut Report) {
        let known: Vec<&str> = self.existing.iter().map(String::as_str).collect();
        let mut must_be = |at: String, name: &str, is_found: bool| {
            if !is_found && !report.is_full() {
                report.push(say::id_unknown(&at, name, &known));
            }
        };
        let is_old = |name: &str| {
            let is_new = self.temporary.contains_key(name) && !self.existing.contains(name);
            !is_new && self.find(name).is_some()
        };
        for (index, new) in result.create.iter().enumerate() {
            let at = pointer("/create", index);
            for (entry, id) in new.blocked_by.iter().enumerate() {
                let name = id.to_string();
                let place = pointer(&pointer(&at, "blockedBy"), entry);
                must_be(place, &name, self.find(&name).is_some());
            }
            for owner in owners(&new.body, ItemCategory::of(&new.labels)) {
                must_be(pointer(&at, "body"), &owner, self.find(&owner).is_some());
            }
        }
        for (index, id) in result.close.iter().enumerate() {
            let name = id.to_string();
            must_be(pointer("/close", index), &name, is_old(&name));
        }
        for (index, update) in result.update.iter().enumerate() {
            let (at, name) = (pointer("/update", index), update.work_item_id.to_string());
            // A task without a work item has nothing that could be replaced.
            let has_item = self.find(&name).is_some_and(|id| before.items.contains_key(&id));
            must_be(pointer(&at, "workItemID"), &name, is_old(&name) && has_item);
            let told = update.labels.as_deref().and_then(ItemCategory::of);
            for owner in update.body.iter().flat_map(|body| owners(body, told)) {
                must_be(pointer(&at, "body"), &owner, self.find(&owner).is_some());
            }
        }
    }
}

fn kind(new: &NewItem) -> ItemCategory {
    ItemCategory::of(&new.labels).unwrap_or_else(|| work_item::kind_of(&new.body))
}

fn owners(body: &str, kind: Option<ItemCategory>) -> Vec<String> {
    match work_item::read_body(body, kind, "").0 {
        Some(ItemKind::Task(task)) => {
            task.out_of_scope.into_iter().filter_map(|out| out.owner).collect()
        }
        _ => Vec::new(),
    }
}

/// New items that are there already: same title and, once names are resolved, same body, and open.
fn same_as(
    result: &PlannerResult,
    before: &Book,
    existing: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let mut same: BTreeMap<String, String> = BTreeMap::new();
    for new in &result.create {
        let is_free = |id: &String| !same.values().any(|taken| taken == id);
        let found = before.items.iter().find(|(id, item)| is_free(id) && may_be(new, item));
        if let Some((id, _)) = found {
            same.insert(new.temp_id.clone(), id.clone());
        }
    }
    // Who turns out to be new is new for all that refer to it: until nobody else is.
    loop {
        let resolve = |name: &str| {
            let is_temporary = result.create.iter().any(|new| new.temp_id == name);
            match same.get(name) {
                Some(real) => Some(real.clone()),
                None if is_temporary => Some("\u{0}".to_owned()),
                None => existing.get(name).cloned(),
            }
        };
        let is_other = |new: &&NewItem| {
            let item = same.get(&new.temp_id).and_then(|id| before.items.get(id));
            item.is_some_and(|item| rename_owners(trimmed(&new.body), resolve) != item.body)
        };
        let others: Vec<String> =
            result.create.iter().filter(is_other).map(|new| new.temp_id.clone()).collect();
        if others.is_empty() {
            return same;
        }
        others.iter().for_each(|id| {
            same.remove(id);
        });
    }
}

/// Alike but for the names of owners.
fn may_be(new: &NewItem, item: &WorkItem) -> bool {
    let bare = |body: &str| rename_owners(trimmed(body), |_| Some(String::new()));
    !item.is_closed()
        && item.kind.label_kind() == kind(new)
        && item.title.as_deref() == Some(new.title.trim())
        && bare(&item.body) == bare(&new.body)
}

fn highest(prefix: &str, names: &BTreeSet<&str>) -> u32 {
    let numbers = names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
    numbers.max().unwrap_or(0)
}
