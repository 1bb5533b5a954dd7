//! Where tools work: the sessions that the client sees, and what it may do to them.

use crate::Settings;
use crate::deeds::Deeds;
use crate::refused::Refused;
use tollgate_core::view::View;
use tollgate_desk::{Desk, Opened, Repo};

#[derive(Debug)]
pub struct Room {
    pub desk: Desk,
    here: Option<Repo>,
    pub deeds: Deeds,
    pub explain: fn(&str) -> Result<String, String>,
}

impl Room {
    pub fn new(settings: &Settings) -> Self {
        Self {
            desk: Desk::new(settings.state.clone(), settings.here.clone()),
            here: settings.here.as_deref().map(Repo::at),
            deeds: Deeds::new(settings.program.clone()),
            explain: settings.explain,
        }
    }

    /// The repository of this id, by default the one where the server was started.
    pub fn repository(&self, id: Option<&str>) -> Result<Repo, Refused> {
        let unknown = |message: String| {
            Refused::new("cli.repository", message)
                .hint("the tool list_sessions names the repositories that this server shows")
        };
        if let Some(id) = id {
            let found = self.desk.repository(id);
            return found.ok_or_else(|| unknown(format!("there is no repository {id:?} here")));
        }
        let here = self.here.clone();
        here.ok_or_else(|| {
            unknown("the server was started outside of a repository: name one".to_owned())
        })
    }

    /// A session that somebody means by a text, read to its end.
    pub fn open(&self, repo: Option<&str>, session: &str) -> Result<Opened, Refused> {
        let repo = self.repository(repo)?;
        let name = self.desk.find(&repo, session)?;
        Ok(self.desk.open(&repo.id, name.as_str())?)
    }

    pub fn seen(&self, repo: Option<&str>, session: &str) -> Result<(Opened, View), Refused> {
        let mut opened = self.open(repo, session)?;
        let view = opened.view()?;
        Ok((opened, view))
    }
}
