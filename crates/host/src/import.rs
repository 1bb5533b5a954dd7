//! Takes over a session that another orchestrator began: reads its folder, and makes one of ours of it. Nothing in that
//! folder is ever written.

mod folder;
mod prepare;

pub use folder::ForeignFolder;
pub use prepare::Prepared;

use crate::context::Context;
use crate::sessions::{self, SessionsError, origin_of};
use std::fs::File;
use std::io;
use std::path::PathBuf;
use tollgate_core::engine::Engine;
use tollgate_core::id::SessionName;
use tollgate_core::import::Import;
use tollgate_core::input::Opening;
use tollgate_core::view::View;
use tollgate_files::layout::{Layout, session_lock};
use tollgate_files::{self as files, FileError, clock, write_lock};

/// Why a folder cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{} cannot be imported: {why}", path.display())]
    NotAFolder { path: PathBuf, why: String },
    #[error(
        "{} is not the folder of a session: it has none of status.json, tasks.yaml, acceptance.json and spec.md",
        path.display()
    )]
    NotASession { path: PathBuf },
    #[error(
        "{} is a session of Tollgate already: it has a journal. Continue it with `tollgate resume`",
        path.display()
    )]
    Ours { path: PathBuf },
    #[error("{} was imported already, as {session}, and has not changed since", path.display())]
    Already { path: PathBuf, session: SessionName },
    #[error("cannot wait for another import by {}: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Sessions(#[from] SessionsError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// Held while a folder is imported: of two imports at once, the second one sees what the first one made.
#[derive(Debug)]
pub struct ImportLock {
    _file: File,
}

impl ImportLock {
    pub fn wait(context: &Context, like: &SessionName) -> Result<Self, ImportError> {
        let beside = session_lock(&context.state_home, context.repository.common_dir(), like);
        // No session has a name without a date.
        let path = beside.with_file_name("import.lock");
        let problem = |source| ImportError::Lock { path: path.clone(), source };
        std::fs::create_dir_all(files::folder_of(&path)).map_err(problem)?;
        Ok(Self { _file: write_lock::own(&path).map_err(problem)? })
    }
}

/// Refuses a folder that is a session already, just as it is.
pub fn expect_new(layout: &Layout, folder: &ForeignFolder) -> Result<(), ImportError> {
    for session in sessions::list(layout)? {
        let origin = origin_of(&layout.session(&session));
        if origin.is_some_and(|origin| origin.fingerprint == folder.fingerprint()) {
            let path = folder.path().to_owned();
            return Err(ImportError::Already { path, session });
        }
    }
    Ok(())
}

/// The session as it would be, without making it.
pub fn preview(opening: &Opening, import: Import) -> View {
    let (engine, _never_written) = Engine::import(clock::now(), opening, import);
    View::of(engine.session())
}
