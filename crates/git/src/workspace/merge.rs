//! Puts a change that was made elsewhere on top of another commit, or names what does not go together.

use super::{Workspace, WorkspaceError};
use crate::program::GitError;
use crate::repository::parse_commit;
use tollgate_core::id::CommitId;
use tollgate_core::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The change as a commit on top.
    Clean(CommitId),
    /// Files that both sides changed in ways that do not go together.
    Conflicts(Vec<String>),
}

impl Workspace {
    /// The change that `change` makes to its parent, on top of `onto`. No tree and no index is touched, and the same
    /// call makes the same commit.
    pub fn put_on_top(&self, onto: &CommitId, change: &CommitId) -> Result<Merge, WorkspaceError> {
        let parent = self.git(["rev-parse", "--verify", "--end-of-options"]);
        let parent = parse_commit("rev-parse", &parent.arg(format!("{change}^")).run()?.line())?;
        if parent == *onto {
            return Ok(Merge::Clean(change.clone()));
        }
        let call = self.git(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
        let (output, code) = call.args([onto.as_str(), change.as_str()]).run_with(&[1])?;
        let mut fields = output.stdout.split(|byte| *byte == 0);
        let tree = fields.next().map(|field| String::from_utf8_lossy(field).into_owned());
        let tree = tree.filter(|tree| !tree.is_empty()).ok_or_else(|| unexpected("no tree"))?;
        if code == 1 {
            let named = fields.filter(|field| !field.is_empty());
            let mut files: Vec<String> =
                named.map(|field| plain_name(&String::from_utf8_lossy(field))).collect();
            files.sort();
            files.dedup();
            return Ok(Merge::Conflicts(files));
        }
        let (at, message) = self.message_of(change)?;
        Ok(Merge::Clean(self.commit_tree(&tree, onto, message, Some(at))?))
    }

    fn message_of(&self, commit: &CommitId) -> Result<(Timestamp, String), WorkspaceError> {
        let output = self.git(["log", "-1", "--format=%ct%n%B"]).arg(commit.as_str()).run()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (seconds, message) = text.split_once('\n').ok_or_else(|| unexpected("no message"))?;
        let seconds: i64 = seconds.trim().parse().map_err(|_| unexpected("no time"))?;
        let at = Timestamp::from_ms(seconds.saturating_mul(1_000));
        Ok((at, format!("{}\n", message.trim_end())))
    }
}

/// Where a file meets a folder git tells them apart by `~` and a commit; people know the file without it.
fn plain_name(name: &str) -> String {
    match name.rsplit_once('~') {
        Some((plain, side)) if side.len() == 40 && side.bytes().all(|b| b.is_ascii_hexdigit()) => {
            plain.to_owned()
        }
        _ => name.to_owned(),
    }
}

fn unexpected(detail: &str) -> GitError {
    GitError::Unexpected { command: "git merge-tree".to_owned(), detail: detail.to_owned() }
}
