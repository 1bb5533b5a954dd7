//! One error at the edge: what happened, how to continue, and the exit code.

use crate::exit::Exit;
use std::fmt::Display;
use std::io;
use tollgate_contract::config::Config;
use tollgate_contract::diagnostic::Report;
use tollgate_core::fault::FaultKind;
use tollgate_core::refusal::Refusal;
use tollgate_desk::OpenedError;
use tollgate_files::layout::NoStateHome;
use tollgate_git::repository::{AsideError, RepositoryError};
use tollgate_host::activity::ActivityError;
use tollgate_host::client::{InboxError, JournalError, LockError};
use tollgate_host::fault::{self, Faulty};
use tollgate_host::import::ImportError;
use tollgate_host::serve::{OpenError, ServeError};
use tollgate_host::sessions::SessionsError;
use tollgate_host::settings::SettingsError;

#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// `tollgate explain CODE` tells more.
    pub code: &'static str,
    pub message: String,
    pub hints: Vec<String>,
    pub report: Option<Report>,
}

impl Failure {
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into(), hints: Vec::new(), report: None }
    }

    pub fn usage(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, code, message)
    }

    /// Of a command that only reads: what it cannot read stops nothing else.
    pub fn reading(error: JournalError) -> Self {
        match error {
            JournalError::Io { .. } => Self::usage("cli.session", error.to_string())
                .hint("check that the file exists and that you may read it"),
            other => other.into(),
        }
    }

    /// An agent was named on the command line that the settings do not describe.
    pub fn unknown_agent(name: &str, config: &Config) -> Self {
        let message = format!("there is no [agent.{name}] in tollgate.toml");
        let known: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        Self::usage("cli.no_agent", message).hint(match known.as_slice() {
            [] => "no agent is defined; `tollgate init` writes a tollgate.toml for the agents it finds".to_owned(),
            known => format!("known agents: {}", known.join(", ")),
        })
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        Self::usage("cli.repository", error.to_string())
    }
}

impl From<OpenedError> for Failure {
    fn from(error: OpenedError) -> Self {
        match error {
            OpenedError::Journal(error) => Self::reading(error),
            OpenedError::Repository(error) => error.into(),
            OpenedError::NoRepository | OpenedError::NoSession | OpenedError::NotBegun => {
                Self::usage("cli.session", error.to_string())
            }
        }
    }
}

impl From<SessionsError> for Failure {
    fn from(error: SessionsError) -> Self {
        let code = match &error {
            SessionsError::Foreign { .. } | SessionsError::Imported { .. } => "cli.foreign_session",
            _ => "cli.session",
        };
        Self::usage(code, error.to_string())
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Sessions(error) => error.into(),
            ImportError::Lock { ref source, .. } => unwritten(&error, Some(source.kind())),
            ImportError::File(ref cause) => unwritten(&error, cause.io_kind()),
            ImportError::Already { ref session, .. } => {
                Self::usage("cli.import", error.to_string())
                    .hint(format!("continue it with `tollgate resume {session}`"))
            }
            ImportError::NotAFolder { .. }
            | ImportError::NotASession { .. }
            | ImportError::Ours { .. } => Self::usage("cli.import", error.to_string()),
        }
    }
}

impl From<NoStateHome> for Failure {
    fn from(error: NoStateHome) -> Self {
        Self::usage("cli.session", error.to_string())
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        let failure = Self::usage("cli.settings", error.to_string());
        match error {
            SettingsError::Invalid(report) => Self { report: Some(report), ..failure }
                .hint("fix the lines above and run the command again"),
            _ => failure,
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        match &error {
            JournalError::Damaged { .. } | JournalError::Unknown { .. } => {
                Self::new(Exit::Damaged, "cli.journal_damaged", error.to_string())
                    .hint("keep the folder as it is; accepted work is on the session's branch")
            }
            JournalError::Newer { .. } => {
                Self::new(Exit::Damaged, "cli.journal_newer", error.to_string())
                    .hint("update Tollgate; `tollgate --version` says which version this is")
            }
            JournalError::Foreign { .. } | JournalError::Copied { .. } => {
                Self::new(Exit::Damaged, "cli.journal_damaged", error.to_string())
            }
            JournalError::Older { .. } => {
                Self::new(Exit::Damaged, "cli.journal_older", error.to_string())
                    .hint("restore the newer journal if you have it")
                    .hint(
                        "or continue from the older journal with `tollgate resume SESSION --accept-older-journal`: \
                         decisions and work after it are ignored, and a branch that \
                         is ahead is kept under another name",
                    )
            }
            JournalError::Replaced { .. } => {
                Self::new(Exit::Damaged, "cli.journal_replaced", error.to_string())
                    .hint("restore the journal of the session that was started last under this name")
                    .hint(
                        "or continue with this one with `tollgate resume SESSION --accept-older-journal`: decisions \
                         and work of the other session are ignored, and its branch is kept under another name",
                    )
            }
            _ if error.is_not_found() => Self::usage("cli.session", error.to_string()),
            JournalError::Io { source, .. } => unwritten(&error, Some(source.kind())),
            _ => unwritten(&error, None),
        }
    }
}

/// The host could not do its part: nothing was acknowledged, nothing is lost.
fn host_failed(error: &impl Faulty) -> Failure {
    let fault = error.fault();
    let code = fault.kind.code().as_str();
    Failure::new(Exit::Blocked, code, format!("BLOCKED ({code}): {fault}"))
        .hint(fault.kind.remedy())
}

/// The truth could not be written: nothing was acknowledged, nothing is lost.
fn unwritten(error: &impl Display, cause: Option<io::ErrorKind>) -> Failure {
    let remedy = match cause.map(fault::of_file) {
        Some(FaultKind::NoSpace) => "free some space, then `tollgate resume`",
        Some(_) => "make it readable and writable for you, then `tollgate resume`",
        None => "see that the session folder can be written, then `tollgate resume`",
    };
    Failure::new(Exit::Blocked, "cli.persistence", format!("BLOCKED (persistence): {error}"))
        .hint(remedy)
}

impl From<ActivityError> for Failure {
    fn from(error: ActivityError) -> Self {
        host_failed(&error)
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        match &error {
            LockError::Held { .. } => {
                Self::new(Exit::Owned, "cli.session_owned", error.to_string()).hint(
                    "you can still read the session: `tollgate status`, `tollgate log --follow`",
                )
            }
            LockError::Stopped { pid } => {
                Self::new(Exit::Owned, "cli.session_owned", error.to_string())
                    .hint(format!("continue it with `fg` in its terminal or `kill -CONT {pid}`"))
            }
            LockError::Io { source, .. } => unwritten(&error, Some(source.kind())),
        }
    }
}

impl From<InboxError> for Failure {
    fn from(error: InboxError) -> Self {
        let cause = match &error {
            InboxError::File(cause) => cause.io_kind(),
            InboxError::BadId { .. } | InboxError::TooBig { .. } => None,
        };
        unwritten(&error, cause)
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Journal(error) => error.into(),
            ServeError::Inbox(error) => error.into(),
            ServeError::File(error) => unwritten(&error, error.io_kind()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Lock(error) => error.into(),
            OpenError::Journal(error) => error.into(),
            OpenError::Repository(error) => error.into(),
            OpenError::Serve(error) => error.into(),
            OpenError::Exists { .. } | OpenError::NeverBegan { .. } => {
                Self::usage("cli.session", error.to_string())
            }
            OpenError::Aside(AsideError::CheckedOut { .. }) => {
                Self::usage("cli.repository", error.to_string())
            }
            OpenError::Aside(AsideError::Gone { .. }) => {
                Self::new(Exit::Damaged, "cli.journal_older", error.to_string())
            }
            OpenError::Aside(AsideError::Git(error)) | OpenError::Git(error) => host_failed(&error),
            OpenError::Workspace(error) => host_failed(&error),
            OpenError::Files(error) => host_failed(&error),
            OpenError::Folder { ref cause, .. } | OpenError::Move { ref cause, .. } => {
                unwritten(&error, Some(cause.kind()))
            }
            OpenError::Copy(ref cause) => unwritten(&error, cause.io_kind()),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let failure = Self::usage("cli.refused", refusal.to_string());
        match refusal.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_a_folder_that_is_closed_have_a_remedy_each() {
        let hint = |kind| {
            Failure::from(LockError::Io { path: "lock".into(), source: io::Error::from(kind) })
                .hints
        };
        for full in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert_eq!(hint(full), ["free some space, then `tollgate resume`"]);
        }
        for closed in [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied] {
            let remedy = "make it readable and writable for you, then `tollgate resume`";
            assert_eq!(hint(closed), [remedy]);
        }
    }
}
