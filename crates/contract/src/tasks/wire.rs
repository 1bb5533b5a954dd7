//! tasks.yaml as it is written; its JSON Schema comes from here.

use super::PlanRead;
use crate::word::Word;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::id::TaskId;
use tollgate_core::task::{ItemTerms, RiskFlag, TaskKind, TaskSpec, TaskStatus};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TasksFile {
    #[serde(default)]
    pub project: Option<Project>,
    #[schemars(length(min = 1))]
    pub tasks: Vec<TaskEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Project {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub definition_of_done: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TaskEntry {
    #[schemars(length(min = 1))]
    pub id: String,
    pub status: Word<TaskStatus>,
    #[serde(rename = "type", default)]
    pub kind: Option<Word<TaskKind>>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub depends_on: Option<Vec<String>>,
    #[schemars(length(min = 1))]
    pub goal: String,
    #[serde(default)]
    pub non_goals: Option<Vec<String>>,
    #[serde(default)]
    pub context_files: Option<Vec<String>>,
    #[serde(default)]
    pub files_expected: Option<Vec<String>>,
    #[schemars(length(min = 1))]
    pub acceptance_checks: Vec<String>,
    #[serde(default)]
    pub risk_flags: Option<Vec<Word<RiskFlag>>>,
    #[serde(default)]
    pub done_when: Option<Vec<String>>,
    #[serde(default)]
    pub work_item: Option<String>,
}

/// The plan of a file that has been found good; ids that are no ids make it none.
pub(super) fn plan(file: TasksFile) -> Option<PlanRead> {
    let project = file.project;
    let project_name = project.as_ref().and_then(|project| project.name.clone());
    let definition_of_done = project.and_then(|p| p.definition_of_done).unwrap_or_default();
    let statuses = file
        .tasks
        .iter()
        .filter_map(|task| Some((TaskId::parse(&task.id).ok()?, task.status.0.to_string())))
        .collect();
    let tasks = file.tasks.into_iter().map(spec).collect::<Option<Vec<TaskSpec>>>()?;
    Some(PlanRead { project_name, definition_of_done, tasks, statuses })
}

fn spec(task: TaskEntry) -> Option<TaskSpec> {
    let depends_on = task.depends_on.unwrap_or_default();
    Some(TaskSpec {
        id: TaskId::parse(&task.id).ok()?,
        kind: task.kind.map_or(TaskKind::Feat, |word| word.0),
        title: task.title.filter(|t| !t.trim().is_empty()).unwrap_or_else(|| title(&task.goal)),
        goal: task.goal,
        depends_on: depends_on.iter().map(|id| TaskId::parse(id).ok()).collect::<Option<_>>()?,
        non_goals: task.non_goals.unwrap_or_default(),
        context_files: task.context_files.unwrap_or_default(),
        files_expected: task.files_expected.map(without_blanks).unwrap_or_default(),
        acceptance_checks: task.acceptance_checks.into_iter().map(Into::into).collect(),
        // `none` is how an author says that there is no flag.
        risk_flags: task
            .risk_flags
            .unwrap_or_default()
            .into_iter()
            .filter(|flag| flag.0 != RiskFlag::None)
            .map(|flag| flag.0.to_string())
            .collect(),
        done_when: task.done_when.unwrap_or_default(),
        work_item: task.work_item.filter(|item| !item.trim().is_empty()),
        in_scope: Vec::new(),
        out_of_scope: Vec::new(),
        overlaps: Vec::new(),
        item: ItemTerms::default(),
    })
}

fn without_blanks(texts: Vec<String>) -> Vec<String> {
    texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
}

fn title(goal: &str) -> String {
    goal.trim().lines().next().unwrap_or_default().trim().to_owned()
}
