//! What every activity of a session shares: the repository, the settings and where things are.

use crate::failure_report::Reporter;
use crate::sandbox::{self, Surroundings};
use crate::settings::roles::{self, FoundRole, MissingRole};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tollgate_agents::trust::Sources;
use tollgate_contract::config::{Adapter, Config, Limits};
use tollgate_core::id::{CommitId, DispatchNumber, SessionName};
use tollgate_core::identity::Identity;
use tollgate_core::role::Role;
use tollgate_core::time::Timestamp;
use tollgate_files as files;
use tollgate_files::layout::{
    Layout, SessionLayout, agent_homes, journal_anchors, session_lock, workspace_home,
};
use tollgate_files::redact::Redactor;
use tollgate_git::GitError;
use tollgate_git::repository::{Repository, RepositoryError};
use tollgate_git::workspace::{SizeLimits, Workspace, WorkspaceError};
use tollgate_process::Sandbox;

const CLONE: &str = "~fresh-";

/// Which of a session's workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceId {
    /// Where one dispatch after the other works and checks run.
    Session,
    /// Of one parallel member.
    Member(usize),
    /// A clone of the branch with nothing else in it, named after the moment for which it was made: a number would be
    /// the same in a session that was started again under its old name.
    Fresh(Timestamp),
    /// The revision that the session started from, to tell old failures from new ones.
    Base,
}

#[derive(Debug, Clone)]
pub struct Context {
    pub repository: Repository,
    pub layout: Layout,
    pub config: Config,
    /// The tollgate binary, which is also the supervisor.
    pub program: PathBuf,
    pub state_home: PathBuf,
    /// The person's, where tools keep their caches.
    pub home: Option<PathBuf>,
    pub redactor: Redactor,
    /// The environment of the person who started the engine.
    pub lookup: fn(&str) -> Option<OsString>,
}

impl Context {
    pub fn session_layout(&self, session: &SessionName) -> SessionLayout {
        self.layout.session(session)
    }

    /// A workspace of a session, made when there is none, comparing with `tip`.
    pub fn workspace(
        &self,
        session: &SessionName,
        workspace_id: WorkspaceId,
        base: &CommitId,
        tip: &CommitId,
    ) -> Result<Workspace, WorkspaceError> {
        let home = self.workspace_home(session, workspace_id);
        let copy = &self.config.workspace.copy;
        let Limits { file_bytes, dispatch_bytes, .. } = self.config.limits;
        let limits = SizeLimits { file_bytes, dispatch_bytes };
        let workspace =
            Workspace::create(&self.repository, &home, session, base, tip, copy, limits)?;
        let workspace = workspace.signed_by(self.signer()?);
        workspace.follow(tip)?;
        Ok(workspace)
    }

    /// Who signs accepted work: as the settings say, or the person of the git configuration.
    pub fn signer(&self) -> Result<Option<Identity>, GitError> {
        match &self.config.commit.author {
            Some(author) => Ok(Some(author.clone())),
            None => self.repository.person(),
        }
    }

    /// An agent as a commit names it; people who play a role are not named, and none where the settings say so.
    pub fn assistant(&self, agent: &str) -> Option<String> {
        let (name, agent) = self.config.agent(agent).filter(|_| self.config.commit.trailer)?;
        let program = match agent.adapter {
            Adapter::Manual => return None,
            Adapter::Command | Adapter::Acp => name,
            known => known.as_str(),
        };
        Some(match &agent.model {
            Some(model) => format!("{program}:{model}"),
            None => program.to_owned(),
        })
    }

    /// Writes the reports of a session's failures.
    pub fn reporter(&self, session: &SessionName) -> Reporter {
        let player = |role: &Role| Some((*role, self.config.agent_for(*role)?.0.to_owned()));
        let agents = Role::ALL.iter().filter_map(player).collect();
        let root = self.layout.repo_root().to_owned();
        Reporter::new(self.session_layout(session), root, self.redactor.clone(), agents)
    }

    /// Where a workspace of a session is, made already or not.
    pub fn workspace_home(&self, session: &SessionName, workspace_id: WorkspaceId) -> PathBuf {
        let home = workspace_home(&self.state_home, self.repository.root(), session);
        // No session has a name with a tilde in it.
        match workspace_id {
            WorkspaceId::Session => home,
            WorkspaceId::Member(member) => home.with_file_name(format!("{session}~{}", member + 1)),
            WorkspaceId::Fresh(since) => {
                home.with_file_name(format!("{session}{CLONE}{}", since.as_ms()))
            }
            WorkspaceId::Base => home.with_file_name(format!("{session}~base")),
        }
    }

    /// The private folder of the agent that plays a dispatch.
    pub fn agent_home(&self, session: &SessionName, number: DispatchNumber) -> PathBuf {
        let root = self.repository.root();
        agent_homes(&self.state_home, root, session).join(number.to_string())
    }

    /// Where all agents of a session have theirs.
    pub fn agent_homes(&self, session: &SessionName) -> PathBuf {
        agent_homes(&self.state_home, self.repository.root(), session)
    }

    /// What locks a session in all worktrees, beside the lock in its folder.
    pub fn session_lock(&self, session: &SessionName) -> PathBuf {
        session_lock(&self.state_home, self.repository.common_dir(), session)
    }

    /// Whether the name of a session is taken: by its folder, or by a branch that is left.
    pub fn is_taken(&self, session: &SessionName) -> Result<bool, RepositoryError> {
        Ok(self.has_folder(session)? || self.repository.branch_tip(session)?.is_some())
    }

    /// Whether any worktree has the folder of a session: they share its branch, its hidden refs and the notes on its journal.
    pub fn has_folder(&self, session: &SessionName) -> Result<bool, RepositoryError> {
        let mut roots = self.repository.worktrees()?;
        roots.push(self.repository.root().to_owned());
        let is_there =
            |root| Layout::new(root).session(session).folder().symlink_metadata().is_ok();
        Ok(roots.into_iter().any(is_there))
    }

    /// Where it stands how far a session's journal is.
    pub fn journal_anchors(&self, session: &SessionName) -> Vec<PathBuf> {
        journal_anchors(Some(&self.state_home), self.repository.common_dir(), session)
    }

    /// The same, knowing more that must not be written.
    pub fn knowing(&self, secrets: &[String]) -> Self {
        Self { redactor: self.redactor.knowing(secrets), ..self.clone() }
    }

    /// A program by its path, or by its name on `PATH`.
    pub fn program(&self, word: &str) -> Option<PathBuf> {
        if word.contains('/') {
            return Some(PathBuf::from(word)).filter(|path| files::is_program(path));
        }
        files::program_on((self.lookup)("PATH"), word)
    }

    /// What agents must not reach.
    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            repository: &self.repository,
            state_home: &self.state_home,
            home: self.home.as_deref(),
        }
    }

    /// Where what runs in a tree may write; `own` is what its adapter needs.
    pub fn sandbox_of(
        &self,
        tree: &Path,
        own: &[PathBuf],
    ) -> Result<Option<Sandbox>, sandbox::SandboxRefusal> {
        sandbox::of_tree(&self.config.sandbox, &self.surroundings(), tree, own)
    }

    /// Whose settings an agent would inherit.
    pub fn inheritance(&self) -> Sources<'_> {
        Sources {
            home: self.home.as_deref(),
            repository: &self.repository,
            copied: &self.config.workspace.copy,
            state_home: &self.state_home,
        }
    }

    /// The workspaces that a session has so far.
    pub fn workspace_homes(&self, session: &SessionName) -> Result<Vec<PathBuf>, WorkspaceError> {
        let home = self.workspace_home(session, WorkspaceId::Session);
        homes_of(&home).map_err(|cause| WorkspaceError::io(&home, cause))
    }

    /// The text of a role as it is now, by the name that the action calls it by.
    pub fn role_file(&self, role: Role, called: Option<&str>) -> Result<FoundRole, MissingRole> {
        roles::find(&self.layout, role, called)
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

/// Whether a workspace is a fresh clone.
pub fn is_of_clone(home: &Path) -> bool {
    home.file_name().is_some_and(|name| name.to_string_lossy().contains(CLONE))
}

/// The home of a session and those beside it that are named after it; members of one group may leave gaps.
pub(crate) fn homes_of(home: &Path) -> std::io::Result<Vec<PathBuf>> {
    let Some((folder, name)) = home.parent().zip(home.file_name()) else {
        return Ok(Vec::new());
    };
    let found = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let beside = [name.as_encoded_bytes(), b"~"].concat();
    let mut homes = Vec::new();
    for entry in found {
        let entry = entry?;
        let found = entry.file_name();
        let is_ours = found == name || found.as_encoded_bytes().starts_with(&beside);
        if is_ours && entry.file_type()?.is_dir() {
            homes.push(entry.path());
        }
    }
    homes.sort();
    Ok(homes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn every_workspace_of_a_session_is_found_also_after_a_gap() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().join("repo/2026-11-15_login");
        assert!(homes_of(&home).unwrap().is_empty());
        for name in ["login", "login~3", "login~base", "login-2", "login-2~1", "logi"] {
            std::fs::create_dir_all(temp.path().join(format!("repo/2026-11-15_{name}"))).unwrap();
        }
        let names = |home: PathBuf| home.file_name().unwrap().to_str().unwrap()[11..].to_owned();
        let found: Vec<String> = homes_of(&home).unwrap().into_iter().map(names).collect();
        assert_eq!(found, ["login", "login~3", "login~base"]);
    }
}
