//! What git keeps for a session, and how it is given up.

use super::{Refs, Repository, StoredRef, Tips};
use crate::program::GitError;
use std::path::PathBuf;
use tollgate_core::id::CommitId;

/// A branch of a session cannot be removed while a person works on it.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    #[error("branch {branch} is checked out in {}", folder.display())]
    CheckedOut { branch: String, folder: PathBuf },
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Refs {
    /// Fails where one of these refs is a branch that is checked out.
    pub fn expect_free(&self, tips: &Tips) -> Result<(), ForgetError> {
        let concerned = self.0.iter().filter(|held| tips.contains_key(&held.name));
        for held in concerned {
            if let Some(folder) = held.checkout() {
                let branch = held.name.trim_start_matches("refs/heads/").to_owned();
                return Err(ForgetError::CheckedOut { branch, folder: folder.to_owned() });
            }
        }
        Ok(())
    }

    /// The refs that are where these say.
    fn unmoved<'a>(&self, tips: &'a Tips) -> Vec<(&'a String, &'a CommitId)> {
        let is_there = |name: &str, commit: &CommitId| {
            self.0.iter().any(|held| held.name == name && held.commit == *commit)
        };
        tips.iter().filter(|(name, commit)| is_there(name, commit)).collect()
    }
}

impl Repository {
    /// Whether every file that a commit changed is in another commit as it left it.
    pub fn has_changes_of(&self, place: &CommitId, commit: &CommitId) -> Result<bool, GitError> {
        let changed = self.changed_between(&format!("{commit}^"), commit.as_str())?;
        Ok(self.changed_between(commit.as_str(), place.as_str())?.is_disjoint(&changed))
    }

    /// Removes refs that are still where they were when they were looked at, all or nothing. The names of those that have
    /// moved: they stay.
    pub fn forget(&self, tips: &Tips) -> Result<Vec<String>, ForgetError> {
        let now = self.refs()?;
        now.expect_free(tips)?;
        let unmoved = now.unmoved(tips);
        if !unmoved.is_empty() {
            let line = |(name, commit): &(&String, &CommitId)| format!("delete {name} {commit}\n");
            self.update_refs(unmoved.iter().map(line).collect())?;
        }
        let is_left =
            |held: &&StoredRef| tips.get(&held.name).is_some_and(|commit| *commit != held.commit);
        Ok(now.0.iter().filter(is_left).map(|held| held.name.clone()).collect())
    }
}
