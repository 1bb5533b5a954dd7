//! Checks that a person gave in place of others, written into the files of the plan. The state says which are still to be
//! written; once they are found in the file, a person may change it again.

use tollgate_contract::{acceptance, tasks};
use tollgate_core::limits::{ARTEFACT_BYTES_MAX, PERSIST_TRIES};
use tollgate_core::session::{ReplacedCheck, Session};
use tollgate_files::layout::SessionLayout;
use tollgate_files::{self as files, FileError, crash};

/// Writes what is not written yet.
pub fn write(layout: &SessionLayout, session: &Session) -> Result<(), FileError> {
    for (path, replaced) in &session.files.rewritten {
        let Some(text) = read(layout, path)? else { continue };
        let edited = replaced.iter().try_fold(text.clone(), |text, one| edited(path, &text, one));
        if let Some(edited) = edited.filter(|edited| *edited != text) {
            crash::point("projection.before_replaced");
            files::write_checked(&layout.artefact(path), edited.as_bytes(), PERSIST_TRIES)?;
        }
    }
    Ok(())
}

/// Whether a command can be replaced in a file of the plan without changing anything else.
pub fn can_be_written(
    layout: &SessionLayout,
    path: &str,
    replaced: &ReplacedCheck,
) -> Result<bool, FileError> {
    let text = read(layout, path)?;
    Ok(text.is_some_and(|text| edited(path, &text, replaced).is_some_and(|now| now != text)))
}

fn edited(path: &str, text: &str, replaced: &ReplacedCheck) -> Option<String> {
    let ReplacedCheck { command, with } = replaced;
    match path {
        "tasks.yaml" => tasks::replace_check(text, command, with),
        _ => acceptance::replace_check(text, command, with),
    }
}

/// What is gone or cannot be read is told before the next dispatch.
fn read(layout: &SessionLayout, path: &str) -> Result<Option<String>, FileError> {
    match files::read_beneath(layout.folder(), path, ARTEFACT_BYTES_MAX) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}
