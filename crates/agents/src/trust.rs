//! Whether the person has agreed to what an agent with `inherit = true` would run of their own settings and of the
//! repository's. What they agreed to is known by its content: a file that is new, changed or gone needs their word again.

mod counted;
mod store;

pub use store::{TRUST_FILE, trust, untrusted};

use super::AgentAdapter;
use counted::counted;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tollgate_contract::config::AgentConfig;
use tollgate_core::id::{CommitId, ContentHash};
use tollgate_files as files;
use tollgate_git::repository::{Repository, RepositoryError};

/// Settings are few and small; an agent that would run more than this cannot be looked through by a person.
const FILES_MAX: usize = 500;
const FILE_BYTES_MAX: u64 = 1024 * 1024;
const DEPTH_MAX: usize = 8;

/// Why it cannot be known what an agent would inherit.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("HOME is not set, so your own settings cannot be found")]
    NoHome,
    #[error("cannot look through {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error(
        "there are more than {FILES_MAX} settings files, which is too many to review: remove what you do not \
         need, or work without `inherit`"
    )]
    TooMany,
    #[error(
        "the folder {} is nested more than {DEPTH_MAX} deep, which is too deep to review: remove it, or work without \
         `inherit`",
        path.display()
    )]
    TooDeep { path: PathBuf },
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error("cannot read or write {}: {cause}", path.display())]
    Store { path: PathBuf, cause: io::Error },
}

/// Whose settings an agent would inherit, and where it is kept what the person agreed to.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The person's; none when `HOME` is not set.
    pub home: Option<&'a Path>,
    pub repository: &'a Repository,
    /// What the settings copy from the checkout into a workspace.
    pub copied: &'a [String],
    pub state_home: &'a Path,
}

/// What an agent would inherit: the files that are there, by the names that people see.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inherited {
    pub files: BTreeMap<String, Vec<u8>>,
}

/// What is different from what the person agreed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustChange {
    New,
    Changed,
    Gone,
}

impl fmt::Display for TrustChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Gone => "gone",
        })
    }
}

impl Inherited {
    /// As an agent at work in this tree would find it.
    pub fn in_tree(
        sources: Sources<'_>,
        (adapter, agent): (&dyn AgentAdapter, &AgentConfig),
        tree: &Path,
    ) -> Result<Self, TrustError> {
        let person = sources.home.ok_or(TrustError::NoHome)?;
        let mut found = Self::default();
        for path in adapter.inherited(agent, person, tree) {
            found.take(&path, person, tree, DEPTH_MAX)?;
        }
        Ok(found)
    }

    /// As an agent would find it in a session that starts now.
    pub fn at_head(
        sources: Sources<'_>,
        driven: (&dyn AgentAdapter, &AgentConfig),
    ) -> Result<Self, TrustError> {
        Self::from_commit(sources, driven, &sources.repository.head()?.commit)
    }

    /// As an agent would find it in the tree of a session that starts from this commit: what the checkout has beside it
    /// is not there, apart from what the settings copy.
    fn from_commit(
        sources: Sources<'_>,
        driven: (&dyn AgentAdapter, &AgentConfig),
        commit: &CommitId,
    ) -> Result<Self, TrustError> {
        let root = sources.repository.root();
        let mut found = Self::in_tree(sources, driven, root)?;
        let copied = |name: &str| {
            let under = |path: &String| Path::new(name).starts_with(path.trim_end_matches('/'));
            sources.copied.iter().any(under)
        };
        let theirs: Vec<String> = found.files.keys().cloned().collect();
        for name in theirs.into_iter().filter(|name| !is_persons(name) && !copied(name)) {
            let is_link = root.join(&name).is_symlink();
            match sources.repository.has_path(commit, &name)? {
                true if is_link => {}
                true => {
                    let content = sources.repository.content(commit, &name)?;
                    match counted(&name, content) {
                        Some(content) => found.files.insert(name, content),
                        None => found.files.remove(&name),
                    };
                }
                false => {
                    found.files.remove(&name);
                }
            }
        }
        Ok(found)
    }

    /// Follows links, as the agent will: what counts is what it reads.
    fn take(
        &mut self,
        path: &Path,
        person: &Path,
        root: &Path,
        depth: usize,
    ) -> Result<(), TrustError> {
        let unreadable = |cause| TrustError::Unreadable { path: path.to_owned(), cause };
        // Two such names could be shown as one.
        if path.to_str().is_none() {
            return Err(unreadable(io::Error::other("its name is not text")));
        }
        let meta = match fs::metadata(path) {
            Err(error) if is_absent(&error) => return Ok(()),
            meta => meta.map_err(unreadable)?,
        };
        if meta.is_dir() {
            let too_deep = || TrustError::TooDeep { path: path.to_owned() };
            let deeper = depth.checked_sub(1).ok_or_else(too_deep)?;
            for entry in fs::read_dir(path).map_err(unreadable)? {
                self.take(&entry.map_err(unreadable)?.path(), person, root, deeper)?;
            }
            return Ok(());
        }
        if !meta.is_file() {
            return Err(unreadable(io::Error::other("it is not a regular file")));
        }
        let mut content = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(FILE_BYTES_MAX + 1).read_to_end(&mut content).map_err(unreadable)?;
        if content.len() as u64 > FILE_BYTES_MAX {
            return Err(unreadable(io::Error::other("it is too large for a settings file")));
        }
        let name = shown(path, person, root);
        if let Some(content) = counted(&name, content) {
            self.files.insert(name, content);
        }
        if self.files.len() > FILES_MAX {
            return Err(TrustError::TooMany);
        }
        Ok(())
    }

    pub fn hashes(&self) -> BTreeMap<String, ContentHash> {
        let hash =
            |(name, content): (&String, &Vec<u8>)| (name.clone(), files::hash_bytes(content));
        self.files.iter().map(hash).collect()
    }

    /// What is different from what was agreed to.
    fn changes(&self, agreed: &BTreeMap<String, ContentHash>) -> Vec<(String, TrustChange)> {
        let now = self.hashes();
        let there = now.iter().filter_map(|(name, hash)| match agreed.get(name) {
            None => Some((name.clone(), TrustChange::New)),
            Some(before) => (before != hash).then(|| (name.clone(), TrustChange::Changed)),
        });
        let gone = agreed.keys().filter(|name| !now.contains_key(*name));
        let mut changes: Vec<_> =
            there.chain(gone.map(|name| (name.clone(), TrustChange::Gone))).collect();
        changes.sort_by(|a, b| a.0.cmp(&b.0));
        changes
    }
}

/// One hash for all: of every name and content.
fn whole(files: &BTreeMap<String, ContentHash>) -> ContentHash {
    let mut hasher = Sha256::new();
    for (name, hash) in files {
        hasher.update(format!("{}\n{name}\n{}\n", name.len(), hash.as_str()));
    }
    files::hash_bytes(&hasher.finalize())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Relative in the repository, from `~` in the home, and whole elsewhere.
fn shown(path: &Path, person: &Path, root: &Path) -> String {
    if let Ok(relative) = path.strip_prefix(root) {
        return relative.display().to_string();
    }
    match path.strip_prefix(person) {
        Ok(relative) => format!("~/{}", relative.display()),
        Err(_) => path.display().to_string(),
    }
}

fn is_persons(name: &str) -> bool {
    name.starts_with("~/") || name.starts_with('/')
}

/// `new .mcp.json, changed ~/.claude/settings.json`
pub fn in_words(changes: &[(String, TrustChange)]) -> String {
    const SHOWN_MAX: usize = 8;
    let words = changes.iter().take(SHOWN_MAX).map(|(name, change)| format!("{change} {name}"));
    let mut words = words.collect::<Vec<_>>().join(", ");
    if changes.len() > SHOWN_MAX {
        words.push_str(&format!(" and {} more", changes.len() - SHOWN_MAX));
    }
    words
}

#[cfg(test)]
mod tests;
