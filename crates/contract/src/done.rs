//! Whether a session that says DONE is done: its documents held against each other, whoever wrote them.

use crate::diagnostic::{Report, done as say};
use crate::node::{Node, Value, pointer, read_json};
use crate::tasks;
use tollgate_core::role::State;
use tollgate_core::task::TaskStatus;

/// The texts of a session folder that tell whether it is done.
#[derive(Debug, Clone, Copy)]
pub struct SessionTexts<'a> {
    /// The folder, as it is shown.
    pub folder: &'a str,
    pub status: &'a str,
    pub tasks: Option<&'a str>,
    pub acceptance: Option<&'a str>,
    pub has_report: bool,
    /// Repairs that one loop of a task may have.
    pub repairs_max: u32,
}

/// Each thing that a session which says DONE still has open. What cannot be read is told by its own check.
pub fn check(session: SessionTexts<'_>) -> Report {
    let mut report = Report::default();
    let Ok(status) = read_json(session.status) else { return report };
    if text(&status, "current_state").and_then(State::parse) != Some(State::Done) {
        return report;
    }
    let file = |name: &str| format!("{}/{name}", session.folder.trim_end_matches('/'));
    let statuses = session.tasks.and_then(tasks::statuses_as_written).unwrap_or_default();
    for (id, found) in &statuses {
        if TaskStatus::parse(found) != Some(TaskStatus::Completed) {
            report.push(say::open_task(&file("tasks.yaml"), id.as_str(), found));
        }
    }
    let decisions = status.get("user_decisions").map(Node::items).unwrap_or_default();
    for decision in decisions.iter().filter(|one| text(one, "status") == Some("pending")) {
        let id = text(decision, "decision_id").or(text(decision, "id")).unwrap_or("without an id");
        report.push(say::pending_decision(&file("status.json"), id));
    }
    criteria(&status, session, &file("status.json"), &mut report);
    loops(&status, session.repairs_max, &file("status.json"), &mut report);
    if !session.has_report {
        report.push(say::no_report(session.folder));
    }
    report
}

/// Without any result on record nobody can tell; with some, every criterion has one.
fn criteria(status: &Node, session: SessionTexts<'_>, file: &str, report: &mut Report) {
    let Some(results) = status.get("ac_results").map(Node::items) else { return };
    let acceptance = session.acceptance.and_then(|text| read_json(text).ok());
    let listed = acceptance.as_ref().and_then(|root| root.get("acceptance_criteria"));
    let known = listed.map(Node::items).unwrap_or_default().iter().chain(results);
    let mut told = std::collections::BTreeSet::new();
    for id in known.filter_map(|criterion| text(criterion, "id")) {
        let result = results.iter().find(|result| text(result, "id") == Some(id));
        let found = result.and_then(|result| text(result, "result")).unwrap_or("open");
        if !matches!(found, "met" | "waived") && told.insert(id) {
            report.push(say::unmet(file, id, found));
        }
    }
}

fn loops(status: &Node, most: u32, file: &str, report: &mut Report) {
    for task in status.get("retry_counts").map(Node::entries).unwrap_or_default() {
        for repair in task.node.entries() {
            if let Value::Number(count) = &repair.node.value
                && count.as_u64().is_some_and(|count| count > u64::from(most))
            {
                let at = pointer(&pointer("/retry_counts", &task.key), &repair.key);
                let count = count.to_string();
                report.push(say::loop_exceeded(file, &at, &task.key, &repair.key, &count, most));
            }
        }
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::as_text)
}
