//! Takes tasks out of tasks.yaml, changes them and adds them, without touching anything else in it.

use super::entry;
use crate::diagnostic::{Report, plan as say};
use crate::node::{Node, read_yaml};
use crate::tasks::{self, PlanRead};
use tollgate_core::id::TaskId;
use tollgate_core::task::{TaskSpec, TaskStatus};

#[derive(Debug, Default)]
pub(super) struct PlanChange {
    pub removed: Vec<TaskId>,
    pub replaced: Vec<TaskSpec>,
    pub added: Vec<TaskSpec>,
}

/// Where a new list puts its marks.
const INDENT: usize = 2;

/// The text after the change. It is read again, and anything but exactly the change is refused.
pub(super) fn edited(
    text: Option<&str>,
    plan: Option<&PlanRead>,
    change: &PlanChange,
) -> Result<String, Report> {
    let is_same =
        change.removed.is_empty() && change.replaced.is_empty() && change.added.is_empty();
    let (Some(text), Some(plan)) = (text, plan) else {
        let entries = change.added.iter().map(|task| first_written(task, INDENT));
        let text = format!("tasks:\n{}", entries.collect::<String>());
        return verified(text, &change.added, None);
    };
    if is_same {
        return Ok(text.to_owned());
    }
    let refuse = |cause: &str| Report::from(say::edit_unsafe(cause));
    let entries = Entries::find(text).ok_or_else(|| refuse("the tasks are not a plain list"))?;
    let status = |id: &TaskId| plan.statuses.get(id).map_or("not-started", String::as_str);
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    if let Some(last) = lines.last_mut().filter(|line| !line.ends_with('\n')) {
        last.push('\n');
    }
    let added: String =
        change.added.iter().map(|task| first_written(task, entries.indent)).collect();
    let end = entries.places.last().map_or(lines.len(), |(_, _, end)| *end);
    lines.insert(end, added);
    for (id, start, end) in entries.places.iter().rev() {
        let replaced = change.replaced.iter().find(|task| task.id.as_str() == id.as_str());
        if let Some(task) = replaced {
            let written = entry::written(task, status(&task.id), entries.indent);
            lines.splice(*start..*end, [written]);
        } else if change.removed.iter().any(|gone| gone.as_str() == id.as_str()) {
            lines.drain(*start..*end);
        }
    }
    let kept = plan.tasks.iter().filter(|task| !change.removed.contains(&task.id));
    let now = |task: &TaskSpec| {
        let replaced = change.replaced.iter().find(|other| other.id == task.id);
        replaced.unwrap_or(task).clone()
    };
    let wanted: Vec<TaskSpec> = kept.map(now).chain(change.added.iter().cloned()).collect();
    verified(lines.concat(), &wanted, Some(plan))
}

fn first_written(task: &TaskSpec, indent: usize) -> String {
    entry::written(task, TaskStatus::NotStarted.as_str(), indent)
}

fn verified(
    text: String,
    wanted: &[TaskSpec],
    before: Option<&PlanRead>,
) -> Result<String, Report> {
    let (plan, report) = tasks::read(&text, "tasks.yaml");
    let Some(plan) = plan else { return Err(report) };
    let is_kept = before.is_none_or(|before| {
        let mut statuses = before.statuses.iter();
        plan.project_name == before.project_name
            && plan.definition_of_done == before.definition_of_done
            && statuses.all(|(id, status)| plan.statuses.get(id).is_none_or(|now| now == status))
    });
    match plan.tasks == wanted && is_kept {
        true => Ok(text),
        false => Err(say::edit_unsafe("something else would change with them").into()),
    }
}

/// The entries of a block list: their ids, and the lines from and to which they reach.
struct Entries {
    indent: usize,
    places: Vec<(String, usize, usize)>,
}

impl Entries {
    fn find(text: &str) -> Option<Self> {
        let root = read_yaml(text).ok()?;
        let tasks = root.get("tasks")?.items();
        let lines: Vec<&str> = text.lines().collect();
        let indent_of = |line: &str| line.len() - line.trim_start().len();
        let mut starts = Vec::new();
        for task in tasks {
            let line = usize::try_from(task.line?).ok()?.checked_sub(1)?;
            let is_mark =
                |at: &usize| lines.get(*at).is_some_and(|l| l.trim_start().starts_with('-'));
            starts.push((id_of(task)?, Some(line).filter(is_mark)?));
        }
        let indent = indent_of(lines.get(starts.first()?.1)?);
        let is_ours = |(_, at): &(String, usize)| indent_of(lines[*at]) == indent;
        if !starts.iter().all(is_ours) {
            return None;
        }
        let is_after = |line: &&str| {
            let is_content = !line.trim().is_empty() && !line.trim_start().starts_with('#');
            is_content && indent_of(line) <= indent && !line.trim_start().starts_with("- ")
        };
        let last = starts.last()?.1;
        let below = lines.iter().skip(last + 1).position(is_after);
        let list_end = below.map_or(lines.len(), |more| last + 1 + more);
        let is_beside = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        let places = starts.iter().enumerate().map(|(index, (id, start))| {
            let mut end = starts.get(index + 1).map_or(list_end, |(_, next)| *next);
            // A comment above an entry belongs to that entry.
            while end > start + 1 && is_beside(lines[end - 1]) {
                end -= 1;
            }
            (id.clone(), *start, end)
        });
        Some(Self { indent, places: places.collect() })
    }
}

fn id_of(task: &Node) -> Option<String> {
    match &task.get("id")?.value {
        crate::node::Value::Text(text) => Some(text.clone()),
        crate::node::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
