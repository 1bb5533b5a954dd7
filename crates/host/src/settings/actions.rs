//! The actions that can be run: those the repository lists, over the built-in ones.

use super::{SettingsError, roles, text_beneath};
use std::cell::RefCell;
use tollgate_contract::action;
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
    pub read: Result<Action, SettingsError>,
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
    let all = list(layout)?;
    let known: Vec<&str> = all.iter().map(|found| found.name.as_str()).collect();
    let known = known.join(", ");
    match all.into_iter().find(|found| found.name == name) {
        Some(found) => found.read,
        None => Err(SettingsError::UnknownAction { name: name.to_owned(), known }),
    }
}

fn own_names(layout: &Layout) -> Result<Vec<String>, SettingsError> {
    match text_beneath(layout, INDEX) {
        Ok(Some(text)) => Ok(action::listed(&text).into_iter().map(str::to_owned).collect()),
        Ok(None) => Ok(file_names(layout)),
        Err(cause) => {
            let (name, path) = ("README".to_owned(), INDEX.to_owned());
            Err(SettingsError::Unreadable { name, path, cause })
        }
    }
}

fn file_names(layout: &Layout) -> Vec<String> {
    let entries = std::fs::read_dir(layout.actions()).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".md")?.to_owned())).collect();
    names.sort();
    names
}

fn built_in_action(built_in: &pack::Built) -> FoundAction {
    let read = match action::read(built_in.text, &format!("actions/{}.md", built_in.name)) {
        (Some(action), _) => Ok(action),
        (None, report) => Err(SettingsError::Invalid(report)),
    };
    FoundAction { name: built_in.name.to_owned(), source: roles::BUILT_IN.to_owned(), read }
}

fn from_repository(layout: &Layout, name: &str) -> FoundAction {
    let path = format!("agents/actions/{name}.md");
    let read = match text_beneath(layout, &path) {
        Ok(Some(text)) => read(layout, &text, &path, name),
        Ok(None) => {
            Err(SettingsError::ListedWithoutFile { name: name.to_owned(), path: path.clone() })
        }
        Err(cause) => {
            Err(SettingsError::Unreadable { name: name.to_owned(), path: path.clone(), cause })
        }
    };
    FoundAction { name: name.to_owned(), source: path, read }
}

fn read(layout: &Layout, text: &str, path: &str, name: &str) -> Result<Action, SettingsError> {
    // A role file with faults makes its name unknown; the faults are what helps.
    let faults = RefCell::new(Vec::new());
    let resolve = |called: &str| roles::role_called(layout, called, &mut faults.borrow_mut());
    let (action, mut report) = action::read_with(text, path, &resolve);
    if let Some(action) = &action
        && action.name != name
    {
        report.diagnostics.push(action::misnamed(text, path, &action.name, name));
    }
    report.diagnostics.extend(faults.into_inner());
    match action {
        Some(action) if report.is_ok() => Ok(action),
        _ => Err(SettingsError::Invalid(report)),
    }
}

#[cfg(test)]
mod tests;
