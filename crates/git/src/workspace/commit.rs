//! Makes a commit of exactly the paths given, and says what differs between two commits.

use super::changes::Presence;
use super::names::is_refused_by_git;
use super::{Workspace, WorkspaceError};
use crate::program::{GitCall, GitError};
use crate::repository::parse_commit;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::id::{CommitId, DispatchNumber, SessionName, TaskRef};
use tollgate_core::proof::one_line;
use tollgate_core::role::Role;
use tollgate_core::sanitize::terminal_text;
use tollgate_core::time::Timestamp;
use tollgate_core::work::{ChangeType, FileChange};
use tollgate_files::crash;

/// The message of an accepted dispatch's commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    pub subject: String,
    pub body: String,
    pub session: SessionName,
    pub dispatch: DispatchNumber,
    pub role: Role,
    pub task: TaskRef,
    /// The agent that did the work, where the message names it.
    pub assisted_by: Option<String>,
}

/// So many new contents are each a file of the object store; more go into a pack.
const LOOSE_MAX: usize = 100;

impl CommitMessage {
    /// The trailers are a paragraph of their own, so that no line of the body can pass for one.
    pub(super) fn text(&self) -> String {
        let subject = one_line(&terminal_text(&self.subject));
        let body = terminal_text(&self.body);
        let trailers = format!(
            "Tollgate-Session: {}\nTollgate-Dispatch: {}\nTollgate-Role: {}\nTollgate-Task: {}\n",
            self.session,
            self.dispatch,
            self.role,
            self.task.as_str()
        );
        let trailers = match &self.assisted_by {
            Some(agent) => trailers + &assisted_by(agent),
            None => trailers,
        };
        let parts = [subject.as_str(), body.trim(), &trailers];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

impl Workspace {
    /// A commit on top of `parent` that differs from it in these paths only. It is on no branch yet.
    /// The same call on the same tree makes the same commit.
    pub fn commit(
        &self,
        paths: &[String],
        parent: &CommitId,
        message: &CommitMessage,
        at: Timestamp,
    ) -> Result<CommitId, WorkspaceError> {
        self.adopt(parent)?;
        self.settle_index()?;
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        if let Some(refused) = paths.iter().find(|path| is_refused_by_git(path)) {
            return Err(not_committable(refused, "git does not accept the name"));
        }
        self.mark_index_stale()?;
        crash::point("commit.before_stage");
        self.stage(&paths, None).map_err(|error| self.whose_fault(error, &paths))?;
        crash::point("commit.staged");
        let tree = self.git(["write-tree"]).run()?.line();
        crash::point("commit.tree_written");
        let commit = self.commit_tree(&tree, &[parent], message.text(), Some(at))?;
        crash::point("commit.made");
        self.write_head(&commit)?;
        crash::point("commit.head_written");
        self.index_is_settled()?;
        Ok(commit)
    }

    /// Where git takes the bytes alone, and no index whatever has them otherwise, the tree says something of them that
    /// it does not take.
    fn whose_fault(&self, error: WorkspaceError, paths: &[PathBuf]) -> WorkspaceError {
        let detail = match &error {
            WorkspaceError::Git(GitError::Failed { stderr, .. }) => stderr.clone(),
            _ => return error,
        };
        let scratch = |stage: &dyn Fn(&Path) -> Result<(), WorkspaceError>| {
            self.scratch_index().and_then(|index| stage(&index))
        };
        let is_refused = scratch(&|index| self.stage(paths, Some(index))).is_err()
            && scratch(&|index| self.stage_raw(paths, index)).is_ok();
        if is_refused { WorkspaceError::NotStageable { detail } } else { error }
    }

    /// How `to` differs from `from`, renames found.
    pub fn diff(&self, from: &CommitId, to: &CommitId) -> Result<Vec<FileChange>, WorkspaceError> {
        let output = self
            .git(["diff-tree", "-r", "-z", "-M", "--name-status", "--no-ext-diff", "--no-textconv"])
            .args([from.as_str(), to.as_str(), "--"])
            .run()?;
        Ok(read_name_status(&output.stdout)?)
    }

    /// Brings the given paths of the index (ours, or another one) to what is in the tree.
    pub(super) fn stage(
        &self,
        paths: &[PathBuf],
        index: Option<&Path>,
    ) -> Result<(), WorkspaceError> {
        let (mut gone, mut standing) = (Vec::new(), Vec::new());
        for path in paths {
            match self.presence(path) {
                Presence::File | Presence::Link | Presence::Missing => {
                    add_record(&mut standing, path)
                }
                // Given to `--add`, a folder would become a link to the repository in it.
                Presence::Folder
                    if self.tree.join(path).join(".git").symlink_metadata().is_ok() =>
                {
                    return Err(not_committable(path, "it is a nested repository"));
                }
                Presence::Folder | Presence::BehindLink => add_record(&mut gone, path),
                Presence::Special => {
                    return Err(not_committable(path, "it is neither a file nor a link"));
                }
            }
        }
        let into = |call: GitCall| match index {
            Some(index) => call.env("GIT_INDEX_FILE", index),
            None => call,
        };
        if !gone.is_empty() {
            into(self.git(["update-index", "--force-remove", "-z", "--stdin"]))
                .input(gone)
                .run()?;
        }
        if !standing.is_empty() {
            // A pack is one file with one sync; a file and a sync for each content take seconds per thousand. Links are
            // written one by one all the same; git (2.47) loses the pack if it is also told to batch their syncs.
            let packed = ["-c", "core.bigFileThreshold=1"];
            let call = match paths.len() > LOOSE_MAX {
                true => self.git(packed),
                false => self.git([]),
            };
            let call = call.args(["update-index", "--add", "--remove", "--replace"]);
            into(call.args(["-z", "--stdin"])).input(standing).run()?;
        }
        Ok(())
    }

    pub(super) fn commit_tree(
        &self,
        tree: &str,
        parents: &[&CommitId],
        message: String,
        at: Option<Timestamp>,
    ) -> Result<CommitId, WorkspaceError> {
        let named = parents.iter().flat_map(|parent| ["-p", parent.as_str()]);
        let call = self.git(["commit-tree"]).args(named).args(["-F", "-", tree]);
        let mut call = call.signed_by(self.identity.as_ref());
        if let Some(at) = at {
            let date = format!("@{} +0000", at.as_ms().div_euclid(1000));
            call = call.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        }
        Ok(parse_commit("commit-tree", &call.input(message.into_bytes()).run()?.line())?)
    }
}

/// The trailer that names an agent.
pub(crate) fn assisted_by(agent: &str) -> String {
    format!("Assisted-by: {}\n", one_line(&terminal_text(agent)))
}

fn add_record(records: &mut Vec<u8>, path: &Path) {
    records.extend_from_slice(path.as_os_str().as_bytes());
    records.push(0);
}

fn not_committable(path: &Path, why: &'static str) -> WorkspaceError {
    WorkspaceError::NotCommittable { path: path.to_string_lossy().into_owned(), why }
}

fn read_name_status(output: &[u8]) -> Result<Vec<FileChange>, GitError> {
    let mut fields =
        output.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut changes = Vec::new();
    while let Some(status) = fields.next().filter(|status| !status.is_empty()) {
        let change_type = match status.as_bytes()[0] {
            b'A' | b'C' => ChangeType::Added,
            b'D' => ChangeType::Deleted,
            b'R' => ChangeType::Renamed,
            _ => ChangeType::Modified,
        };
        let is_pair = matches!(status.as_bytes()[0], b'R' | b'C');
        let first = fields.next();
        let second = if is_pair { fields.next() } else { first.clone() };
        let Some(path) = second else {
            let command = "git diff-tree".to_owned();
            return Err(GitError::Unexpected {
                command,
                detail: format!("{status} without a path"),
            });
        };
        let old_path = first.filter(|_| change_type == ChangeType::Renamed);
        changes.push(FileChange { path, change_type, old_path });
    }
    Ok(changes)
}
