//! Puts a change that was made elsewhere on top of another commit, or merges a branch that has moved; or names what does not
//! go together. No tree and no index is touched, and the same call makes the same commit.

use super::{CommitMessage, Workspace, WorkspaceError};
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

/// What came of merging a branch of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchMerge {
    /// A commit with both as its parents.
    Clean(CommitId),
    /// The files that do not go together, and a commit whose tree has them with markers.
    Conflicts {
        files: Vec<String>,
        marked: CommitId,
    },
    AlreadyIn,
    /// They have no commit in common.
    Unrelated,
}

/// What git found when it merged two trees.
struct MergedTree {
    tree: String,
    conflicts: Vec<String>,
}

impl Workspace {
    /// The change that `change` makes to its parent, on top of `onto`.
    pub fn put_on_top(&self, onto: &CommitId, change: &CommitId) -> Result<Merge, WorkspaceError> {
        let parent = self.git(["rev-parse", "--verify", "--end-of-options"]);
        let parent = parse_commit("rev-parse", &parent.arg(format!("{change}^")).run()?.line())?;
        if parent == *onto {
            return Ok(Merge::Clean(change.clone()));
        }
        let MergedTree { tree, conflicts } = self.merge_trees(onto, change)?;
        if !conflicts.is_empty() {
            return Ok(Merge::Conflicts(conflicts));
        }
        let (at, message) = self.message_of(change)?;
        Ok(Merge::Clean(self.commit_tree(&tree, &[onto], message, Some(at))?))
    }

    /// Merges commit `theirs` of a branch of the person into `tip`.
    pub fn merge_branch(
        &self,
        tip: &CommitId,
        branch: &str,
        theirs: &CommitId,
    ) -> Result<BranchMerge, WorkspaceError> {
        if self.is_ahead(tip, theirs)? {
            return Ok(BranchMerge::AlreadyIn);
        }
        let common = self.git(["merge-base", tip.as_str(), theirs.as_str()]).run_with(&[1])?;
        if common.1 == 1 {
            return Ok(BranchMerge::Unrelated);
        }
        let MergedTree { tree, conflicts } = self.merge_trees(tip, theirs)?;
        let session = &self.session;
        let branch: String = branch.chars().filter(|c| !c.is_control()).collect();
        let message = format!(
            "Merge branch '{branch}' into tollgate/{session}\n\nTollgate-Session: {session}\n"
        );
        // The same merge made again is the same commit.
        let at = self.message_of(tip)?.0.max(self.message_of(theirs)?.0);
        let commit = self.commit_tree(&tree, &[tip, theirs], message, Some(at))?;
        Ok(match conflicts.is_empty() {
            true => BranchMerge::Clean(commit),
            false => BranchMerge::Conflicts { files: conflicts, marked: commit },
        })
    }

    /// Merges finished work into a branch of the person: the branch is the first parent.
    pub fn merge_into(
        &self,
        theirs: &CommitId,
        tip: &CommitId,
        message: &str,
    ) -> Result<BranchMerge, WorkspaceError> {
        let common = self.git(["merge-base", theirs.as_str(), tip.as_str()]).run_with(&[1])?;
        if common.1 == 1 {
            return Ok(BranchMerge::Unrelated);
        }
        let MergedTree { tree, conflicts } = self.merge_trees(theirs, tip)?;
        // The same merge made again is the same commit.
        let at = self.message_of(tip)?.0.max(self.message_of(theirs)?.0);
        let commit = self.commit_tree(&tree, &[theirs, tip], message.to_owned(), Some(at))?;
        Ok(match conflicts.is_empty() {
            true => BranchMerge::Clean(commit),
            false => BranchMerge::Conflicts { files: conflicts, marked: commit },
        })
    }

    /// A commit with the tree of `result` and both sides as its parents: a merge that somebody resolved.
    pub fn join(
        &self,
        result: &CommitId,
        sides: [&CommitId; 2],
        message: &CommitMessage,
    ) -> Result<CommitId, WorkspaceError> {
        let tree = self.git(["rev-parse", "--verify", "--end-of-options"]);
        let tree = tree.arg(format!("{result}^{{tree}}")).run()?.line();
        let at = self.message_of(result)?.0;
        self.commit_tree(&tree, &sides, message.text(), Some(at))
    }

    fn merge_trees(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
    ) -> Result<MergedTree, WorkspaceError> {
        let call = self.git(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
        let (output, code) = call.args([ours.as_str(), theirs.as_str()]).run_with(&[1])?;
        let mut fields = output.stdout.split(|byte| *byte == 0);
        let tree = fields.next().map(|field| String::from_utf8_lossy(field).into_owned());
        let tree = tree.filter(|tree| !tree.is_empty()).ok_or_else(|| unexpected("no tree"))?;
        if code == 0 {
            return Ok(MergedTree { tree, conflicts: Vec::new() });
        }
        let named = fields.filter(|field| !field.is_empty());
        let mut conflicts: Vec<String> =
            named.map(|field| plain_name(&String::from_utf8_lossy(field))).collect();
        conflicts.sort();
        conflicts.dedup();
        match conflicts.is_empty() {
            true => Err(unexpected("a conflict in no file").into()),
            false => Ok(MergedTree { tree, conflicts }),
        }
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
