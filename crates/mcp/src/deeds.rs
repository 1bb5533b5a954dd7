//! All that a client can do. What it cannot do is not here: it answers no decision, and it ends, merges and removes nothing.

use crate::refused::Refused;
use std::path::PathBuf;
use tollgate_core::id::{DispatchNumber, SessionName};
use tollgate_desk::{NewSession, Orders, Repo};

/// The commands of the program that a client may give. `Orders` knows more, and nothing else in this crate names it.
#[derive(Debug, Clone)]
pub struct Deeds(Orders);

impl Deeds {
    pub fn new(program: PathBuf) -> Self {
        Self(Orders::new(program))
    }

    pub fn start(&self, repo: &Repo, new: &NewSession) -> Result<SessionName, Refused> {
        Ok(self.0.start(repo, new)?)
    }

    pub fn resume(&self, repo: &Repo, session: &SessionName) -> Result<(), Refused> {
        Ok(self.0.resume(repo, session)?)
    }

    pub fn submit(
        &self,
        repo: &Repo,
        session: &SessionName,
        number: DispatchNumber,
        reply: &str,
    ) -> Result<(), Refused> {
        Ok(self.0.submit(repo, session, number, reply)?)
    }
}
