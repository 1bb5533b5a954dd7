//! Reads tasks.yaml: tolerant of how people and agents write, strict about what the plan must say.

mod edit;
mod replace;
mod rules;
pub mod wire;

pub use edit::set_statuses;
pub use replace::replace_check;
pub use wire::TasksFile;

use crate::diagnostic::{Report, shape as words, tasks as say};
use crate::json_file::typed_loosely;
use crate::node::{Node, Value, pointer, read_yaml};
use crate::shape::{ShapeError, Wrong};
use std::collections::BTreeMap;
use tollgate_core::id::TaskId;
use tollgate_core::task::TaskSpec;

/// A plan that can be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRead {
    pub project_name: Option<String>,
    pub definition_of_done: Vec<String>,
    pub tasks: Vec<TaskSpec>,
    /// As written in the file.
    pub statuses: BTreeMap<TaskId, String>,
}

/// The plan when there is no error; warnings may come with it.
pub fn read(text: &str, path: &str) -> (Option<PlanRead>, Report) {
    let mut report = Report::default();
    let mut node = match read_yaml(text) {
        Ok(node) => node,
        Err(fault) => {
            return (None, words::yaml_syntax(path, &fault.message, fault.line).into());
        }
    };
    forgive(&mut node, path, &mut report);
    let say = |fault: &ShapeError| special_words(fault, &node, path);
    let file = typed_loosely::<TasksFile>(&node, path, &mut report, say);
    rules::check(&node, path, &mut report);
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    report.tell_once();
    let plan = file.filter(|_| report.is_ok()).and_then(wire::plan);
    (plan, report)
}

/// The statuses as written, whatever else the file says; none when it does not parse.
pub fn statuses_as_written(text: &str) -> Option<BTreeMap<TaskId, String>> {
    let mut node = read_yaml(text).ok()?;
    let mut statuses = BTreeMap::new();
    for task in node.get_mut("tasks").map(Node::items_mut).unwrap_or_default() {
        if let Some(id) = task.get_mut("id") {
            number_as_text(id);
        }
        let text = |key: &str| task.get(key).and_then(Node::as_text);
        let id = text("id").and_then(|id| TaskId::parse(id).ok());
        if let (Some(id), Some(status)) = (id, text("status")) {
            statuses.insert(id, status.to_owned());
        }
    }
    Some(statuses)
}

/// Reads what is meant where YAML makes something else of it: unquoted checks, bare numbers as ids.
fn forgive(node: &mut Node, path: &str, report: &mut Report) {
    let Some(tasks) = node.get_mut("tasks") else { return };
    for (index, task) in tasks.items_mut().iter_mut().enumerate() {
        if let Some(id) = task.get_mut("id") {
            number_as_text(id);
        }
        let id = task.get("id").and_then(Node::as_text).unwrap_or_default().to_owned();
        for other in task.get_mut("depends_on").map(Node::items_mut).unwrap_or_default() {
            number_as_text(other);
        }
        let checks = task.get_mut("acceptance_checks").map(Node::items_mut).unwrap_or_default();
        for (entry, check) in checks.iter_mut().enumerate() {
            let Some(text) = unquoted_check(check) else { continue };
            let at = pointer(&pointer(&pointer("/tasks", index), "acceptance_checks"), entry);
            let at = say::PlanLocation { file: path, pointer: &at, line: check.line, id: &id };
            report.push(say::check_unquoted(&at, &text));
            check.value = Value::Text(text);
        }
    }
}

fn number_as_text(node: &mut Node) {
    if let Value::Number(number) = &node.value {
        node.value = Value::Text(number.to_string());
    }
}

/// `cmd: x` written without quotes is a mapping of one key.
fn unquoted_check(check: &Node) -> Option<String> {
    let [entry] = check.entries() else { return None };
    let rest = match &entry.node.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::List(_) | Value::Map(_) => return None,
    };
    matches!(entry.key.as_str(), "cmd" | "manual").then(|| format!("{}: {rest}", entry.key))
}

/// Statuses, types and missing checks have words of their own, with the task's name.
fn special_words(fault: &ShapeError, root: &Node, path: &str) -> crate::diagnostic::Diagnostic {
    let steps: Vec<&str> = fault.pointer.split('/').skip(1).collect();
    let ["tasks", index, rest @ ..] = steps.as_slice() else {
        return match (steps.as_slice(), &fault.wrong) {
            (["tasks"], Wrong::Empty) => say::none(&at(path, fault, "")),
            ([], Wrong::Missing { field }) if field == "tasks" => say::none(&at(path, fault, "")),
            ([], Wrong::Type { .. }) if root.value == Value::Null => {
                say::none(&at(path, fault, ""))
            }
            _ => words::extra_fault(path, fault),
        };
    };
    let task = root.nearest(&format!("/tasks/{index}"));
    let id = task.get("id").and_then(Node::as_text).unwrap_or_default();
    match (rest, &fault.wrong) {
        (["status"], Wrong::Value { found, allowed }) => {
            say::status_unknown(&at(path, fault, id), found, allowed)
        }
        (["type"], Wrong::Value { found, allowed }) => {
            say::kind_unknown(&at(path, fault, id), found, allowed)
        }
        (["acceptance_checks"], Wrong::Empty) => say::no_check(&at(path, fault, id)),
        ([], Wrong::Missing { field }) if field == "acceptance_checks" => {
            say::no_check(&at(path, fault, id))
        }
        _ => words::extra_fault(path, fault),
    }
}

fn at<'a>(file: &'a str, fault: &'a ShapeError, id: &'a str) -> say::PlanLocation<'a> {
    say::PlanLocation { file, pointer: &fault.pointer, line: fault.line, id }
}

#[cfg(test)]
mod tests;
