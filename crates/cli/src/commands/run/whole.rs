//! Whether the repository has all that agents need: files that were fetched, and submodules that are there.

use crate::failure::Failure;
use std::path::Path;
use tollgate_contract::config::Config;
use tollgate_core::count::counted;
use tollgate_core::id::CommitId;
use tollgate_git::repository::{Repository, RepositoryError};

/// Workspaces are made without a network, so everything must be here.
pub fn refuse_unfetched(repository: &Repository, commit: &CommitId) -> Result<(), Failure> {
    let count = if repository.is_partial()? { repository.unfetched(commit)? } else { 0 };
    if count == 0 {
        return Ok(());
    }
    let message = format!(
        "this is a partial clone, and {} of the commit that is checked out were never fetched",
        counted(count, "object")
    );
    Err(Failure::usage("cli.partial_clone", message)
        .hint("`git fetch --refetch --no-filter origin` fetches everything"))
}

/// Agents find an empty folder where such a submodule is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmptySubmodule {
    /// Not even the checkout has its files.
    NotThere { path: String },
    /// The settings do not bring it along.
    NotCopied { path: String },
}

impl EmptySubmodule {
    pub fn message(&self) -> String {
        match self {
            Self::NotThere { path } => {
                format!(
                    "{path} is a submodule without its files, and agents find an empty folder there"
                )
            }
            Self::NotCopied { path } => {
                format!("{path} is a submodule, and agents find an empty folder there")
            }
        }
    }

    /// What comes next; whether it is copied is asked when its files are there.
    pub fn fix(&self) -> String {
        match self {
            Self::NotThere { path } => format!("`git submodule update --init {path}`"),
            Self::NotCopied { path } => {
                format!("`copy = [{path:?}]` below [workspace] in tollgate.toml")
            }
        }
    }
}

pub fn empty_submodules(
    repository: &Repository,
    config: &Config,
    commit: &CommitId,
) -> Result<Vec<EmptySubmodule>, RepositoryError> {
    // Only who has this file has submodules; a look at every name takes its time.
    if !repository.has_path(commit, ".gitmodules")? {
        return Ok(Vec::new());
    }
    let is_copied =
        |path: &str| config.workspace.copy.iter().any(|copy| Path::new(path).starts_with(copy));
    let empty = |path: String| {
        let is_there = repository.root().join(&path).join(".git").symlink_metadata().is_ok();
        match (is_there, is_copied(&path)) {
            (false, _) => Some(EmptySubmodule::NotThere { path }),
            (true, false) => Some(EmptySubmodule::NotCopied { path }),
            (true, true) => None,
        }
    };
    Ok(repository.submodules_at(commit)?.into_iter().filter_map(empty).collect())
}
