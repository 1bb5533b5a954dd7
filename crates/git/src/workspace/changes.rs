//! What differs in the tree from the last accepted commit.

use super::listable::make_listable;
use super::names::{is_refused_by_git, link_escapes};
use super::{Workspace, WorkspaceError};
use crate::program::GitCall;
use crate::program::status::{PathState, STATUS_ARGS, StatusEntry, read_status};
use std::ffi::OsString;
use std::fs::FileType;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use tollgate_core::work::{ChangeType, FileChange};

/// One path of the tree that is not as accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawChange {
    pub path: String,
    pub kind: ChangeKind,
    pub is_symlink: bool,
    /// The link leads out of the tree or into `.git`, judged by its text.
    pub symlink_escapes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// A file became a link or the other way round.
    TypeChanged,
    /// The executable bit, perhaps with the content.
    ModeChanged,
    /// A repository of its own, or a submodule with something in it; nothing of it can be committed.
    NestedRepository,
    /// Not a file or link, or its name is not UTF-8 or one that git refuses; `path` shows it as well as it can.
    UnreadablePath,
}

/// The same as `Workspace::diff` would find after a commit of these changes, where that is certain without git: when
/// nothing can have been renamed. By path, as git gives them.
pub fn plain_changes(changes: &[RawChange]) -> Option<Vec<FileChange>> {
    let has = |kind| changes.iter().any(|change| change.kind == kind);
    if has(ChangeKind::Added) && has(ChangeKind::Deleted) {
        return None;
    }
    let plain = |change: &RawChange| {
        let change_type = match change.kind {
            ChangeKind::Added => ChangeType::Added,
            ChangeKind::Deleted => ChangeType::Deleted,
            ChangeKind::Modified | ChangeKind::TypeChanged | ChangeKind::ModeChanged => {
                ChangeType::Modified
            }
            ChangeKind::NestedRepository | ChangeKind::UnreadablePath => return None,
        };
        Some(FileChange { path: change.path.clone(), change_type, old_path: None })
    };
    let mut plain = changes.iter().map(plain).collect::<Option<Vec<_>>>()?;
    plain.sort();
    Some(plain)
}

/// A change with the exact bytes of its path, below the tree.
#[derive(Debug, Clone)]
pub(super) struct FoundChange {
    pub path: PathBuf,
    pub kind: ChangeKind,
    pub is_untracked: bool,
}

/// What stands at a path, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    File,
    Link,
    Folder,
    /// A pipe, socket or device.
    Special,
    Missing,
    /// A folder above it is a link now, so nothing at this path belongs to the tree.
    BehindLink,
}

impl Workspace {
    /// All of it: untracked files included, our own folders not, nor what rules hide that are accepted.
    pub fn changes(&self) -> Result<Vec<RawChange>, WorkspaceError> {
        self.clear_the_way()?;
        Ok(self.found()?.iter().map(|found| self.describe(found)).collect())
    }

    pub(super) fn found(&self) -> Result<Vec<FoundChange>, WorkspaceError> {
        self.without_large(self.without_restless(self.named_by_git()?)?)
    }

    pub(super) fn named_by_git(&self) -> Result<Vec<FoundChange>, WorkspaceError> {
        match self.named_at_once() {
            Err(WorkspaceError::Unlistable { .. }) => {
                make_listable(&self.tree);
                self.clear_the_way()?;
                self.named_at_once()
            }
            named => named,
        }
    }

    fn named_at_once(&self) -> Result<Vec<FoundChange>, WorkspaceError> {
        self.settle_index()?;
        let mut entries = self.status()?;
        if entries.iter().any(is_staged) {
            self.mark_index_stale()?;
            self.settle_index()?;
            entries = self.status()?;
        }
        let hidden = self.hidden_by_agents(&entries)?;
        entries.extend(hidden);
        let mut found: Vec<FoundChange> =
            entries.into_iter().filter_map(|entry| self.classify(entry)).collect();
        for path in self.filled_submodules()? {
            if !found.iter().any(|other| other.path == path) {
                found.push(FoundChange {
                    path,
                    kind: ChangeKind::NestedRepository,
                    is_untracked: false,
                });
            }
        }
        Ok(found)
    }

    pub(super) fn presence(&self, path: &Path) -> Presence {
        let mut at = self.tree.clone();
        for part in path.parent().into_iter().flat_map(Path::components) {
            at.push(part);
            if at.is_symlink() {
                return Presence::BehindLink;
            }
        }
        match self.tree.join(path).symlink_metadata() {
            Ok(metadata) => presence_of(metadata.file_type()),
            Err(_) => Presence::Missing,
        }
    }

    /// What is ignored is listed too, each folder as one: there may be rules among it that nobody accepted.
    fn status(&self) -> Result<Vec<StatusEntry>, WorkspaceError> {
        let call = self.git(STATUS_ARGS).args(["--ignore-submodules=all", "--ignored=matching"]);
        Ok(read_status(&self.listing(call)?)?)
    }

    /// What git lists of the tree, if it could look everywhere.
    pub(super) fn listing(&self, call: GitCall) -> Result<Vec<u8>, WorkspaceError> {
        let output = call.run()?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        match complaints.lines().find(|line| line.contains("could not open directory")) {
            Some(line) => Err(WorkspaceError::Unlistable { detail: line.to_owned() }),
            None => Ok(output.stdout),
        }
    }

    fn classify(&self, entry: StatusEntry) -> Option<FoundChange> {
        let path = PathBuf::from(OsString::from_vec(entry.path));
        let (kind, is_untracked) = match entry.state {
            PathState::Untracked { is_folder: true } => (ChangeKind::NestedRepository, true),
            PathState::Untracked { is_folder: false } => (ChangeKind::Added, true),
            PathState::Ignored { .. } | PathState::Tracked { unstaged: b'.', .. } => return None,
            PathState::Tracked { unstaged, index_mode, tree_mode, .. } => {
                (tracked_kind(unstaged, index_mode, tree_mode), false)
            }
        };
        let is_unreadable = kind != ChangeKind::NestedRepository
            && (path.to_str().is_none()
                || is_refused_by_git(&path)
                || self.presence(&path) == Presence::Special);
        let kind = if is_unreadable { ChangeKind::UnreadablePath } else { kind };
        Some(FoundChange { path, kind, is_untracked })
    }

    fn describe(&self, found: &FoundChange) -> RawChange {
        let is_symlink = self.presence(&found.path) == Presence::Link;
        let target = is_symlink.then(|| std::fs::read_link(self.tree.join(&found.path)));
        let symlink_escapes = match target {
            Some(Ok(target)) => link_escapes(&found.path, &target),
            Some(Err(_)) => true,
            None => false,
        };
        RawChange {
            path: found.path.to_string_lossy().into_owned(),
            kind: found.kind,
            is_symlink,
            symlink_escapes,
        }
    }

    /// Submodules are left empty; git is told not to look into them, so we do.
    fn filled_submodules(&self) -> Result<Vec<PathBuf>, WorkspaceError> {
        let has_content = |path: &PathBuf| {
            self.presence(path) == Presence::Folder
                && std::fs::read_dir(self.tree.join(path))
                    .map_or(true, |mut entries| entries.next().is_some())
        };
        Ok(self.submodules()?.into_iter().filter(has_content).collect())
    }
}

fn is_staged(entry: &StatusEntry) -> bool {
    matches!(entry.state, PathState::Tracked { staged, .. } if staged != b'.')
}

fn tracked_kind(unstaged: u8, index_mode: u32, tree_mode: u32) -> ChangeKind {
    const GITLINK: u32 = 0o160_000;
    match unstaged {
        _ if tree_mode == GITLINK => ChangeKind::NestedRepository,
        b'D' => ChangeKind::Deleted,
        b'T' => ChangeKind::TypeChanged,
        _ if index_mode != tree_mode => ChangeKind::ModeChanged,
        _ => ChangeKind::Modified,
    }
}

fn presence_of(kind: FileType) -> Presence {
    if kind.is_file() {
        Presence::File
    } else if kind.is_symlink() {
        Presence::Link
    } else if kind.is_dir() {
        Presence::Folder
    } else {
        Presence::Special
    }
}
