//! tasks.yaml of another orchestrator.

mod repair;
mod write;

use crate::diagnostic::{Report, import as say};
use crate::node::{Node, read_yaml};
use crate::tasks;
use std::collections::BTreeMap;
use tollgate_core::id::TaskId;
use tollgate_core::task::{TaskSpec, TaskStatus};

/// A plan that can be carried out, and the text that it is kept as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignPlan {
    pub text: String,
    pub tasks: Vec<TaskSpec>,
    pub statuses: BTreeMap<TaskId, TaskStatus>,
}

/// Which folder became which: a plan names files of its session by their paths.
#[derive(Debug, Clone, Copy)]
pub struct Renamed<'a> {
    pub from: &'a str,
    pub to: &'a str,
}

pub fn plan(
    text: &str,
    renamed: Renamed<'_>,
    in_status: &BTreeMap<String, TaskStatus>,
) -> (Option<ForeignPlan>, Report) {
    const FILE: &str = "tasks.yaml";
    let mut report = Report::default();
    let text = in_new_folder(text.trim_start_matches('\u{feff}'), renamed, FILE, &mut report);
    let mut root = match read_yaml(&text) {
        Ok(root) => root,
        Err(fault) => {
            report.push(say::plan_unreadable(FILE, fault.line, &fault.message, 0));
            return (None, report);
        }
    };
    let mut repaired = repair::Repaired::default();
    repair::plan(&mut root, in_status, &mut repaired);
    let statuses = statuses(&root);
    let text = match tasks::read(&text, FILE).0 {
        // It is kept as its author wrote it.
        Some(_) if !repaired.has_changed() => text,
        _ => write::yaml(&root),
    };
    let (read, found) = tasks::read(&text, FILE);
    let Some(read) = read else {
        let errors = found.errors().count();
        let first = found.errors().next();
        let cause = first.map(|d| d.message.clone()).unwrap_or_default();
        report.push(say::plan_unreadable(FILE, None, &cause, errors.saturating_sub(1)));
        return (None, report);
    };
    repaired.tell(FILE, &mut report);
    (Some(ForeignPlan { text, tasks: read.tasks, statuses }), report)
}

/// Paths below the old folder name nothing that an agent of the new session can see.
fn in_new_folder(text: &str, renamed: Renamed<'_>, file: &str, report: &mut Report) -> String {
    let (from, to) = (format!("{}/", renamed.from), format!("{}/", renamed.to));
    let changed = text.replace(&from, &to).replace(".agents-work/<session>/", &to);
    if changed != text {
        report.push(say::paths(file, renamed.from, renamed.to));
    }
    changed
}

fn statuses(root: &Node) -> BTreeMap<TaskId, TaskStatus> {
    let tasks = root.get("tasks").map(Node::items).unwrap_or_default();
    let status = |task: &Node| {
        let id = super::first_text(task, &["id"]).and_then(|id| TaskId::parse(&id).ok());
        let status = task.get("status").and_then(Node::as_text).and_then(TaskStatus::parse);
        id.zip(status)
    };
    tasks.iter().filter_map(status).collect()
}
