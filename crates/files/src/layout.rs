//! Where things are: every path of a repository, a session and a dispatch, and how sessions are named.

mod naming;

pub use naming::{new_session_name, numbered};

use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::id::{Attempt, CheckNumber, DispatchNumber, SessionName};

#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error(
    "there is no folder for workspaces: set TOLLGATE_STATE_HOME, XDG_STATE_HOME or HOME to an absolute path"
)]
pub struct NoStateHome;

/// The paths of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    repo_root: PathBuf,
}

impl Layout {
    pub const SESSIONS: &str = ".agents-work";
    /// In a session's folder while documents of another orchestrator are copied into it.
    pub const IMPORTING: &str = "importing";
    /// Begins the name of a folder that is being removed. No session has a name that begins so.
    pub const REMOVED: &str = ".removed-";

    pub fn new(repo_root: impl Into<PathBuf>) -> Self {
        Self { repo_root: repo_root.into() }
    }

    pub fn repo_root(&self) -> &Path {
        &self.repo_root
    }

    pub fn settings(&self) -> PathBuf {
        self.repo_root.join("tollgate.toml")
    }

    /// The person's own actions and roles.
    pub fn agents(&self) -> PathBuf {
        self.repo_root.join("agents")
    }

    pub fn actions(&self) -> PathBuf {
        self.agents().join("actions")
    }

    pub fn lifecycle(&self) -> PathBuf {
        self.repo_root.join("lifecycle-stage.yaml")
    }

    pub fn sessions_folder(&self) -> PathBuf {
        self.repo_root.join(Self::SESSIONS)
    }

    pub fn session(&self, name: &SessionName) -> SessionLayout {
        SessionLayout { folder: self.sessions_folder().join(name.as_str()) }
    }
}

/// Where a session's folder is in its repository, and in every tree that has a copy of it.
pub fn session_path(session: &SessionName) -> String {
    format!("{}/{session}", Layout::SESSIONS)
}

/// The paths of one session: the folder is the copy of record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLayout {
    folder: PathBuf,
}

impl SessionLayout {
    /// The session's folder wherever it is, such as its copy in a workspace.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The session that the folder is named after.
    pub fn session(&self) -> Option<SessionName> {
        SessionName::parse(self.folder.file_name()?.to_str()?).ok()
    }

    /// A path below the session folder as artefacts are named, with `/`.
    pub fn artefact(&self, relative: &str) -> PathBuf {
        self.folder.join(relative)
    }

    pub fn dispatch(&self, number: DispatchNumber) -> RunFolder {
        RunFolder { folder: self.dispatches().join(number.to_string()) }
    }

    pub fn attempt(&self, number: DispatchNumber, attempt: Attempt) -> RunFolder {
        RunFolder { folder: self.dispatch(number).folder.join(format!("attempt-{attempt}")) }
    }

    /// Of the command with this index of one run of checks.
    pub fn check(&self, number: CheckNumber, index: usize) -> RunFolder {
        RunFolder { folder: self.checks().join(number.to_string()).join(index.to_string()) }
    }
}

macro_rules! paths {
    ($owner:ident { $($(#[$doc:meta])* $method:ident = $relative:literal),+ $(,)? }) => {
        impl $owner {
            $(
                $(#[$doc])*
                pub fn $method(&self) -> PathBuf {
                    self.folder.join($relative)
                }
            )+
        }
    };
}

paths!(SessionLayout {
    journal = "journal.jsonl",
    importing = "importing",
    lock = "lock",
    status = "status.json",
    tasks = "tasks.yaml",
    lean_tasks = "tasks.lean.yaml",
    report = "report.md",
    approve_design_history = "approve-design-history.jsonl",
    dispatches = "dispatches",
    checks = "checks",
    inbox = "inbox",
    /// What a person was told of outside of Tollgate. A cache: without it they are told once more.
    notified = "notified.json",
    /// Which spans were sent. A cache, too.
    traced = "traced.json",
    evidence = "evidence",
    action_context = "evidence/action-context.md",
    artifact_trace = "evidence/artifact-trace.md",
    gate_decisions = "evidence/gate-decisions.md",
    commands_log = "evidence/commands.log",
    lifecycle_gates_log = "evidence/lifecycle-gates.log",
});

/// The folder of something that ran: a dispatch, one attempt of it, or one check command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    folder: PathBuf,
}

impl RunFolder {
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

paths!(RunFolder {
    input = "input.json",
    prompt = "prompt.md",
    reply = "reply.json",
    stdout = "stdout.log",
    stderr = "stderr.log",
    /// Session files as the attempt left them, kept with what brought them.
    outputs = "outputs",
});

/// The user's state directory for Tollgate; `lookup` gives environment variables.
pub fn state_home(lookup: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, NoStateHome> {
    let absolute = |name: &str| lookup(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("TOLLGATE_STATE_HOME")
        .or_else(|| Some(absolute("XDG_STATE_HOME")?.join("tollgate")))
        .or_else(|| Some(absolute("HOME")?.join(".local/state/tollgate")))
        .ok_or(NoStateHome)
}

/// Where the workspaces of a session are: outside the checkout, apart for each repository.
pub fn workspace_home(state_home: &Path, repo_root: &Path, session: &SessionName) -> PathBuf {
    workspaces(state_home, repo_root).join(session.as_str())
}

/// Where the agents of a session have their private folders.
pub fn agent_homes(state_home: &Path, repo_root: &Path, session: &SessionName) -> PathBuf {
    state_home.join("agents").join(name_of(repo_root)).join(session.as_str())
}

/// What was last found about the sessions of a repository.
pub fn summaries(state_home: &Path, repo_root: &Path) -> PathBuf {
    state_home.join("summaries").join(format!("{}.json", name_of(repo_root)))
}

/// The repositories that have had sessions, a file for each.
pub fn repository_notes(state_home: &Path) -> PathBuf {
    state_home.join("repositories")
}

pub fn repository_note(state_home: &Path, repo_root: &Path) -> PathBuf {
    repository_notes(state_home).join(name_of(repo_root))
}

/// Where the workspaces of all sessions of a repository are.
pub fn workspaces(state_home: &Path, repo_root: &Path) -> PathBuf {
    state_home.join("workspaces").join(name_of(repo_root))
}

/// Locks a session wherever its folder lies: its branch is shared by all worktrees of a repository.
pub fn session_lock(state_home: &Path, common_dir: &Path, session: &SessionName) -> PathBuf {
    state_home.join("sessions").join(name_of(common_dir)).join(format!("{session}.lock"))
}

/// Where it stands how far the journal of a session is: with the repository, and in the state directory.
pub fn journal_anchors(
    state_home: Option<&Path>,
    common_dir: &Path,
    session: &SessionName,
) -> Vec<PathBuf> {
    let name = format!("{session}.journal");
    let in_state = |home: &Path| home.join("sessions").join(name_of(common_dir)).join(&name);
    [common_dir.join("tollgate").join(&name)].into_iter().chain(state_home.map(in_state)).collect()
}

fn name_of(folder: &Path) -> String {
    let digest = Sha256::digest(folder.as_os_str().as_bytes());
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
