//! What differs between two states of a repository, read from the person's own checkout without running anything that
//! its configuration names and without writing anything into it.

mod filters;
mod index;
mod links;
mod names;
mod raw;

use crate::git::status::is_own;
use crate::git::{Configuration, Git, GitCall, GitError};
use crate::repository::{Repository, RepositoryError};
use index::IndexCopy;
use names::Name;
use raw::Record;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tollgate_core::work::{ChangeType, FileChange};

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// HEAD where none is named; in a repository without a commit that is the state with no files.
    pub base: Option<&'a str>,
    /// None is the working tree, with files that git does not track yet.
    pub head: Option<&'a str>,
}

/// What was found; names are relative to the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeDiff {
    pub root: PathBuf,
    /// In the order of the names.
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Bytes that are no text stand escaped in its names.
    pub file: FileChange,
    /// A symbolic link stands there now and leads out of the repository or into its `.git`.
    pub is_link_out: bool,
    /// Before or after, it is a commit of another repository, or a repository that nobody has added.
    pub is_repository: bool,
    pub is_tracked: bool,
    /// Whether each name is text; one that is not cannot be listed in any work item.
    pub is_text: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ScopeDiffError {
    #[error("{revision:?} names no state of this repository{}", said(.detail))]
    UnknownRevision { revision: String, detail: String },
    #[error("{revision:?} is no revision: one does not begin with a dash")]
    Dash { revision: String },
    #[error("a copy of the index could not be made for reading: {0}")]
    Index(std::io::Error),
    #[error(transparent)]
    Repository(#[from] RepositoryError),
    #[error(transparent)]
    Git(#[from] GitError),
}

fn said(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}

/// Looks from any folder of a checkout.
pub fn scope_diff(start: &Path, compared: Compared<'_>) -> Result<ScopeDiff, ScopeDiffError> {
    for revision in [compared.base, compared.head].into_iter().flatten() {
        if revision.starts_with('-') {
            return Err(ScopeDiffError::Dash { revision: revision.to_owned() });
        }
    }
    let git = Git::find()?;
    let place = Place::find(&git, start, compared)?;
    let (records, untracked) = match &place.head {
        Some(head) => (place.between_trees(&git, head)?, Vec::new()),
        None => place.to_working_tree(&git)?,
    };
    let mut changes = Vec::with_capacity(records.len() + untracked.len());
    let link_targets = place.link_targets(&git, &records)?;
    for record in records {
        let is_link_out = link_targets.get(&record.path).copied().unwrap_or(false);
        changes.push(tracked(record, is_link_out));
    }
    changes.extend(untracked.into_iter().map(|path| place.untracked(&path)));
    changes.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    changes.dedup_by(|later, kept| merged(kept, later));
    Ok(ScopeDiff { root: place.root, changes })
}

/// Where the comparison takes place, and the trees that the revisions mean.
struct Place {
    root: PathBuf,
    git_dir: PathBuf,
    base: String,
    head: Option<String>,
}

impl Place {
    /// One call answers everything; only when it fails are more asked, to say what is wrong.
    fn find(git: &Git, start: &Path, compared: Compared<'_>) -> Result<Self, ScopeDiffError> {
        let base = compared.base.unwrap_or("HEAD");
        let revisions: Vec<&str> = [Some(base), compared.head].into_iter().flatten().collect();
        let answer = looking(git, start)
            .args(["rev-parse", "--path-format=absolute", "--absolute-git-dir", "--show-toplevel"])
            .args(revisions.iter().map(|revision| tree_of(revision)))
            .arg("--")
            .run();
        let read = answer.ok().and_then(|answer| Self::read(&answer.stdout, compared.head));
        match read {
            Some(place) => Ok(place),
            None => Self::find_slowly(git, start, compared),
        }
    }

    /// Two paths, one or two ids, and the dashes that we gave. A path with a line break is left to the slow way.
    fn read(answer: &[u8], head: Option<&str>) -> Option<Self> {
        let lines: Vec<&[u8]> = answer.strip_suffix(b"\n--\n")?.split(|b| *b == b'\n').collect();
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let (git_dir, root, base, found_head) = match (lines.as_slice(), head) {
            ([git_dir, root, base], None) => (git_dir, root, base, None),
            ([git_dir, root, base, head], Some(_)) => (git_dir, root, base, Some(id(head)?)),
            _ => return None,
        };
        Some(Self { root: path(root), git_dir: path(git_dir), base: id(base)?, head: found_head })
    }

    fn find_slowly(
        git: &Git,
        start: &Path,
        compared: Compared<'_>,
    ) -> Result<Self, ScopeDiffError> {
        let repository = Repository::discover(start)?;
        let root = repository.root().to_owned();
        let base = match compared.base {
            Some(base) => resolve(git, &root, base)?,
            None => match repository.head() {
                Ok(_) => resolve(git, &root, "HEAD")?,
                Err(RepositoryError::NoCommits { .. }) => empty_tree(git, &root)?,
                Err(error) => return Err(error.into()),
            },
        };
        let head = compared.head.map(|head| resolve(git, &root, head)).transpose()?;
        let git_dir = looking(git, &root).args(["rev-parse", "--absolute-git-dir"]).run()?.stdout;
        let git_dir = git_dir.strip_suffix(b"\n").unwrap_or(&git_dir);
        Ok(Self { git_dir: PathBuf::from(OsStr::from_bytes(git_dir)), root, base, head })
    }

    fn between_trees(&self, git: &Git, head: &str) -> Result<Vec<Record>, ScopeDiffError> {
        let output = looking(git, &self.root)
            .args(["diff-tree", "-r"])
            .args(raw::DIFF_ARGS)
            .args([&self.base, head, "--"])
            .run()?;
        Ok(raw::read(&output.stdout)?)
    }

    /// What is tracked and what is not, asked for at the same time: one waits for the disk while the other thinks.
    fn to_working_tree(&self, git: &Git) -> Result<(Vec<Record>, Vec<Vec<u8>>), ScopeDiffError> {
        let others = looking(git, &self.root).args(["ls-files", "--others", "--exclude-standard"]);
        let (diff, listing) = std::thread::scope(|scope| {
            let listing = scope.spawn(|| others.arg("-z").run());
            let diff = self.tracked_diff(git);
            (diff, listing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let listing = listing?.stdout;
        let names = listing.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok((diff?, names.filter(|name| !is_own(name)).map(<[u8]>::to_vec).collect()))
    }

    fn tracked_diff(&self, git: &Git) -> Result<Vec<Record>, ScopeDiffError> {
        // `git diff` writes the index where it can, whatever it is told; a copy may have that.
        let index = IndexCopy::of(&self.git_dir).map_err(ScopeDiffError::Index)?;
        let settings = looking(git, &self.root)
            .args(["config", "--list", "-z", "--show-scope", "--includes"])
            .run()?;
        let call = looking(git, &self.root).env("GIT_INDEX_FILE", index.path());
        let output = filters::apply(call, &filters::overrides(&settings.stdout))
            .arg("diff")
            .args(raw::DIFF_ARGS)
            .args(["--no-color", "-O/dev/null", &self.base, "--"])
            .run()?;
        Ok(raw::read(&output.stdout)?)
    }

    /// For every changed name where a link stands now: whether it leads out.
    fn link_targets(
        &self,
        git: &Git,
        records: &[Record],
    ) -> Result<BTreeMap<Vec<u8>, bool>, ScopeDiffError> {
        let links = records.iter().filter(|record| record.is_link());
        if self.head.is_none() {
            let leads_out = |path: &[u8]| links::leads_out_on_disk(&self.root, path);
            return Ok(links.map(|link| (link.path.clone(), leads_out(&link.path))).collect());
        }
        let links: Vec<&Record> = links.collect();
        if links.is_empty() {
            return Ok(BTreeMap::new());
        }
        let ids: String = links.iter().map(|link| format!("{}\n", link.object)).collect();
        let contents = looking(git, &self.root)
            .args(["cat-file", "--batch=%(objectsize)"])
            .input(ids.into_bytes())
            .run()?;
        let targets = raw::read_batch(&contents.stdout, links.len())?;
        let leads_out = |link: &Record, target: &[u8]| links::leads_out(&link.path, target);
        let found = links.into_iter().zip(targets);
        Ok(found.map(|(link, target)| (link.path.clone(), leads_out(link, target))).collect())
    }

    fn untracked(&self, path: &[u8]) -> Change {
        let folder = path.strip_suffix(b"/");
        let name = Name::of(folder.unwrap_or(path));
        let (path_shown, change_type) = (name.shown, ChangeType::Added);
        Change {
            file: FileChange { path: path_shown, change_type, old_path: None },
            is_link_out: folder.is_none() && links::leads_out_on_disk(&self.root, path),
            is_repository: folder.is_some(),
            is_tracked: false,
            is_text: name.is_text,
        }
    }
}

fn tracked(record: Record, is_link_out: bool) -> Change {
    let path = Name::of(&record.path);
    let old = record.old_path.as_deref().map(Name::of);
    let is_text = path.is_text && old.as_ref().is_none_or(|old| old.is_text);
    let old_path = old.map(|old| old.shown);
    let file = FileChange { path: path.shown, change_type: record.change_type, old_path };
    let is_repository = record.is_repository();
    Change { file, is_link_out, is_repository, is_tracked: true, is_text }
}

/// One name twice: removed from the index but still there, or in the middle of a merge.
fn merged(kept: &mut Change, later: &Change) -> bool {
    if kept.file.path != later.file.path || kept.is_text != later.is_text {
        return false;
    }
    kept.file.change_type = ChangeType::Modified;
    kept.file.old_path = kept.file.old_path.take().or_else(|| later.file.old_path.clone());
    kept.is_link_out |= later.is_link_out;
    kept.is_repository |= later.is_repository;
    kept.is_tracked |= later.is_tracked;
    true
}

/// Neither locks nor replaces anything; paths are meant as they are written.
fn looking(git: &Git, folder: &Path) -> GitCall {
    git.call(Configuration::Theirs)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .folder(folder)
}

fn tree_of(revision: &str) -> String {
    format!("{revision}^{{tree}}")
}

fn id(line: &[u8]) -> Option<String> {
    let is_id = matches!(line.len(), 40 | 64) && line.iter().all(u8::is_ascii_hexdigit);
    is_id.then(|| String::from_utf8_lossy(line).into_owned())
}

fn resolve(git: &Git, root: &Path, revision: &str) -> Result<String, ScopeDiffError> {
    let unknown = |detail: &str| ScopeDiffError::UnknownRevision {
        revision: revision.to_owned(),
        detail: detail.to_owned(),
    };
    let asked = looking(git, root).args(["rev-parse", "--verify", "--quiet"]);
    match asked.arg(tree_of(revision)).run() {
        Ok(answer) => id(answer.line().as_bytes()).ok_or_else(|| unknown("")),
        Err(GitError::Failed { stderr, .. }) => {
            let first = stderr.lines().next().unwrap_or_default();
            Err(unknown(first.trim_start_matches("fatal: ").trim_start_matches("error: ")))
        }
        Err(error) => Err(error.into()),
    }
}

/// Known to git without being stored.
fn empty_tree(git: &Git, root: &Path) -> Result<String, ScopeDiffError> {
    let answer = looking(git, root).args(["hash-object", "-t", "tree", "--stdin"]);
    Ok(answer.input(Vec::new()).run()?.line())
}
