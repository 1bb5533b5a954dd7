//! Files that git calls modified right after it wrote them, because what it would commit of them differs from what is
//! committed: line ends under a later rule, filters that do not round-trip. While nobody touches them they are no change.

use super::changes::FoundChange;
use super::plain::{read_if_there, write};
use super::{Workspace, WorkspaceError};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Records of `state` and path, NUL after each.
const RESTLESS: &str = "restless";

impl Workspace {
    /// Takes note of them; `found` is what git names in a tree that we have just written.
    pub(super) fn note_restless(&self, found: &[FoundChange]) -> Result<(), WorkspaceError> {
        let mut records = Vec::new();
        for tracked in found.iter().filter(|found| !found.is_untracked) {
            records.extend(self.state(&tracked.path));
            records.push(0);
        }
        write(&self.shadow.join(RESTLESS), &records)
    }

    /// Leaves out those that are still as we wrote them.
    pub(super) fn without_restless(
        &self,
        found: Vec<FoundChange>,
    ) -> Result<Vec<FoundChange>, WorkspaceError> {
        let noted = read_if_there(&self.shadow.join(RESTLESS))?;
        if noted.is_empty() {
            return Ok(found);
        }
        let noted: BTreeSet<&[u8]> = noted.split(|byte| *byte == 0).collect();
        let is_change = |found: &FoundChange| {
            found.is_untracked || !noted.contains(&self.state(&found.path)[..])
        };
        Ok(found.into_iter().filter(is_change).collect())
    }

    /// The change time is the kernel's own: no write to the file leaves it as it was.
    pub(super) fn state(&self, path: &Path) -> Vec<u8> {
        let mut state = match self.tree.join(path).symlink_metadata() {
            Ok(m) => {
                format!("{} {} {} {}.{} ", m.ino(), m.mode(), m.size(), m.ctime(), m.ctime_nsec())
            }
            Err(_) => "missing ".to_owned(),
        }
        .into_bytes();
        state.extend_from_slice(path.as_os_str().as_bytes());
        state
    }
}
