//! What every surface shows of sessions, and how it gives commands: the page, the terminal view and the MCP server stand on it.
//!
//! Reading goes through the journal and the one view of the core. Commands are those of the command line, run as such, so that
//! a surface is refused what a person in a terminal is refused, in the same words.

pub mod chronicle;
pub mod formats;
mod list;
mod opened;
mod orders;
pub mod otlp;
pub mod pictures;
mod repositories;

pub use list::Row;
pub use opened::{LogLine, Opened, OpenedError, Output, Stamp};
pub use orders::{Answer, NewSession, Orders, Refused, Takeaway};
pub use repositories::Repo;

pub use tollgate_git::repository::ChangedLines;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tollgate_core::id::SessionName;
use tollgate_host::sessions::{SessionsError, Summaries};

/// Everything on this machine that a surface may show.
#[derive(Debug, Clone)]
pub struct Desk {
    /// Where the repositories with sessions are noted; without it only `here` is known.
    state: Option<PathBuf>,
    /// The repository in which the surface was started.
    here: Option<PathBuf>,
    /// What was found of each repository when its sessions were last listed.
    listed: Arc<Mutex<BTreeMap<String, Summaries>>>,
}

impl Desk {
    pub fn new(state: Option<PathBuf>, here: Option<PathBuf>) -> Self {
        Self { state, here, listed: Arc::default() }
    }

    /// The repository of this id; none when it is not one of ours.
    pub fn repository(&self, id: &str) -> Option<Repo> {
        self.repositories().into_iter().find(|repo| repo.id == id)
    }

    /// A session by its whole name, in a repository by its id. Nothing else is ever made into a path.
    pub fn open(&self, repo: &str, session: &str) -> Result<Opened, OpenedError> {
        let repo = self.repository(repo).ok_or(OpenedError::NoRepository)?;
        let name = SessionName::parse(session).map_err(|_| OpenedError::NoSession)?;
        Opened::open(repo, name)
    }

    /// The only session that a person means by a text, in one repository.
    pub fn find(&self, repo: &Repo, text: &str) -> Result<SessionName, SessionsError> {
        tollgate_host::sessions::find(&repo.layout(), text)
    }
}
