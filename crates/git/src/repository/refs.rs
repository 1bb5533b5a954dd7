//! Refs of the person and of sessions, as git lists them.

use super::{MEMBER, Repository, branch_ref};
use crate::program::{Configuration, GitError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tollgate_core::id::{CommitId, SessionName};

/// Hidden refs that keep what was made on the way.
const ON_THE_WAY: [&str; 3] = ["keep", "rescue", "former"];

/// Hidden refs that say what came of a session: where its work went, and tags that a person is to push.
const RESULTS: [&str; 2] = ["landed", "tags"];

/// A ref with what it points at.
#[derive(Debug, Clone)]
pub struct StoredRef {
    /// The whole name.
    pub name: String,
    pub commit: CommitId,
    pub(crate) tree: String,
    /// It is the branch that is checked out here.
    is_head: bool,
    /// The worktree that has the branch checked out, also when its folder is gone.
    worktree: Option<PathBuf>,
}

impl StoredRef {
    /// The last part of its name.
    pub fn label(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    /// The folder that has the branch checked out.
    pub(super) fn checkout(&self) -> Option<&Path> {
        self.worktree.as_deref().filter(|folder| folder.is_dir())
    }

    /// What `for-each-ref` prints of it in `REF_FORMAT`.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.get(1..)?.splitn(4, ' ');
        let name = words.next()?.to_owned();
        let commit = CommitId::parse(words.next()?).ok()?;
        let tree = words.next()?.to_owned();
        let worktree = words.next().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        Some(Self { name, commit, tree, is_head: line.starts_with('*'), worktree })
    }
}

const REF_FORMAT: &str = "--format=%(HEAD)%(refname) %(objectname) %(tree) %(worktreepath)";

/// Refs by their whole names, with the commits that they were at.
pub type Tips = BTreeMap<String, CommitId>;

/// All branches, and the hidden refs of all sessions, as they are at one moment.
#[derive(Debug, Clone)]
pub struct Refs(pub(super) Vec<StoredRef>);

impl Refs {
    /// Where a branch is, by its short name.
    pub fn branch(&self, name: &str) -> Option<&CommitId> {
        let name = format!("refs/heads/{name}");
        self.0.iter().find(|held| held.name == name).map(|held| &held.commit)
    }

    /// Where the branches of the person are that count for a session: the one that is checked out here, and the one it started
    /// from. Branches of sessions are nobody's.
    pub fn places(&self, started_from: Option<&str>) -> Vec<&CommitId> {
        let started_from = started_from.map(|name| format!("refs/heads/{name}"));
        let counts = |held: &&StoredRef| {
            (held.is_head || Some(&held.name) == started_from.as_ref())
                && !held.name.starts_with("refs/heads/tollgate/")
        };
        self.0.iter().filter(counts).map(|held| &held.commit).collect()
    }

    /// The branches of a session: its own, and those of its former lives.
    pub fn branches_of(&self, session: &SessionName) -> Vec<&StoredRef> {
        let branch = branch_ref(session);
        let former = format!("{branch}.former-");
        let is_its = |held: &&StoredRef| held.name == branch || held.name.starts_with(&former);
        self.0.iter().filter(is_its).collect()
    }

    /// The branches of a session, and what was kept on the way.
    pub fn of_work(&self, session: &SessionName) -> Tips {
        self.tips(session, &ON_THE_WAY)
    }

    /// All branches and hidden refs of a session.
    pub fn of_session(&self, session: &SessionName) -> Tips {
        self.tips(session, &[&ON_THE_WAY[..], &RESULTS].concat())
    }

    /// What a session keeps aside, also of its former lives.
    pub fn kept_aside(&self, session: &SessionName) -> Vec<&StoredRef> {
        let part = format!("/rescue/{session}/");
        let former = self.hidden(session, "former").filter(|held| held.name.contains(&part));
        self.hidden(session, "rescue").chain(former).collect()
    }

    /// What parallel members of a session made.
    pub fn kept_members(&self, session: &SessionName) -> Vec<&StoredRef> {
        let is_member = |held: &&StoredRef| held.label().starts_with(MEMBER);
        self.hidden(session, "keep").filter(is_member).collect()
    }

    /// The commit of a branch of the person that has the work up to `tip`, where that was noted.
    pub fn landed(&self, session: &SessionName, tip: &CommitId) -> Option<&CommitId> {
        self.hidden(session, "landed")
            .find(|held| held.label() == tip.as_str())
            .map(|held| &held.commit)
    }

    fn tips(&self, session: &SessionName, kinds: &[&str]) -> Tips {
        let hidden = kinds.iter().flat_map(|kind| self.hidden(session, kind));
        let all = self.branches_of(session).into_iter().chain(hidden);
        all.map(|held| (held.name.clone(), held.commit.clone())).collect()
    }

    fn hidden(&self, session: &SessionName, kind: &str) -> impl Iterator<Item = &StoredRef> {
        let below = format!("refs/tollgate/{kind}/{session}/");
        self.0.iter().filter(move |held| held.name.starts_with(&below))
    }
}

impl Repository {
    pub fn refs(&self) -> Result<Refs, GitError> {
        Ok(Refs(self.list_refs(&["refs/heads", "refs/tollgate"])?))
    }

    /// All refs at or below a name.
    pub(crate) fn refs_below(&self, name: &str) -> Result<Vec<StoredRef>, GitError> {
        self.list_refs(&[name])
    }

    pub(super) fn list_refs(&self, names: &[&str]) -> Result<Vec<StoredRef>, GitError> {
        let listing = self
            .git
            .call(Configuration::Ours)
            .env("GIT_DIR", &self.git_dir)
            .args(["for-each-ref", REF_FORMAT])
            .args(names)
            .run()?;
        let text = String::from_utf8_lossy(&listing.stdout);
        Ok(text.lines().filter_map(StoredRef::parse).collect())
    }

    pub(super) fn tip_of(&self, name: &str) -> Result<Option<CommitId>, GitError> {
        Ok(self.stored(name)?.map(|stored| stored.commit))
    }

    pub(super) fn stored(&self, name: &str) -> Result<Option<StoredRef>, GitError> {
        Ok(self.refs_below(name)?.into_iter().find(|stored| stored.name == name))
    }
}
