//! From the errors of the host to the faults that the core is told: each by the part of the world that failed.

use crate::commands::ActivityError;
use crate::sandbox::SandboxRefusal;
use std::io;
use tollgate_core::fault::{FaultKind, HostFault};
use tollgate_files::FileError;
use tollgate_git::GitError;
use tollgate_git::repository::PromoteError;
use tollgate_git::workspace::WorkspaceError;

/// What the core is told of an error.
pub trait Faulty {
    fn fault(&self) -> HostFault;
}

impl Faulty for ActivityError {
    fn fault(&self) -> HostFault {
        match self {
            Self::Workspace(error) => error.fault(),
            Self::Git(error) => error.fault(),
            Self::File(error) => error.fault(),
            Self::Sandbox(error) => error.fault(),
            Self::Io { what, cause } => of_io(FaultKind::Disk, what, cause),
            Self::Process { what, cause } => of_io(FaultKind::Process, what, cause),
            Self::AgentHome { what, cause } => of_io(FaultKind::AgentHome, what, cause),
        }
    }
}

impl Faulty for GitError {
    fn fault(&self) -> HostFault {
        let kind = match self {
            Self::DiskFull { .. } => FaultKind::NoSpace,
            Self::CouldNotRun { cause, .. } if is_out_of_space(cause.kind()) => FaultKind::NoSpace,
            Self::Missing
            | Self::CouldNotRun { .. }
            | Self::Failed { .. }
            | Self::Unexpected { .. } => FaultKind::Git,
        };
        HostFault::new(kind, self.to_string())
    }
}

impl Faulty for PromoteError {
    fn fault(&self) -> HostFault {
        match self {
            Self::Git(error) => error.fault(),
            Self::Moved { .. } | Self::NameTaken { .. } => {
                HostFault::new(FaultKind::Git, self.to_string())
            }
        }
    }
}

impl Faulty for WorkspaceError {
    fn fault(&self) -> HostFault {
        let kind = match self {
            Self::Git(error) => return error.fault(),
            Self::DiskFull { .. } => FaultKind::NoSpace,
            Self::Io { .. } | Self::Unlistable { .. } => FaultKind::Disk,
            Self::BadCopy { .. } => FaultKind::Settings,
            Self::Damaged { .. }
            | Self::FilterInTree { .. }
            | Self::NotCommittable { .. }
            | Self::NotStageable { .. }
            | Self::BadRescueName { .. }
            | Self::NotRescued { .. } => FaultKind::Git,
        };
        HostFault::new(kind, self.to_string())
    }
}

impl Faulty for FileError {
    fn fault(&self) -> HostFault {
        let kind = self.io_kind().map_or(FaultKind::Disk, of_file);
        HostFault::new(kind, self.to_string())
    }
}

impl Faulty for SandboxRefusal {
    fn fault(&self) -> HostFault {
        let kind = match self {
            Self::Setting { .. } => FaultKind::Settings,
            Self::Caches { .. } => FaultKind::Disk,
        };
        HostFault::new(kind, self.to_string())
    }
}

/// Why a file could not be read or written.
pub fn of_file(cause: io::ErrorKind) -> FaultKind {
    if is_out_of_space(cause) { FaultKind::NoSpace } else { FaultKind::Disk }
}

/// A full disk is one, whatever needed the space.
fn of_io(kind: FaultKind, what: &str, cause: &io::Error) -> HostFault {
    let kind = if is_out_of_space(cause.kind()) { FaultKind::NoSpace } else { kind };
    HostFault::new(kind, what).because(cause)
}

fn is_out_of_space(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
