//! What a snapshot covers: the whole checkout, or what some patterns choose, and never the folders of ours and of git.

use super::SnapshotError;
use super::entry::{Hash, Why};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use tollgate_files::layout::Layout;
use tollgate_git::{Configuration, Git, GitError};
use tollgate_judge::globs::PathRules;

/// At the top of a checkout; no snapshot holds them and no restore touches them.
pub const NEVER: [&str; 5] = [".git", ".snapshots", Layout::SESSIONS, "logs", ".artifacts-failed"];

/// What was asked for, as it is in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotScope {
    /// Patterns over paths; none stands for everything.
    pub covers: Vec<String>,
    /// Whether files that git ignores are part of it.
    pub with_ignored: bool,
}

impl SnapshotScope {
    /// Everything there is.
    pub fn whole() -> Self {
        Self { covers: Vec::new(), with_ignored: true }
    }
}

/// A scope made ready for looking at one tree.
#[derive(Debug)]
pub(super) struct CoveredPaths {
    rules: Option<PathRules>,
    leave: BTreeMap<Vec<u8>, Why>,
}

impl CoveredPaths {
    pub fn new(
        scope: &SnapshotScope,
        leave: BTreeMap<Vec<u8>, Why>,
    ) -> Result<Self, SnapshotError> {
        let rules = match &scope.covers[..] {
            [] => None,
            patterns => Some(
                PathRules::new(patterns)
                    .map_err(|mut bad| SnapshotError::BadPattern(bad.swap_remove(0)))?,
            ),
        };
        Ok(Self { rules, leave })
    }

    /// Whether nothing at the path or below it is so much as looked at, and why.
    pub fn leaves(&self, path: &[u8]) -> Option<Why> {
        // The `.git` at the top is left out silently.
        if path.ends_with(b"/.git") {
            return Some(Why::Git);
        }
        self.leave.get(path).copied()
    }

    /// Whether a file or symlink belongs to it.
    pub fn takes(&self, path: &[u8]) -> bool {
        match &self.rules {
            None => true,
            // What a killed restore was about to rename into place goes with it.
            Some(rules) => {
                rules.matches(&String::from_utf8_lossy(path)) || is_restore_temporary(path)
            }
        }
    }

    /// Whether folders belong to it for their own sake, and not only as the way to a file.
    pub fn takes_empty_folders(&self) -> bool {
        self.rules.is_none()
    }

    /// Two looks with the same digest pass over the same names.
    pub fn digest(&self) -> Hash {
        let mut hasher = Sha256::new();
        for path in self.leave.keys() {
            hasher.update(path);
            hasher.update([0]);
        }
        Hash(hasher.finalize().into())
    }
}

pub(super) fn is_never(path: &[u8]) -> bool {
    NEVER.iter().any(|never| never.as_bytes() == path)
}

pub(super) const RESTORE_PREFIX: &[u8] = b".tollgate-restore-";

fn is_restore_temporary(path: &[u8]) -> bool {
    super::paths::split(path).1.starts_with(RESTORE_PREFIX)
}

/// What git ignores, whole folders as one; nothing where there is no repository. Where git cannot tell, nothing may be
/// taken for not ignored: a restore would delete it.
pub(super) fn ignored(root: &Path) -> Result<BTreeMap<Vec<u8>, Why>, SnapshotError> {
    let listed = Git::find().and_then(|git| {
        git.call(Configuration::Theirs)
            .folder(root)
            .args(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
            .run()
    });
    let listed = match listed {
        Ok(listed) => listed,
        Err(error) if error.says("not a git repository") => return Ok(BTreeMap::new()),
        Err(GitError::Missing) if !is_in_repository(root) => return Ok(BTreeMap::new()),
        Err(error) => return Err(SnapshotError::Ignored(error)),
    };
    let paths = listed.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths
        .map(|path| path.strip_suffix(b"/").unwrap_or(path))
        .filter(|path| !is_never(path))
        .map(|path| (path.to_vec(), Why::Ignored))
        .collect())
}

fn is_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok())
}
