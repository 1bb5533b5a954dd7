//! The input of a dispatch: what every agent is told, and the check before it is told.

use crate::diagnostic::{Diagnostic, Location, Report, agent_input as say, shape as words};
use crate::json_file;
use crate::node::{Node, Value, pointer};
use crate::shape::{ShapeError, Wrong};
use crate::word::Word;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::finding::FindingStatus;
use tollgate_core::id::TaskId;
use tollgate_core::reply::{ReplyError, Severity};
use tollgate_core::role::{Mode, ProjectType, Role};
use tollgate_core::work::{ChangeType, FileChange};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentInput {
    pub task: TaskInput,
    pub project_type: Word<ProjectType>,
    pub repo_state: RepoState,
    pub tools_available: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifact_list: Vec<String>,
    /// Templates and references of the repository: to read where the work needs them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// At the release: what report.md must name, each by its id or in its words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub report_points: Vec<PointInput>,
    /// Folders of earlier sessions of the repository, as copies: to be read, never to be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_sessions: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Word<Mode>>,
    /// Counts from 1 in the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Who it is for, where the document itself says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Word<Role>>,
    /// On a re-run: what was wrong with the last reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous_errors: Vec<PreviousError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointInput {
    pub id: String,
    pub kind: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskInput {
    /// `T-001`, or `meta` for the session as a whole.
    #[schemars(length(min = 1))]
    pub id: String,
    #[schemars(length(min = 1))]
    pub title: String,
    #[schemars(length(min = 1))]
    pub goal: String,
    pub non_goals: Vec<String>,
    pub context_files: Vec<String>,
    /// Required for Reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_changed_files: Option<Vec<ChangedFile>>,
    /// For who judges changes: what the Coder says about them, and what it declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub implementations: Vec<Implementation>,
    /// For who repairs, and for who judges again: what was found before, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_findings: Vec<EarlierFinding>,
    /// For a Reviewer: criteria of the work item that it verifies and names in `verified_criteria`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria_to_verify: Vec<String>,
    /// For a Reviewer: the sections of the specification that the work item refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spec_sections: Vec<SpecSection>,
    pub constraints: Vec<String>,
    pub acceptance_checks: Vec<String>,
    pub risk_flags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Implementation {
    pub dispatch: u32,
    pub task: String,
    pub summary: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<Declaration>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EarlierFinding {
    pub id: String,
    pub by: Word<Role>,
    pub severity: Word<Severity>,
    pub status: Word<FindingStatus>,
    /// How often it was reported.
    pub times: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    pub message: String,
}

/// What the Coder says about a file that the work item does not list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Declaration {
    Incidental { path: String, motivated_by: String, reason: String },
    ScopeCorrection { listed: String, actual: String, reason: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpecSection {
    /// The document, as the work item names it.
    pub spec: String,
    /// The section with its heading.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedFile {
    #[schemars(length(min = 1))]
    pub path: String,
    pub change_type: Word<ChangeType>,
    /// Required when renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

impl From<&FileChange> for ChangedFile {
    fn from(change: &FileChange) -> Self {
        Self {
            path: change.path.clone(),
            change_type: change.change_type.into(),
            old_path: change.old_path.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RepoState {
    /// None when the checkout is detached.
    #[serde(default)]
    pub branch: Option<String>,
    pub ci_status: CiStatus,
    #[serde(default)]
    pub last_failed_step: Option<String>,
    /// The commit that the session started from, or took over since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The command that shows everything that the session changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// How the last checks went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum CiStatus {
    #[default]
    Unknown,
    Green,
    Red,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviousError {
    pub code: String,
    pub path: String,
    pub message: String,
}

impl From<&ReplyError> for PreviousError {
    fn from(error: &ReplyError) -> Self {
        let ReplyError { code, path, message } = error.clone();
        Self { code, path, message }
    }
}

/// The input when there is no error. The role may be given beside it.
pub fn read(bytes: &[u8], path: &str, role: Option<Role>) -> (Option<AgentInput>, Report) {
    let (node, mut report) = json_file::parse_bytes(bytes, path);
    let Some(node) = node else { return (None, report) };
    let input = json_file::typed(&node, path, &mut report, |fault| special_words(fault, path));
    rules(&node, path, role, &mut report);
    (input.filter(|_| report.is_ok()), report)
}

fn special_words(fault: &ShapeError, path: &str) -> Diagnostic {
    match (fault.pointer.as_str(), &fault.wrong) {
        (pointer @ "/agent", Wrong::Value { found, .. }) => {
            say::agent_unknown(Location::new(path, pointer, None), found)
        }
        _ => words::fault(path, fault),
    }
}

fn rules(root: &Node, path: &str, role: Option<Role>, report: &mut Report) {
    let place = |pointer: &str| Location::new(path, pointer, None);
    let own = root.get("agent").and_then(Node::as_text).and_then(Role::parse);
    let Some(task) = root.get("task") else { return };
    if let Some(id) = task.get("id").and_then(Node::as_text)
        && !id.is_empty()
        && id != "meta"
        && TaskId::parse(id).is_err()
    {
        report.push(say::task_id_invalid(place("/task/id"), id));
    }
    let changed = task.get("session_changed_files");
    let is_given = changed.is_some_and(|list| list.value != Value::Null);
    if role.or(own) == Some(Role::Reviewer) && !is_given {
        report.push(say::changed_files_missing(place("/task")));
    }
    for (index, file) in changed.map(Node::items).unwrap_or_default().iter().enumerate() {
        let text = |key: &str| file.get(key).and_then(Node::as_text).unwrap_or_default();
        if text("change_type") == "renamed" && text("old_path").trim().is_empty() {
            let at = pointer("/task/session_changed_files", index);
            report.push(say::old_path_missing(place(&at), text("path")));
        }
    }
    placeholders(root, path, report);
}

/// Only paths are looked at: prose may speak of the placeholder.
fn placeholders(root: &Node, path: &str, report: &mut Report) {
    let mut look = |at: String, node: &Node| {
        if let Some(text) = node.as_text().filter(|text| text.contains("<session>")) {
            report.push(say::session_placeholder(Location::new(path, &at, None), text));
        }
    };
    for list in ["/task/context_files", "/artifact_list"] {
        let items = lookup(root, list).map(Node::items).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            look(pointer(list, index), item);
        }
    }
    let list = "/task/session_changed_files";
    for (index, file) in lookup(root, list).map(Node::items).unwrap_or_default().iter().enumerate()
    {
        for key in ["path", "old_path"] {
            if let Some(node) = file.get(key) {
                look(pointer(&pointer(list, index), key), node);
            }
        }
    }
}

fn lookup<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    pointer.split('/').skip(1).try_fold(root, |node, step| node.get(step))
}

#[cfg(test)]
mod tests;
