//! Gives up what sessions hold: all of one session, or what nobody needs of those that have ended.
//!
//! A folder goes in two steps: it gets a name that nobody looks for, and then what is in it is removed. Killed in between, the
//! session is gone as a whole, and whoever removes something next finishes it.

mod collect;
mod unmerged;

pub use collect::{Freed, Item, Kept, collect, plan};
pub use unmerged::{Unmerged, kept_aside};

use crate::client::{Client, JournalError, LockError};
use crate::context::{Context, homes_of};
use crate::landing::LandError;
use crate::lock::SessionLock;
use crate::sessions;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_core::view::{Standing, View};
use tollgate_files::crash;
use tollgate_files::disk::disk_use;
use tollgate_files::layout::{self, Layout};
use tollgate_git::GitError;
use tollgate_git::repository::{ForgetError, RepositoryError};
use tollgate_git::workspace::{self, WorkspaceError};

#[derive(Debug, thiserror::Error)]
pub enum RemovalError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Forget(#[from] ForgetError),
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Sessions(#[from] sessions::SessionsError),
    #[error("cannot look whether the work is merged: {0}")]
    Landing(#[from] LandError),
    #[error("the snapshots cannot be tidied: {0}")]
    Snapshots(#[from] tollgate_snapshot::SnapshotError),
    #[error("cannot move {} out of the way: {cause}", path.display())]
    Move { path: PathBuf, cause: io::Error },
}

/// Why a session is removed only by a person who knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    Unfinished,
    /// No branch of the person has all of its work.
    Unmerged(Unmerged),
    /// Nobody knows what is in it.
    Unreadable(String),
}

impl Reason {
    pub fn told(&self, session: &SessionName) -> String {
        match self {
            Self::Unfinished => format!("{session} has not ended"),
            Self::Unmerged(work) => work.told(session),
            Self::Unreadable(why) => format!("{session} cannot be read: {why}"),
        }
    }

    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Unfinished => "unfinished",
            Self::Unmerged(_) => "unmerged",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

/// What speaks against removing a session, if anything does.
pub fn reason_to_ask(
    context: &Context,
    session: &SessionName,
) -> Result<Option<Reason>, RemovalError> {
    let view = match view(context, session) {
        Ok(Some(view)) => view,
        Ok(None) => return Ok(None),
        Err(error) => return Ok(Some(Reason::Unreadable(error.to_string()))),
    };
    if !matches!(view.route.standing, Standing::Done | Standing::Cancelled) {
        return Ok(Some(Reason::Unfinished));
    }
    Ok(Unmerged::of(&context.repository, &view)?.map(Reason::Unmerged))
}

fn view(context: &Context, session: &SessionName) -> Result<Option<View>, JournalError> {
    Client::open(context.session_layout(session))?.view()
}

/// How many bytes a session holds.
pub fn held_bytes(context: &Context, session: &SessionName) -> u64 {
    let root = context.repository.root();
    let homes = sessions::homes(&context.state_home, root, session);
    let own = disk_use(context.session_layout(session).folder());
    homes.iter().map(|home| disk_use(home)).fold(own, u64::saturating_add)
}

/// Removes a session with all that it holds; how many bytes that frees.
pub fn remove(context: &Context, session: &SessionName) -> Result<u64, RemovalError> {
    let folder = context.session_layout(session).folder().to_owned();
    let _lock = SessionLock::acquire_file(&context.session_lock(session))?.and_folder(&folder)?;
    if let Some(folder) = context.repository.checkout_of(&branch(session))? {
        let folder = folder.display().to_string();
        return Err(ForgetError::CheckedOut { branch: branch(session), folder }.into());
    }
    let freed = held_bytes(context, session);
    crash::point("remove.before_rename");
    let doomed = out_of_sight(&folder)?;
    crash::point("remove.renamed");
    finish_one(context, session, &doomed)?;
    sessions::forget(&context.state_home, context.repository.root());
    Ok(freed)
}

fn branch(session: &SessionName) -> String {
    tollgate_git::repository::branch_name(session)
}

/// Finishes what was killed while it removed something.
pub fn finish(context: &Context) -> Result<(), RemovalError> {
    let root = context.repository.root();
    for doomed in doomed_in(&context.layout.sessions_folder()) {
        if let Some(session) = session_of(&doomed) {
            // Whoever holds the lock is at it right now.
            let Ok(_lock) = SessionLock::acquire_file(&context.session_lock(&session)) else {
                continue;
            };
            finish_one(context, &session, &doomed)?;
        }
    }
    for doomed in doomed_in(&layout::workspaces(&context.state_home, root)) {
        workspace::remove(&doomed)?;
    }
    Ok(())
}

/// The folder goes last: while it is there, all of this is done again.
fn finish_one(context: &Context, session: &SessionName, doomed: &Path) -> Result<(), RemovalError> {
    context.repository.forget(session)?;
    crash::point("remove.refs_gone");
    let root = context.repository.root();
    for home in sessions::homes(&context.state_home, root, session) {
        workspace::remove(&out_of_sight(&home)?)?;
    }
    for left in left_of_lives(context, session) {
        workspace::remove(&left)?;
    }
    crash::point("remove.workspaces_gone");
    for anchor in context.journal_anchors(session) {
        workspace::remove(&anchor)?;
    }
    for report in reports_of(context, session) {
        workspace::remove(&report)?;
    }
    crash::point("remove.before_folder");
    workspace::remove(doomed)?;
    Ok(())
}

/// What says whose the workspaces were, and workspaces of sessions that had the name before.
fn left_of_lives(context: &Context, session: &SessionName) -> Vec<PathBuf> {
    let folder = layout::workspaces(&context.state_home, context.repository.root());
    let former = std::fs::read_dir(folder.join("former")).into_iter().flatten().flatten();
    let homes = former.flat_map(|life| homes_of(&life.path().join(session.as_str())));
    homes.flatten().chain([folder.join(format!("{session}~life"))]).collect()
}

/// What was written about failures of a session.
fn reports_of(context: &Context, session: &SessionName) -> Vec<PathBuf> {
    let folder = context.layout.repo_root().join("logs/errors");
    let part = format!("_{session}_");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().contains(&part));
    named.map(|entry| entry.path()).collect()
}

/// Gives a folder a name that nobody looks for.
fn out_of_sight(path: &Path) -> Result<PathBuf, RemovalError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = |number: u32| path.with_file_name(format!("{}{number}-{name}", Layout::REMOVED));
    let free = (1..).map(named).find(|to| to.symlink_metadata().is_err());
    let to = free.unwrap_or_else(|| named(0));
    match std::fs::rename(path, &to) {
        Ok(()) => Ok(to),
        Err(cause) => Err(RemovalError::Move { path: path.to_owned(), cause }),
    }
}

fn doomed_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_doomed = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(Layout::REMOVED))
    };
    entries.map(|entry| entry.path()).filter(is_doomed).collect()
}

fn session_of(doomed: &Path) -> Option<SessionName> {
    let name = doomed.file_name()?.to_str()?.strip_prefix(Layout::REMOVED)?;
    SessionName::parse(name.split_once('-')?.1).ok()
}
