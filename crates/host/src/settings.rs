//! Reads the person's settings, roles and actions, with the built-in pack where there are none.

pub mod actions;
pub mod roles;

use crate::sandbox;
use tollgate_contract::config::{self, Config};
use tollgate_contract::diagnostic::Report;
use tollgate_files as files;
use tollgate_files::layout::Layout;

/// A settings file is short; a bigger one is a mistake.
const SETTINGS_BYTES_MAX: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("{0}")]
    File(#[from] files::FileError),
    #[error("the settings have {}", tollgate_core::count::counted(.0.errors().count(), "error"))]
    Invalid(Report),
    #[error("{0}")]
    Sandbox(#[from] sandbox::SandboxRefusal),
    #[error("there is no action {name:?}; known: {known}")]
    UnknownAction { name: String, known: String },
    #[error("the action {name:?} is listed in {}, but {path} does not exist", actions::INDEX)]
    ListedWithoutFile { name: String, path: String },
    #[error("the action {name:?} cannot be used: {path} {cause}")]
    Unreadable { name: String, path: String, cause: String },
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

/// The text of a file below the repository's root; none when there is no such file, words when it cannot be used.
fn text_beneath(layout: &Layout, path: &str) -> Result<Option<String>, String> {
    match files::read_beneath(layout.repo_root(), path, SETTINGS_BYTES_MAX) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("is not UTF-8 text".to_owned()),
        },
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(format!("cannot be read: {error}")),
    }
}
