//! What lies outside a session's folder belongs to one life of the session. Another life inherits nothing: a session that
//! was deleted and started again under its name, or one whose older journal a person accepted.

use super::OpenError;
use crate::activity::driven;
use crate::context::{Context, WorkspaceId};
use crate::journal::{self, JournalError, Lineage, Record};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_files as files;
use tollgate_files::layout::{self, Layout};
use tollgate_git::workspace;

/// Sees to it that workspaces, agents' private folders and hidden refs are of this life, named by the hash of the record
/// that it began with. What is of another one is set aside and kept; agents' private folders go.
pub(super) fn begin(
    context: &Context,
    session: &SessionName,
    lineage: &Lineage,
) -> Result<(), OpenError> {
    let home = context.workspace_home(session, WorkspaceId::Session);
    let marker = marker(&home, session);
    let known = fs::read_to_string(&marker).ok();
    if known.as_deref() == Some(lineage.life()) {
        return Ok(());
    }
    // Versions before this one did not write it down; but nothing can be of a life that has opened nothing yet.
    if known.is_some() || !lineage.has_opened() {
        for home in context.workspace_homes(session)? {
            workspace::wait_for_orphans(&home)?;
            set_aside(&home)?;
        }
        driven::remove_homes(context, session, |_| true);
        context.repository.set_hidden_refs_aside(session).map_err(OpenError::Git)?;
    }
    let folder = files::folder_of(&marker);
    let problem = |cause| OpenError::Folder { path: folder.to_owned(), cause };
    fs::create_dir_all(folder).map_err(problem)?;
    let life = lineage.life().as_bytes();
    files::write_atomic(&marker, life).map_err(|error| problem(io::Error::other(error)))
}

/// Refuses a copy of a session of another worktree: an agent of the original may still work.
pub(super) fn expect_original(
    context: &Context,
    session: &SessionName,
    records: &[Record],
) -> Result<(), OpenError> {
    let has_lived = |home: &Path| home.exists() || marker(home, session).exists();
    let here = context.workspace_home(session, WorkspaceId::Session);
    let Some(first) = records.first().filter(|_| !has_lived(&here)) else { return Ok(()) };
    for root in context.repository.worktrees()? {
        // The folder of a worktree that was moved is gone.
        let Ok(root) = root.canonicalize() else { continue };
        if !has_lived(&layout::workspace_home(&context.state_home, &root, session)) {
            continue;
        }
        let there = Layout::new(root).session(session);
        let is_same = |other: &Record| other.hash == first.hash;
        if journal::read(&there.journal())
            .is_ok_and(|read| read.records.first().is_some_and(is_same))
        {
            let path = context.session_layout(session).journal();
            return Err(JournalError::Copied { path, original: there.folder().to_owned() }.into());
        }
    }
    Ok(())
}

/// The file beside a workspace that names the life it is of. No session has a name with a tilde in it.
fn marker(home: &Path, session: &SessionName) -> PathBuf {
    home.with_file_name(format!("{session}~life"))
}

/// Into the first numbered folder of `former` that has nothing of this name.
fn set_aside(home: &Path) -> Result<(), OpenError> {
    let (Some(all), Some(name)) = (home.parent(), home.file_name()) else { return Ok(()) };
    let to = files::first_free(|number| all.join("former").join(number.to_string()).join(name));
    fs::create_dir_all(files::folder_of(&to))
        .and_then(|()| fs::rename(home, &to))
        .map_err(|cause| OpenError::Move { from: home.to_owned(), to, cause })
}
