//! Folders of the tree that no listing reaches are put aside, so that the rest can be kept and cleaned up.

use super::changes::FoundChange;
use super::{Workspace, WorkspaceError};
use std::path::PathBuf;

/// So often something is put aside; then the tree is made to keep us busy.
const ASIDE_MAX: usize = 20;

impl Workspace {
    /// What `found` says, with what cannot be listed put aside, so that the rest can be kept and cleaned up.
    pub(super) fn found_at_last(&self) -> Result<Vec<FoundChange>, WorkspaceError> {
        for _ in 0..ASIDE_MAX {
            match self.found() {
                Err(WorkspaceError::Unlistable { detail }) => self.put_unlistable_aside(&detail)?,
                found => return found,
            }
        }
        self.found()
    }

    /// The highest folder on the way to it that has nothing accepted in it.
    fn put_unlistable_aside(&self, detail: &str) -> Result<(), WorkspaceError> {
        let cannot = || WorkspaceError::Unlistable { detail: detail.to_owned() };
        let path = named_folder(detail).ok_or_else(cannot)?;
        let mut at = PathBuf::new();
        for part in path.iter() {
            at.push(part);
            let name = at.to_str().ok_or_else(cannot)?;
            if !self.is_tracked(name)? {
                return self.set_aside(&at);
            }
        }
        Err(cannot())
    }
}

/// git says `could not open directory 'a/b/': why`, and leaves the end out where that is long.
fn named_folder(detail: &str) -> Option<PathBuf> {
    let (_, rest) = detail.split_once("could not open directory '")?;
    let path = match rest.rsplit_once("': ") {
        Some((path, _)) => path,
        None => rest.rsplit_once('/')?.0,
    };
    Some(PathBuf::from(path.trim_end_matches('/')))
}
