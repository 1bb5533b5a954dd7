//! Reads the session files of another orchestrator: what they mean is kept, whatever form they have.

mod criteria;
mod decisions;
mod plan;
mod status;

pub use criteria::criteria;
pub use plan::{ForeignPlan, Renamed, plan};
pub use status::{ForeignStatus, status};

use crate::diagnostic::{Diagnostic, Report, import as say};
use crate::node::{Node, Value};
use crate::sections;
use tollgate_core::role::{Mode, State};
use tollgate_core::task::TaskStatus;

/// What could not be taken along.
pub fn left_out(path: &str, why: &str) -> Diagnostic {
    say::left_out(path, why)
}

pub fn status_missing(file: &str) -> Diagnostic {
    say::status_missing(file)
}

pub fn status_unreadable(file: &str, cause: &str) -> Diagnostic {
    say::status_unreadable(file, cause)
}

/// Sections that a document lacks; it is taken over all the same.
pub fn document(name: &str, text: &str, mode: Mode) -> Report {
    let found = match name {
        "spec.md" => sections::check_spec(text, name, mode),
        "architecture.md" => sections::check_architecture(text, name),
        "report.md" => sections::check_report(text, name),
        _ => Report::default(),
    };
    let lacks: Vec<&str> = found.diagnostics.iter().map(|d| d.message.as_str()).collect();
    match lacks.is_empty() {
        true => Report::default(),
        false => say::document(name, &lacks.join("; ")).into(),
    }
}

/// What a session is for, as its specification says it: the text below its goal, or its title.
pub fn goal(spec: &str) -> Option<String> {
    let mut lines = spec.lines().map(str::trim);
    let title = lines.clone().find_map(|line| line.strip_prefix("# ")).map(str::to_owned);
    let is_goal = |line: &str| {
        line.starts_with('#')
            && matches!(
                sections::plain_name(line.trim_start_matches('#')).as_str(),
                "goal" | "goals"
            )
    };
    lines.find(|line| is_goal(line));
    let text = |line: &&str| !line.is_empty() && !line.starts_with("<!--");
    let below = lines.find(text).filter(|line| !line.starts_with('#'));
    let below = below.map(|line| line.trim_start_matches(['-', '*', ' ']).to_owned());
    below.or(title).filter(|goal| !goal.is_empty())
}

/// A status of a task as people spell it.
fn task_status(text: &str) -> Option<TaskStatus> {
    let word = plain_word(text);
    TaskStatus::parse(&word).or(match word.as_str() {
        "done" | "complete" | "finished" | "closed" | "approved" => Some(TaskStatus::Completed),
        "todo" | "to-do" | "pending" | "open" | "ready" | "planned" | "new" => {
            Some(TaskStatus::NotStarted)
        }
        "doing" | "wip" | "started" | "active" => Some(TaskStatus::InProgress),
        "review" | "in-review" | "coded" | "implementation-complete" => {
            Some(TaskStatus::Implemented)
        }
        "failed" | "stuck" | "on-hold" => Some(TaskStatus::Blocked),
        _ => None,
    })
}

/// However it is spelled.
fn state_meant(text: &str) -> Option<State> {
    State::parse(&plain_word(text).replace('-', "_").to_uppercase())
}

/// `In Progress`, `in_progress` and `in-progress` are one word.
fn plain_word(text: &str) -> String {
    text.trim().to_lowercase().replace(['_', ' '], "-")
}

/// The text of the first of these fields that says something.
fn first_text(node: &Node, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| node.get(key).and_then(said))
}

/// Texts, and what else fits into one line.
fn said(node: &Node) -> Option<String> {
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null => return None,
        Value::List(_) | Value::Map(_) => node.to_json().to_string(),
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn texts(node: Option<&Node>) -> Vec<String> {
    match node.map(|node| &node.value) {
        Some(Value::List(items)) => items.iter().filter_map(said).collect(),
        Some(_) => node.and_then(said).into_iter().collect(),
        None => Vec::new(),
    }
}

/// `1 decision`, `3 decisions`.
fn counted(count: usize, what: &str) -> String {
    tollgate_core::count::counted(count, what)
}

#[cfg(test)]
mod tests;
