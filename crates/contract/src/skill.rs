//! Reads a role file: SKILL.md with its front matter and the text that the role is told.

use crate::diagnostic::{Report, action as say, shape as words};
use crate::front_matter;
use crate::json_file::typed;
use crate::node::{Node, read_yaml};
use crate::pack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollgate_core::role::Role;
use tollgate_judge::globs::PathRules;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleFile {
    pub role: Role,
    pub name: String,
    pub description: String,
    /// Globs of the repository that the role may change.
    pub writes: Vec<String>,
    /// Paths and globs below the session folder that the role may write.
    pub artefacts: Vec<String>,
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillFile {
    #[schemars(length(min = 1))]
    name: String,
    #[schemars(length(min = 1))]
    description: String,
    /// Optional fields of the Agent Skills convention. They are for whoever else reads the file.
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    compatibility: Option<String>,
    #[serde(default)]
    metadata: Option<serde_json::Value>,
    #[serde(default, rename = "allowed-tools")]
    allowed_tools: Option<serde_json::Value>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    writes: Option<Vec<String>>,
    #[serde(default)]
    artefacts: Option<Vec<String>>,
}

/// Names that people give to roles besides the canonical ones.
const KNOWN_AS: &[(&str, Role)] = &[
    ("spec-agent", Role::SpecAgent),
    ("product-manager", Role::SpecAgent),
    ("architect", Role::Architect),
    ("planner", Role::Planner),
    ("designer", Role::Designer),
    ("researcher", Role::Researcher),
    ("coder", Role::Coder),
    ("backend-developer", Role::Coder),
    ("frontend-developer", Role::Coder),
    ("ai-engineer", Role::Coder),
    ("implementor", Role::Coder),
    ("reviewer", Role::Reviewer),
    ("code-reviewer", Role::Reviewer),
    ("qa", Role::QA),
    ("quality-engineer", Role::QA),
    ("security", Role::Security),
    ("integrator", Role::Integrator),
    ("devops", Role::Integrator),
    ("docs", Role::Docs),
    ("technical-writer", Role::Docs),
    ("blogger", Role::Docs),
    ("orchestrator", Role::Orchestrator),
];

/// The folder of a role's text.
pub fn folder_of(role: Role) -> &'static str {
    KNOWN_AS.iter().find(|(_, known)| *known == role).map_or("", |(name, _)| name)
}

/// The role that goes by this kebab-case name.
pub fn role_known_as(name: &str) -> Option<Role> {
    KNOWN_AS.iter().find(|(known, _)| *known == name).map(|(_, role)| *role)
}

/// The names besides the canonical ones that are known without a file, each with its role.
pub fn known_names() -> impl Iterator<Item = (&'static str, Role)> {
    KNOWN_AS.iter().copied()
}

/// The role file when there is no error. What it does not say about writing is as in the built-in one.
pub fn read(text: &str, path: &str) -> (Option<RoleFile>, Report) {
    let (file, report) = parse(text, path);
    (file.map(Parsed::filled), report)
}

/// The built-in text of a canonical role.
pub fn built_in(role: Role) -> RoleFile {
    let folder = folder_of(role);
    let text = pack::find(pack::ROLES, folder).map_or("", |built| built.text);
    let parsed = parse(text, folder).0.expect("the pack holds every canonical role, and parses");
    parsed.into_file()
}

/// Reads an agent file of another tool as the text of a role. Their conventions are many and loose, so fields are taken
/// where they can be and nothing is refused but a file without a text. A field `role` names the role, else it is `known`.
pub fn read_foreign(text: &str, path: &str, name: &str, known: Option<Role>) -> Option<RoleFile> {
    let (yaml, body) = front_matter::split(text).unwrap_or((String::new(), text));
    let node = read_yaml(&yaml).ok();
    let field = |key: &str| {
        let text = node.as_ref()?.get(key)?.as_text()?;
        (!text.trim().is_empty()).then(|| text.to_owned())
    };
    let role = field("role").and_then(|role| Role::parse(&role)).or(known)?;
    let body = body.trim_start_matches(['\r', '\n']);
    if body.trim().is_empty() {
        return None;
    }
    let built_in = built_in(role);
    let description = field("description").unwrap_or_else(|| format!("{role}, as {path} says"));
    let (name, body) = (name.to_owned(), body.to_owned());
    Some(RoleFile { role, name, description, body, ..built_in })
}

/// Checks a role file of any convention for its form.
pub fn check(text: &str, path: &str) -> Report {
    match foreign_name(path) {
        // Which role it plays is a matter of who calls it.
        Some(name) => match read_foreign(text, path, name, Some(Role::Coder)) {
            Some(_) => Report::default(),
            None => say::role_without_text(path).into(),
        },
        None => read(text, path).1,
    }
}

/// The name of an agent file of another tool, by its place.
pub(crate) fn foreign_name(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    let is_in = |home: &str| folder == home || folder.ends_with(&format!("/{home}"));
    match file.strip_suffix(".agent.md") {
        Some(name) if is_in(".github/agents") => Some(name),
        _ if is_in(".claude/agents") => file.strip_suffix(".md"),
        _ => None,
    }
}

/// A role file as it was written.
struct Parsed {
    role: Role,
    file: SkillFile,
    body: String,
}

impl Parsed {
    fn into_file(self) -> RoleFile {
        let Self { role, file, body } = self;
        RoleFile {
            role,
            name: file.name,
            description: file.description,
            writes: file.writes.unwrap_or_default(),
            artefacts: file.artefacts.unwrap_or_default(),
            body,
        }
    }

    fn filled(self) -> RoleFile {
        let says = (self.file.writes.is_some(), self.file.artefacts.is_some());
        let mut file = self.into_file();
        if says != (true, true) {
            let built_in = built_in(file.role);
            file.writes = if says.0 { file.writes } else { built_in.writes };
            file.artefacts = if says.1 { file.artefacts } else { built_in.artefacts };
        }
        file
    }
}

fn parse(text: &str, path: &str) -> (Option<Parsed>, Report) {
    let (node, body) = match front_matter::read(text, path) {
        Ok(parts) => parts,
        Err(report) => return (None, report),
    };
    let mut report = Report::default();
    let file = typed::<SkillFile>(&node, path, &mut report, |f| words::fault(path, f));
    let role = role(&node, path, &mut report);
    patterns(&node, path, &mut report);
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    let parsed = match (file, role) {
        (Some(file), Some(role)) if report.is_ok() => {
            let body = body.trim_start_matches(['\r', '\n']).to_owned();
            Some(Parsed { role, file, body })
        }
        _ => None,
    };
    (parsed, report)
}

fn role(node: &Node, path: &str, report: &mut Report) -> Option<Role> {
    let name = node.get("name");
    let name_text = name.and_then(Node::as_text).filter(|text| !text.is_empty());
    if let (Some(name), Some(text)) = (name, name_text)
        && !is_kebab(text)
    {
        report.push(say::name_invalid(path, name.line, text));
    }
    if let Some(given) = node.get("role")
        && let Some(text) = given.as_text()
    {
        let role = Role::parse(text);
        if role.is_none() {
            let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
            report.push(say::role_not_named(path, given.line, text, &known));
        }
        return role;
    }
    let text = name_text?;
    let role = role_known_as(text);
    if role.is_none() {
        let known: Vec<&str> = KNOWN_AS.iter().map(|(name, _)| *name).collect();
        report.push(say::role_not_named(path, name.and_then(|n| n.line), text, &known));
    }
    role
}

fn patterns(node: &Node, path: &str, report: &mut Report) {
    for key in ["writes", "artefacts"] {
        for pattern in node.get(key).map(Node::items).unwrap_or_default() {
            let Some(text) = pattern.as_text() else { continue };
            for bad in PathRules::new(&[text]).err().unwrap_or_default() {
                report.push(say::pattern_invalid(path, pattern.line, text, &bad.cause));
            }
        }
    }
}

/// Small letters, digits and dashes, beginning with a letter.
pub fn is_kebab(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests;
