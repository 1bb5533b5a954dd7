//! The actions that can be run: those the repository lists, over the built-in ones.

use super::{SettingsError, roles, text_beneath};
use std::cell::RefCell;
use tollgate_contract::action;
use tollgate_contract::diagnostic::{Diagnostic, Report};
use tollgate_contract::pack;
use tollgate_core::action::Action;
use tollgate_files::layout::Layout;

/// What lists the repository's own actions.
pub const INDEX: &str = "agents/actions/README.md";

/// An action that was found, good or not.
#[derive(Debug)]
pub struct FoundAction {
    pub name: String,
    /// `built-in`, or the path in the repository.
    pub source: String,
    pub form: Form,
    pub read: Result<Action, SettingsError>,
    /// What of the file is not done as it is written.
    pub notices: Vec<Diagnostic>,
    /// A file of the repository that could not be understood; the built-in action of its name is used.
    pub unused: Option<UnusedFile>,
}

/// How an action is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    BuiltIn,
    FrontMatter,
    /// Headings and lists, without front matter.
    Prose,
}

impl Form {
    /// Nothing to tell: the source says which of the two it is.
    pub fn is_usual(&self) -> bool {
        *self != Self::Prose
    }
}

#[derive(Debug, Clone)]
pub struct UnusedFile {
    pub path: String,
    /// Why, in the words of its faults.
    pub why: String,
}

impl FoundAction {
    fn of(name: &str, source: &str, form: Form, read: Result<Action, SettingsError>) -> Self {
        let (name, source) = (name.to_owned(), source.to_owned());
        Self { name, source, form, read, notices: Vec::new(), unused: None }
    }
}

/// All of them: the built-in ones in their order, each in the repository's version where there is one, then the
/// repository's others. With `agents/actions/README.md` only what it lists counts, without it every file beside it.
pub fn list(layout: &Layout) -> Result<Vec<FoundAction>, SettingsError> {
    let own = own_names(layout)?;
    let is_own = |name: &str| own.iter().any(|own| own == name);
    let built_in = pack::ACTIONS.iter().map(|built_in| match is_own(built_in.name) {
        true => from_repository(layout, built_in.name),
        false => built_in_action(built_in),
    });
    let others = own.iter().filter(|name| pack::find(pack::ACTIONS, name).is_none());
    Ok(built_in.chain(others.map(|name| from_repository(layout, name))).collect())
}

/// Outside of any repository.
pub fn built_in() -> Vec<FoundAction> {
    pack::ACTIONS.iter().map(built_in_action).collect()
}

/// The action of a name.
pub fn find(layout: &Layout, name: &str) -> Result<Action, SettingsError> {
    found(layout, name)?.read
}

/// As `find`, with where it comes from and what of its file is not done as it is written.
pub fn found(layout: &Layout, name: &str) -> Result<FoundAction, SettingsError> {
    let all = list(layout)?;
    let known: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
    let known = known.join(", ");
    let found = all.into_iter().find(|found| found.name == name);
    found.ok_or_else(|| SettingsError::UnknownAction { name: name.to_owned(), known })
}

/// Everything that is wrong with the text of an action file, and what of it is not done as it is written.
pub fn check(layout: &Layout, name: &str, text: &str, path: &str) -> Report {
    read(layout, text, path, name).1
}

/// The action of a text, as if it were the file at this path.
pub fn read_text(layout: &Layout, text: &str, path: &str, name: &str) -> Option<Action> {
    read(layout, text, path, name).0
}

/// A list that names no action lists none: then every file counts.
fn own_names(layout: &Layout) -> Result<Vec<String>, SettingsError> {
    let files = file_names(layout);
    match text_beneath(layout, INDEX) {
        Ok(Some(text)) => {
            let mut names: Vec<String> =
                action::listed(&text).into_iter().map(str::to_owned).collect();
            for name in action::mentioned(&text, &files) {
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
            Ok(if names.is_empty() { actions_among(layout, files) } else { names })
        }
        Ok(None) => Ok(actions_among(layout, files)),
        Err(cause) => {
            let (name, path) = ("README".to_owned(), INDEX.to_owned());
            Err(SettingsError::Unreadable { name, path, cause })
        }
    }
}

/// Files in capitals, such as README.md, are for people.
fn file_names(layout: &Layout) -> Vec<String> {
    let entries = std::fs::read_dir(layout.actions()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let names = names.filter_map(|name| Some(name.strip_suffix(".md")?.to_owned()));
    let mut names: Vec<String> =
        names.filter(|name| name.bytes().any(|b| b.is_ascii_lowercase())).collect();
    names.sort();
    names
}

/// People keep other pages beside their actions: one without front matter that tells of no flow is none.
fn actions_among(layout: &Layout, mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| match text_beneath(layout, &path_of(name)) {
        Ok(Some(text)) => {
            let is_known = pack::find(pack::ACTIONS, name).is_some();
            is_known || action::has_front_matter(&text) || action::has_flow(&text)
        }
        _ => true,
    });
    names
}

fn path_of(name: &str) -> String {
    format!("agents/actions/{name}.md")
}

fn built_in_action(built_in: &pack::Built) -> FoundAction {
    let read = match action::read(built_in.text, &format!("actions/{}.md", built_in.name)) {
        (Some(action), _) => Ok(action),
        (None, report) => Err(SettingsError::Invalid(report)),
    };
    FoundAction::of(built_in.name, roles::BUILT_IN, Form::BuiltIn, read)
}

fn from_repository(layout: &Layout, name: &str) -> FoundAction {
    let path = path_of(name);
    let refused = |read| FoundAction::of(name, &path, Form::FrontMatter, Err(read));
    let text = match text_beneath(layout, &path) {
        Ok(Some(text)) => text,
        Ok(None) => {
            let (name, path) = (name.to_owned(), path.clone());
            return refused(SettingsError::ListedWithoutFile { name, path });
        }
        Err(cause) => {
            let (name, path) = (name.to_owned(), path.clone());
            return refused(SettingsError::Unreadable { name, path, cause });
        }
    };
    let is_prose = !action::has_front_matter(&text);
    let form = if is_prose { Form::Prose } else { Form::FrontMatter };
    let (action, report) = read(layout, &text, &path, name);
    match (action, pack::find(pack::ACTIONS, name)) {
        (Some(action), _) => {
            let mut found = FoundAction::of(name, &path, form, Ok(action));
            found.notices = report.diagnostics;
            found
        }
        // Who wrote front matter means their own action and no other; prose may be about anything.
        (None, Some(built_in)) if is_prose => {
            let mut found = built_in_action(&built_in);
            let why = report.errors().map(|fault| fault.message.clone()).collect::<Vec<_>>();
            found.unused = Some(UnusedFile { path, why: why.join("; ") });
            found
        }
        (None, _) => FoundAction::of(name, &path, form, Err(SettingsError::Invalid(report))),
    }
}

fn read(layout: &Layout, text: &str, path: &str, name: &str) -> (Option<Action>, Report) {
    // A role file with faults makes its name unknown; the faults are what helps.
    let faults = RefCell::new(Vec::new());
    let resolve = |called: &str| roles::role_called(layout, called, &mut faults.borrow_mut());
    if !action::has_front_matter(text) {
        return action::read_prose(text, path, name, &resolve);
    }
    let (action, mut report) = action::read_with(text, path, &resolve);
    if let Some(action) = &action
        && action.name != name
    {
        report.diagnostics.push(action::misnamed(text, path, &action.name, name));
    }
    report.diagnostics.extend(faults.into_inner());
    (action.filter(|_| report.is_ok()), report)
}

#[cfg(test)]
mod tests;
