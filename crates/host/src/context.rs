//! What every activity of a session shares: the repository, the settings and where things are.

use crate::failure_report::Reporter;
use crate::layout::{Layout, SessionLayout, workspace_home};
use crate::redact::Redactor;
use crate::repository::Repository;
use crate::settings::roles::{self, MissingRole};
use crate::workspace::{Workspace, WorkspaceError};
use std::path::{Path, PathBuf};
use tollgate_contract::config::Config;
use tollgate_contract::skill::RoleFile;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::role::Role;

/// Which of a session's workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Where one dispatch after the other works and checks run.
    Session,
    /// Of one parallel member.
    Member(usize),
    /// The revision that the session started from, to tell old failures from new ones.
    Base,
}

#[derive(Debug)]
pub struct Context {
    pub repository: Repository,
    pub layout: Layout,
    pub config: Config,
    /// The tollgate binary, which is also the supervisor.
    pub program: PathBuf,
    pub state_home: PathBuf,
    pub redactor: Redactor,
}

impl Context {
    pub fn session_layout(&self, session: &SessionName) -> SessionLayout {
        self.layout.session(session)
    }

    /// A workspace of a session, made when there is none, comparing with `tip`.
    pub fn workspace(
        &self,
        session: &SessionName,
        room: Room,
        base: &CommitId,
        tip: &CommitId,
    ) -> Result<Workspace, WorkspaceError> {
        let home = self.workspace_home(session, room);
        let copy = &self.config.workspace.copy;
        let workspace = Workspace::create(&self.repository, &home, session, base, tip, copy)?;
        workspace.follow(tip)?;
        Ok(workspace)
    }

    /// Writes the reports of a session's failures.
    pub fn reporter(&self, session: &SessionName) -> Reporter {
        let player = |role: &Role| Some((*role, self.config.agent_for(*role)?.0.to_owned()));
        let agents = Role::ALL.iter().filter_map(player).collect();
        let root = self.layout.repo_root().to_owned();
        Reporter::new(self.session_layout(session), root, self.redactor.clone(), agents)
    }

    /// Where a workspace of a session is, made already or not.
    pub fn workspace_home(&self, session: &SessionName, room: Room) -> PathBuf {
        let home = workspace_home(&self.state_home, self.repository.root(), session);
        // No session has a name with a tilde in it.
        match room {
            Room::Session => home,
            Room::Member(member) => home.with_file_name(format!("{session}~{}", member + 1)),
            Room::Base => home.with_file_name(format!("{session}~base")),
        }
    }

    /// The workspaces that a session can have so far.
    pub fn workspace_homes(&self, session: &SessionName) -> Vec<PathBuf> {
        let members = (0..).map(|member| self.workspace_home(session, Room::Member(member)));
        let members = members.take_while(|home| home.exists());
        let others = [Room::Session, Room::Base].map(|room| self.workspace_home(session, room));
        others.into_iter().chain(members).collect()
    }

    /// The text of a role as it is now, by the name that the action calls it by.
    pub fn role_file(&self, role: Role, called: Option<&str>) -> Result<RoleFile, MissingRole> {
        roles::find(&self.layout, role, called).map(|found| found.file)
    }

    /// A path of the settings: with a slash it is relative to the repository root.
    pub fn from_root(&self, text: &str) -> String {
        if text.contains('/') && !Path::new(text).is_absolute() {
            let joined = self.repository.root().join(text);
            if joined.exists() {
                return joined.display().to_string();
            }
        }
        text.to_owned()
    }
}
