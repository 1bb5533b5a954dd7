//! Brings the tree back to a commit. Nothing is lost by it: what goes is held by a rescue or put aside.

use super::changes::{ChangeKind, FoundChange};
use super::{Workspace, WorkspaceError};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Mode};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tollgate_core::id::CommitId;
use tollgate_files::crash;
use tollgate_files::open_folder_beneath;

impl Workspace {
    /// Tree and index become those of `to`; ignored files stay. Refused while the tree holds changes that no rescue
    /// has. Nested repositories, and files that only the agent's own ignore rules hid, move to `home/aside`.
    pub fn reset(&self, to: &CommitId) -> Result<(), WorkspaceError> {
        let before = self.found_at_last()?;
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
        // They would say how the files of `to` are written, and nobody accepted them.
        let is_attributes = |found: &&FoundChange| {
            found.is_untracked
                && !cannot_be_rescued(found)
                && found.path.file_name().is_some_and(|name| name == ".gitattributes")
        };
        for found in before.iter().filter(is_attributes) {
            self.remove_untracked(&found.path)?;
            found.path.parent().into_iter().for_each(|folder| self.remove_empty_folders(folder));
        }
        self.mark_index_stale()?;
        crash::point("reset.before_checkout");
        self.git_writing(["read-tree", "-u", "--reset", to.as_str()]).run()?;
        crash::point("reset.checked_out");
        self.write_head(to)?;
        crash::point("reset.head_written");
        self.index_is_settled()?;
        // The ignore rules of `to` hold again, so build caches do not show here whatever the agent did to them.
        let rescued: BTreeSet<&Path> =
            before.iter().filter(|found| found.is_untracked).map(|f| f.path.as_path()).collect();
        let after = self.named_by_git()?;
        self.note_restless(&after)?;
        self.note_large()?;
        let mut emptied = BTreeSet::new();
        for left in after.iter().filter(|left| left.is_untracked) {
            if rescued.contains(left.path.as_path()) && !cannot_be_rescued(left) {
                self.remove_untracked(&left.path)?;
            } else {
                self.move_out(&left.path, || self.place_aside(&left.path))?;
            }
            emptied.extend(left.path.parent());
        }
        // Once for each folder, the deepest first: to find out that a large one is not empty takes long.
        for folder in emptied.into_iter().rev() {
            self.remove_empty_folders(folder);
        }
        Ok(())
    }

    /// Moves what stands at a path of the tree below `home/aside`.
    pub(super) fn set_aside(&self, path: &Path) -> Result<(), WorkspaceError> {
        self.move_out(path, || self.place_aside(path))?;
        path.parent().into_iter().for_each(|folder| self.remove_empty_folders(folder));
        Ok(())
    }

    /// Moves what stands at a path of the tree to a place on the same disk; the way there is not through links.
    pub(super) fn move_out(
        &self,
        path: &Path,
        place: impl FnOnce() -> Result<PathBuf, WorkspaceError>,
    ) -> Result<(), WorkspaceError> {
        let failed = |errno: Errno| WorkspaceError::io(&self.tree.join(path), errno.into());
        let (folder, name) = match self.place_of(path) {
            Err(Errno::NOENT) => return Ok(()),
            place => place.map_err(failed)?,
        };
        if rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
            return Ok(());
        }
        let to = place()?;
        rustix::fs::renameat(&folder, name, CWD, &to).map_err(failed)?;
        if self.submodules()?.iter().any(|submodule| submodule == path) {
            rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o755)).map_err(failed)?;
        }
        Ok(())
    }

    fn remove_untracked(&self, path: &Path) -> Result<(), WorkspaceError> {
        self.place_of(path)
            .and_then(|(folder, name)| rustix::fs::unlinkat(&folder, name, AtFlags::empty()))
            .map_err(|errno| WorkspaceError::io(&self.tree.join(path), errno.into()))
    }

    /// This one and those above it.
    pub(super) fn remove_empty_folders(&self, folder: &Path) {
        for folder in folder.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
            let removed = self
                .place_of(folder)
                .and_then(|(above, name)| rustix::fs::unlinkat(&above, name, AtFlags::REMOVEDIR));
            if removed.is_err() {
                return;
            }
        }
    }

    /// The folder that a path of the tree is in, held open, and its name there.
    pub(super) fn place_of<'p>(&self, path: &'p Path) -> Result<(OwnedFd, &'p OsStr), Errno> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Errno::INVAL);
        };
        Ok((open_folder_beneath(&self.tree, folder)?, name))
    }
}

/// Repositories and names that git does not take: their content is in no rescue, or not all of it.
fn cannot_be_rescued(found: &FoundChange) -> bool {
    found.kind == ChangeKind::NestedRepository
        || (found.kind == ChangeKind::UnreadablePath
            && super::names::is_refused_by_git(&found.path))
}
