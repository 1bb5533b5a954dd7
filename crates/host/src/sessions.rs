//! Which sessions a repository has, and which of them a person means.

mod foreign;
mod summaries;

pub use foreign::{has_document, is_foreign, origin_of};
pub use summaries::{Listed, Measure, Summaries, Trouble, repositories, summaries};
pub(crate) use summaries::{forget_disk_use, homes, note_repository};

use crate::journal;
use std::cmp::Reverse;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_files as files;
use tollgate_files::layout::{Layout, SessionLayout};

/// A year has one more, so that the beginning of a date is never taken for a number.
const NUMBER_DIGITS_MAX: usize = 3;

#[derive(Debug, thiserror::Error)]
pub enum SessionsError {
    #[error("there are no sessions here yet; start one with `tollgate run \"GOAL\"`")]
    NoSession,
    #[error("no session matches {text:?}; `tollgate sessions` lists them")]
    Unknown { text: String },
    #[error("{text:?} matches several sessions: {}; give more of the name", candidates.join(", "))]
    Ambiguous { text: String, candidates: Vec<String> },
    #[error(
        "{path} is a session folder of another orchestrator, without a journal of Tollgate; `tollgate import {path}` takes it over"
    )]
    Foreign { path: String },
    #[error("{path} was imported as {session}: use that name; the folder stays as it was")]
    Imported { path: String, session: SessionName },
    #[error("cannot list the sessions in {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The sessions that have begun, the newest first.
pub fn list(layout: &Layout) -> Result<Vec<SessionName>, SessionsError> {
    let mut sessions = Vec::new();
    for name in folders(layout)? {
        if let Ok(name) = SessionName::parse(&name)
            && has_begun(&layout.session(&name))
        {
            sessions.push(name);
        }
    }
    sessions.sort_by_cached_key(|name| order(name, began_at(&layout.session(name).journal())));
    Ok(sessions)
}

/// The newest first. Of two that began at once, `x-2` was named after `x`.
fn order(
    name: &SessionName,
    began: Option<Timestamp>,
) -> Reverse<(String, Option<Timestamp>, usize, SessionName)> {
    Reverse((name.date().to_owned(), began, name.as_str().len(), name.clone()))
}

/// Folders that another orchestrator wrote and nobody has imported here, by name.
pub fn foreign(layout: &Layout) -> Result<Vec<String>, SessionsError> {
    let mut names = foreign_folders(layout)?;
    let known = imported(layout, &names)?;
    names.retain(|name| !known.iter().any(|(known, _)| known == name));
    Ok(names)
}

fn foreign_folders(layout: &Layout) -> Result<Vec<String>, SessionsError> {
    let mut names = folders(layout)?;
    names.retain(|name| is_foreign(&SessionLayout::at(layout.sessions_folder().join(name))));
    names.sort();
    Ok(names)
}

fn folders(layout: &Layout) -> Result<Vec<String>, SessionsError> {
    let path = layout.sessions_folder();
    let io = |source| SessionsError::Io { path: path.clone(), source };
    let found = match std::fs::read_dir(&path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(error)),
    };
    let mut names = Vec::new();
    for entry in found {
        let entry = entry.map_err(io)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        names.extend(entry.file_name().into_string().ok().filter(|_| is_folder));
    }
    Ok(names)
}

/// The session that a person means: a name, its number in the list, a unique part of one, or `latest`.
pub fn find(layout: &Layout, text: &str) -> Result<SessionName, SessionsError> {
    let sessions = list(layout)?;
    if text == "latest" {
        let latest = sessions.first().cloned();
        return latest
            .ok_or_else(|| meant_foreign(layout, text).unwrap_or(SessionsError::NoSession));
    }
    if let Some(exact) = sessions.iter().find(|name| name.as_str() == text) {
        return Ok(exact.clone());
    }
    if let Some(number) = number_of_the_list(text) {
        let numbered = number.checked_sub(1).and_then(|index| sessions.get(index));
        return numbered.cloned().ok_or_else(|| SessionsError::Unknown { text: text.to_owned() });
    }
    match matching(&sessions, text)[..] {
        [] => Err(meant_foreign(layout, text).unwrap_or_else(|| match sessions.is_empty() {
            true => SessionsError::NoSession,
            false => SessionsError::Unknown { text: text.to_owned() },
        })),
        [one] => Ok(one.clone()),
        ref several => Err(SessionsError::Ambiguous {
            text: text.to_owned(),
            candidates: several.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// A short number counts from the newest session; a date is longer.
fn number_of_the_list(text: &str) -> Option<usize> {
    let is_short = text.len() <= NUMBER_DIGITS_MAX && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_short)
}

/// Names that begin so, or else those that have it in them.
fn matching<'a>(sessions: &'a [SessionName], text: &str) -> Vec<&'a SessionName> {
    let all = |fits: fn(&str, &str) -> bool| {
        let named = sessions.iter().filter(|name| !text.is_empty() && fits(name.as_str(), text));
        named.collect::<Vec<_>>()
    };
    let begin_so = all(|name, text| name.starts_with(text));
    if begin_so.is_empty() { all(|name, text| name.contains(text)) } else { begin_so }
}

/// The folder of another orchestrator that a person means by the same words: the newest one for `latest`.
fn meant_foreign(layout: &Layout, text: &str) -> Option<SessionsError> {
    let names = foreign_folders(layout).ok()?;
    let text = text.trim_end_matches('/').trim_start_matches("./");
    let text =
        text.strip_prefix(Layout::SESSIONS).map_or(text, |rest| rest.trim_start_matches('/'));
    let name = match text {
        "latest" => names.last(),
        "" => None,
        text => names.iter().find(|name| name.starts_with(text)),
    };
    let path = format!("{}/{}", Layout::SESSIONS, name?);
    let session = imported(layout, &names).ok()?.into_iter().find(|(known, _)| Some(known) == name);
    Some(match session {
        Some((_, session)) => SessionsError::Imported { path, session },
        None => SessionsError::Foreign { path },
    })
}

/// Which of these folders became which session. Only where there is such a folder, any journal is looked at.
fn imported(
    layout: &Layout,
    names: &[String],
) -> Result<Vec<(String, SessionName)>, SessionsError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let origin = |session: SessionName| {
        let folder = origin_of(&layout.session(&session))?.folder;
        let name = folder.strip_prefix(Layout::SESSIONS)?.strip_prefix('/')?.to_owned();
        Some((name, session))
    };
    Ok(list(layout)?.into_iter().filter_map(origin).collect())
}

/// When the first record of a journal was written, read from the first bytes of the file.
fn began_at(journal: &Path) -> Option<Timestamp> {
    let mut start = Vec::new();
    let file = files::options_nofollow().read(true).open(journal).ok()?;
    file.take(128).read_to_end(&mut start).ok()?;
    let start = String::from_utf8_lossy(&start);
    let (_, rest) = start.split_once("\"at\":\"")?;
    Timestamp::parse(rest.split_once('"')?.0)
}

/// False when it was killed before its first record was on disk: nothing but a lock and the beginning of a journal is
/// there then. What cannot be read has begun, and so has a session that lost its journal: that must be told.
fn has_begun(session: &SessionLayout) -> bool {
    match journal::has_begun(&session.journal()) {
        Ok(true) => return true,
        Err(error) if !error.is_not_found() => return true,
        Ok(false) | Err(_) => {}
    }
    // An import that was killed before its first record, or a session that is not ours.
    if session.importing().symlink_metadata().is_ok() || is_foreign(session) {
        return false;
    }
    let is_left_by_a_start = |name: &str| name.starts_with("lock") || name.starts_with("journal.");
    let Ok(mut entries) = std::fs::read_dir(session.folder()) else { return true };
    !entries.all(|entry| {
        entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_left_by_a_start))
    })
}

#[cfg(test)]
mod tests;
