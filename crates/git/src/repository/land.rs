//! Brings a branch of the person forward to finished work, and the checkout with it.

use super::{Repository, RepositoryError, parse_commit, without_hooks};
use crate::program::status::{STATUS_ARGS, read_status};
use crate::program::{Configuration, GitCall, GitError};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::identity::Identity;
use tollgate_core::time::Timestamp;
use tollgate_files::crash;

/// A branch of the person, where it is, and where it goes.
#[derive(Debug, Clone, Copy)]
pub struct Advance<'a> {
    pub branch: &'a str,
    pub from: &'a CommitId,
    pub to: &'a CommitId,
}

impl Repository {
    /// Whether a commit has another one in its history.
    pub fn contains(&self, commit: &CommitId, other: &CommitId) -> Result<bool, GitError> {
        let call = self.plain(["merge-base", "--is-ancestor", other.as_str(), commit.as_str()]);
        // A commit that is gone is in nobody's history.
        Ok(call.run_with(&[1, 128])?.1 == 0)
    }

    /// The tree of a commit, by its hash.
    pub fn tree_of(&self, commit: &CommitId) -> Result<String, GitError> {
        let call = self.plain(["rev-parse", "--verify", "--end-of-options"]);
        Ok(call.arg(format!("{commit}^{{tree}}")).run()?.line())
    }

    /// When a commit was made.
    pub fn time_of(&self, commit: &CommitId) -> Result<Timestamp, GitError> {
        let seconds = self.plain(["log", "-1", "--format=%ct"]).arg(commit.as_str()).run()?.line();
        let seconds: i64 = seconds.parse().map_err(|_| super::unexpected("log", b"no time"))?;
        Ok(Timestamp::from_ms(seconds.saturating_mul(1_000)))
    }

    /// A commit of this tree with one parent. The same call makes the same commit.
    pub fn commit_on(
        &self,
        parent: &CommitId,
        tree: &str,
        message: &str,
        (at, by): (Timestamp, Option<&Identity>),
    ) -> Result<CommitId, GitError> {
        let date = format!("@{} +0000", at.as_ms().div_euclid(1000));
        let call = self.plain(["commit-tree", "-p", parent.as_str(), "-F", "-", tree]);
        let call = call.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        let made = call.signed_by(by).input(message.as_bytes().to_vec()).run()?;
        parse_commit("commit-tree", &made.line())
    }

    /// The worktree that has a branch checked out.
    pub fn checkout_of(&self, branch: &str) -> Result<Option<PathBuf>, RepositoryError> {
        let listed = self.read(["worktree", "list", "--porcelain"]).run()?;
        let wanted = format!("branch refs/heads/{branch}");
        let mut folder = None;
        for line in listed.stdout.split(|byte| *byte == b'\n') {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                folder = Some(PathBuf::from(OsStr::from_bytes(path)));
            } else if line == wanted.as_bytes() {
                return Ok(folder);
            }
        }
        Ok(None)
    }

    /// Files of a checkout that are not committed and that differ between the two commits: they would be lost.
    pub fn in_the_way(
        &self,
        checkout: &Path,
        advance: Advance<'_>,
    ) -> Result<Vec<String>, RepositoryError> {
        let status = self.read(STATUS_ARGS).folder(checkout);
        let status = status.args(["--untracked-files=all", "--ignore-submodules=dirty"]).run()?;
        let dirty: BTreeSet<String> = read_status(&status.stdout)?
            .into_iter()
            .map(|entry| String::from_utf8_lossy(&entry.path).into_owned())
            .collect();
        let changed = self.changed_between(advance.from.as_str(), advance.to.as_str())?;
        let names = changed.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        Ok(names.filter(|name| dirty.contains(name)).collect())
    }

    /// The paths of all files that are not the same in two commits.
    pub(super) fn changed_between(
        &self,
        from: &str,
        to: &str,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let call = self.plain(["diff-tree", "-r", "-z", "--name-only", "--no-renames"]);
        let listed = call.args([from, to, "--"]).run()?.stdout;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(<[u8]>::to_vec).collect())
    }

    /// Moves a branch of the person forward; the files of the checkout that has it follow. Nothing is overwritten that is in
    /// no commit, ignored files included.
    pub fn advance(&self, advance: Advance<'_>) -> Result<(), RepositoryError> {
        let Advance { branch, from, to } = advance;
        crash::point("land.before_branch");
        match self.checkout_of(branch)? {
            None => self.update_refs(format!("update refs/heads/{branch} {to} {from}\n"))?,
            Some(checkout) => {
                let call = self.git.call(Configuration::Theirs).folder(&checkout).args([
                    "merge",
                    "--ff-only",
                    "--no-overwrite-ignore",
                    "--no-autostash",
                    "--no-verify-signatures",
                    "--quiet",
                    to.as_str(),
                ]);
                without_hooks(call, self.configured_hooks()?).run()?;
            }
        }
        crash::point("land.branch_moved");
        Ok(())
    }

    /// Notes which commit of the person's branch has the work of a session.
    pub fn note_landed(&self, session: &SessionName, commit: &CommitId) -> Result<(), GitError> {
        self.update_refs(format!("update {} {commit}\n", landed_ref(session)))
    }

    /// The commit that was noted so.
    pub fn landed(&self, session: &SessionName) -> Result<Option<CommitId>, GitError> {
        self.tip_of(&landed_ref(session))
    }

    /// For calls that need nothing of the person's configuration.
    fn plain<const N: usize>(&self, args: [&str; N]) -> GitCall {
        self.git.call(Configuration::Ours).env("GIT_DIR", &self.git_dir).args(args)
    }
}

fn landed_ref(session: &SessionName) -> String {
    format!("refs/tollgate/landed/{session}")
}
