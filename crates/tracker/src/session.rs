//! What a session wants shown in a tracker: its tasks, with where each stands, and its questions about the specification.

use super::mirror::WantedItem;
use super::{Comment, ItemState};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use tollgate_contract::labels::{self, Category, ItemCategory, category_of};
use tollgate_contract::plan::{is_item, item_path};
use tollgate_contract::prompt::bullets;
use tollgate_contract::work_item::{self, WorkItem};
use tollgate_core::decision::{Decision, DecisionStatus, Subject};
use tollgate_core::event::Event;
use tollgate_core::id::{ContentHash, TaskId};
use tollgate_core::limits::ARTEFACT_BYTES_MAX;
use tollgate_core::session::Session;
use tollgate_core::task::{TaskSpec, TaskStatus};
use tollgate_core::work::TaskBlocker;
use tollgate_files as files;
use tollgate_files::layout::SessionLayout;

/// Whether what is shown may be another after this.
pub fn concerns(event: &Event) -> bool {
    matches!(
        event,
        Event::PlanAdopted { .. }
            | Event::TaskMoved { .. }
            | Event::AttemptEnded { .. }
            | Event::DispatchClosed { .. }
            | Event::DecisionAsked { .. }
            | Event::DecisionResolved { .. }
            | Event::FilesEdited { .. }
            | Event::Blocked { .. }
            | Event::SessionClosed
    )
}

/// The items of a session. Remembers every task that was ever planned, and work items that did not change.
#[derive(Debug, Default)]
pub struct Items {
    planned: BTreeMap<TaskId, TaskSpec>,
    read: BTreeMap<String, (ContentHash, Option<WorkItem>)>,
}

impl Items {
    pub fn take(&mut self, event: &Event) {
        if let Event::PlanAdopted { tasks } = event {
            self.planned.extend(tasks.iter().map(|task| (task.id.clone(), task.clone())));
        }
    }

    /// Tasks in the order of the plan, then questions, then what is in the plan no longer or not yet.
    pub fn wanted(&mut self, session: &Session, layout: &SessionLayout) -> Vec<WantedItem> {
        self.read_items(session, layout);
        let mut wanted: Vec<WantedItem> = Vec::new();
        for task in &session.plan.tasks {
            let state = match task.status {
                TaskStatus::Completed => ItemState::Done,
                _ if session.is_over() => ItemState::Dropped,
                _ => ItemState::Open,
            };
            let item = self.item_of(&task.spec);
            let (key, status) = (key(session, &task.spec.id), labels::of_task_in(session, task));
            let comments = task.unit.blockers.iter().map(|blocker| blocker_comment(&key, blocker));
            let comments = comments.collect();
            let shown = shown_task(key, Some(&task.spec), item, status, state);
            wanted.push(WantedItem { comments, ..shown });
        }
        wanted.extend(self.questions(session));
        wanted.extend(self.beside_the_plan(session));
        wanted
    }

    /// Work items on record; one that cannot be read is as if it were not there.
    fn read_items(&mut self, session: &Session, layout: &SessionLayout) {
        let on_record = |path: &String| session.files.artefacts.contains_key(path);
        self.read.retain(|path, _| on_record(path));
        for (path, record) in session.files.artefacts.iter().filter(|(path, _)| is_item(path)) {
            if self.read.get(path).is_some_and(|(known, _)| *known == record.sha256) {
                continue;
            }
            let bytes = files::read_beneath(layout.folder(), path, ARTEFACT_BYTES_MAX).ok();
            let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            let item = text.and_then(|text| work_item::read(&text, path).0);
            self.read.insert(path.clone(), (record.sha256.clone(), item));
        }
    }

    fn item(&self, path: &str) -> Option<&WorkItem> {
        self.read.get(path).and_then(|(_, item)| item.as_ref())
    }

    fn item_of(&self, spec: &TaskSpec) -> Option<&WorkItem> {
        let path = spec.work_item.as_deref()?.trim_start_matches("./");
        self.item(path).filter(|item| item.as_task().is_some())
    }

    /// Each question once, as it was asked last.
    fn questions(&self, session: &Session) -> Vec<WantedItem> {
        let mut newest: BTreeMap<&str, &Decision> = BTreeMap::new();
        for decision in &session.decisions.asked {
            if let Subject::Refinement { item, .. } = &decision.subject {
                newest.insert(item, decision);
            }
        }
        let shown = |(name, decision): (&str, &Decision)| {
            shown_question(session, name, decision, self.item(&item_path(name)))
        };
        newest.into_iter().map(shown).collect()
    }

    fn beside_the_plan(&self, session: &Session) -> Vec<WantedItem> {
        let is_task = |item: &WorkItem| item.as_task().is_some();
        let named = self.read.iter().filter_map(|(path, (_, item))| {
            let name = path.strip_prefix("work-items/")?.strip_suffix(".md")?;
            item.as_ref().filter(|item| is_task(item)).and(TaskId::parse(name).ok())
        });
        let all: BTreeSet<TaskId> = self.planned.keys().cloned().chain(named).collect();
        let others = all.into_iter().filter(|id| session.task(id).is_none());
        let shown = |id: TaskId| {
            let item = self.item(&item_path(id.as_str())).filter(|item| is_task(item));
            let is_given_up = match item {
                Some(item) => item.is_closed(),
                // The next plan may name it again.
                None => !session.plan.tasks.is_empty(),
            };
            let state = match is_given_up || session.is_over() {
                true => ItemState::Dropped,
                false => ItemState::Open,
            };
            let status = labels::of_task(TaskStatus::NotStarted, false);
            shown_task(key(session, &id), self.planned.get(&id), item, status, state)
        };
        others.map(shown).collect()
    }
}

fn blocker_comment(key: &str, blocker: &TaskBlocker) -> Comment {
    let TaskBlocker { dispatch, attempt, summary } = blocker;
    Comment {
        key: format!("{key}/{dispatch}-{attempt}"),
        text: format!("The work on this task stopped:\n\n{summary}"),
    }
}

/// As its work item says, else as the plan does.
fn shown_task(
    key: String,
    spec: Option<&TaskSpec>,
    item: Option<&WorkItem>,
    status: &str,
    state: ItemState,
) -> WantedItem {
    let title = item.and_then(|item| item.title.as_ref()).or(spec.map(|spec| &spec.title));
    let labels = item.map(|item| item.labels.as_slice()).filter(|labels| !labels.is_empty());
    WantedItem {
        title: title.unwrap_or(&key).clone(),
        body: match (item, spec) {
            (Some(item), _) => item.body.clone(),
            (None, spec) => spec.map(body_of).unwrap_or_default(),
        },
        labels: match labels {
            Some(labels) => with_status(labels, status),
            None => [ItemCategory::Task.label(), status, "priority:medium", "complexity:medium"]
                .map(str::to_owned)
                .into(),
        },
        key,
        state,
        comments: Vec::new(),
    }
}

fn shown_question(
    session: &Session,
    name: &str,
    decision: &Decision,
    item: Option<&WorkItem>,
) -> WantedItem {
    let (status, state) = match decision.resolution.status {
        DecisionStatus::Pending if !session.is_over() => {
            (labels::of_open_refinement(), ItemState::Open)
        }
        DecisionStatus::Answered => ("status:approved", ItemState::Done),
        _ => (labels::of_open_refinement(), ItemState::Dropped),
    };
    let (first, rest) = decision.question.split_once('\n').unwrap_or((&decision.question, ""));
    let title = item.and_then(|item| item.title.as_deref()).unwrap_or(first);
    let labels = item.map(|item| item.labels.as_slice()).filter(|labels| !labels.is_empty());
    WantedItem {
        key: key(session, name),
        title: title.to_owned(),
        body: item.map_or_else(|| rest.trim().to_owned(), |item| item.body.clone()),
        labels: match labels {
            Some(labels) => with_status(labels, status),
            None => [ItemCategory::Refinement.label(), status, "priority:high"]
                .map(str::to_owned)
                .into(),
        },
        state,
        comments: Vec::new(),
    }
}

fn key(session: &Session, name: impl Display) -> String {
    format!("{}/{name}", session.opening.session)
}

fn with_status(labels: &[String], status: &str) -> Vec<String> {
    let others = labels.iter().filter(|label| category_of(label) != Some(Category::Status));
    others.cloned().chain([status.to_owned()]).collect()
}

/// In the sections of a work item, for a task that has none.
fn body_of(spec: &TaskSpec) -> String {
    let listed = |lines: &[String]| match lines {
        [] => "None".to_owned(),
        lines => bullets(lines),
    };
    let checks = spec.acceptance_checks.iter().map(ToString::to_string);
    let criteria: Vec<String> =
        spec.done_when.iter().cloned().chain(checks).map(|line| format!("[ ] {line}")).collect();
    format!(
        "## Objective\n\n{}\n\n## Scope\n\n### In Scope\n\n{}\n\n### Out of Scope\n\n{}\n\n\
         ## Acceptance Criteria\n\n{}\n\n## Context\n\n{}\n\n## Constraints\n\n{}\n",
        spec.goal,
        listed(spec.scope()),
        listed(&spec.out_of_scope),
        listed(&criteria),
        listed(&spec.context_files),
        listed(&spec.non_goals),
    )
}

#[cfg(test)]
mod tests;
