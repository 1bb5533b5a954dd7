//! What differs between two states of a repository, read from the person's own checkout without running anything that
//! its configuration names and without writing anything into it.

mod filters;
mod index;
mod links;
mod names;
mod raw;
mod versions;

pub use versions::{FileVersions, scope_versions};

use crate::program::status::is_own;
use crate::program::{Configuration, Git, GitCall, GitError};
use crate::repository::{Repository, RepositoryError};
use index::IndexCopy;
use names::ShownName;
use raw::RawRecord;
use std::collections::BTreeSet;
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
    /// Files that are no part of the work while they are untracked.
    pub apart: &'a [PathBuf],
}

/// One change, by its names below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffChange {
    /// Bytes that are no text stand escaped in its names.
    pub file: FileChange,
    /// A symbolic link is there now and leads out of the repository or into its `.git`.
    pub is_link_out: bool,
    /// Before or after, it is a commit of another repository, or a repository that nobody has added.
    pub is_repository: bool,
    /// Whether each name is text; one that is not cannot be listed in any work item.
    pub is_text: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ScopeDiffError {
    #[error("{revision:?} is not a revision of this repository{}", said(.detail))]
    UnknownRevision { revision: String, detail: String },
    #[error("{revision:?} is not a revision: it begins with a dash")]
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

/// In the order of the names. Looks from any folder of a checkout: what only looks like a git directory may be planted in one.
pub fn scope_diff(start: &Path, compared: Compared<'_>) -> Result<Vec<DiffChange>, ScopeDiffError> {
    let Compared { base, head, apart } = compared;
    [base, head].into_iter().flatten().try_for_each(one_revision)?;
    let git = Git::find()?;
    let mut changes = match head {
        Some(head) => between_revisions(&git, start, base.unwrap_or("HEAD"), head)?,
        None => WorkingTree::find(&git, start, base)?.changes(apart)?,
    };
    changes.sort_by(|a, b| a.file.path.cmp(&b.file.path));
    changes.dedup_by(|later, kept| merged(kept, later));
    Ok(changes)
}

/// Neither an option of git nor several revisions in one word.
fn one_revision(revision: &str) -> Result<(), ScopeDiffError> {
    if revision.starts_with('-') {
        return Err(ScopeDiffError::Dash { revision: revision.to_owned() });
    }
    if revision.is_empty() || revision.starts_with('^') || revision.contains("..") {
        return Err(unknown(revision, "one revision is needed"));
    }
    Ok(())
}

/// One call answers; only when it fails are more asked, to say what is wrong.
fn between_revisions(
    git: &Git,
    start: &Path,
    base: &str,
    head: &str,
) -> Result<Vec<DiffChange>, ScopeDiffError> {
    // Between two trees `diff` leaves the index alone; `diff-tree` would read the whole of it first.
    let diff = looking(git, start)
        .args(["diff", "--no-color", "-O/dev/null"])
        .args(raw::DIFF_ARGS)
        .args([&tree_of(base), &tree_of(head), "--"])
        .run();
    let diff = match diff {
        Ok(diff) => diff,
        Err(error) => {
            Repository::discover(start)?;
            resolve(git, start, base)?;
            resolve(git, start, head)?;
            return Err(error.into());
        }
    };
    let records = raw::read(&diff.stdout)?;
    let links_out = links_out(git, start, &records)?;
    let is_out = |record: &RawRecord| links_out.contains(&record.path);
    Ok(records.into_iter().map(|record| tracked(is_out(&record), record)).collect())
}

/// The paths of links that lead out, by their words; the links themselves are blobs.
fn links_out(
    git: &Git,
    start: &Path,
    records: &[RawRecord],
) -> Result<BTreeSet<Vec<u8>>, ScopeDiffError> {
    let links: Vec<&RawRecord> = records.iter().filter(|record| record.is_link()).collect();
    if links.is_empty() {
        return Ok(BTreeSet::new());
    }
    let ids: String = links.iter().map(|link| format!("{}\n", link.object)).collect();
    let batch = looking(git, start).args(["cat-file", "--batch=%(objectsize)"]);
    let contents = batch.input(ids.into_bytes()).run()?;
    let targets = raw::read_batch(&contents.stdout, links.len())?;
    let found = links.into_iter().zip(targets);
    let out = found.filter(|(link, target)| links::leads_out(&link.path, target));
    Ok(out.map(|(link, _)| link.path.clone()).collect())
}

/// A checkout, and the tree that its files are compared with.
struct WorkingTree<'a> {
    git: &'a Git,
    root: PathBuf,
    git_dir: PathBuf,
    base: String,
}

impl<'a> WorkingTree<'a> {
    /// As with two revisions, one call for what is right and more for what is not.
    fn find(git: &'a Git, start: &Path, base: Option<&str>) -> Result<Self, ScopeDiffError> {
        let answer = looking(git, start)
            .args(["rev-parse", "--path-format=absolute", "--absolute-git-dir", "--show-toplevel"])
            .args([&tree_of(base.unwrap_or("HEAD")), "--"])
            .run();
        match answer.ok().and_then(|answer| Self::read(git, &answer.stdout)) {
            Some(found) => Ok(found),
            None => Self::find_slowly(git, start, base),
        }
    }

    /// Two paths, an id, and the dashes that we gave. A path with a line break is left to the slow way.
    fn read(git: &'a Git, answer: &[u8]) -> Option<Self> {
        let lines: Vec<&[u8]> = answer.strip_suffix(b"\n--\n")?.split(|b| *b == b'\n').collect();
        let [git_dir, root, base] = lines[..] else { return None };
        Some(Self { git, root: path_of(root), git_dir: path_of(git_dir), base: id(base)? })
    }

    fn find_slowly(git: &'a Git, start: &Path, base: Option<&str>) -> Result<Self, ScopeDiffError> {
        let repository = Repository::discover(start)?;
        let root = repository.root().to_owned();
        let base = match (base, repository.head()) {
            (Some(base), _) => resolve(git, &root, base)?,
            (None, Ok(_)) => resolve(git, &root, "HEAD")?,
            (None, Err(RepositoryError::NoCommits { .. })) => empty_tree(git, &root)?,
            (None, Err(error)) => return Err(error.into()),
        };
        let git_dir = looking(git, &root).args(["rev-parse", "--absolute-git-dir"]).run()?.stdout;
        let git_dir = path_of(git_dir.strip_suffix(b"\n").unwrap_or(&git_dir));
        Ok(Self { git, root, git_dir, base })
    }

    /// What is tracked and what is not, asked for at the same time: one waits for the disk while the other thinks.
    fn changes(&self, apart: &[PathBuf]) -> Result<Vec<DiffChange>, ScopeDiffError> {
        let others = self.looking().args(["ls-files", "--others", "--exclude-standard", "-z"]);
        let (diff, listing) = std::thread::scope(|scope| {
            let listing = scope.spawn(|| others.run());
            let diff = self.tracked_diff();
            (diff, listing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let is_out = |record: &RawRecord| {
            record.is_link() && links::leads_out_on_disk(&self.root, &record.path)
        };
        let tracked = diff?.into_iter().map(|record| tracked(is_out(&record), record));
        let listing = listing?.stdout;
        let apart = self.names_of(apart);
        let names = listing.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let untracked = names.filter(|name| !is_own(name) && !apart.contains(*name));
        Ok(tracked.chain(untracked.map(|name| self.untracked(name))).collect())
    }

    fn tracked_diff(&self) -> Result<Vec<RawRecord>, ScopeDiffError> {
        // `git diff` writes the index where it can, whatever it is told; a copy may have that.
        let index = IndexCopy::of(&self.git_dir).map_err(ScopeDiffError::Index)?;
        let settings =
            self.looking().args(["config", "--list", "-z", "--show-scope", "--includes"]).run()?;
        let call = self.looking().env("GIT_INDEX_FILE", index.path());
        let output = filters::apply(call, &filters::overrides(&settings.stdout))
            .arg("diff")
            .args(raw::DIFF_ARGS)
            .args(["--no-color", "-O/dev/null", &self.base, "--"])
            .run()?;
        Ok(raw::read(&output.stdout)?)
    }

    /// The names below the root of files that are there.
    fn names_of(&self, files: &[PathBuf]) -> BTreeSet<Vec<u8>> {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let name = |file: &PathBuf| {
            let real = file.canonicalize().ok()?;
            Some(real.strip_prefix(&root).ok()?.as_os_str().as_bytes().to_vec())
        };
        files.iter().filter_map(name).collect()
    }

    fn untracked(&self, path: &[u8]) -> DiffChange {
        let folder = path.strip_suffix(b"/");
        let name = ShownName::of(folder.unwrap_or(path));
        DiffChange {
            file: FileChange { path: name.shown, change_type: ChangeType::Added, old_path: None },
            is_link_out: folder.is_none() && links::leads_out_on_disk(&self.root, path),
            is_repository: folder.is_some(),
            is_text: name.is_text,
        }
    }

    fn looking(&self) -> GitCall {
        looking(self.git, &self.root)
    }
}

fn tracked(is_link_out: bool, record: RawRecord) -> DiffChange {
    let path = ShownName::of(&record.path);
    let old = record.old_path.as_deref().map(ShownName::of);
    let is_text = path.is_text && old.as_ref().is_none_or(|old| old.is_text);
    let old_path = old.map(|old| old.shown);
    let file = FileChange { path: path.shown, change_type: record.change_type, old_path };
    let is_repository = record.is_repository();
    DiffChange { file, is_link_out, is_repository, is_text }
}

/// One name twice: removed from the index but still there, or in the middle of a merge.
fn merged(kept: &mut DiffChange, later: &DiffChange) -> bool {
    if kept.file.path != later.file.path || kept.is_text != later.is_text {
        return false;
    }
    kept.file.change_type = ChangeType::Modified;
    kept.file.old_path = kept.file.old_path.take().or_else(|| later.file.old_path.clone());
    kept.is_link_out |= later.is_link_out;
    kept.is_repository |= later.is_repository;
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

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn unknown(revision: &str, detail: &str) -> ScopeDiffError {
    let (revision, detail) = (revision.to_owned(), detail.to_owned());
    ScopeDiffError::UnknownRevision { revision, detail }
}

fn resolve(git: &Git, folder: &Path, revision: &str) -> Result<String, ScopeDiffError> {
    let asked = looking(git, folder).args(["rev-parse", "--verify", "--quiet"]);
    match asked.arg(tree_of(revision)).run() {
        Ok(answer) => id(answer.line().as_bytes()).ok_or_else(|| unknown(revision, "")),
        Err(GitError::Failed { stderr, .. }) => {
            let first = stderr.lines().next().unwrap_or_default();
            let said = first.trim_start_matches("fatal: ").trim_start_matches("error: ");
            Err(unknown(revision, said))
        }
        Err(error) => Err(error.into()),
    }
}

/// Known to git without being stored.
fn empty_tree(git: &Git, root: &Path) -> Result<String, ScopeDiffError> {
    let answer = looking(git, root).args(["hash-object", "-t", "tree", "--stdin"]);
    Ok(answer.input(Vec::new()).run()?.line())
}
