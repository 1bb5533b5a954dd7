//! Documents of any origin: which kind one is, and whether it is a good one of its kind.

use crate::agent_output::ReplyKind;
use crate::diagnostic::{Report, shape as words};
use crate::{
    acceptance, action, agent_input, agent_output, config, lifecycle, sections, skill, status,
    tasks, work_item,
};
use tollgate_core::role::Mode;

/// The kinds that can be checked, by the names they have on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentKind {
    Status,
    Tasks,
    Acceptance,
    Spec,
    Architecture,
    Report,
    WorkItem,
    AgentInput,
    AgentOutput,
    PlannerResult,
    ImplementorResult,
    ReviewerResult,
    Action,
    Skill,
    Lifecycle,
    Config,
}

impl DocumentKind {
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Status, "status"),
        (Self::Tasks, "tasks"),
        (Self::Acceptance, "acceptance"),
        (Self::Spec, "spec"),
        (Self::Architecture, "architecture"),
        (Self::Report, "report"),
        (Self::WorkItem, "work-item"),
        (Self::AgentInput, "agent-input"),
        (Self::AgentOutput, "agent-output"),
        (Self::PlannerResult, "planner-result"),
        (Self::ImplementorResult, "implementor-result"),
        (Self::ReviewerResult, "reviewer-result"),
        (Self::Action, "action"),
        (Self::Skill, "skill"),
        (Self::Lifecycle, "lifecycle"),
        (Self::Config, "config"),
    ];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

/// The kind by name, and where names say nothing by content.
pub fn guess(path: &str, bytes: &[u8]) -> Option<DocumentKind> {
    by_name(path).or_else(|| by_content(bytes))
}

fn by_name(path: &str) -> Option<DocumentKind> {
    let mut parts = path.rsplit(['/', '\\']);
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    match name {
        "status.json" => Some(DocumentKind::Status),
        "tasks.yaml" | "tasks.yml" => Some(DocumentKind::Tasks),
        "acceptance.json" => Some(DocumentKind::Acceptance),
        "spec.md" => Some(DocumentKind::Spec),
        "architecture.md" => Some(DocumentKind::Architecture),
        "report.md" => Some(DocumentKind::Report),
        "tollgate.toml" => Some(DocumentKind::Config),
        "lifecycle-stage.yaml" | "lifecycle-stage.yml" => Some(DocumentKind::Lifecycle),
        "SKILL.md" => Some(DocumentKind::Skill),
        "README.md" => None,
        _ if skill::foreign_name(path).is_some() => Some(DocumentKind::Skill),
        name if folder == "work-items" && name.ends_with(".md") => Some(DocumentKind::WorkItem),
        // Pages in capitals are for people.
        name if folder == "actions" && name.ends_with(".md") => {
            let is_action = name[..name.len() - 3].bytes().any(|b| b.is_ascii_lowercase());
            is_action.then_some(DocumentKind::Action)
        }
        _ => None,
    }
}

fn by_content(bytes: &[u8]) -> Option<DocumentKind> {
    let text = std::str::from_utf8(bytes).ok()?;
    if let Ok(node) = crate::node::read_json(text) {
        let has = |key: &str| node.get(key).is_some();
        return match node.get("role").and_then(crate::node::Node::as_text) {
            Some("planner") => Some(DocumentKind::PlannerResult),
            Some("implementor") => Some(DocumentKind::ImplementorResult),
            Some("reviewer") => Some(DocumentKind::ReviewerResult),
            _ if has("current_state") => Some(DocumentKind::Status),
            _ if has("acceptance_criteria") => Some(DocumentKind::Acceptance),
            _ if has("task") && has("repo_state") => Some(DocumentKind::AgentInput),
            _ if has("status") && has("summary") => Some(DocumentKind::AgentOutput),
            _ => None,
        };
    }
    if work_item::is_likely(text) {
        return Some(DocumentKind::WorkItem);
    }
    if let Ok((yaml, _)) = crate::front_matter::split(text) {
        let node = crate::node::read_yaml(&yaml).ok()?;
        return match (node.get("steps"), node.get("name")) {
            (Some(_), _) => Some(DocumentKind::Action),
            (None, Some(_)) => Some(DocumentKind::Skill),
            (None, None) => None,
        };
    }
    let node = crate::node::read_yaml(text).ok()?;
    match (node.get("tasks"), node.get("current_stage")) {
        (Some(_), _) => Some(DocumentKind::Tasks),
        (None, Some(_)) => Some(DocumentKind::Lifecycle),
        (None, None) => None,
    }
}

/// Form only: what the document refers to is not looked at.
pub fn check(kind: DocumentKind, path: &str, bytes: &[u8]) -> Report {
    check_in(Mode::Full, kind, path, bytes)
}

/// As `check`, for a document of a session in this mode.
pub fn check_in(mode: Mode, kind: DocumentKind, path: &str, bytes: &[u8]) -> Report {
    let text = |read: &dyn Fn(&str, &str) -> Report| match std::str::from_utf8(bytes) {
        Ok(text) => read(text, path),
        Err(error) => words::not_utf8(path, error.valid_up_to()).into(),
    };
    let reply = |kind: ReplyKind| in_file(agent_output::read_result(bytes, kind).err(), path);
    match kind {
        DocumentKind::Status => status::read(bytes, path).1,
        DocumentKind::Tasks => text(&|text, path| tasks::read(text, path).1),
        DocumentKind::Acceptance => text(&|text, path| acceptance::read(text, path).1),
        DocumentKind::Spec => text(&|text, path| sections::check_spec(text, path, mode)),
        DocumentKind::Architecture => text(&sections::check_architecture),
        DocumentKind::Report => text(&sections::check_report),
        DocumentKind::WorkItem => text(&|text, path| work_item::read(text, path).1),
        DocumentKind::AgentInput => agent_input::read(bytes, path, None).1,
        DocumentKind::AgentOutput => in_file(agent_output::read_as(bytes, None).err(), path),
        DocumentKind::PlannerResult => reply(ReplyKind::Planner),
        DocumentKind::ImplementorResult => reply(ReplyKind::Implementor),
        DocumentKind::ReviewerResult => reply(ReplyKind::Reviewer),
        DocumentKind::Action => text(&|text, path| action::read(text, path).1),
        DocumentKind::Skill => text(&skill::check),
        DocumentKind::Lifecycle => text(&|text, path| lifecycle::read(text, path).1),
        DocumentKind::Config => text(&|text, path| config::read(text, path).1),
    }
}

/// A reply knows no file; one that was kept in a file is reported with it.
fn in_file(report: Option<Report>, path: &str) -> Report {
    let mut report = report.unwrap_or_default();
    for diagnostic in &mut report.diagnostics {
        diagnostic.path = match diagnostic.path.as_str() {
            "/" => path.to_owned(),
            pointer => format!("{path}#{pointer}"),
        };
    }
    report
}

#[cfg(test)]
mod tests;
