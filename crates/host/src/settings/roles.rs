//! Role texts, looked up when a role is about to work: what people wrote last is what counts.

use super::text_beneath;
use std::collections::BTreeSet;
use tollgate_contract::diagnostic::{Diagnostic, Report};
use tollgate_contract::pack;
use tollgate_contract::skill::is_kebab;
use tollgate_contract::skill::{self, RoleFile};
use tollgate_core::role::Role;
use tollgate_files::layout::Layout;

/// Where a text comes from when it is in the binary.
pub const BUILT_IN: &str = "built-in";

/// A role that cannot be told what to do, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the role {name} has no instructions: {detail}")]
pub struct MissingRole {
    pub name: String,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRole {
    pub file: RoleFile,
    /// `built-in`, or the path in the repository.
    pub source: String,
}

/// The text of a role by the name that an action calls it by, as it is at this moment.
///
/// A folder `agents/NAME/` is the repository's word: without a good SKILL.md in it the role is missing. Then come files
/// of other tools, then the built-in text of that name. A name that is only known for a canonical role, and has no
/// text anywhere, speaks with the text of that role.
pub fn find(layout: &Layout, role: Role, called: Option<&str>) -> Result<FoundRole, MissingRole> {
    let name = called.unwrap_or(skill::folder_of(role));
    let missing = |detail: String| MissingRole { name: name.to_owned(), detail };
    if let Some(found) = own(layout, name, Some(role)).map_err(missing)? {
        if found.file.role != role {
            let detail = format!(
                "{} is the text of {}, but the action calls it as {role}",
                found.source, found.file.role
            );
            return Err(missing(detail));
        }
        return Ok(found);
    }
    if let Some(built_in) = pack::find(pack::ROLES, name) {
        let source = BUILT_IN.to_owned();
        return match skill::read(built_in.text, built_in.name) {
            (Some(file), _) => Ok(FoundRole { file, source }),
            (None, report) => Err(missing(words(&report))),
        };
    }
    if called.is_some() && skill::role_known_as(name) == Some(role) {
        return find(layout, role, None);
    }
    Err(missing(format!("there is no agents/{name}/SKILL.md")))
}

/// The canonical role that a name in an action file stands for. Faults of its own file are told beside.
pub fn role_called(layout: &Layout, name: &str, faults: &mut Vec<Diagnostic>) -> Option<Role> {
    if let Some(role) = skill::role_known_as(name) {
        return Some(role);
    }
    if !is_kebab(name) {
        return None;
    }
    let path = own_path(name);
    if let Ok(Some(text)) = text_beneath(layout, &path) {
        let (file, report) = skill::read(&text, &path);
        faults.extend(report.diagnostics);
        return file.map(|file| file.role);
    }
    own(layout, name, None).ok().flatten().map(|found| found.file.role)
}

/// A line of the list of roles.
#[derive(Debug)]
pub struct ListedRole {
    pub name: String,
    pub role: Option<Role>,
    pub found: Result<FoundRole, MissingRole>,
}

/// Every name that has a text: the built-in ones in their order, then the repository's own.
pub fn list(layout: &Layout) -> Vec<ListedRole> {
    let built_in: Vec<&str> = pack::ROLES.iter().map(|built_in| built_in.name).collect();
    let own = own_names(layout).into_iter().filter(|name| !built_in.contains(&name.as_str()));
    let names = built_in.iter().map(|name| (*name).to_owned()).chain(own);
    names.map(|name| listed(layout, name)).collect()
}

fn listed(layout: &Layout, name: String) -> ListedRole {
    let mut faults = Vec::new();
    let role = role_called(layout, &name, &mut faults);
    let found = match role {
        Some(role) => find(layout, role, Some(&name)),
        None => {
            let detail = words(&Report { diagnostics: faults });
            Err(MissingRole { name: name.clone(), detail })
        }
    };
    ListedRole { name, role, found }
}

/// Names with a SKILL.md of the repository; other folders below agents/ are no roles.
fn own_names(layout: &Layout) -> BTreeSet<String> {
    let entries = std::fs::read_dir(layout.agents()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names
        .filter(|name| is_kebab(name) && layout.repo_root().join(own_path(name)).exists())
        .collect()
}

fn own_path(name: &str) -> String {
    format!("agents/{name}/SKILL.md")
}

/// What the repository says about a name; words when it says it badly.
fn own(layout: &Layout, name: &str, role: Option<Role>) -> Result<Option<FoundRole>, String> {
    let path = own_path(name);
    if layout.agents().join(name).symlink_metadata().is_ok() {
        return match text_beneath(layout, &path) {
            Ok(Some(text)) => match skill::read(&text, &path) {
                (Some(file), _) => Ok(Some(FoundRole { file, source: path })),
                (None, report) => Err(words(&report)),
            },
            Ok(None) => Err(format!("{path} does not exist")),
            Err(cause) => Err(format!("{path} {cause}")),
        };
    }
    for path in [format!(".claude/agents/{name}.md"), format!(".github/agents/{name}.agent.md")] {
        match text_beneath(layout, &path) {
            Ok(Some(text)) => {
                return match skill::read_foreign(&text, &path, name, role) {
                    Some(file) => Ok(Some(FoundRole { file, source: path })),
                    None if role.is_none() => Ok(None),
                    None => Err(format!("{path} has no text after its front matter")),
                };
            }
            Ok(None) => {}
            Err(cause) => return Err(format!("{path} {cause}")),
        }
    }
    Ok(None)
}

/// Every fault with its place, on one line each.
fn words(report: &Report) -> String {
    let lines = report.errors().map(|fault| {
        let help = fault.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}: {}{help}", fault.place(), fault.message)
    });
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests;
