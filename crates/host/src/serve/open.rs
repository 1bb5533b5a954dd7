//! How a process becomes the owner of a session: a new one, or one that its journal tells of.

mod life;

use super::cancelled;
use super::notify::Notifying;
use super::track::Tracking;
use super::{Face, Owner, ServeError};
use crate::activity::{ActivityError, left_logins, session_files};
use crate::context::Context;
use crate::fault::Faulty as _;
use crate::import::Prepared;
use crate::inbox::Inbox;
use crate::journal::{self, Anchored, Journal, JournalError, Record, TornTail};
use crate::lifecycle::StageWatch;
use crate::lock::{LockError, SessionLock};
use crate::projection::{self, Projector};
use crate::record::SessionFileInspector;
use crate::sessions;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use tollgate_core::engine::{Commit, Engine};
use tollgate_core::id::SessionName;
use tollgate_core::input::{Input, Opening};
use tollgate_core::session::Session;
use tollgate_files::clock;
use tollgate_files::crash;
use tollgate_files::layout::SessionLayout;
use tollgate_files::{self as files, FileError};
use tollgate_git::GitError;
use tollgate_git::repository::{AsideError, RepositoryError};
use tollgate_git::workspace::{self, WorkspaceError};

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("session {session} already exists")]
    Exists { session: SessionName },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(
        "session {session} never started: its first record was not written; start it with `tollgate run`"
    )]
    NeverBegan { session: SessionName },
    #[error(transparent)]
    Aside(#[from] AsideError),
    #[error(transparent)]
    Git(GitError),
    #[error("cannot make {}: {cause}", path.display())]
    Folder { path: PathBuf, cause: io::Error },
    #[error(
        "cannot move {} to {}: {cause}; move it away and resume",
        from.display(), to.display()
    )]
    Move { from: PathBuf, to: PathBuf, cause: io::Error },
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Files(#[from] ActivityError),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("the documents could not be copied: {0}")]
    Copy(#[source] FileError),
}

/// What comes first when a session is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// The files are looked at: what was edited meanwhile counts before anything starts again.
    Look,
    /// A person's answer, which counts for the files as they were shown to them.
    Answer,
    /// The same look, and the person knows that the journal is older than what was written.
    AcceptOlder,
}

impl Owner {
    /// Opens a new session. Its name must not be taken in any worktree.
    pub fn open(
        context: Arc<Context>,
        opening: &Opening,
        face: &mut dyn Face,
    ) -> Result<Self, OpenError> {
        let lock = make_folder(&context, &opening.session)?;
        let (engine, commit) = Engine::open(clock::now(), opening);
        Self::begin(context, lock, engine, commit, face)
    }

    /// Opens a session that another orchestrator began, with its documents. Its name must not be taken in any worktree.
    pub fn import(
        context: Arc<Context>,
        opening: &Opening,
        prepared: Prepared,
        face: &mut dyn Face,
    ) -> Result<Self, OpenError> {
        let layout = context.session_layout(&opening.session);
        let lock = make_folder(&context, &opening.session)?;
        if let Err(error) = copy_documents(&layout, &prepared.documents) {
            // Without a record it counts as never begun, whatever of it is left.
            let _ = files::remove_tree(layout.folder());
            return Err(OpenError::Copy(error));
        }
        crash::point("import.documents_copied");
        let (engine, commit) = Engine::import(clock::now(), opening, prepared.import);
        let owner = Self::begin(context, lock, engine, commit, face)?;
        // It says nothing any more, now that the journal has begun.
        let _ = std::fs::remove_file(layout.importing());
        Ok(owner)
    }

    /// Writes the first commit of a session whose folder has just been made.
    fn begin(
        context: Arc<Context>,
        lock: SessionLock,
        engine: Engine,
        commit: Commit,
        face: &mut dyn Face,
    ) -> Result<Self, OpenError> {
        let session = engine.session().opening.session.clone();
        let layout = context.session_layout(&session);
        let mut journal = Journal::create(&layout.journal())?;
        journal.anchor_at(&context.journal_anchors(&session))?;
        let durable = commit.write_to(&mut journal)?;
        crash::point("open.journal_begun");
        life::begin(&context, &session, journal.lineage())?;
        let mut owner = Self::assemble(context, lock, journal, engine)?;
        if let Err(fault) = owner.follow(face, &durable) {
            owner.host_failed(face, fault)?;
        }
        Ok(owner)
    }

    /// Takes a session up where its journal ends.
    pub fn resume(
        context: Arc<Context>,
        session: &SessionName,
        face: &mut dyn Face,
        first: First,
    ) -> Result<(Self, Option<TornTail>), OpenError> {
        let layout = context.session_layout(session);
        let lock = context.lock_name(session)?.and_folder(layout.folder())?;
        let anchors = context.journal_anchors(session);
        let anchored = Anchored::read(&anchors);
        let mut older = None;
        // Nothing is written before the journal is known to be the one that belongs here.
        let (mut journal, records, torn) = Journal::open_if(&layout.journal(), |records| {
            journal::expect_session(&layout.journal(), records, session)?;
            life::expect_original(&context, session, records)?;
            match anchored.expect_whole(&layout.journal(), records) {
                Err(JournalError::Older { known, .. } | JournalError::Replaced { known, .. })
                    if first == First::AcceptOlder =>
                {
                    older = Some(known);
                }
                whole => whole?,
            }
            replay(&layout, session, records).map(drop)
        })?;
        let state = replay(&layout, session, &records)?;
        for home in context.workspace_homes(session)? {
            workspace::wait_for_orphans(&home)?;
        }
        let accepted = match older {
            None => None,
            Some(known) => {
                cancelled::end_all(&context, session)?;
                let work = state.has_accepted_work().then_some(&state.branch.tip);
                let branch = context.repository.set_branch_aside(session, work)?;
                session_files::set_later_aside(&layout, &state)?;
                let records = records.len() as u64;
                let forgotten = anchored.hashes();
                Some(Input::OlderJournalAccepted { records, known, forgotten, branch })
            }
        };
        journal.anchor_at(&anchors)?;
        // Until the record of it is written, the notes must say that the journal is older.
        if accepted.is_none() {
            journal.renew_anchors();
        }
        let events = records.iter().map(|record| (record.at, &record.event));
        // Beside an older journal lies the status of the newer one.
        let was_edited = accepted.is_none() && projection::was_edited(&layout, &state, events);
        let engine = Engine::resume(state);
        let mut owner = Self::assemble(context, lock, journal, engine)?;
        owner.projector.take_all(&records);
        owner.tracking.take(records.iter().map(|record| &record.event));
        records.iter().for_each(|record| owner.notifying.take_one(record.seq, &record.event));
        let _ = files::remove_temporaries(owner.layout.folder());
        let _ = files::remove_temporaries(&owner.layout.evidence());
        let taken = owner.projector.finish_take_over(owner.engine.session());
        let policy = owner.context.config.policy();
        let put_back = was_edited.then(|| Input::PutBack { path: "status.json".to_owned() });
        // What was edited meanwhile is known before anything that was stopped starts again.
        let edited = if first == First::Answer { None } else { owner.edits()? };
        let before = accepted.into_iter().chain(put_back).chain(edited);
        let inputs = before.chain([Input::Resumed { policy }]).collect();
        owner.handle(face, inputs)?;
        life::begin(&owner.context, session, owner.journal.lineage())?;
        if let Err(error) = taken {
            owner.host_failed(face, error.fault())?;
        }
        Ok((owner, torn))
    }

    fn assemble(
        context: Arc<Context>,
        lock: SessionLock,
        journal: Journal,
        engine: Engine,
    ) -> Result<Self, ServeError> {
        sessions::note_repository(&context.state_home, context.repository.root());
        let layout = context.session_layout(&engine.session().opening.session);
        left_logins::take_out(&context, &engine.session().opening.session);
        let (sender, receiver) = mpsc::channel();
        Ok(Self {
            inbox: Inbox::open(&layout.inbox())?,
            projector: Projector::new(
                layout.clone(),
                context.reporter(&engine.session().opening.session),
            ),
            inspector: SessionFileInspector::default(),
            stage: StageWatch::default(),
            tracking: Tracking::default(),
            notifying: Notifying::of(&context),
            promoted: None,
            tagged: None,
            wanted: Vec::new(),
            running: BTreeMap::new(),
            _lock: lock,
            context,
            layout,
            journal,
            engine,
            sender,
            receiver,
        })
    }
}

/// Makes the folder of a new session, locked in all worktrees.
fn make_folder(context: &Context, session: &SessionName) -> Result<SessionLock, OpenError> {
    let layout = context.session_layout(session);
    let folder_error = |cause| OpenError::Folder { path: layout.folder().to_owned(), cause };
    let exists = || OpenError::Exists { session: session.clone() };
    // First, because nothing after it makes up for it when this process dies in between.
    context.repository.exclude_own(context.config.sessions_tracked)?;
    // Locked before anything is made or moved: the session of this name may be another worktree's.
    let lock = match context.lock_name(session) {
        Err(LockError::Held { .. }) => return Err(exists()),
        lock => lock?,
    };
    if context.is_taken(session)? {
        return Err(exists());
    }
    std::fs::create_dir_all(context.layout.sessions_folder()).map_err(folder_error)?;
    match std::fs::create_dir(layout.folder()) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists()),
        other => other.map_err(folder_error)?,
    }
    // A journal that is on disk in a folder that is not would be lost with it.
    let sessions = context.layout.sessions_folder();
    for folder in [sessions.as_path(), context.repository.root()] {
        files::sync_folder(folder).map_err(folder_error)?;
    }
    let lock = lock.and_folder(layout.folder())?;
    crash::point("open.folder_made");
    Ok(lock)
}

/// Before the first record names them. As long as the mark is there and the journal is not, the session has not begun.
fn copy_documents(
    layout: &SessionLayout,
    documents: &BTreeMap<String, Vec<u8>>,
) -> Result<(), FileError> {
    files::write_durable(&layout.importing(), b"")?;
    crash::point("import.marked");
    for (path, bytes) in documents {
        files::write_beneath(layout.folder(), path, bytes)?;
    }
    files::sync_tree(layout.folder())
}

fn replay(
    layout: &SessionLayout,
    session: &SessionName,
    records: &[Record],
) -> Result<Session, OpenError> {
    if records.is_empty() {
        return Err(OpenError::NeverBegan { session: session.clone() });
    }
    Ok(journal::replay(&layout.journal(), records)?)
}
