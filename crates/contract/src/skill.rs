//! Reads a role file: SKILL.md with its front matter and the text that the role is told.

mod naming;

use crate::diagnostic::{Report, action as say, shape as words};
use crate::front_matter;
use crate::json_file::typed_loosely;
use crate::node::{Node, Value, read_yaml};
use crate::pack;
pub use naming::{FOREIGN_HOMES, name_of_file};
pub(crate) use naming::{foreign_name, known as known_name};
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

/// The schema is strict; a field beyond it is a notice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct SkillFile {
    /// For people; what a role is called by is its folder.
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    /// Optional fields of the Agent Skills convention. They are for whoever else reads the file.
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    compatibility: Option<serde_json::Value>,
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

/// The names that speak for a name: itself, and for a canonical role also those of its names that have no built-in text.
pub fn names_speaking_for(name: &str) -> Vec<&str> {
    let role = role_known_as(name).filter(|role| folder_of(*role) == name);
    let mut others: Vec<&str> = known_names()
        .filter(|(other, known)| Some(*known) == role && pack::find(pack::ROLES, other).is_none())
        .map(|(other, _)| other)
        .collect();
    others.sort_unstable();
    std::iter::once(name).chain(others).collect()
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
    let description = field("description").unwrap_or_else(|| described_by_path(role, path));
    let (name, body) = (name.to_owned(), body.to_owned());
    Some(RoleFile { role, name, description, body, ..built_in })
}

/// Checks a role file of any convention for its form.
pub fn check(text: &str, path: &str) -> Report {
    match foreign_name(path) {
        // Which role it plays is a matter of who calls it.
        Some(name) => match read_foreign(text, path, &name, Some(Role::Coder)) {
            Some(_) => Report::default(),
            None => say::role_without_text(path).into(),
        },
        None => read(text, path).1,
    }
}

/// A role file as it was written.
struct Parsed {
    role: Role,
    name: String,
    description: String,
    file: SkillFile,
    body: String,
}

impl Parsed {
    fn into_file(self) -> RoleFile {
        let Self { role, name, description, file, body } = self;
        RoleFile {
            role,
            name,
            description,
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
    let mut report = Report::default();
    let no_fields = || Node::plain(Value::Map(Vec::new()));
    let (node, body) = match front_matter::read(text, path) {
        Ok((node, body)) if node.value == Value::Null => (no_fields(), body),
        Ok(parts) => parts,
        Err(_) if !front_matter::begins(text) => {
            report.push(say::role_without_fields(path));
            (no_fields(), text)
        }
        Err(report) => return (None, report),
    };
    let file =
        typed_loosely::<SkillFile>(&node, path, &mut report, |f| words::loose_fault(path, f));
    let role = role(&node, path, &mut report);
    patterns(&node, path, &mut report);
    let body = body.trim_start_matches(['\r', '\n']).to_owned();
    if body.trim().is_empty() {
        report.push(say::role_without_text(path));
    }
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    let parsed = match (file, role) {
        (Some(file), Some((role, name))) if report.is_ok() => {
            let description = file.description.clone().filter(|text| !text.trim().is_empty());
            let description = description.unwrap_or_else(|| described_by_path(role, path));
            Some(Parsed { role, name, description, file, body })
        }
        _ => None,
    };
    (parsed, report)
}

fn described_by_path(role: Role, path: &str) -> String {
    format!("{role}, as {path} says")
}

/// The folder that a SKILL.md is in: what action files call the role by.
fn folder(path: &str) -> Option<&str> {
    path.strip_suffix("/SKILL.md")?.rsplit('/').next().filter(|folder| !folder.is_empty())
}

/// The role and what it is called by. The field `role` decides, then the folder, and `name` only where neither tells:
/// people give their files names of all kinds.
fn role(node: &Node, path: &str, report: &mut Report) -> Option<(Role, String)> {
    let name = node.get("name");
    let name_text = name.and_then(Node::as_text).filter(|text| !text.trim().is_empty());
    let called = folder(path).or(name_text);
    if let Some(given) = node.get("role")
        && let Some(text) = given.as_text()
    {
        let role = Role::parse(text);
        if role.is_none() {
            let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
            report.push(say::role_not_named(path, given.line, text, &known));
        }
        return role.map(|role| (role, called.unwrap_or(folder_of(role)).to_owned()));
    }
    let known = [folder(path), name_text].into_iter().flatten().find_map(role_known_as);
    match (known, called) {
        (Some(role), Some(called)) => Some((role, called.to_owned())),
        (_, called) => {
            let known: Vec<&str> = KNOWN_AS.iter().map(|(name, _)| *name).collect();
            let line = name.and_then(|name| name.line);
            report.push(say::role_not_named(path, line, called.unwrap_or_default(), &known));
            None
        }
    }
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
