//! The tree an agent works in. We see it only through a git directory of our own beside it, never through the
//! agent's `.git`; what we commit goes straight into the person's object store.

mod changes;
mod clone;
mod commit;
mod contents;
mod create;
mod error;
mod ignored;
mod large;
mod listable;
mod merge;
mod names;
mod orphans;
mod plain;
mod raw;
mod rescue;
mod reset;
mod restless;
mod settings;
mod tags;
mod unlistable;

pub use changes::{ChangeKind, RawChange, plain_changes};
pub use clone::remove;
pub use commit::CommitMessage;
pub use error::WorkspaceError;
pub use large::SizeLimits;
pub use merge::{BranchMerge, Merge};
pub use names::link_escapes;
pub use orphans::wait_for_orphans;
pub use tags::MadeTags;

use crate::inside::SESSION_FILE;
use crate::program::{Configuration, GitCall};
use crate::repository::{Repository, parse_commit};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use tollgate_core::id::{CommitId, SessionName};
use tollgate_core::identity::Identity;
use tollgate_files::crash;
use tollgate_files::write_lock;

#[derive(Debug, Clone)]
pub struct Workspace {
    repository: Repository,
    session: SessionName,
    /// The session's folder in the state directory.
    home: PathBuf,
    /// Where the agent works.
    tree: PathBuf,
    /// Our git directory for `tree`. Its HEAD is the last accepted commit; its index is a cache of that.
    shadow: PathBuf,
    /// Held by this value and by every git that works for it.
    in_use: Arc<File>,
    limits: SizeLimits,
    /// Who signs accepted work, where it is not us.
    identity: Option<Identity>,
    /// For whom large files are set aside.
    label: String,
    /// Places below `home/aside` with a lower number are taken.
    next_aside: Arc<AtomicU32>,
}

impl Workspace {
    /// The finished workspace below `home`, or None. Call `adopt` next with the commit the journal knows.
    pub fn open(repository: &Repository, home: &Path) -> Result<Option<Self>, WorkspaceError> {
        let folder = home.join(FINISHED);
        let session = match std::fs::read_to_string(folder.join(SESSION_FILE)) {
            Ok(name) => SessionName::parse(&name).map_err(|bad| WorkspaceError::Damaged {
                path: folder.clone(),
                detail: bad.to_string(),
            })?,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(WorkspaceError::io(&folder, cause)),
        };
        Ok(Some(Self::at(repository, home, &folder, session)?))
    }

    /// The same, with commits under this name.
    pub fn signed_by(self, identity: Option<Identity>) -> Self {
        Self { identity, ..self }
    }

    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// The commit that `changes` compares with.
    pub fn accepted(&self) -> Result<CommitId, WorkspaceError> {
        let path = self.shadow.join("HEAD");
        let text = std::fs::read_to_string(&path).map_err(|e| WorkspaceError::io(&path, e))?;
        Ok(parse_commit("HEAD of the workspace", &text)?)
    }

    /// Brings an untouched tree to `tip` where the accepted work continued elsewhere, in the trees of parallel members;
    /// otherwise makes `tip` what `changes` compares with.
    pub fn follow(&self, tip: &CommitId) -> Result<(), WorkspaceError> {
        let accepted = self.accepted()?;
        // A commit that the journal never heard of is ahead of it: what it holds must show as changes again.
        if accepted == *tip || self.is_ahead(&accepted, tip)? {
            return self.adopt(tip);
        }
        // Compared with the tip, the tree would undo what others did in the meantime; what is unfinished in it is kept.
        // Several trees of a session may be looked at in the same moment: each has names of its own.
        let home = self.home.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = match home.split_once('~') {
            Some((_, room)) => format!("unfinished-{room}"),
            None => "unfinished".to_owned(),
        };
        self.rescue(&name, "unfinished changes from an outdated tree")?;
        self.reset(tip)
    }

    fn is_ahead(&self, accepted: &CommitId, tip: &CommitId) -> Result<bool, WorkspaceError> {
        let call = self.git(["merge-base", "--is-ancestor", tip.as_str(), accepted.as_str()]);
        Ok(call.run_with(&[1])?.1 == 0)
    }

    /// Makes `commit` what `changes` compares with; the tree stays as it is. After a crash the journal knows which
    /// commit was accepted last, so a commit it never heard of shows as changes again.
    pub fn adopt(&self, commit: &CommitId) -> Result<(), WorkspaceError> {
        if self.accepted().is_ok_and(|accepted| accepted == *commit) {
            return Ok(());
        }
        self.mark_index_stale()?;
        crash::point("adopt.marked");
        self.write_head(commit)
    }

    /// Whether the accepted commit has a file at a path below the tree.
    pub fn is_tracked(&self, path: &str) -> Result<bool, WorkspaceError> {
        let listed = self.git(["ls-tree", "HEAD", "--", path]).env("GIT_LITERAL_PATHSPECS", "1");
        Ok(!listed.run()?.stdout.is_empty())
    }

    fn at(
        repository: &Repository,
        home: &Path,
        folder: &Path,
        session: SessionName,
    ) -> Result<Self, WorkspaceError> {
        std::fs::create_dir_all(home).map_err(|cause| WorkspaceError::io(home, cause))?;
        let in_use = write_lock::join(&home.join(IN_USE))
            .map_err(|cause| WorkspaceError::io(home, cause))?;
        Ok(Self {
            repository: repository.clone(),
            session,
            home: home.to_owned(),
            tree: folder.join("tree"),
            shadow: folder.join("shadow"),
            in_use: Arc::new(in_use),
            limits: SizeLimits::default(),
            identity: None,
            label: "unfinished".to_owned(),
            next_aside: Arc::new(AtomicU32::new(1)),
        })
    }

    /// For calls that leave the files of the tree alone.
    fn git<const N: usize>(&self, args: [&str; N]) -> GitCall {
        self.git_writing(args).ending_with_us()
    }

    /// For calls that write files of the tree: half of that must not pass for an agent's work, so they finish also when
    /// we are gone.
    fn git_writing<const N: usize>(&self, args: [&str; N]) -> GitCall {
        self.repository
            .git()
            .call(Configuration::Ours)
            .env("GIT_DIR", &self.shadow)
            .env("GIT_WORK_TREE", &self.tree)
            .env("GIT_OBJECT_DIRECTORY", self.repository.objects_dir())
            .folder(&self.tree)
            .holding(&self.in_use)
            .args(args)
    }

    fn write_head(&self, commit: &CommitId) -> Result<(), WorkspaceError> {
        replace_file(&self.shadow.join("HEAD"), format!("{commit}\n").as_bytes())
    }

    /// From here until `index_is_settled` a crash leaves an index that may not match HEAD.
    fn mark_index_stale(&self) -> Result<(), WorkspaceError> {
        let marker = self.shadow.join(STALE_INDEX);
        std::fs::write(&marker, b"").map_err(|cause| WorkspaceError::io(&marker, cause))
    }

    fn index_is_settled(&self) -> Result<(), WorkspaceError> {
        let marker = self.shadow.join(STALE_INDEX);
        std::fs::remove_file(&marker).map_err(|cause| WorkspaceError::io(&marker, cause))
    }

    /// Rebuilds the index from HEAD if a crash or `adopt` left it behind; keeps what is known of unchanged files.
    fn settle_index(&self) -> Result<(), WorkspaceError> {
        if self.shadow.join(STALE_INDEX).exists() {
            self.git(["read-tree", "-i", "-m", "HEAD"]).run()?;
            self.index_is_settled()?;
        }
        Ok(())
    }
}

/// Name of the folder below `home` that holds a workspace; it gets this name when it is complete.
const FINISHED: &str = "workspace";
const STALE_INDEX: &str = "stale-index";
const IN_USE: &str = "in-use";

fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), WorkspaceError> {
    let fresh = path.with_extension("new");
    std::fs::write(&fresh, bytes)
        .and_then(|()| std::fs::rename(&fresh, path))
        .map_err(|cause| WorkspaceError::io(path, cause))
}
