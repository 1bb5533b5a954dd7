//! The entry of tasks.yaml that a work item makes.

use super::item_path;
use crate::work_item::{AcceptanceCriterion, TaskItem, WorkItem, quoted};
use std::collections::BTreeSet;
use tollgate_core::id::TaskId;
use tollgate_core::task::{Check, ItemTerms, RiskFlag, TaskKind, TaskSpec};

/// The task of a new work item; none for a refinement.
pub(super) fn new(id: &str, item: &WorkItem, active: &BTreeSet<&str>) -> Option<TaskSpec> {
    let empty = TaskSpec {
        id: TaskId::parse(id).ok()?,
        kind: TaskKind::Feat,
        title: item.title.clone().unwrap_or_else(|| id.to_owned()),
        goal: String::new(),
        depends_on: Vec::new(),
        non_goals: Vec::new(),
        context_files: Vec::new(),
        files_expected: Vec::new(),
        acceptance_checks: Vec::new(),
        risk_flags: Vec::new(),
        done_when: Vec::new(),
        work_item: Some(item_path(id)),
        in_scope: Vec::new(),
        out_of_scope: Vec::new(),
        overlaps: Vec::new(),
        item: ItemTerms::default(),
    };
    item.as_task().map(|_| follow(&empty, None, item, active))
}

/// The task with everything that its work item says; what only the plan says, and the item did not say before, stays.
pub(super) fn follow(
    task: &TaskSpec,
    was: Option<&WorkItem>,
    item: &WorkItem,
    active: &BTreeSet<&str>,
) -> TaskSpec {
    let Some(body) = item.as_task() else { return task.clone() };
    let waits = |item: &WorkItem| -> Vec<TaskId> {
        let named = item.blocked_by.iter().filter(|id| active.contains(id.as_str()));
        named.filter_map(|id| TaskId::parse(id).ok()).collect()
    };
    let said_waits = was.map(waits).unwrap_or_default();
    let said = was.and_then(WorkItem::as_task).map(|body| checks(&body.criteria));
    TaskSpec {
        goal: body.objective.clone(),
        depends_on: with_own(waits(item), &said_waits, &task.depends_on),
        non_goals: non_goals(body),
        files_expected: body.in_scope.clone(),
        acceptance_checks: with_own(
            checks(&body.criteria),
            &said.unwrap_or_default(),
            &task.acceptance_checks,
        ),
        // A flag that is lost weakens a gate: an update only adds to them.
        risk_flags: with_own(risk_flags(&item.labels), &[], &task.risk_flags),
        done_when: body.criteria.iter().map(|criterion| criterion.text.clone()).collect(),
        ..task.clone()
    }
}

/// What the item says now, and of what the plan has whatever did not come from the item.
fn with_own<T: Clone + PartialEq>(now: Vec<T>, said: &[T], in_plan: &[T]) -> Vec<T> {
    let mut all: Vec<T> = in_plan.iter().filter(|entry| !said.contains(entry)).cloned().collect();
    all.retain(|entry| !now.contains(entry));
    now.into_iter().chain(all).collect()
}

fn non_goals(body: &TaskItem) -> Vec<String> {
    let lines = body.constraint_lines();
    match lines.as_slice() {
        [only] if only.trim_end_matches('.').eq_ignore_ascii_case("none") => Vec::new(),
        _ => lines,
    }
}

/// How a criterion is checked, where it says so.
pub(super) fn check_of(criterion: &AcceptanceCriterion) -> Option<Check> {
    let text = criterion.text.trim();
    let is_check = text.starts_with("cmd:") || text.starts_with("manual:");
    match (is_check, &criterion.test) {
        (true, _) => Some(Check::from(text.to_owned())),
        (false, Some(path)) => Some(Check::Test(path.clone())),
        (false, None) => None,
    }
}

/// What says how it is checked; where nothing does, every criterion stands for itself: a plan needs a check.
fn checks(criteria: &[AcceptanceCriterion]) -> Vec<Check> {
    let told: Vec<Check> = criteria.iter().filter_map(check_of).collect();
    match told.is_empty() {
        true => criteria.iter().map(|criterion| Check::Manual(criterion.text.clone())).collect(),
        false => told,
    }
}

/// `risk:security` is a label of the author's own that flags the task; other words after `risk:` are theirs alone.
fn risk_flags(labels: &[String]) -> Vec<String> {
    let told = labels.iter().filter_map(|label| RiskFlag::parse(label.strip_prefix("risk:")?));
    told.filter(|flag| *flag != RiskFlag::None).map(|flag| flag.to_string()).collect()
}

/// The lines of an entry, its mark `indent` columns from the left.
pub(super) fn written(task: &TaskSpec, status: &str, indent: usize) -> String {
    let ids: Vec<&str> = task.depends_on.iter().map(TaskId::as_str).collect();
    let checks: Vec<String> = task.acceptance_checks.iter().map(Check::to_string).collect();
    let mut lines = vec![
        format!("- id: {}", task.id),
        format!("  status: {status}"),
        format!("  type: {}", task.kind),
        format!("  title: {}", quoted(&task.title)),
        format!("  depends_on: [{}]", ids.join(", ")),
        format!("  goal: {}", quoted(&task.goal)),
    ];
    let lists = [
        ("non_goals", &task.non_goals),
        ("context_files", &task.context_files),
        ("files_expected", &task.files_expected),
        ("acceptance_checks", &checks),
        ("risk_flags", &task.risk_flags),
        ("done_when", &task.done_when),
    ];
    for (name, list) in lists {
        match list.is_empty() {
            true => lines.push(format!("  {name}: []")),
            false => {
                lines.push(format!("  {name}:"));
                lines.extend(list.iter().map(|text| format!("    - {}", quoted(text))));
            }
        }
    }
    lines.extend(task.work_item.as_ref().map(|path| format!("  work_item: {}", quoted(path))));
    let margin = " ".repeat(indent);
    lines.iter().map(|line| format!("{margin}{line}\n")).collect()
}
