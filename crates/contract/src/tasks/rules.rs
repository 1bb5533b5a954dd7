//! What a plan must say beyond its form: ids, dependencies, scope, checks.

use crate::cycle::find_cycle;
use crate::diagnostic::action::pattern_invalid;
use crate::diagnostic::agent_input::session_placeholder;
use crate::diagnostic::tasks::PlanLocation;
use crate::diagnostic::{Location, Report, tasks as say};
use crate::node::{Node, Value, pointer};
use std::collections::{BTreeMap, BTreeSet};
use tollgate_core::id::TaskId;
use tollgate_core::limits::TASKS_MAX;
use tollgate_core::task::Check;
use tollgate_judge::globs::PathRules;

/// Looks at the node, so that it speaks also of a plan whose form is wrong elsewhere.
pub(super) fn check(root: &Node, file: &str, report: &mut Report) {
    let Some(tasks) = root.get("tasks") else { return };
    let at = PlanLocation { file, pointer: "/tasks", line: tasks.line, id: "" };
    let tasks = tasks.items();
    if tasks.len() > TASKS_MAX {
        report.push(say::too_many(&at, tasks.len(), TASKS_MAX));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, task) in tasks.iter().enumerate() {
        // What it is instead is told already.
        if !matches!(task.value, Value::Map(_)) {
            continue;
        }
        let here = TaskNode { file, at: pointer("/tasks", index), node: task };
        here.id(&mut seen, report);
        here.words(report);
        here.scope(report);
        here.paths(report);
        here.checks(report);
    }
    dependencies(tasks, file, report);
}

struct TaskNode<'a> {
    file: &'a str,
    at: String,
    node: &'a Node,
}

impl<'a> TaskNode<'a> {
    fn at(&'a self) -> PlanLocation<'a> {
        PlanLocation {
            file: self.file,
            pointer: &self.at,
            line: self.node.line,
            id: name(self.node),
        }
    }

    fn id(&self, seen: &mut BTreeSet<&'a str>, report: &mut Report) {
        let Some(id) = self.node.get("id") else { return };
        let Some(text) = id.as_text().filter(|text| !text.trim().is_empty()) else { return };
        let at = PlanLocation { line: id.line, ..self.at() };
        match TaskId::parse(text) {
            Err(_) => report.push(say::id_invalid(&at, text)),
            Ok(parsed) if !parsed.is_canonical() => report.push(say::id_odd(&at)),
            Ok(_) => {}
        }
        if !seen.insert(text) {
            report.push(say::id_twice(&at));
        }
    }

    fn words(&self, report: &mut Report) {
        if !says_something(self.node.get("title")) {
            report.push(say::no_title(&self.at()));
        }
        if !says_something(self.node.get("done_when")) {
            report.push(say::no_done_when(&self.at()));
        }
        if self.node.get("type").is_none_or(|kind| kind.value == Value::Null) {
            report.push(say::no_kind(&self.at()));
        }
    }

    fn scope(&self, report: &mut Report) {
        let files = self.node.get("files_expected");
        let is_given = files.is_some_and(|files| {
            // A value that is no list is reported as such and not a second time.
            !matches!(files.value, Value::Null | Value::List(_)) || says_something(Some(files))
        });
        if !is_given && !says_something(self.node.get("work_item")) {
            let line = files.map_or(self.node.line, |files| files.line);
            report.push(say::no_scope(&PlanLocation { line, ..self.at() }));
        }
    }

    /// Patterns that can be read, and no placeholder where a path is meant.
    fn paths(&self, report: &mut Report) {
        let list = |key: &str| self.node.get(key).map(Node::items).unwrap_or_default();
        let work_item = self.node.get("work_item");
        for node in list("files_expected").iter().chain(work_item) {
            let Some(text) = node.as_text().filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            for bad in PathRules::new(&[text]).err().unwrap_or_default() {
                report.push(pattern_invalid(self.file, node.line, text, &bad.cause));
            }
        }
        for node in list("context_files") {
            if let Some(text) = node.as_text().filter(|text| text.contains("<session>")) {
                let at = Location::file(self.file, node.line);
                report.push(session_placeholder(at, text));
            }
        }
    }

    fn checks(&self, report: &mut Report) {
        let Some(checks) = self.node.get("acceptance_checks") else { return };
        for check in checks.items() {
            let Some(text) = check.as_text() else { continue };
            let (Check::Command(said) | Check::Manual(said) | Check::Test(said)) =
                Check::from(text.to_owned());
            if said.is_empty() {
                report
                    .push(say::check_empty(&PlanLocation { line: check.line, ..self.at() }, text));
            }
        }
    }
}

fn dependencies(tasks: &[Node], file: &str, report: &mut Report) {
    let known: Vec<&str> = tasks.iter().map(name).filter(|id| !id.is_empty()).collect();
    let mut waits: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut first_line = None;
    for (index, task) in tasks.iter().enumerate() {
        let at = pointer(&pointer("/tasks", index), "depends_on");
        for other in task.get("depends_on").map(Node::items).unwrap_or_default() {
            let Some(text) = other.as_text() else { continue };
            let at = PlanLocation { file, pointer: &at, line: other.line, id: name(task) };
            if report.is_full() {
                return;
            }
            if known.contains(&text) {
                first_line = first_line.or(other.line);
                waits.entry(name(task)).or_default().push(text);
            } else {
                report.push(say::dependency_unknown(&at, text, &known));
            }
        }
    }
    if let Some(cycle) = find_cycle(&waits) {
        let start = tasks.iter().find(|task| Some(&name(task)) == cycle.first());
        let line = start.and_then(|task| task.get("depends_on")).map_or(first_line, |d| d.line);
        let at = PlanLocation { file, pointer: "/tasks", line, id: "" };
        report.push(say::dependency_cycle(&at, &cycle));
    }
}

fn name(task: &Node) -> &str {
    task.get("id").and_then(Node::as_text).unwrap_or_default()
}

/// A text that is not blank, or a list with such a text in it.
fn says_something(node: Option<&Node>) -> bool {
    match node.map(|node| &node.value) {
        Some(Value::Text(text)) => !text.trim().is_empty(),
        Some(Value::List(items)) => items.iter().any(|item| says_something(Some(item))),
        Some(Value::Number(_) | Value::Bool(_)) => true,
        _ => false,
    }
}
