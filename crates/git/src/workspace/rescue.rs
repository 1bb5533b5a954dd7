//! Keeps everything that is in the tree now under a name, without touching the tree or the index.

use super::changes::{ChangeKind, FoundChange, Presence};
use super::names::is_refused_by_git;
use super::{Workspace, WorkspaceError};
use crate::program::{GitCall, GitError};
use crate::repository::StoredRef;
use rustix::fs::Dir;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::id::CommitId;
use tollgate_files::crash;
use tollgate_files::open_folder_beneath;

/// So many paths fit on a command line.
pub(super) const PATHS_PER_CALL: usize = 200;

/// A nested repository with more files than this, or larger ones than the limits, is not copied; reset keeps it whole beside the workspace.
const NESTED_FILES_MAX: usize = 10_000;

impl Workspace {
    /// Keeps all present changes under `refs/tollgate/rescue/<session>/<name>` and says that name, or None when there
    /// are none. Ignored files are left out, and of nested repositories their `.git`. A name that holds something
    /// else already gets a number.
    pub fn rescue(&self, name: &str, message: &str) -> Result<Option<String>, WorkspaceError> {
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
        if name.is_empty() || !name.bytes().all(is_plain) {
            return Err(WorkspaceError::BadRescueName { name: name.to_owned() });
        }
        self.clear_the_way()?;
        let found = self.found_at_last()?;
        if found.is_empty() {
            return Ok(None);
        }
        let tree = self.tree_of(&found)?;
        let mut held = self.rescues()?;
        let wanted = format!("{}{name}", self.rescue_prefix());
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        for candidate in std::iter::once(wanted.clone()).chain(numbered) {
            match held.iter().find(|stored| stored.name == candidate) {
                Some(stored) if stored.tree == tree => return Ok(Some(candidate)),
                Some(_) => {}
                None => {
                    let commit = self.commit_tree(
                        &tree,
                        &[&self.accepted()?],
                        format!("{message}\n"),
                        None,
                    )?;
                    crash::point("rescue.before_ref");
                    let made =
                        self.repository.update_refs(format!("create {candidate} {commit}\n"));
                    crash::point("rescue.ref_written");
                    let Err(error) = made else { return Ok(Some(candidate)) };
                    // Another tree of the session may have taken the name in the meantime; then the next one is for this.
                    held = self.rescues()?;
                    if !held.iter().any(|stored| stored.name == candidate) {
                        return Err(error.into());
                    }
                }
            }
        }
        unreachable!("the numbers do not end")
    }

    /// Puts the changes that were kept under `name` into the tree again, as changes of `tip`. False when there are none.
    pub fn take_back(&self, name: &str, tip: &CommitId) -> Result<bool, WorkspaceError> {
        self.take_up(&format!("{}{name}", self.rescue_prefix()), tip)
    }

    /// As `take_back`, by the whole name of the rescue.
    pub fn take_up(&self, rescue: &str, tip: &CommitId) -> Result<bool, WorkspaceError> {
        let Some(stored) = self.rescues()?.into_iter().find(|stored| stored.name == rescue) else {
            return Ok(false);
        };
        self.reset(&stored.commit)?;
        self.adopt(tip)?;
        Ok(true)
    }

    /// Puts these paths into the tree as a rescue holds them, and says which it did not: those that the accepted work
    /// has changed since, because the old file would undo that, and all of them where the rescue is gone.
    pub fn put_back(&self, rescue: &str, paths: &[String]) -> Result<Vec<String>, WorkspaceError> {
        let Some(stored) = self.rescues()?.into_iter().find(|stored| stored.name == rescue) else {
            return Ok(paths.to_vec());
        };
        let commit = stored.commit;
        let accepted = self.accepted()?;
        let mut left = Vec::new();
        for some in paths.chunks(PATHS_PER_CALL) {
            let kept = self.entries(commit.as_str(), some)?;
            let before = self.entries(&format!("{commit}^"), some)?;
            let now = self.entries(accepted.as_str(), some)?;
            let (old, same): (Vec<&String>, Vec<&String>) =
                some.iter().partition(|path| before.get(*path) != now.get(*path));
            left.extend(old.into_iter().cloned());
            let (there, gone): (Vec<&String>, Vec<&String>) =
                same.into_iter().partition(|path| kept.contains_key(*path));
            if !there.is_empty() {
                self.restoring(commit.as_str(), &there).run()?;
            }
            gone.into_iter().try_for_each(|path| self.remove(Path::new(path)))?;
        }
        Ok(left)
    }

    /// Brings these paths of the tree to what a commit holds.
    pub(super) fn restoring(&self, commit: &str, paths: &[impl AsRef<OsStr>]) -> GitCall {
        self.git_writing(["restore", "--worktree", "--source", commit, "--"])
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(paths)
    }

    fn remove(&self, path: &Path) -> Result<(), WorkspaceError> {
        if matches!(self.presence(path), Presence::File | Presence::Link) {
            let path = self.tree.join(path);
            fs::remove_file(&path).map_err(|cause| WorkspaceError::io(&path, cause))?;
        }
        Ok(())
    }

    /// Mode and content of these paths in a commit; what is not in it is left out.
    fn entries(
        &self,
        commit: &str,
        paths: &[String],
    ) -> Result<BTreeMap<String, String>, WorkspaceError> {
        let listed = self.git(["ls-tree", "-z", "--full-tree", commit, "--"]);
        let listed = listed.env("GIT_LITERAL_PATHSPECS", "1").args(paths).run()?.stdout;
        let entry = |line: &[u8]| {
            let line = String::from_utf8_lossy(line).into_owned();
            line.split_once('\t').map(|(entry, path)| (path.to_owned(), entry.to_owned()))
        };
        Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
    }

    /// Whether some rescue holds the tree exactly as it is now.
    pub(super) fn is_held(&self, found: &[FoundChange]) -> Result<bool, WorkspaceError> {
        let tree = self.tree_of(found)?;
        Ok(self.rescues()?.iter().any(|stored| stored.tree == tree))
    }

    fn rescue_prefix(&self) -> String {
        format!("refs/tollgate/rescue/{}/", self.session)
    }

    fn rescues(&self) -> Result<Vec<StoredRef>, WorkspaceError> {
        Ok(self.repository.refs_below(&self.rescue_prefix())?)
    }

    /// The git tree of the last accepted commit with the changes on top, made in an index of its own.
    fn tree_of(&self, found: &[FoundChange]) -> Result<String, WorkspaceError> {
        let index = self.scratch_index()?;
        let paths = self.keepable(found);
        match self.stage(&paths, Some(&index)) {
            Err(WorkspaceError::Git(GitError::Failed { .. })) => {
                self.scratch_index()?;
                self.stage_raw(&paths, &index)?;
            }
            staged => staged?,
        }
        let tree = self.git(["write-tree"]).env("GIT_INDEX_FILE", &index).run()?.line();
        fs::remove_file(&index).map_err(|cause| WorkspaceError::io(&index, cause))?;
        Ok(tree)
    }

    /// A copy of our index that can be written to.
    pub(super) fn scratch_index(&self) -> Result<PathBuf, WorkspaceError> {
        let index = self.shadow.join("index.rescue");
        for leftover in [self.shadow.join("index.rescue.lock"), index.clone()] {
            match fs::remove_file(&leftover) {
                Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                    return Err(WorkspaceError::io(&leftover, cause));
                }
                _ => {}
            }
        }
        fs::copy(self.shadow.join("index"), &index)
            .map_err(|cause| WorkspaceError::io(&index, cause))?;
        Ok(index)
    }

    fn keepable(&self, found: &[FoundChange]) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for change in found {
            if change.kind == ChangeKind::NestedRepository {
                let mut inside = Vec::new();
                self.list_files(&change.path, &mut inside);
                if inside.len() <= NESTED_FILES_MAX && self.is_within_limits(&inside) {
                    paths.append(&mut inside);
                }
            } else if self.can_be_kept(&change.path) {
                paths.push(change.path.clone());
            }
        }
        paths
    }

    fn can_be_kept(&self, path: &Path) -> bool {
        !is_refused_by_git(path) && self.presence(path) != Presence::Special
    }

    fn list_files(&self, folder: &Path, files: &mut Vec<PathBuf>) {
        let opened = open_folder_beneath(&self.tree, folder);
        let Ok(entries) = opened.and_then(|folder| Dir::read_from(&folder)) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_bytes();
            let path = folder.join(OsStr::from_bytes(name));
            let is_no_entry = matches!(name, b"." | b"..");
            if is_no_entry || files.len() > NESTED_FILES_MAX || !self.can_be_kept(&path) {
                continue;
            }
            match self.presence(&path) {
                Presence::Folder => self.list_files(&path, files),
                _ => files.push(path),
            }
        }
    }
}
