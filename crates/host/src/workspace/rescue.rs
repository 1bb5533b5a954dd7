//! Keeps everything that is in the tree now under a name, without touching the tree or the index.

use super::changes::{ChangeKind, Found, Presence};
use super::names::is_refused_by_git;
use super::{Workspace, WorkspaceError};
use crate::crash;
use crate::files::open_folder_beneath;
use crate::git::GitCall;
use crate::repository::{StoredRef, parse_commit};
use rustix::fs::Dir;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::id::CommitId;

/// A nested repository with more files than this is not copied; reset keeps it whole beside the workspace.
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
        let found = self.found()?;
        if found.is_empty() {
            return Ok(None);
        }
        let tree = self.tree_of(&found)?;
        let held = self.rescues()?;
        let wanted = format!("{}{name}", self.rescue_prefix());
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        for candidate in std::iter::once(wanted.clone()).chain(numbered) {
            match held.iter().find(|stored| stored.name == candidate) {
                Some(stored) if stored.tree == tree => return Ok(Some(candidate)),
                Some(_) => {}
                None => {
                    let commit =
                        self.commit_tree(&tree, &self.accepted()?, format!("{message}\n"), None)?;
                    crash::point("rescue.before_ref");
                    self.repository.update_refs(format!("create {candidate} {commit}\n"))?;
                    crash::point("rescue.ref_written");
                    return Ok(Some(candidate));
                }
            }
        }
        unreachable!("the numbers do not end")
    }

    /// Puts the changes that were kept under `name` into the tree again, as changes of `tip`.
    pub fn take_back(&self, name: &str, tip: &CommitId) -> Result<(), WorkspaceError> {
        let wanted = format!("{}{name}", self.rescue_prefix());
        let Some(stored) = self.rescues()?.into_iter().find(|stored| stored.name == wanted) else {
            return Ok(());
        };
        self.reset(&parse_commit("for-each-ref", &stored.commit)?)?;
        self.adopt(tip)
    }

    /// Puts these paths into the tree as a rescue holds them; nothing else of it, and nothing where it is gone.
    pub fn put_back(&self, rescue: &str, paths: &[String]) -> Result<(), WorkspaceError> {
        let Some(stored) = self.rescues()?.into_iter().find(|stored| stored.name == rescue) else {
            return Ok(());
        };
        let commit = stored.commit.as_str();
        let literal = |call: GitCall| call.env("GIT_LITERAL_PATHSPECS", "1");
        let listed = literal(self.git(["ls-tree", "-z", "--name-only", commit, "--"])).args(paths);
        let listed = listed.run()?.stdout;
        let names: Vec<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let (there, gone): (Vec<&String>, Vec<&String>) =
            paths.iter().partition(|path| names.contains(&path.as_bytes()));
        if !there.is_empty() {
            literal(self.git(["restore", "--worktree", "--source", commit, "--"]))
                .args(there)
                .run()?;
        }
        for path in gone.into_iter().map(Path::new) {
            if matches!(self.presence(path), Presence::File | Presence::Link) {
                let path = self.tree.join(path);
                fs::remove_file(&path).map_err(|cause| WorkspaceError::io(&path, cause))?;
            }
        }
        Ok(())
    }

    /// Whether some rescue holds the tree exactly as it is now.
    pub(super) fn is_held(&self, found: &[Found]) -> Result<bool, WorkspaceError> {
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
    fn tree_of(&self, found: &[Found]) -> Result<String, WorkspaceError> {
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
        self.stage(&self.keepable(found), Some(&index))?;
        let tree = self.git(["write-tree"]).env("GIT_INDEX_FILE", &index).run()?.line();
        fs::remove_file(&index).map_err(|cause| WorkspaceError::io(&index, cause))?;
        Ok(tree)
    }

    fn keepable(&self, found: &[Found]) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for change in found {
            if change.kind == ChangeKind::NestedRepository {
                let mut inside = Vec::new();
                self.list_files(&change.path, &mut inside);
                if inside.len() <= NESTED_FILES_MAX {
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
