//! status.json of another orchestrator.

use super::{decisions, first_text, plain_word, said, state_meant, task_status, texts};
use crate::diagnostic::{Report, import as say};
use crate::json_file;
use crate::node::{Node, Value};
use std::collections::BTreeMap;
use tollgate_core::decision::{BlockerCode, CorrectionStatus};
use tollgate_core::import::{ImportedDecision, Repairs};
use tollgate_core::role::{Mode, RepairLoop, State};
use tollgate_core::task::TaskStatus;

/// What it says, as far as it can be understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForeignStatus {
    pub state: Option<State>,
    pub mode: Option<Mode>,
    pub goal: Option<String>,
    pub decisions: Vec<ImportedDecision>,
    pub correction: CorrectionStatus,
    /// By the name of the task, or `meta`.
    pub repairs: BTreeMap<String, Repairs>,
    /// Statuses of tasks that should be in tasks.yaml only.
    pub task_statuses: BTreeMap<String, TaskStatus>,
    pub assumptions: Vec<String>,
    pub known_issues: Vec<String>,
    /// Why it is BLOCKED. None where a gate was not answered: the gate asks again.
    pub blocker: Option<String>,
}

const STATES: [&str; 4] = ["current_state", "state", "phase", "workflow_state"];
const KNOWN: [&str; 24] = [
    "current_state",
    "state",
    "phase",
    "workflow_state",
    "session",
    "assumptions",
    "user_decisions",
    "decisions",
    "gate_tracking",
    "runtime_flags",
    "retry_counts",
    "known_issues",
    "last_ci_result",
    "last_update",
    "schema_version",
    "mode",
    "lean",
    "goal",
    "action",
    "blocker",
    "blockers",
    "resume_state",
    "session_changed_files",
    "ac_results",
];

pub fn status(bytes: &[u8], file: &str) -> (ForeignStatus, Report) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (node, found) = json_file::parse_bytes(bytes, file);
    let Some(root) = node.filter(|node| matches!(node.value, Value::Map(_))) else {
        let cause = found.diagnostics.first().map(|d| match d.line {
            Some(line) => format!("line {line}: {}", d.message),
            None => d.message.clone(),
        });
        let cause = cause.unwrap_or_else(|| "it is no object".to_owned());
        return (ForeignStatus::default(), say::status_unreadable(file, &cause).into());
    };
    let mut report = Report::default();
    let status = ForeignStatus {
        state: state(&root, file, &mut report),
        mode: mode(&root),
        goal: first_text(&root, &["goal"]),
        decisions: decisions::read(
            root.get("user_decisions").or(root.get("decisions")),
            file,
            &mut report,
        ),
        correction: correction(&root),
        repairs: repairs(root.get("retry_counts"), file, &mut report),
        task_statuses: task_statuses(&root, file, &mut report),
        assumptions: texts(root.get("assumptions")),
        known_issues: texts(root.get("known_issues")),
        blocker: blocker(&root),
    };
    let is_extra = |key: &&String| !KNOWN.contains(&key.as_str()) && !is_about_tasks(key);
    let keys = root.entries().iter().map(|entry| &entry.key);
    let extra: Vec<String> = keys.filter(is_extra).cloned().collect();
    if !extra.is_empty() {
        report.push(say::extra(file, &extra));
    }
    (status, report)
}

fn state(root: &Node, file: &str, report: &mut Report) -> Option<State> {
    let found = first_text(root, &STATES);
    let state = found.as_deref().and_then(state_meant);
    match (&found, state) {
        (Some(found), Some(state)) if found != state.as_str() => {
            report.push(say::state_spelled(file, found, state.as_str()));
        }
        (found, None) => report.push(say::state_unknown(file, found.as_deref())),
        (_, Some(_)) => {}
    }
    state
}

fn mode(root: &Node) -> Option<Mode> {
    let word = first_text(root, &["mode"]).map(|word| plain_word(&word));
    let is_lean = root.get("lean").and_then(|lean| match lean.value {
        Value::Bool(flag) => Some(if flag { Mode::Lean } else { Mode::Full }),
        _ => None,
    });
    word.and_then(|word| Mode::parse(&word)).or(is_lean)
}

fn correction(root: &Node) -> CorrectionStatus {
    let gate = root.get("gate_tracking").and_then(|gates| gates.get("APPROVE_DESIGN"));
    let word = gate.and_then(|gate| first_text(gate, &["correction_status"]));
    word.and_then(|word| CorrectionStatus::parse(&plain_word(&word))).unwrap_or_default()
}

fn blocker(root: &Node) -> Option<String> {
    let found = root.get("blocker").or(root.get("blockers"))?;
    let code = first_text(found, &["code", "blocker"]).or_else(|| said(found));
    let is_gate = code.as_deref().and_then(BlockerCode::parse)
        == Some(BlockerCode::MandatoryUserDecisionMissing);
    if is_gate {
        return None;
    }
    let words = ["detail", "reason", "description", "message", "blocker", "code"];
    first_text(found, &words).or_else(|| said(found))
}

fn repairs(node: Option<&Node>, file: &str, report: &mut Report) -> BTreeMap<String, Repairs> {
    let (mut all, mut odd) = (BTreeMap::new(), Vec::new());
    for task in node.map(Node::entries).unwrap_or_default() {
        let mut counts = Repairs::new();
        if !matches!(task.node.value, Value::Map(_)) {
            odd.push(format!("{}: {}", task.key, said(&task.node).unwrap_or_default()));
        }
        for entry in task.node.entries() {
            let name = plain_word(&entry.key).replace('-', "_").to_uppercase();
            let count = match &entry.node.value {
                Value::Number(number) => {
                    number.as_u64().and_then(|count| u32::try_from(count).ok())
                }
                _ => None,
            };
            // More than this was never repaired by anybody.
            match RepairLoop::parse(&name).zip(count.filter(|count| *count <= 1_000)) {
                Some((_, 0)) => {}
                Some((repair, count)) => {
                    counts.insert(repair, count);
                }
                None => odd.push(format!("{} {}", task.key, entry.key)),
            }
        }
        all.insert(task.key.clone(), counts);
    }
    if !odd.is_empty() {
        report.push(say::counters(file, &odd));
    }
    all
}

fn is_about_tasks(key: &str) -> bool {
    key.to_lowercase().starts_with("task")
}

/// By id: as a map, or as a list of entries with an id.
fn task_statuses(root: &Node, file: &str, report: &mut Report) -> BTreeMap<String, TaskStatus> {
    let mut statuses = BTreeMap::new();
    for entry in root.entries().iter().filter(|entry| is_about_tasks(&entry.key)) {
        let before = statuses.len();
        for task in entry.node.entries() {
            let word = match &task.node.value {
                Value::Map(_) => first_text(&task.node, &["status", "state"]),
                _ => said(&task.node),
            };
            statuses.extend(word.as_deref().and_then(task_status).map(|s| (task.key.clone(), s)));
        }
        for task in entry.node.items() {
            let id = first_text(task, &["id", "task_id", "task"]);
            let word = first_text(task, &["status", "state"]);
            statuses.extend(id.zip(word.as_deref().and_then(task_status)));
        }
        if statuses.len() > before {
            report.push(say::statuses_in_status(file, &entry.key));
        }
    }
    statuses
}
