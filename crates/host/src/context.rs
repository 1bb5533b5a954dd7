//! What every activity of a session shares: the repository, the settings and where things are.

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

    /// The workspace of a session, or of one parallel member of it, made when there is none, comparing with `tip`.
    pub fn workspace(
        &self,
        session: &SessionName,
        member: Option<usize>,
        base: &CommitId,
        tip: &CommitId,
    ) -> Result<Workspace, WorkspaceError> {
        let home = self.workspace_home(session, member);
        let copy = &self.config.workspace.copy;
        let workspace = Workspace::create(&self.repository, &home, session, base, tip, copy)?;
        workspace.adopt(tip)?;
        Ok(workspace)
    }

    /// Where the workspace of a session or of one of its parallel members is, made already or not.
    pub fn workspace_home(&self, session: &SessionName, member: Option<usize>) -> PathBuf {
        let home = workspace_home(&self.state_home, self.repository.root(), session);
        match member {
            // No session has a name with a tilde in it.
            Some(member) => home.with_file_name(format!("{session}~{}", member + 1)),
            None => home,
        }
    }

    /// The workspaces that a session has: its own and those of its parallel members.
    pub fn workspace_homes(&self, session: &SessionName) -> Vec<PathBuf> {
        let members = (0..).map(|member| self.workspace_home(session, Some(member)));
        let members = members.take_while(|home| home.exists());
        std::iter::once(self.workspace_home(session, None)).chain(members).collect()
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
