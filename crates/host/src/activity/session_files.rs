//! The session folder in the workspace: a copy for the agent, and what it made of it.

use super::authored::authored;
use super::{ActivityError, earlier};
use std::borrow::Cow;
use std::path::Path;
use tollgate_core::id::{ContentHash, SessionName};
use tollgate_core::session::Session;
use tollgate_core::work::Breach;
use tollgate_files::crash;
use tollgate_files::layout::{Layout, SessionLayout};
use tollgate_files::redact::Redactor;
use tollgate_files::{self as files, ListingEntry, ListingKind, TreeLimits};

pub use super::authored::Given;

/// Which session files an attempt was given, for the comparison afterwards.
pub const GIVEN: &str = "given.json";

/// Lays the copy of record into the workspace, exactly: what is not in the record goes.
pub fn lay_out(record: &Path, tree: &Path, session: &SessionName) -> Result<Given, ActivityError> {
    let sessions = tree.join(Layout::SESSIONS);
    if sessions.symlink_metadata().is_ok() {
        files::remove_tree(&sessions)?;
    }
    let copy = sessions.join(session.as_str());
    std::fs::create_dir_all(&copy)
        .map_err(ActivityError::io(format!("cannot make {}", copy.display())))?;
    let mut given = Given::new();
    for path in authored(record)? {
        give(record, &copy, path, &mut given)?;
    }
    earlier::lay_out(record, &sessions, session, &mut given)?;
    Ok(given)
}

fn give(record: &Path, copy: &Path, path: String, given: &mut Given) -> Result<(), ActivityError> {
    let bytes = match files::read_beneath(record, &path, TreeLimits::default().file_bytes_max) {
        // Nobody reads that much; what must be read and is missing stops the dispatch.
        Err(error) if error.is_too_big() => return Ok(()),
        other => other?,
    };
    files::write_beneath(copy, &path, &bytes)?;
    given.insert(path, files::hash_bytes(&bytes));
    Ok(())
}

/// Brings the session files back to what an older journal knows. What came later is kept in `journal.former-N`; a file
/// whose older content is nowhere stays, as an edit.
pub fn set_later_aside(layout: &SessionLayout, session: &Session) -> Result<(), ActivityError> {
    let folder = layout.folder();
    let former = files::first_free(|number| layout.artefact(&format!("journal.former-{number}")));
    let problem = || ActivityError::io(format!("cannot set files aside in {}", former.display()));
    std::fs::create_dir(&former).map_err(problem())?;
    let limit = TreeLimits::default().file_bytes_max;
    let mut later = Vec::new();
    for path in authored(folder)?.into_iter().filter(|path| path != "status.json") {
        let known = session.files.artefacts.get(&path);
        let bytes = match files::read_beneath(folder, &path, limit) {
            Err(error) if error.is_too_big() => continue,
            read => read?,
        };
        let older = known.and_then(|record| {
            let (number, attempt) = record.from?;
            let outputs = layout.attempt(number, attempt).outputs();
            files::read_beneath(&outputs, &path, limit).ok()
        });
        let older = match (known, older) {
            (Some(record), _) if record.sha256 == files::hash_bytes(&bytes) => continue,
            (Some(record), Some(older)) if record.sha256 == files::hash_bytes(&older) => {
                Some(older)
            }
            (Some(_), _) => continue,
            (None, _) => None,
        };
        files::write_beneath(&former, &path, &bytes)?;
        later.push((path, older));
    }
    // A power cut must not take what was kept only here.
    files::sync_tree(&former)?;
    files::sync_folder(folder).map_err(problem())?;
    crash::point("aside.kept");
    for (path, older) in later {
        match older {
            Some(older) => {
                files::write_beneath(folder, &path, &older)?;
                files::sync_beneath(folder, &path)?;
            }
            None => std::fs::remove_file(folder.join(&path)).map_err(problem())?,
        }
    }
    Ok(())
}

/// A session file that an attempt wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub path: String,
    pub bytes: Vec<u8>,
    pub sha256: ContentHash,
}

/// What differs in the copy from what was given.
#[derive(Debug, Default)]
pub struct Differences {
    pub written: Vec<Written>,
    pub deleted: Vec<String>,
    /// Links, pipes, odd names, files too big, and other sessions.
    pub breaches: Vec<Breach>,
}

pub fn differences(
    tree: &Path,
    session: &SessionName,
    given: &Given,
) -> Result<Differences, ActivityError> {
    let mut found = Differences::default();
    let sessions = tree.join(Layout::SESSIONS);
    match sessions.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        other => {
            found.deleted = given.keys().filter(|path| !earlier::is_of(path)).cloned().collect();
            if other.is_ok() {
                let why = "it must stay a regular folder".to_owned();
                found.breaches.push(Breach { path: Layout::SESSIONS.to_owned(), why });
            }
            return Ok(found);
        }
    }
    let limits = TreeLimits::default();
    let prefix = format!("{session}/");
    let mut seen = Vec::new();
    let entries = match files::list_files(&sessions, limits) {
        Ok(entries) => entries,
        Err(error) => {
            let why = format!("it cannot be accepted: {error}");
            found.breaches.push(Breach { path: Layout::SESSIONS.to_owned(), why });
            return Ok(found);
        }
    };
    for entry in entries {
        if entry.kind == ListingKind::Dir {
            continue;
        }
        let whole = format!("{}/{}", Layout::SESSIONS, entry.path);
        let Some(path) = entry.path.strip_prefix(&prefix) else {
            if earlier::is_as_given(&sessions, &entry, given) {
                continue;
            }
            let why = "it belongs to another session, which is read-only here";
            found.breaches.push(Breach { path: whole, why: why.to_owned() });
            continue;
        };
        if let Some(why) = not_acceptable(&entry, limits) {
            found.breaches.push(Breach { path: whole, why });
            continue;
        }
        seen.push(path.to_owned());
        let bytes = match files::read_beneath(&sessions, &entry.path, limits.file_bytes_max) {
            Ok(bytes) => bytes,
            Err(error) => {
                let why = format!("it cannot be read: {error}");
                found.breaches.push(Breach { path: whole, why });
                continue;
            }
        };
        let sha256 = files::hash_bytes(&bytes);
        if given.get(path) != Some(&sha256) {
            found.written.push(Written { path: path.to_owned(), bytes, sha256 });
        }
    }
    // A copy of another session's file that is gone changes nothing.
    let own = given.keys().filter(|path| !earlier::is_of(path));
    found.deleted = own.filter(|path| !seen.contains(path)).cloned().collect();
    Ok(found)
}

/// Why a session file cannot be taken, whatever is in it.
fn not_acceptable(entry: &ListingEntry, limits: TreeLimits) -> Option<String> {
    if entry.kind != ListingKind::File {
        return Some("session files must be regular files with plain names".to_owned());
    }
    let max = limits.file_bytes_max;
    let size = entry.size;
    (size > max).then(|| format!("it has {size} bytes; the limit for a session file is {max}"))
}

/// What is kept of text that an agent wrote holds no token; its hash is that of what is kept.
pub fn take_secrets_out(found: &mut Differences, redactor: &Redactor) {
    for file in &mut found.written {
        let Ok(text) = std::str::from_utf8(&file.bytes) else {
            continue;
        };
        if let Cow::Owned(clean) = redactor.redact(text) {
            file.bytes = clean.into_bytes();
            file.sha256 = files::hash_bytes(&file.bytes);
        }
    }
}
