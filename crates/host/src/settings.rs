//! Reads the person's settings, roles and actions, with the built-in pack where there are none.

use crate::files;
use crate::layout::Layout;
use std::collections::BTreeMap;
use tollgate_contract::action;
use tollgate_contract::config::{self, Config};
use tollgate_contract::diagnostic::Report;
use tollgate_contract::pack;
use tollgate_contract::skill::{self, RoleFile};
use tollgate_core::action::Action;
use tollgate_core::role::Role;

/// A settings file is short; a bigger one is a mistake.
const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{0}")]
    File(#[from] files::FileError),
    #[error("the settings have {} error(s)", .0.errors().count())]
    Invalid(Report),
    #[error("there is no action {name:?}; known: {known}")]
    UnknownAction { name: String, known: String },
}

/// tollgate.toml of the working tree; the defaults when there is none.
pub fn config(layout: &Layout) -> Result<Config, SettingsError> {
    let bytes = match files::read_bounded(&layout.settings(), SETTINGS_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() => return Ok(Config::default()),
        Err(error) => return Err(error.into()),
    };
    let text = String::from_utf8_lossy(&bytes);
    match config::read(&text, "tollgate.toml") {
        (Some(config), _) => Ok(config),
        (None, report) => Err(SettingsError::Invalid(report)),
    }
}

/// The role files: `agents/<name>/SKILL.md` of the repository over the built-in ones.
pub fn roles(layout: &Layout) -> Result<BTreeMap<Role, RoleFile>, SettingsError> {
    let mut roles = BTreeMap::new();
    for built_in in pack::ROLES {
        let path = layout.agents().join(built_in.name).join("SKILL.md");
        let shown = format!("agents/{}/SKILL.md", built_in.name);
        let read = match files::read_bounded(&path, SETTINGS_BYTES_MAX) {
            Ok(bytes) => skill::read(&String::from_utf8_lossy(&bytes), &shown),
            Err(error) if error.is_not_found() => skill::read(built_in.text, &shown),
            Err(error) => return Err(error.into()),
        };
        match read {
            (Some(role), _) => {
                roles.insert(role.role, role);
            }
            (None, report) => return Err(SettingsError::Invalid(report)),
        }
    }
    Ok(roles)
}

/// A built-in action.
pub fn action(name: &str) -> Result<Action, SettingsError> {
    let Some(built_in) = pack::ACTIONS.iter().find(|action| action.name == name) else {
        let known: Vec<&str> = pack::ACTIONS.iter().map(|action| action.name).collect();
        let (name, known) = (name.to_owned(), known.join(", "));
        return Err(SettingsError::UnknownAction { name, known });
    };
    match action::read(built_in.text, &format!("actions/{name}.md")) {
        (Some(action), _) => Ok(action),
        (None, report) => Err(SettingsError::Invalid(report)),
    }
}
