//! The sixteen labels of work items, and which of them an item must and may not carry.

pub use crate::diagnostic::labels::LabelLocation;
use crate::diagnostic::{Report, labels as say};
use tollgate_core::decision::{BlockerCode, Subject};
use tollgate_core::id::{TaskId, TaskRef};
use tollgate_core::role::RepairLoop;
use tollgate_core::session::{Session, Task};
use tollgate_core::task::{Priority as TaskPriority, Strategy, TaskStatus};

/// A label as a tracker keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    pub name: &'static str,
    /// Six hexadecimal digits, as GitHub writes colours.
    pub colour: &'static str,
    pub description: &'static str,
    pub category: Category,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Type,
    Status,
    Priority,
    Complexity,
}

impl Category {
    pub const ALL: [Self; 4] = [Self::Type, Self::Status, Self::Priority, Self::Complexity];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Status => "status",
            Self::Priority => "priority",
            Self::Complexity => "complexity",
        }
    }

    /// What comes before the `:` of its labels.
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Type => "task",
            other => other.as_str(),
        }
    }
}

/// What a work item is: work to do, or a question about the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemCategory {
    Task,
    Refinement,
}

impl ItemCategory {
    pub fn label(self) -> &'static str {
        match self {
            Self::Task => "task:implement",
            Self::Refinement => "task:refinement",
        }
    }

    fn as_words(self) -> &'static str {
        match self {
            Self::Task => "a task",
            Self::Refinement => "a refinement",
        }
    }

    /// Told by the label of type; none where there is none, or both.
    pub fn of<T: AsRef<str>>(labels: &[T]) -> Option<Self> {
        let has = |kind: Self| labels.iter().any(|label| label.as_ref() == kind.label());
        match (has(Self::Task), has(Self::Refinement)) {
            (true, false) => Some(Self::Task),
            (false, true) => Some(Self::Refinement),
            _ => None,
        }
    }
}

const fn label(
    category: Category,
    name: &'static str,
    colour: &'static str,
    description: &'static str,
) -> Label {
    Label { name, colour, description, category }
}

use Category::{Complexity, Priority, Status, Type};

/// All of them, in the order in which they are shown.
pub const LABELS: [Label; 16] = [
    label(Type, "task:implement", "1d76db", "Work with a scope that one agent can carry out"),
    label(Type, "task:refinement", "5319e7", "The specification leaves a question open"),
    label(Status, "status:pending", "bfd4f2", "Planned; not started"),
    label(Status, "status:ready", "a2eeef", "Everything it depends on is done; it can start"),
    label(Status, "status:in-progress", "0e8a16", "An agent is working on it"),
    label(
        Status,
        "status:blocked",
        "d93f0b",
        "It cannot continue until someone decides or fixes it",
    ),
    label(
        Status,
        "status:needs-refinement",
        "fbca04",
        "Waits for an answer about the specification",
    ),
    label(Status, "status:review", "006b75", "Implemented; being reviewed and checked"),
    label(Status, "status:approved", "2ea44f", "Reviewed, checked and accepted"),
    label(Priority, "priority:high", "b60205", "Others wait for it, or it matters most"),
    label(Priority, "priority:medium", "e4e669", "Matters, and nothing urgent waits for it"),
    label(Priority, "priority:low", "c5def5", "Can wait until the rest is done"),
    label(Complexity, "complexity:trivial", "d4c5f9", "A change of a few lines in one place"),
    label(Complexity, "complexity:low", "c2a8f0", "A small change without surprises"),
    label(Complexity, "complexity:medium", "9b7ee0", "Several files, or some thought"),
    label(Complexity, "complexity:high", "7057ff", "Far-reaching or risky"),
];

/// The label of exactly this name.
pub fn find(name: &str) -> Option<&'static Label> {
    LABELS.iter().find(|label| label.name == name)
}

/// The category that a label claims by its namespace, known or not. Labels of other namespaces are a person's own.
pub fn category_of(name: &str) -> Option<Category> {
    let (namespace, _) = name.split_once(':')?;
    let namespace = namespace.trim();
    Category::ALL.into_iter().find(|category| namespace.eq_ignore_ascii_case(category.namespace()))
}

/// How urgent an item is, where a label says so.
pub fn priority_of<T: AsRef<str>>(labels: &[T]) -> Option<TaskPriority> {
    let mut named = labels.iter().filter_map(|label| label.as_ref().strip_prefix("priority:"));
    named.find_map(TaskPriority::parse)
}

/// The status label that shows where a task stands.
pub fn of_task(status: TaskStatus, are_dependencies_met: bool) -> &'static str {
    match status {
        TaskStatus::NotStarted if are_dependencies_met => "status:ready",
        TaskStatus::NotStarted => "status:pending",
        TaskStatus::InProgress => "status:in-progress",
        TaskStatus::Implemented => "status:review",
        TaskStatus::Completed => "status:approved",
        TaskStatus::Blocked => "status:blocked",
    }
}

/// The status label of a task of a session.
pub fn of_task_in(session: &Session, task: &Task) -> &'static str {
    let enough = match session.strategy() {
        Some(Strategy::SingleFinal) => TaskStatus::Implemented,
        _ => TaskStatus::Completed,
    };
    let is_met = |id: &TaskId| {
        let other = session.task(id);
        other.is_some_and(|task| task.status == TaskStatus::Completed || task.status == enough)
    };
    if needs_refinement(session, task) {
        return of_open_refinement();
    }
    let is_held = !task.spec.item.waits_for.is_empty();
    of_task(task.status, !is_held && task.spec.depends_on.iter().all(is_met))
}

/// A review rejected it more often than it may be repaired, or its Coder says that it fails for a reason outside of it.
fn needs_refinement(session: &Session, task: &Task) -> bool {
    let own = TaskRef::Task(task.spec.id.clone());
    let is_rejected = session.pending_decisions().any(|decision| match &decision.subject {
        Subject::Repair { task, repair, .. } => *task == own && *repair == RepairLoop::FixReview,
        _ => false,
    });
    let code = session.standing.blocker.as_ref().map(|blocker| blocker.code);
    is_rejected
        || (task.status == TaskStatus::Blocked && code == Some(BlockerCode::SubagentFailure))
}

/// The moves between statuses that there are; what is not written here takes several.
const MOVES: [(&str, &str); 11] = [
    ("status:pending", "status:ready"),
    ("status:ready", "status:in-progress"),
    ("status:in-progress", "status:review"),
    ("status:in-progress", "status:blocked"),
    ("status:in-progress", "status:needs-refinement"),
    ("status:in-progress", "status:pending"),
    ("status:review", "status:approved"),
    ("status:review", "status:needs-refinement"),
    ("status:review", "status:pending"),
    ("status:needs-refinement", "status:pending"),
    ("status:blocked", "status:pending"),
];

/// The labels that an item passes through on its way from one status to another, the last one included. Where a rejected
/// review is repaired, that is through `needs-refinement`. From a status that leads nowhere it is one step.
pub fn way(from: &str, to: &str) -> Vec<&'static str> {
    if from == to {
        return Vec::new();
    }
    let is_repaired =
        from == "status:review" && matches!(to, "status:in-progress" | "status:ready");
    let mut ways: Vec<Vec<&'static str>> = match is_repaired {
        true => vec![vec!["status:needs-refinement"]],
        false => MOVES.iter().filter(|(at, _)| *at == from).map(|(_, next)| vec![*next]).collect(),
    };
    // The shortest first; none is longer than there are statuses.
    for _ in 0..MOVES.len() {
        if let Some(found) = ways.iter().find(|way| way.last() == Some(&to)) {
            return found.clone();
        }
        let longer = |way: &Vec<&'static str>| {
            let last = way.last().copied().unwrap_or_default();
            let next = MOVES.iter().filter(|(at, _)| *at == last).map(|(_, next)| *next);
            let new: Vec<&'static str> = next.filter(|next| !way.contains(next)).collect();
            new.into_iter().map(|next| [way.as_slice(), &[next]].concat()).collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(longer).collect();
    }
    find(to).map(|label| label.name).into_iter().collect()
}

/// The status label of a refinement that nobody has answered yet.
pub fn of_open_refinement() -> &'static str {
    "status:needs-refinement"
}

/// The rules for the labels of an item in a reply, where they are found under `/labels`.
/// A new item is one that is being created.
pub fn check<T: AsRef<str>>(labels: &[T], kind: ItemCategory, is_new: bool) -> Report {
    check_at(LabelLocation { file: "", pointer: "/labels", line: None }, labels, kind, is_new)
}

/// [`check`] for labels that stand elsewhere, such as in the front matter of a file.
pub fn check_at<T: AsRef<str>>(
    at: LabelLocation<'_>,
    labels: &[T],
    kind: ItemCategory,
    is_new: bool,
) -> Report {
    let mut report = Report::default();
    let mut unknown_in = Vec::new();
    for name in labels.iter().map(AsRef::as_ref) {
        if let (Some(category), None) = (category_of(name), find(name)) {
            report.push(say::unknown(at, name, &names(category)));
            unknown_in.push(category);
        }
    }
    for category in Category::ALL {
        let found = of_category(labels, category);
        match found[..] {
            [] if category == Complexity && kind == ItemCategory::Refinement => {}
            // The unknown one was meant to be it.
            [] if unknown_in.contains(&category) => {}
            [] => report.push(say::missing(
                at,
                category.as_str(),
                kind.as_words(),
                &choices(category, kind, is_new),
            )),
            [_, _, ..] if !(category == Complexity && kind == ItemCategory::Refinement) => {
                report.push(say::several(at, category.as_str(), &found));
            }
            [first, ..] => report.extend(one(at, first, category, kind, is_new)),
        }
    }
    report
}

/// The labels of a category, each once: a tracker keeps a set.
fn of_category<T: AsRef<str>>(labels: &[T], category: Category) -> Vec<&'static str> {
    let is_given = |label: &&Label| labels.iter().any(|name| name.as_ref() == label.name);
    let all = LABELS.iter().filter(|label| label.category == category);
    all.filter(is_given).map(|label| label.name).collect()
}

fn one(
    at: LabelLocation<'_>,
    name: &str,
    category: Category,
    kind: ItemCategory,
    is_new: bool,
) -> Option<crate::diagnostic::Diagnostic> {
    match (category, kind) {
        (Type, _) if name != kind.label() => {
            Some(say::type_wrong(at, name, kind.as_words(), kind.label()))
        }
        (Status, _) if is_new && name != "status:pending" => Some(say::not_pending(at, name)),
        (Priority, ItemCategory::Refinement) if name == "priority:low" => {
            Some(say::priority_low(at))
        }
        (Complexity, ItemCategory::Refinement) => Some(say::complexity_refused(at, name)),
        _ => None,
    }
}

/// What may stand where nothing does.
fn choices(category: Category, kind: ItemCategory, is_new: bool) -> Vec<&'static str> {
    let may_stand = |name: &&str| one(NOWHERE, name, category, kind, is_new).is_none();
    names(category).into_iter().filter(may_stand).collect()
}

const NOWHERE: LabelLocation<'static> = LabelLocation { file: "", pointer: "", line: None };

fn names(category: Category) -> Vec<&'static str> {
    LABELS.iter().filter(|label| label.category == category).map(|label| label.name).collect()
}

#[cfg(test)]
mod tests;
