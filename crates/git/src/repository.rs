//! The person's repository: read without side effects, written only under names of our own.

mod aside;
mod completeness;
mod contents;
mod differences;
mod forget;
mod land;
mod origin;
mod pack;
mod refs;

pub use aside::AsideError;
pub use differences::{ChangedLines, Detail};
pub use forget::ForgetError;
pub use land::Advance;
pub use pack::{PackedObject, objects_in};
pub use refs::{Refs, StoredRef, Tips};

use crate::inside::is_in_workspace;
use crate::program::status::{OWN_FOLDERS, STATUS_ARGS, read_status};
use crate::program::{Configuration, Git, GitCall, GitError};
use std::ffi::OsStr;
use std::io::{Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tollgate_core::id::{CommitId, DispatchNumber, SessionName};
use tollgate_core::identity::Identity;
use tollgate_files::crash;
use tollgate_files::layout::Layout;

#[derive(Debug, Clone)]
pub struct Repository {
    git: Git,
    root: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    objects_dir: PathBuf,
    object_format: ObjectFormat,
    /// Names of the hooks that the configuration defines, once they were asked for.
    configured_hooks: Arc<OnceLock<Vec<String>>>,
    person: Arc<OnceLock<Option<Identity>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    Sha1,
    Sha256,
}

/// Where the person's checkout stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutHead {
    pub commit: CommitId,
    /// None when HEAD is detached.
    pub branch: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    #[error("{} is not in a git repository; go to one, or create one with `git init`", path.display())]
    NotARepository { path: PathBuf },
    #[error("the repository {} has no commits yet; make a first one, because work starts from it", path.display())]
    NoCommits { path: PathBuf },
    #[error("{} has no files checked out; work in a clone or in a worktree of it", path.display())]
    Bare { path: PathBuf },
    #[error("the repository at {} belongs to another user; if you trust it, run `git config --global --add safe.directory '{}'`", path.display(), path.display())]
    NotTrusted { path: PathBuf },
    #[error("{} is a workspace, where agents can change git's files; run this in your own repository", path.display())]
    Workspace { path: PathBuf },
    #[error("git merged without an error, but branch {branch} is not where it should be; `git -C {} status` shows what it left", folder.display())]
    NotMoved { branch: String, folder: PathBuf },
    #[error("{} could not be written: {cause}", path.display())]
    Io { path: PathBuf, cause: std::io::Error },
    #[error(transparent)]
    Git(#[from] GitError),
}

#[derive(Debug, thiserror::Error)]
pub enum PromoteError {
    #[error("branch {branch} was moved since the session last used it (it is {}); move it back, or rename it with `git branch -m {branch} NAME`, and resume", spell(.found))]
    Moved { branch: String, found: Option<CommitId> },
    #[error(
        "branch {branch} cannot be created because its name conflicts with an existing branch; rename that one and resume: {detail}"
    )]
    NameTaken { branch: String, detail: String },
    #[error(transparent)]
    Git(#[from] GitError),
}

fn spell(found: &Option<CommitId>) -> String {
    found.as_ref().map_or_else(|| "gone".to_owned(), |commit| format!("at {commit}"))
}

impl Repository {
    /// The repository that `start` is in.
    pub fn discover(start: &Path) -> Result<Self, RepositoryError> {
        let git = Git::find()?;
        if is_in_workspace(start) {
            return Err(RepositoryError::Workspace { path: start.to_owned() });
        }
        let place = git.call(Configuration::Theirs).folder(start).args(["rev-parse"]);
        let facts = place
            .args(["--path-format=absolute", "--show-object-format", "--git-dir"])
            .args(["--git-common-dir", "--git-path", "objects", "--is-inside-work-tree"])
            .run()
            .map_err(|error| not_found(error, start))?;
        let lines: Vec<&[u8]> = facts.stdout.split(|byte| *byte == b'\n').collect();
        let [format, git_dir, common_dir, objects_dir, in_tree, _] = lines[..] else {
            return Err(unexpected("rev-parse", &facts.stdout).into());
        };
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        if in_tree != b"true" {
            return Err(RepositoryError::Bare { path: path(git_dir) });
        }
        let top = git
            .call(Configuration::Theirs)
            .folder(start)
            .args(["rev-parse", "--path-format=absolute", "--show-toplevel"])
            .run()?;
        Ok(Self {
            root: path(top.stdout.strip_suffix(b"\n").unwrap_or(&top.stdout)),
            git_dir: path(git_dir),
            common_dir: path(common_dir),
            objects_dir: path(objects_dir),
            object_format: match format {
                b"sha1" => ObjectFormat::Sha1,
                b"sha256" => ObjectFormat::Sha256,
                other => return Err(unexpected("rev-parse --show-object-format", other).into()),
            },
            configured_hooks: Arc::default(),
            person: Arc::default(),
            git,
        })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What all worktrees of this repository share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    pub fn objects_dir(&self) -> &Path {
        &self.objects_dir
    }

    pub fn object_format(&self) -> ObjectFormat {
        self.object_format
    }

    pub fn git(&self) -> &Git {
        &self.git
    }

    pub fn head(&self) -> Result<CheckoutHead, RepositoryError> {
        let answer = self
            .read(["rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD"])
            .run()
            .map_err(|error| match error.says("unknown revision") {
                true => RepositoryError::NoCommits { path: self.root.clone() },
                false => error.into(),
            })?;
        let text = String::from_utf8_lossy(&answer.stdout);
        let mut lines = text.lines();
        let commit = parse_commit("rev-parse HEAD", lines.next().unwrap_or_default())?;
        let branch = lines.next().and_then(|name| name.strip_prefix("refs/heads/"));
        Ok(CheckoutHead { commit, branch: branch.map(str::to_owned) })
    }

    /// How many paths differ from HEAD, untracked ones included, our own folders not.
    pub fn uncommitted(&self) -> Result<usize, RepositoryError> {
        let status = self
            .read(STATUS_ARGS)
            .args(["--untracked-files=all", "--ignore-submodules=dirty"])
            .run()?;
        Ok(read_status(&status.stdout)?.len())
    }

    /// Whether a commit has a file or folder of this path.
    pub fn has_path(&self, commit: &CommitId, path: &str) -> Result<bool, RepositoryError> {
        let path = path.trim_end_matches('/');
        let listed = self.read(["ls-tree", "--name-only", "-z"]).arg(commit.as_str());
        // A path with a wildcard in it is meant as it is written.
        let listed = listed.args(["--", path]).env("GIT_LITERAL_PATHSPECS", "1").run()?;
        Ok(!listed.stdout.is_empty())
    }

    /// The content of a file as a commit has it.
    pub fn content(&self, commit: &CommitId, path: &str) -> Result<Vec<u8>, RepositoryError> {
        let object = format!("{}:{path}", commit.as_str());
        Ok(self.read(["cat-file", "blob"]).arg(object).run()?.stdout)
    }

    /// Sees to it that these folders are ignored, in `info/exclude`, where nothing else does it yet.
    pub fn exclude(&self, patterns: &[&str]) -> Result<(), RepositoryError> {
        let mut missing = String::new();
        for pattern in patterns {
            let folder = pattern.trim_matches('/');
            let probe = format!("{folder}/probe");
            match self.read(["check-ignore", "--quiet", "--no-index", "--", &probe]).run() {
                Ok(_) => {}
                Err(GitError::Failed { code: Some(1), .. }) => {
                    missing.push_str(&format!("/{folder}/\n"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        let path = self.common_dir.join("info/exclude");
        let written = if missing.is_empty() { Ok(()) } else { append_lines(&path, &missing) };
        written.map_err(|cause| RepositoryError::Io { path, cause })
    }

    /// `exclude` for all of our own folders. Session folders that people track are theirs to ignore or to commit; a line of
    /// ours from an earlier time goes.
    pub fn exclude_own(&self, sessions_tracked: bool) -> Result<(), RepositoryError> {
        if !sessions_tracked {
            return self.exclude(&OWN_FOLDERS);
        }
        let others: Vec<&str> =
            OWN_FOLDERS.into_iter().filter(|folder| *folder != Layout::SESSIONS).collect();
        self.exclude(&others)?;
        let path = self.common_dir.join("info/exclude");
        let line = format!("/{}/", Layout::SESSIONS);
        remove_line(&path, &line).map_err(|cause| RepositoryError::Io { path, cause })
    }

    /// The folders of all worktrees that share this repository. One with a line break in its name is missed: git before 2.36
    /// has no way to tell it.
    pub fn worktrees(&self) -> Result<Vec<PathBuf>, RepositoryError> {
        let listed = self.read(["worktree", "list", "--porcelain"]).run()?;
        let lines = listed.stdout.split(|byte| *byte == b'\n');
        let folders = lines.filter_map(|line| line.strip_prefix(b"worktree "));
        Ok(folders.map(|folder| PathBuf::from(OsStr::from_bytes(folder))).collect())
    }

    /// The commit that branch `tollgate/<session>` is at.
    pub fn branch_tip(&self, session: &SessionName) -> Result<Option<CommitId>, RepositoryError> {
        Ok(self.tip_of(&branch_ref(session))?)
    }

    /// Moves branch `tollgate/<session>` from `old` to `new`, and the keep refs with it, all or nothing.
    /// Done before is done: a repetition after a crash succeeds. Any other place of the branch is left alone.
    pub fn promote(
        &self,
        session: &SessionName,
        old: Option<&CommitId>,
        new: &CommitId,
        base: &CommitId,
    ) -> Result<(), PromoteError> {
        let branch = branch_ref(session);
        let step = match old {
            Some(old) => format!("update {branch} {new} {old}\n"),
            None => format!("create {branch} {new}\n"),
        };
        let keep = keep_lines(session, base, new);
        crash::point("promote.before_ref");
        let moved = self.update_refs(step + &keep);
        crash::point("promote.ref_updated");
        let Err(error) = moved else { return Ok(()) };
        let found = self.tip_of(&branch)?;
        let short = branch_name(session);
        if found.as_ref() == Some(new) {
            self.update_refs(keep)?;
            Ok(())
        } else if found.as_ref() != old {
            Err(PromoteError::Moved { branch: short, found })
        } else if error.says("exists; cannot create") {
            Err(PromoteError::NameTaken { branch: short, detail: error.to_string() })
        } else {
            Err(error.into())
        }
    }

    /// Hidden refs that save the session's commits from `git gc`, whatever happens to its branch.
    pub fn keep_commits(
        &self,
        session: &SessionName,
        base: &CommitId,
        tip: &CommitId,
    ) -> Result<(), GitError> {
        self.update_refs(keep_lines(session, base, tip))
    }

    /// Keeps from `git gc` what a parallel member made; nothing else holds it until all are brought together.
    pub fn keep_member(
        &self,
        session: &SessionName,
        number: DispatchNumber,
        commit: &CommitId,
    ) -> Result<(), GitError> {
        self.update_refs(format!("update refs/tollgate/keep/{session}/{MEMBER}{number} {commit}\n"))
    }

    /// Keeps what the members' changes came to until the branch has it.
    pub fn keep_merged(&self, session: &SessionName, commit: &CommitId) -> Result<(), GitError> {
        self.update_refs(format!("update refs/tollgate/keep/{session}/merged {commit}\n"))
    }

    /// Keeps both sides of a merge of the person's branch with their conflicts, until somebody has resolved it.
    pub fn keep_conflict(&self, session: &SessionName, commit: &CommitId) -> Result<(), GitError> {
        self.update_refs(format!("update refs/tollgate/keep/{session}/conflict {commit}\n"))
    }

    /// The commit that a branch of the person is at; none where there is no such branch.
    pub fn tip_of_branch(&self, branch: &str) -> Result<Option<CommitId>, RepositoryError> {
        Ok(self.tip_of(&format!("refs/heads/{branch}"))?)
    }

    /// Runs `update-ref --stdin` on lines of our own making, as one transaction.
    pub(crate) fn update_refs(&self, lines: String) -> Result<(), GitError> {
        let call = self
            .git
            .call(Configuration::Ours)
            .env("GIT_DIR", &self.git_dir)
            .args(["update-ref", "--stdin"])
            .input(lines.into_bytes());
        without_hooks(call, self.configured_hooks()?).run().map(drop)
    }

    /// git 2.54 runs hooks of the configuration, and only by their own names can it be told not to.
    fn configured_hooks(&self) -> Result<&[String], GitError> {
        if let Some(known) = self.configured_hooks.get() {
            return Ok(known);
        }
        let names = hook_names(&self.configuration()?);
        Ok(self.configured_hooks.get_or_init(|| names))
    }

    /// Who the person is, by their configuration.
    pub fn person(&self) -> Result<Option<Identity>, GitError> {
        if let Some(known) = self.person.get() {
            return Ok(known.clone());
        }
        let found = Identity::of_configuration(&self.configuration()?);
        Ok(self.person.get_or_init(|| found).clone())
    }

    /// The person's whole configuration for this repository, as `key\nvalue` records; reading it runs nothing.
    pub(crate) fn configuration(&self) -> Result<Vec<u8>, GitError> {
        Ok(self.read(["config", "--list", "-z", "--includes"]).run()?.stdout)
    }

    fn read<const N: usize>(&self, args: [&str; N]) -> GitCall {
        self.git
            .call(Configuration::Theirs)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .folder(&self.root)
            .args(args)
    }
}

fn hook_names(configuration: &[u8]) -> Vec<String> {
    let records = configuration.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut names: Vec<String> = records
        .filter_map(|record| {
            let key = record.split('\n').next()?.strip_prefix("hook.")?;
            key.strip_suffix(".event").map(str::to_owned)
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

/// By variables, because a name may have any sign in it.
fn without_hooks(call: GitCall, names: &[String]) -> GitCall {
    let call = call.env("GIT_CONFIG_COUNT", names.len().to_string());
    names.iter().enumerate().fold(call, |call, (at, name)| {
        call.env(&format!("GIT_CONFIG_KEY_{at}"), format!("hook.{name}.enabled"))
            .env(&format!("GIT_CONFIG_VALUE_{at}"), "false")
    })
}

/// `tollgate/<session>`, where accepted work is.
pub fn branch_name(session: &SessionName) -> String {
    format!("tollgate/{session}")
}

/// How the names of what members made begin.
const MEMBER: &str = "member-";

fn branch_ref(session: &SessionName) -> String {
    format!("refs/heads/{}", branch_name(session))
}

fn keep_lines(session: &SessionName, base: &CommitId, tip: &CommitId) -> String {
    let keep = format!("refs/tollgate/keep/{session}");
    format!("update {keep}/base {base}\nupdate {keep}/tip {tip}\n")
}

fn not_found(error: GitError, start: &Path) -> RepositoryError {
    let path = start.to_owned();
    if error.says("not a git repository") || !start.is_dir() {
        RepositoryError::NotARepository { path }
    } else if error.says("cannot use bare repository") {
        RepositoryError::Bare { path }
    } else if error.says("dubious ownership") {
        RepositoryError::NotTrusted { path }
    } else {
        error.into()
    }
}

pub(crate) fn parse_commit(command: &str, text: &str) -> Result<CommitId, GitError> {
    CommitId::parse(text.trim()).map_err(|_| unexpected(command, text.as_bytes()))
}

fn unexpected(command: &str, answer: &[u8]) -> GitError {
    GitError::Unexpected {
        command: format!("git {command}"),
        detail: format!("{:?}", String::from_utf8_lossy(answer)),
    }
}

fn remove_line(path: &Path, line: &str) -> std::io::Result<()> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read?,
    };
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<u8> = lines
        .filter(|found| found.trim_ascii_end() != line.as_bytes())
        .flatten()
        .copied()
        .collect();
    if kept.len() == bytes.len() { Ok(()) } else { std::fs::write(path, kept) }
}

fn append_lines(path: &Path, lines: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let mut last = [b'\n'];
    if file.seek(std::io::SeekFrom::End(0))? > 0 {
        file.seek(std::io::SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let gap = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{gap}{lines}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::hook_names;

    #[test]
    fn r117_hooks_of_the_configuration_are_known_by_name() {
        let listed = b"core.bare\nfalse\0hook.a.b=c.event\nupdate\0hook.lint.command\nx\0\
            hook.lint.event\npre-commit\0hook.lint.event\npost-commit\0hook.jobs\n4\0";
        assert_eq!(hook_names(listed), ["a.b=c", "lint"]);
    }
}
