//! Gives up what sessions hold: all of one session, or what nobody needs of those that have ended.
//!
//! A folder goes in two steps: it gets a name that nobody looks for, and then what is in it is removed. Killed in between, the
//! session is gone as a whole, and whoever removes something next finishes it.

mod collect;
mod tips;
mod unmerged;

pub use collect::{Freed, Item, Kept, collect, plan};
pub use unmerged::{Ahead, Unmerged, kept_aside};

use crate::activity::ActivityError;
use crate::client::{Client, LockError};
use crate::context::{Context, homes_of};
use crate::doomed;
use crate::lock::SessionLock;
use crate::serve;
use crate::sessions;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_core::view::{Standing, View};
use tollgate_files::FileError;
use tollgate_files::crash;
use tollgate_files::disk::disk_use;
use tollgate_files::layout;
use tollgate_git::GitError;
use tollgate_git::repository::{ForgetError, Refs, Repository, RepositoryError, Tips};
use tollgate_git::workspace::{self, WorkspaceError};

#[derive(Debug, thiserror::Error)]
pub enum RemovalError {
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("branch {branch} is checked out in {}", folder.display())]
    CheckedOut { branch: String, folder: PathBuf },
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Sessions(#[from] sessions::SessionsError),
    /// It was not agreed to: it came about at the last moment.
    #[error("{}", reason.told(session))]
    Reason { session: SessionName, reason: Reason },
    #[error(transparent)]
    Activity(#[from] ActivityError),
    #[error("cannot read which refs go with the session: {0}")]
    Tips(#[from] FileError),
    #[error("the snapshots cannot be tidied: {0}")]
    Snapshots(#[from] tollgate_snapshot::SnapshotError),
    #[error("cannot move {} out of the way: {cause}", path.display())]
    Move { path: PathBuf, cause: io::Error },
}

impl From<ForgetError> for RemovalError {
    fn from(error: ForgetError) -> Self {
        match error {
            ForgetError::CheckedOut { branch, folder } => Self::CheckedOut { branch, folder },
            ForgetError::Git(error) => error.into(),
        }
    }
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

/// What a person has agreed to lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreed {
    All,
    /// What they were told of; nothing where there was nothing to tell.
    To(Option<Reason>),
}

/// A session that nobody else can take up while it is held, to be removed.
#[derive(Debug)]
pub struct Held<'a> {
    context: &'a Context,
    session: SessionName,
    _lock: SessionLock,
}

/// A session that is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    pub freed_bytes: u64,
    /// Refs that somebody moved at the last moment.
    pub stayed: Vec<String>,
}

impl<'a> Held<'a> {
    pub fn of(context: &'a Context, session: &SessionName) -> Result<Self, RemovalError> {
        let folder = context.session_layout(session).folder().to_owned();
        let lock = context.lock_name(session)?.and_folder(&folder)?;
        Ok(Self { context, session: session.clone(), _lock: lock })
    }

    pub fn session(&self) -> &SessionName {
        &self.session
    }

    /// What speaks against removing it, if anything does.
    pub fn reason(&self) -> Result<Option<Reason>, RemovalError> {
        Ok(self.judge()?.1)
    }

    /// Removes it with all that it holds, if nothing else speaks against it than what was agreed to.
    pub fn remove(self, agreed: &Agreed) -> Result<Removed, RemovalError> {
        let (context, session) = (self.context, &self.session);
        let (tips, reason) = self.judge()?;
        match reason {
            Some(reason)
                if *agreed != Agreed::All && *agreed != Agreed::To(Some(reason.clone())) =>
            {
                return Err(RemovalError::Reason { session: session.clone(), reason });
            }
            _ => {}
        }
        end_all(context, session)?;
        let freed_bytes = held_bytes(context, session);
        let folder = context.session_layout(session).folder().to_owned();
        tips::write(&folder, &tips)?;
        crash::point("remove.before_rename");
        let doomed = out_of_sight(&folder)?;
        crash::point("remove.renamed");
        let stayed = finish_one(context, session, &doomed)?;
        sessions::forget_disk_use(&context.state_home, context.repository.root());
        Ok(Removed { freed_bytes, stayed })
    }

    /// Its refs, and what speaks against removing it as they are now.
    fn judge(&self) -> Result<(Tips, Option<Reason>), RemovalError> {
        let refs = self.context.repository.refs()?;
        let tips = refs.of_session(&self.session);
        refs.expect_free(&tips)?;
        let reason = match view(self.context, &self.session) {
            Ok(view) => reason_to_ask(&self.context.repository, &view, &refs)?,
            Err(reason) => Some(reason),
        };
        Ok((tips, reason))
    }
}

fn reason_to_ask(
    repository: &Repository,
    view: &View,
    refs: &Refs,
) -> Result<Option<Reason>, RemovalError> {
    if !has_ended(view) {
        return Ok(Some(Reason::Unfinished));
    }
    Ok(Unmerged::of(repository, view, refs)?.map(Reason::Unmerged))
}

fn has_ended(view: &View) -> bool {
    matches!(view.route.standing, Standing::Done | Standing::Cancelled)
}

fn view(context: &Context, session: &SessionName) -> Result<View, Reason> {
    let opened = Client::open(context.session_layout(session)).and_then(|mut client| client.view());
    match opened {
        Ok(Some(view)) => Ok(view),
        Ok(None) => Err(Reason::Unreadable("its journal is empty".to_owned())),
        Err(error) => Err(Reason::Unreadable(error.to_string())),
    }
}

/// Nothing runs on that was started for a session; its lock is ours.
fn end_all(context: &Context, session: &SessionName) -> Result<(), RemovalError> {
    serve::end_all(context, session)?;
    for home in context.workspace_homes(session)? {
        workspace::wait_for_orphans(&home)?;
    }
    Ok(())
}

/// How many bytes a session holds.
pub fn held_bytes(context: &Context, session: &SessionName) -> u64 {
    let root = context.repository.root();
    let homes = sessions::homes(&context.state_home, root, session);
    let own = disk_use(context.session_layout(session).folder());
    homes.iter().map(|home| disk_use(home)).fold(own, u64::saturating_add)
}

/// Finishes what was killed while it removed something.
pub fn finish(context: &Context) -> Result<(), RemovalError> {
    let root = context.repository.root();
    for doomed in doomed::in_folder(&context.layout.sessions_folder()) {
        if let Some(session) = doomed::session_of(&doomed) {
            finish_left(context, &session, &doomed)?;
        }
    }
    for doomed in doomed::in_folder(&layout::workspaces(&context.state_home, root)) {
        workspace::remove(&doomed)?;
    }
    Ok(())
}

fn finish_left(
    context: &Context,
    session: &SessionName,
    doomed: &Path,
) -> Result<(), RemovalError> {
    let _lock = match context.lock_name(session) {
        // Whoever holds the lock is at it right now.
        Err(LockError::Held { .. }) => return Ok(()),
        lock => lock?,
    };
    if doomed.symlink_metadata().is_err() {
        return Ok(());
    }
    if context.session_layout(session).folder().symlink_metadata().is_ok() {
        // Somebody brought the session back: everything else is its own again.
        return Ok(workspace::remove(doomed)?);
    }
    match finish_one(context, session, doomed) {
        // The person works on the branch; the name stays taken until they have left it.
        Err(RemovalError::CheckedOut { .. }) => Ok(()),
        finished => finished.map(drop),
    }
}

/// The folder goes last: while it is there, all of this is done again. The refs that somebody moved since they were looked at.
fn finish_one(
    context: &Context,
    session: &SessionName,
    doomed: &Path,
) -> Result<Vec<String>, RemovalError> {
    let stayed = context.repository.forget(&tips::read(doomed)?)?;
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
    Ok(stayed)
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

fn out_of_sight(path: &Path) -> Result<PathBuf, RemovalError> {
    doomed::out_of_sight(path).map_err(|cause| RemovalError::Move { path: path.to_owned(), cause })
}
