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
        if commit == other {
            return Ok(true);
        }
        let call = self.plain(["merge-base", "--is-ancestor", other.as_str(), commit.as_str()]);
        // A commit that is gone is in nobody's history.
        Ok(call.run_with(&[1, 128])?.1 == 0)
    }

    /// How many commits are in the history of one and of none of the others.
    pub fn count_beyond(
        &self,
        commit: &CommitId,
        others: [&CommitId; 2],
    ) -> Result<usize, GitError> {
        let without = others.map(|other| format!("^{other}"));
        let call = self.plain(["rev-list", "--count", commit.as_str()]).args(without).arg("--");
        call.run()?.line().parse().map_err(|_| super::unexpected("rev-list", b"no number"))
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

    /// The worktree that has a branch checked out; none where its folder is gone.
    pub fn checkout_of(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let stored = self.stored(&format!("refs/heads/{branch}"))?;
        Ok(stored.and_then(|stored| stored.checkout().map(Path::to_owned)))
    }

    /// What of a checkout is in no commit and would be lost between the two commits: files that differ between them, and
    /// whatever is in the place of a new file, ignored or not.
    pub fn in_the_way(
        &self,
        checkout: &Path,
        advance: Advance<'_>,
    ) -> Result<Vec<String>, RepositoryError> {
        let status = self.read(STATUS_ARGS).folder(checkout);
        let status = status.args(["--untracked-files=all", "--ignore-submodules=dirty"]).run()?;
        let dirty: BTreeSet<Vec<u8>> =
            read_status(&status.stdout)?.into_iter().map(|entry| entry.path).collect();
        let (from, to) = (advance.from.as_str(), advance.to.as_str());
        let changed = self.changed_between(from, to)?;
        let added = self.plain(["diff-tree", "-r", "-z", "--name-only", "--no-renames"]);
        let added = names(&added.args(["--diff-filter=A", from, to, "--"]).run()?.stdout);
        let blocking = added.iter().filter_map(|path| in_place_of(checkout, path, &changed));
        let found: BTreeSet<Vec<u8>> =
            changed.intersection(&dirty).cloned().chain(blocking).collect();
        Ok(found.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// The paths of all files that are not the same in two commits.
    pub(super) fn changed_between(
        &self,
        from: &str,
        to: &str,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let call = self.plain(["diff-tree", "-r", "-z", "--name-only", "--no-renames"]);
        Ok(names(&call.args([from, to, "--"]).run()?.stdout))
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
                    // The settings of the branch may say otherwise.
                    "--no-squash",
                    "--commit",
                    "--no-autostash",
                    "--no-verify-signatures",
                    "--quiet",
                    to.as_str(),
                ]);
                without_hooks(call, self.configured_hooks()?).run()?;
                if self.tip_of_branch(branch)?.as_ref() != Some(to) {
                    let branch = branch.to_owned();
                    return Err(RepositoryError::NotMoved { branch, folder: checkout });
                }
            }
        }
        crash::point("land.branch_moved");
        Ok(())
    }

    /// Notes which commit of the person's branch has the work of a session up to `tip`.
    pub fn note_landed(
        &self,
        session: &SessionName,
        tip: &CommitId,
        commit: &CommitId,
    ) -> Result<(), GitError> {
        self.update_refs(format!("update refs/tollgate/landed/{session}/{tip} {commit}\n"))
    }

    /// For calls that need nothing of the person's configuration.
    fn plain<const N: usize>(&self, args: [&str; N]) -> GitCall {
        self.git.call(Configuration::Ours).env("GIT_DIR", &self.git_dir).args(args)
    }
}

/// What `-z` prints.
fn names(listed: &[u8]) -> BTreeSet<Vec<u8>> {
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(<[u8]>::to_vec).collect()
}

/// What is in the place of a new file: something of its name, or a file where it needs a folder. What the change itself takes
/// away is not in the way.
fn in_place_of(checkout: &Path, path: &[u8], changed: &BTreeSet<Vec<u8>>) -> Option<Vec<u8>> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for part in ends.chain([path.len()]).map(|end| &path[..end]) {
        let found = place(checkout, part).symlink_metadata().ok()?;
        if !found.is_dir() {
            return (!changed.contains(part) || part == path).then(|| part.to_vec());
        }
    }
    holds_more(checkout, path, changed).then(|| [path, b"/"].concat())
}

/// Whether a folder has a file that the change does not take away.
fn holds_more(checkout: &Path, folder: &[u8], changed: &BTreeSet<Vec<u8>>) -> bool {
    let entries = std::fs::read_dir(place(checkout, folder)).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let path = [folder, b"/", entry.file_name().as_bytes()].concat();
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => holds_more(checkout, &path, changed),
            false => !changed.contains(&path),
        }
    })
}

fn place(checkout: &Path, path: &[u8]) -> PathBuf {
    checkout.join(OsStr::from_bytes(path))
}
