//! What status.json must say beyond its form: times, names, and records that fit their status.

use crate::diagnostic::{Diagnostic, Location, Report, shape as shape_words, status as say};
use crate::node::{Node, Value, pointer};
use crate::shape::{ShapeError, Wrong};
use std::collections::BTreeSet;
use tollgate_core::decision::DecisionStatus;
use tollgate_core::id::{DecisionId, SessionName};
use tollgate_core::role::Role;
use tollgate_core::task::{Strategy, TaskStatus};
use tollgate_core::time::Timestamp;

/// A field that should not be there because it tells of tasks has words of its own.
pub(super) fn words(fault: &ShapeError, root: &Node, path: &str) -> Diagnostic {
    match &fault.wrong {
        Wrong::Unknown { field, .. } if tells_task_status(field, root.nearest(&fault.pointer)) => {
            say::task_status(Location::new(path, &fault.pointer, None), field)
        }
        _ => shape_words::fault(path, fault),
    }
}

fn tells_task_status(key: &str, node: &Node) -> bool {
    let is_about_tasks = key.to_lowercase().starts_with("task");
    is_about_tasks || holds_task_status(node)
}

fn holds_task_status(node: &Node) -> bool {
    match &node.value {
        Value::Text(text) => TaskStatus::parse(text).is_some(),
        Value::List(items) => items.iter().any(holds_task_status),
        Value::Map(entries) => entries.iter().any(|entry| holds_task_status(&entry.node)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Looks at the node, so that it speaks also of a file whose form is wrong elsewhere.
pub(super) fn check(root: &Node, path: &str, report: &mut Report) {
    let rules = StatusRules { root, path };
    if let Some(name) = text(root, "session").filter(|name| SessionName::parse(name).is_err()) {
        report.push(say::session_name(rules.place("/session"), name));
    }
    rules.time("/last_update", root.get("last_update"), report);
    rules.tracking(report);
    rules.decisions(report);
}

struct StatusRules<'a> {
    root: &'a Node,
    path: &'a str,
}

impl StatusRules<'_> {
    fn place(&self, pointer: &str) -> Location {
        Location::new(self.path, pointer, None)
    }

    fn time(&self, pointer: &str, node: Option<&Node>, report: &mut Report) {
        if let Some(found) = node.and_then(Node::as_text)
            && Timestamp::parse(found).is_none()
        {
            report.push(say::time_invalid(self.place(pointer), found));
        }
    }

    fn tracking(&self, report: &mut Report) {
        let checked = "/runtime_flags/copilot_checked_at";
        let flags = self.root.get("runtime_flags");
        self.time(checked, flags.and_then(|flags| flags.get("copilot_checked_at")), report);
        let gate = self.root.get("gate_tracking").and_then(|gates| gates.get("APPROVE_DESIGN"));
        let Some(last) = gate.and_then(|gate| gate.get("last_correction_dispatch")) else { return };
        let below = "/gate_tracking/APPROVE_DESIGN/last_correction_dispatch";
        self.time(&pointer(below, "at"), last.get("at"), report);
        if let Some(role) = text(last, "agent").and_then(Role::parse)
            && !makes_design(role)
        {
            let at = self.place(&pointer(below, "agent"));
            report.push(say::correction_agent(at, role.as_str()));
        }
    }

    fn decisions(&self, report: &mut Report) {
        let records = self.root.get("user_decisions").map(Node::items).unwrap_or_default();
        let mut seen = BTreeSet::new();
        for (index, record) in records.iter().enumerate() {
            let below = pointer("/user_decisions", index);
            let at = |key: &str| pointer(&below, key);
            self.time(&at("asked_at"), record.get("asked_at"), report);
            self.time(&at("resolved_at"), record.get("resolved_at"), report);
            let id = text(record, "decision_id").unwrap_or_default();
            if DecisionId::parse(id).is_err() && record.get("decision_id").is_some() {
                report.push(say::decision_id(self.place(&at("decision_id")), id));
            } else if !seen.insert(id) {
                report.push(say::decision_twice(self.place(&at("decision_id")), id));
            }
            if let Some(status) = text(record, "status").and_then(DecisionStatus::parse) {
                for rule in broken_rules(record, status) {
                    let place = self.place(&below);
                    report.push(say::decision_invalid(place, id, status.as_str(), rule));
                }
                if status == DecisionStatus::Answered {
                    self.answer(id, record, &at("answer"), report);
                }
            }
        }
    }

    fn answer(&self, id: &str, record: &Node, at: &str, report: &mut Report) {
        let Some(answer) = text(record, "answer").filter(|answer| !answer.trim().is_empty()) else {
            return;
        };
        let (fits, forms) = match id {
            "UD-APPROVE-DESIGN" => (
                answer.starts_with("approved") || answer.starts_with("changes-requested:"),
                "approved… or changes-requested: …",
            ),
            "UD-REVIEW-STRATEGY" => {
                let fits =
                    Strategy::parse(answer).is_some() || answer.starts_with("changes-requested:");
                (fits, "per-batch, single-final or changes-requested: …")
            }
            _ => return,
        };
        if !fits {
            report.push(say::answer_not_canonical(self.place(at), id, answer, forms));
        }
    }
}

/// The validity table: what the status of a record demands of its other fields.
fn broken_rules(record: &Node, status: DecisionStatus) -> Vec<&'static str> {
    let is_set = |key: &str| record.get(key).is_some_and(|node| node.value != Value::Null);
    let says = |key: &str| text(record, key).is_some_and(|text| !text.trim().is_empty());
    let table: &[(bool, &str)] = match status {
        DecisionStatus::Pending => &[
            (is_set("answer"), "it has an answer"),
            (is_set("resolved_at"), "resolved_at is set"),
            (is_set("resolution_reason"), "resolution_reason is set"),
        ],
        DecisionStatus::Answered => &[
            (!says("answer"), "its answer is empty"),
            (!is_set("resolved_at"), "resolved_at is not set"),
        ],
        DecisionStatus::Cancelled | DecisionStatus::Skipped => &[
            (!is_set("resolved_at"), "resolved_at is not set"),
            (!says("resolution_reason"), "its resolution_reason is empty"),
        ],
    };
    table.iter().filter(|(is_broken, _)| *is_broken).map(|(_, rule)| *rule).collect()
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::as_text)
}

/// Whom status.json may name as the last to correct the design.
pub fn makes_design(role: Role) -> bool {
    matches!(role, Role::SpecAgent | Role::Architect | Role::Designer)
}
