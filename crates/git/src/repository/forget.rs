//! What git keeps for a session, and how it is given up.

use super::{Repository, RepositoryError, StoredRef, branch_name, branch_ref, parse_commit};
use crate::program::GitError;
use std::collections::BTreeSet;
use tollgate_core::id::{CommitId, SessionName};

/// Hidden refs that keep what was made on the way.
const ON_THE_WAY: [&str; 3] = ["keep", "rescue", "former"];

/// Hidden refs that say what came of a session: where its work went, and tags that a person is to push.
const RESULTS: [&str; 2] = ["landed", "tags"];

/// A branch of a session cannot be removed while a person works on it.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    #[error("branch {branch} is checked out in {folder}")]
    CheckedOut { branch: String, folder: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Work that was kept out of every branch: what an attempt left unfinished, or what was left out of accepted work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// The whole name of the ref.
    pub name: String,
    pub commit: CommitId,
}

impl Aside {
    /// The last part of its name, which says what left it.
    pub fn label(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }
}

impl Repository {
    /// What a session keeps aside, also of its former lives.
    pub fn kept_aside(&self, session: &SessionName) -> Result<Vec<Aside>, GitError> {
        let mut stored = self.refs_below(&format!("refs/tollgate/rescue/{session}"))?;
        let former = self.refs_below(&format!("refs/tollgate/former/{session}"))?;
        let part = format!("/rescue/{session}/");
        stored.extend(former.into_iter().filter(|held| held.name.contains(&part)));
        stored.into_iter().map(aside).collect()
    }

    /// What parallel members of a session made.
    pub fn kept_members(&self, session: &SessionName) -> Result<Vec<Aside>, GitError> {
        let stored = self.refs_below(&format!("refs/tollgate/keep/{session}"))?;
        let found = stored.into_iter().map(aside).collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().filter(|kept| kept.label().starts_with(super::MEMBER)).collect())
    }

    /// Whether every file that a commit changed is in another commit as it left it.
    pub fn has_changes_of(&self, place: &CommitId, commit: &CommitId) -> Result<bool, GitError> {
        let changed = self.changed_between(&format!("{commit}^"), commit.as_str())?;
        Ok(self.changed_between(commit.as_str(), place.as_str())?.is_disjoint(&changed))
    }

    /// The commits that branches of a session are at: its own, and those of its former lives.
    pub fn branches_of(
        &self,
        session: &SessionName,
    ) -> Result<BTreeSet<CommitId>, RepositoryError> {
        let stored = self.stored_branches(session)?;
        let commits = stored.iter().map(|(_, commit)| parse_commit("for-each-ref", commit));
        Ok(commits.collect::<Result<_, _>>()?)
    }

    /// How many refs `forget_work` would remove.
    pub fn refs_of_work(&self, session: &SessionName) -> Result<usize, GitError> {
        let hidden = self.stored_hidden(session, &ON_THE_WAY)?;
        Ok(self.stored_branches(session)?.len() + hidden.len())
    }

    /// Removes the branches of a session and what was kept on the way, all or nothing.
    pub fn forget_work(&self, session: &SessionName) -> Result<(), ForgetError> {
        self.forget_kinds(session, &ON_THE_WAY)
    }

    /// Removes all branches and hidden refs of a session, all or nothing.
    pub fn forget(&self, session: &SessionName) -> Result<(), ForgetError> {
        self.forget_kinds(session, &[&ON_THE_WAY[..], &RESULTS].concat())
    }

    fn forget_kinds(&self, session: &SessionName, kinds: &[&str]) -> Result<(), ForgetError> {
        let branch = branch_ref(session);
        if let Some(folder) = self.checked_out_in(&branch)? {
            return Err(ForgetError::CheckedOut { branch: branch_name(session), folder });
        }
        let mut stored = self.stored_branches(session)?;
        stored.extend(self.stored_hidden(session, kinds)?);
        if stored.is_empty() {
            return Ok(());
        }
        let line = |(name, commit): &(String, String)| format!("delete {name} {commit}\n");
        Ok(self.update_refs(stored.iter().map(line).collect())?)
    }

    fn stored_branches(&self, session: &SessionName) -> Result<Vec<(String, String)>, GitError> {
        let branch = branch_ref(session);
        let former = format!("{branch}.former-");
        let stored = self.refs_below("refs/heads/tollgate")?.into_iter();
        let is_its = |name: &str| name == branch || name.starts_with(&former);
        Ok(stored.filter(|held| is_its(&held.name)).map(|held| (held.name, held.commit)).collect())
    }

    fn stored_hidden(
        &self,
        session: &SessionName,
        kinds: &[&str],
    ) -> Result<Vec<(String, String)>, GitError> {
        let mut stored = Vec::new();
        for kind in kinds {
            let found = self.refs_below(&format!("refs/tollgate/{kind}/{session}"))?;
            stored.extend(found.into_iter().map(|held| (held.name, held.commit)));
        }
        Ok(stored)
    }
}

fn aside(held: StoredRef) -> Result<Aside, GitError> {
    let commit = parse_commit("for-each-ref", &held.commit)?;
    Ok(Aside { name: held.name, commit })
}
