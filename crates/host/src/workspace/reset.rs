//! Brings the tree back to a commit. Nothing is lost by it: what goes is held by a rescue or put aside.

use super::changes::{ChangeKind, Found};
use super::{Workspace, WorkspaceError};
use crate::crash;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tollgate_core::id::CommitId;

impl Workspace {
    /// Tree and index become those of `to`; ignored files stay. Refused while the tree holds changes that no rescue
    /// has. Nested repositories, and files that only the agent's own ignore rules hid, move to `home/aside`.
    pub fn reset(&self, to: &CommitId) -> Result<(), WorkspaceError> {
        let before = self.found()?;
        if before.is_empty() && self.accepted()? == *to {
            return Ok(());
        }
        if !before.is_empty() && !self.is_held(&before)? {
            let paths = before.iter().map(|f| f.path.to_string_lossy().into_owned()).collect();
            return Err(WorkspaceError::NotRescued { paths });
        }
        for found in before.iter().filter(|found| cannot_be_rescued(found)) {
            self.set_aside(&found.path)?;
        }
        self.mark_index_stale()?;
        crash::point("reset.before_checkout");
        self.git(["read-tree", "-u", "--reset", to.as_str()]).run()?;
        crash::point("reset.checked_out");
        self.write_head(to)?;
        crash::point("reset.head_written");
        self.index_is_settled()?;
        // The ignore rules of `to` hold again, so build caches do not show here whatever the agent did to them.
        let rescued: BTreeSet<&Path> =
            before.iter().filter(|found| found.is_untracked).map(|f| f.path.as_path()).collect();
        let after = self.named_by_git()?;
        self.note_restless(&after)?;
        for left in after.into_iter().filter(|left| left.is_untracked) {
            if rescued.contains(left.path.as_path()) && !cannot_be_rescued(&left) {
                self.remove_untracked(&left.path)?;
            } else {
                self.set_aside(&left.path)?;
            }
        }
        Ok(())
    }

    fn set_aside(&self, path: &Path) -> Result<(), WorkspaceError> {
        let full = self.tree.join(path);
        if full.symlink_metadata().is_err() {
            return Ok(());
        }
        self.put_aside(&full, path)?;
        if self.submodules()?.iter().any(|submodule| submodule == path) {
            fs::create_dir(&full).map_err(|cause| WorkspaceError::io(&full, cause))?;
        }
        self.remove_empty_folders_above(path);
        Ok(())
    }

    fn remove_untracked(&self, path: &Path) -> Result<(), WorkspaceError> {
        let full = self.tree.join(path);
        fs::remove_file(&full).map_err(|cause| WorkspaceError::io(&full, cause))?;
        self.remove_empty_folders_above(path);
        Ok(())
    }

    fn remove_empty_folders_above(&self, path: &Path) {
        let mut folder: PathBuf = path.to_owned();
        while folder.pop() && !folder.as_os_str().is_empty() {
            if fs::remove_dir(self.tree.join(&folder)).is_err() {
                return;
            }
        }
    }
}

/// Repositories and names that git does not take: their content is in no rescue, or not all of it.
fn cannot_be_rescued(found: &Found) -> bool {
    found.kind == ChangeKind::NestedRepository
        || (found.kind == ChangeKind::UnreadablePath
            && super::names::is_refused_by_git(&found.path))
}
