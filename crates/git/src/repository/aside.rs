//! Moves what git keeps of a session out of the way of another life of it. Nothing is deleted.

use super::{Repository, branch_name, branch_ref};
use crate::program::GitError;
use tollgate_core::id::{CommitId, SessionName};

#[derive(Debug, thiserror::Error)]
pub enum AsideError {
    #[error(
        "branch {branch} is ahead of the journal and checked out in {folder}; check out another branch there, then \
         run the same command again"
    )]
    CheckedOut { branch: String, folder: String },
    #[error(
        "commit {commit}, the last accepted work of the journal, is no longer in the repository; fetch it from a \
         clone that has it, or restore another journal, then run the same command again"
    )]
    Gone { commit: CommitId },
    #[error(transparent)]
    Git(#[from] GitError),
}

impl Repository {
    /// Puts branch `tollgate/<session>` where the accepted work of the journal ends; without such work, there is none. The name
    /// under which it is kept if it was elsewhere.
    pub fn set_branch_aside(
        &self,
        session: &SessionName,
        accepted: Option<&CommitId>,
    ) -> Result<Option<String>, AsideError> {
        let branch = branch_ref(session);
        if let Some(commit) = accepted.filter(|commit| !self.has_commit(commit)) {
            return Err(AsideError::Gone { commit: commit.clone() });
        }
        let Some(stored) = self.stored(&branch)? else {
            if let Some(accepted) = accepted {
                self.update_refs(format!("create {branch} {accepted}\n"))?;
            }
            return Ok(None);
        };
        let found = &stored.commit;
        if Some(found) == accepted {
            return Ok(None);
        }
        if let Some(folder) = stored.checkout() {
            let folder = folder.display().to_string();
            return Err(AsideError::CheckedOut { branch: branch_name(session), folder });
        }
        let name = self.first_free(|number| format!("{branch}.former-{number}"))?;
        let step = match accepted {
            Some(accepted) => format!("update {branch} {accepted} {found}\n"),
            None => format!("delete {branch} {found}\n"),
        };
        self.update_refs(format!("create {name} {found}\n{step}"))?;
        Ok(name.strip_prefix("refs/heads/").map(str::to_owned))
    }

    /// Moves the hidden refs of a session, which keep its commits and what was rescued and say where its work went, to a
    /// numbered place.
    pub fn set_hidden_refs_aside(&self, session: &SessionName) -> Result<(), GitError> {
        let names =
            ["keep", "rescue", "landed"].map(|kind| format!("refs/tollgate/{kind}/{session}"));
        let stored = self.list_refs(&names.each_ref().map(String::as_str))?;
        if stored.is_empty() {
            return Ok(());
        }
        let place = self.first_free(|number| format!("refs/tollgate/former/{session}/{number}"))?;
        let mut lines = String::new();
        for held in stored {
            let short = held.name.trim_start_matches("refs/tollgate/").to_owned();
            let (name, commit) = (held.name, held.commit);
            lines.push_str(&format!("create {place}/{short} {commit}\ndelete {name} {commit}\n"));
        }
        self.update_refs(lines)
    }

    /// The first of the names with numbers from 1 that no ref has or is below.
    fn first_free(&self, name: impl Fn(u32) -> String) -> Result<String, GitError> {
        let mut number = 1;
        while !self.refs_below(&name(number))?.is_empty() {
            number += 1;
        }
        Ok(name(number))
    }

    fn has_commit(&self, commit: &CommitId) -> bool {
        self.read(["cat-file", "-e"]).arg(format!("{commit}^{{commit}}")).run().is_ok()
    }
}
