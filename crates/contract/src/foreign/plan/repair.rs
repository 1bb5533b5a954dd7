//! Brings a plan to the form of the schema, task by task, and remembers what it took.

use crate::diagnostic::{Report, import as say};
use crate::foreign::{first_text, plain_word, said, task_status, texts};
use crate::node::{MapEntry, Node, Value};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::task::{RiskFlag, TaskKind, TaskStatus};

/// What had to be done, for one diagnosis of each cause.
#[derive(Default)]
pub(super) struct Repaired {
    statuses: Vec<String>,
    differ: Vec<String>,
    added: BTreeSet<&'static str>,
    odd: BTreeSet<String>,
    extra: BTreeSet<String>,
    is_reshaped: bool,
}

/// The fields of a task by the names that they go under, ours first.
const FIELDS: [(&str, &[&str]); 13] = [
    ("id", &["id", "task_id", "key"]),
    ("status", &["status"]),
    ("type", &["type", "kind"]),
    ("title", &["title", "name", "summary"]),
    ("depends_on", &["depends_on", "dependencies", "deps"]),
    ("goal", &["goal", "description", "objective", "title", "name"]),
    ("non_goals", &["non_goals"]),
    ("context_files", &["context_files"]),
    ("files_expected", &["files_expected", "files", "files_to_change", "affected_files"]),
    ("acceptance_checks", &["acceptance_checks", "checks", "verification", "acceptance"]),
    ("risk_flags", &["risk_flags", "risks"]),
    ("done_when", &["done_when", "definition_of_done"]),
    ("work_item", &["work_item"]),
];
const LISTS: [&str; 7] = [
    "depends_on",
    "non_goals",
    "context_files",
    "files_expected",
    "acceptance_checks",
    "risk_flags",
    "done_when",
];

pub(super) fn plan(
    root: &mut Node,
    in_status: &BTreeMap<String, TaskStatus>,
    found: &mut Repaired,
) {
    let is_list = matches!(root.value, Value::List(_));
    let listed = match &mut root.value {
        Value::List(items) => std::mem::take(items),
        _ => listed(root, found),
    };
    let tasks: Vec<Node> = listed.iter().map(|task| repaired(task, in_status, found)).collect();
    found.is_reshaped |= is_list;
    let project = root.get("project").cloned().filter(|node| matches!(node.value, Value::Map(_)));
    let project = project.map(|node| field("project", node));
    let tasks = field("tasks", Node::plain(Value::List(tasks)));
    root.value = Value::Map(project.into_iter().chain([tasks]).collect());
}

/// A list of tasks, or a map from their ids.
fn listed(root: &Node, found: &mut Repaired) -> Vec<Node> {
    let is_known = |key: &str| matches!(key, "project" | "tasks");
    let extra = root.entries().iter().map(|entry| entry.key.clone()).filter(|key| !is_known(key));
    found.extra.extend(extra);
    let Some(tasks) = root.get("tasks") else { return Vec::new() };
    if let Value::Map(entries) = &tasks.value {
        found.is_reshaped = true;
        let with_id = |entry: &MapEntry| {
            let id = field("id", Node::plain(Value::Text(entry.key.clone())));
            let rest = entry.node.entries().iter().filter(|entry| entry.key != "id").cloned();
            Node::plain(Value::Map([id].into_iter().chain(rest).collect()))
        };
        return entries.iter().map(with_id).collect();
    }
    tasks.items().to_vec()
}

fn repaired(task: &Node, in_status: &BTreeMap<String, TaskStatus>, found: &mut Repaired) -> Node {
    let id = first_text(task, &["id", "task_id", "key"]).unwrap_or_default();
    let mut entries = Vec::new();
    for (name, names) in FIELDS {
        let given = names.iter().find_map(|key| {
            task.get(key).filter(|node| said(node).is_some()).map(|node| (*key, node))
        });
        if let Some((key, _)) = given.filter(|(key, _)| *key != name) {
            found.odd.insert(format!("{key} as {name}"));
        }
        let node = given.map(|(_, node)| node);
        let value = match name {
            "status" => Some(status(&id, node, in_status, found)),
            "type" => kind(node, found),
            "risk_flags" => flags(node, found),
            _ if LISTS.contains(&name) => list(name, node, found),
            _ => node.and_then(said).map(Value::Text),
        };
        let value = value.or_else(|| added(name, &id, task, found));
        entries.extend(value.map(|value| field(name, Node::plain(value))));
    }
    let is_known = |key: &str| FIELDS.iter().any(|(_, names)| names.contains(&key));
    let extra = task.entries().iter().map(|entry| entry.key.clone()).filter(|key| !is_known(key));
    found.extra.extend(extra);
    Node::plain(Value::Map(entries))
}

fn status(
    id: &str,
    node: Option<&Node>,
    in_status: &BTreeMap<String, TaskStatus>,
    found: &mut Repaired,
) -> Value {
    let written = node.and_then(said);
    let other = in_status.get(id).copied();
    let meant = written.as_deref().and_then(task_status);
    let status = meant.or(other).unwrap_or(TaskStatus::NotStarted);
    match (&written, meant) {
        (Some(text), Some(meant)) if text == meant.as_str() => {}
        (Some(text), _) => found.statuses.push(format!("{id} {text:?} is {status}")),
        (None, _) => found.statuses.push(format!("{id} without one is {status}")),
    }
    if let Some(other) = other.filter(|other| *other != status) {
        found.differ.push(format!("{id} is {status}, not {other}"));
    }
    Value::Text(status.as_str().to_owned())
}

fn kind(node: Option<&Node>, found: &mut Repaired) -> Option<Value> {
    let text = said(node?)?;
    let kind = TaskKind::parse(&text).or(match plain_word(&text).as_str() {
        "feature" | "enhancement" => Some(TaskKind::Feat),
        "bug" | "bugfix" | "bug-fix" => Some(TaskKind::Fix),
        "doc" | "documentation" => Some(TaskKind::Docs),
        "tests" | "testing" => Some(TaskKind::Test),
        _ => None,
    });
    if kind.is_none_or(|kind| kind.as_str() != text) {
        let read = kind.map_or("feat", TaskKind::as_str);
        found.odd.insert(format!("type {text:?} as {read}"));
    }
    kind.map(|kind| Value::Text(kind.as_str().to_owned()))
}

fn flags(node: Option<&Node>, found: &mut Repaired) -> Option<Value> {
    let mut known = Vec::new();
    for text in texts(Some(node?)) {
        match RiskFlag::parse(&plain_word(&text)) {
            Some(flag) => known.push(flag.as_str().to_owned()),
            None => {
                found.odd.insert(format!("the risk {text:?} as none"));
            }
        }
    }
    Some(Value::List(known.into_iter().map(text_node).collect()))
}

fn list(name: &'static str, node: Option<&Node>, found: &mut Repaired) -> Option<Value> {
    let node = node?;
    if !matches!(node.value, Value::List(_)) {
        found.odd.insert(format!("{name} as a list"));
    }
    let items = match &node.value {
        Value::List(items) => items.iter().filter_map(entry).collect(),
        _ => texts(Some(node)),
    };
    (!items.is_empty()).then(|| Value::List(items.into_iter().map(text_node).collect()))
}

/// `cmd: x` without quotes is a map of one key.
fn entry(node: &Node) -> Option<String> {
    match node.entries() {
        [one] => Some(format!("{}: {}", one.key, said(&one.node)?)),
        _ => said(node),
    }
}

/// What a plan cannot do without. A check that nobody named is made by a person.
fn added(name: &'static str, id: &str, task: &Node, found: &mut Repaired) -> Option<Value> {
    let title = first_text(task, &["title", "goal", "name", "description"]);
    let text = match name {
        "acceptance_checks" => format!("manual: {} is done", title.as_deref().unwrap_or(id)),
        "files_expected" if task.get("work_item").is_none() => "**".to_owned(),
        _ => return None,
    };
    found.added.insert(name);
    Some(Value::List(vec![text_node(text)]))
}

fn text_node(text: String) -> Node {
    Node::plain(Value::Text(text))
}

fn field(key: &str, node: Node) -> MapEntry {
    MapEntry { key: key.to_owned(), line: None, node }
}

impl Repaired {
    pub fn has_changed(&self) -> bool {
        self.is_reshaped
            || !self.statuses.is_empty()
            || !self.added.is_empty()
            || !self.odd.is_empty()
    }

    pub fn tell(self, file: &str, report: &mut Report) {
        if !self.statuses.is_empty() {
            let words = format!("statuses as the schema has them: {}", self.statuses.join(", "));
            report.push(say::statuses(file, words));
        }
        if !self.differ.is_empty() {
            let words = format!("tasks.yaml counts, not status.json: {}", self.differ.join(", "));
            report.push(say::statuses(file, words));
        }
        if self.is_reshaped {
            report
                .push(say::plan(file, "its tasks are written as a list below `tasks`".to_owned()));
        }
        if !self.odd.is_empty() {
            let odd: Vec<String> = self.odd.into_iter().collect();
            report.push(say::plan(file, format!("read in another way: {}", odd.join(", "))));
        }
        if self.added.contains("acceptance_checks") {
            let words = "a task without acceptance_checks is checked by a person";
            report.push(say::plan(file, words.to_owned()));
        }
        if self.added.contains("files_expected") {
            let words = "a task without files_expected may change every file";
            report.push(say::plan(file, words.to_owned()));
        }
        if !self.extra.is_empty() {
            report.push(say::extra(file, &self.extra.into_iter().collect::<Vec<_>>()));
        }
    }
}
