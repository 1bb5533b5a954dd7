//! Role texts, looked up when a role is about to work: what people wrote last is what counts.

use super::text_beneath;
use std::collections::BTreeSet;
use tollgate_contract::diagnostic::{Diagnostic, Report};
use tollgate_contract::pack;
use tollgate_contract::skill::is_kebab;
use tollgate_contract::skill::{self, RoleFile};
use tollgate_core::given::RoleText;
use tollgate_core::id::ContentHash;
use tollgate_core::role::Role;
use tollgate_files as files;
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
    /// Of the text as it was read.
    pub sha256: ContentHash,
    /// What of the file is ignored.
    pub notices: Vec<Diagnostic>,
}

impl FoundRole {
    /// For the record.
    pub fn text(&self) -> RoleText {
        let path = match self.source.as_str() {
            BUILT_IN => format!("{BUILT_IN} {}", self.file.name),
            path => path.to_owned(),
        };
        RoleText { path, sha256: self.sha256.clone() }
    }
}

/// The text of a role by the name that an action calls it by, as it is at this moment.
///
/// `agents/NAME/SKILL.md` is the repository's word: with errors in it the role is missing. Then come files of other tools,
/// then the built-in text of that name. A name that is only known for a canonical role, and has no text anywhere, speaks
/// with the text of that role.
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
        let (source, sha256) = (BUILT_IN.to_owned(), files::hash_bytes(built_in.text.as_bytes()));
        return match skill::read(built_in.text, built_in.name) {
            (Some(file), _) => Ok(FoundRole { file, source, sha256, notices: Vec::new() }),
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
    let mut own = own_names(layout);
    let pages = pages(layout).map(|page| page.name);
    own.extend(pages.filter(|name| role_called(layout, name, &mut Vec::new()).is_some()));
    let own = own.into_iter().filter(|name| !built_in.contains(&name.as_str()));
    let names = built_in.iter().map(|name| (*name).to_owned()).chain(own);
    names.map(|name| listed(layout, name)).collect()
}

/// A file that looks like the text of a role and is none.
#[derive(Debug)]
pub struct UnusedPage {
    pub path: String,
    pub name: String,
    pub reason: String,
}

/// The files in the places of role texts that no role of the list speaks with.
pub fn unused(layout: &Layout, listed: &[ListedRole]) -> Vec<UnusedPage> {
    let is_used = |path: &str| {
        listed.iter().any(|role| role.found.as_ref().is_ok_and(|found| found.source == path))
    };
    let unused = pages(layout).filter(|page| !is_used(&page.path));
    unused
        .map(|page| {
            let role = listed.iter().find(|role| role.name == page.name);
            let reason = why_unused(layout, &page, role);
            UnusedPage { path: page.path, name: page.name, reason }
        })
        .collect()
}

fn why_unused(layout: &Layout, page: &Page, role: Option<&ListedRole>) -> String {
    match (role.map(|role| &role.found), text_beneath(layout, &page.path)) {
        (_, Err(cause)) => format!("it {cause}"),
        (_, Ok(None)) => "it leads to no file".to_owned(),
        (Some(Err(missing)), _) => missing.detail.clone(),
        (Some(Ok(found)), _) => format!("{} is used for {}", found.source, page.name),
        (None, _) => format!(
            "{:?} is the name of no known role, and the file has no field `role` that names one",
            page.name
        ),
    }
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

/// A file of a folder that holds one for each role.
struct Page {
    path: String,
    name: String,
}

/// Every such file: the place that counts first is first, then by the alphabet.
fn pages(layout: &Layout) -> impl Iterator<Item = Page> {
    skill::FOREIGN_HOMES.into_iter().flat_map(|home| pages_in(layout, home))
}

fn pages_in(layout: &Layout, home: &str) -> Vec<Page> {
    let entries = std::fs::read_dir(layout.repo_root().join(home)).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let page = |file: String| {
        let name = skill::name_of_file(&file)?;
        // People keep other pages in `agents/` too.
        let is_page = home != "agents" || skill::role_known_as(&name).is_some();
        is_page.then(|| Page { path: format!("{home}/{file}"), name })
    };
    let mut pages: Vec<Page> = files.filter_map(page).collect();
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages
}

/// What the repository says about a name; words when it says it badly. A folder without a role file says nothing.
fn own(layout: &Layout, name: &str, role: Option<Role>) -> Result<Option<FoundRole>, String> {
    let names = skill::names_speaking_for(name);
    for speaking in &names {
        let found = skill_of(layout, speaking)?;
        // A text for another role may have any name.
        let fits = |found: &FoundRole| *speaking == name || Some(found.file.role) == role;
        if let Some(found) = found.filter(fits) {
            return Ok(Some(found));
        }
    }
    for home in skill::FOREIGN_HOMES {
        let pages = pages_in(layout, home);
        for speaking in &names {
            for page in pages.iter().filter(|page| page.name == *speaking) {
                if let Some(found) = text_of(layout, page, role)? {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

fn skill_of(layout: &Layout, name: &str) -> Result<Option<FoundRole>, String> {
    let path = own_path(name);
    let Some(text) = text_beneath(layout, &path).map_err(|cause| format!("{path} {cause}"))? else {
        return Ok(None);
    };
    match skill::read(&text, &path) {
        (Some(file), report) => {
            let sha256 = files::hash_bytes(text.as_bytes());
            Ok(Some(FoundRole { file, source: path, sha256, notices: report.diagnostics }))
        }
        (None, report) => Err(words(&report)),
    }
}

fn text_of(layout: &Layout, page: &Page, role: Option<Role>) -> Result<Option<FoundRole>, String> {
    let Page { path, name } = page;
    let Some(text) = text_beneath(layout, path).map_err(|cause| format!("{path} {cause}"))? else {
        return Ok(None);
    };
    let (source, sha256) = (path.clone(), files::hash_bytes(text.as_bytes()));
    match skill::read_foreign(&text, path, name, role) {
        Some(file) => Ok(Some(FoundRole { file, source, sha256, notices: Vec::new() })),
        None if role.is_none() => Ok(None),
        None => Err(format!("{path} has no text after its front matter")),
    }
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
