//! Judges an archive: is everything in it as it was exported, and does it hold together.

use crate::bundle::{self, BundleError};
use crate::manifest::{self, Commits, Manifest};
use crate::problem::Problem;
use crate::read::{self, Found, FoundEntry, Shelf};
use crate::{COMMITS, FORMAT, JOURNAL, MANIFEST, MANIFEST_SUM, SESSION};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tollgate_core::count::counted;
use tollgate_core::view::{Audit, View};
use tollgate_core::work::Artefact;
use tollgate_files::layout::{Layout, SessionLayout};
use tollgate_host::client::{Client, JournalError, Since, Verified};

/// An archive that is as it was exported. What is read of it goes with this.
#[derive(Debug)]
pub struct Archive {
    pub manifest: Manifest,
    pub chain: Verified,
    pub commits: CommitsSeen,
    /// Documents that are not as the journal recorded them: they were changed before the export.
    pub edited: Vec<String>,
    /// Documents that the journal recorded and that are not in it.
    pub missing: Vec<String>,
    folder: TempDir,
}

/// What is known of the commits in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitsSeen {
    /// Nothing is accepted yet.
    None,
    /// The export says why they are not there.
    LeftOut(String),
    /// All of them are there, and are what their names say.
    All(usize),
    /// Such as without git.
    NotLookedInto(String),
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not as it was exported", path.display())]
    Bad { path: PathBuf, problems: Vec<Problem> },
}

impl Archive {
    /// A folder that is laid out as a repository with this session.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn layout(&self) -> SessionLayout {
        Layout::new(self.folder.path()).session(&self.manifest.session)
    }
}

/// Reads and judges all of it.
pub fn open(path: &Path) -> Result<Archive, OpenError> {
    let io = |source| OpenError::Io { path: path.to_owned(), source };
    // To open a pipe is to wait for whoever writes into it.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(io(io::Error::other("it is not a file")));
    }
    let file = std::fs::File::open(path).map_err(io)?;
    let folder = tempfile::Builder::new().prefix("tollgate-archive-").tempdir().map_err(io)?;
    let shelf = Shelf(folder.path());
    let mut found = read::read(file, &shelf).map_err(io)?;
    let mut problems = std::mem::take(&mut found.problems);
    // What was found so far may be the reason why the rest is missing.
    let is_whole = !problems.iter().any(ends_the_reading);
    let manifest = match manifest_of(&found) {
        Ok(manifest) => Some(manifest),
        Err(problem) => {
            if is_whole {
                problems.push(problem);
            }
            None
        }
    };
    if let Some(manifest) = &manifest {
        compare(manifest, &found.entries, &mut problems);
    }
    let Some(manifest) = manifest.filter(|_| problems.is_empty()) else {
        return Err(OpenError::Bad { path: path.to_owned(), problems });
    };
    judged(manifest, folder, &found.entries)
        .map_err(|problem| OpenError::Bad { path: path.to_owned(), problems: vec![problem] })
}

fn ends_the_reading(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::NotAnArchive { .. }
            | Problem::Truncated { .. }
            | Problem::Unreadable { .. }
            | Problem::TooLarge { .. }
    )
}

fn manifest_of(found: &Found) -> Result<Manifest, Problem> {
    #[derive(serde::Deserialize)]
    struct Head {
        format: u32,
    }
    let removed = |path: &str| Problem::Removed { path: path.to_owned() };
    let bytes = found.manifest.as_ref().ok_or_else(|| removed(MANIFEST))?;
    let bad = |error: serde_json::Error| Problem::BadManifest { why: error.to_string() };
    let head: Head = serde_json::from_slice(bytes).map_err(bad)?;
    if head.format > FORMAT {
        return Err(Problem::Newer { format: head.format });
    }
    let sum = found.manifest_sum.as_ref().ok_or_else(|| removed(MANIFEST_SUM))?;
    if *sum != manifest::sum_line(bytes) {
        return Err(Problem::Altered { path: MANIFEST.to_owned() });
    }
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(bad)?;
    if manifest.bytes() != *bytes {
        return Err(Problem::BadManifest { why: "it is written in another form".to_owned() });
    }
    match found.session.as_ref() == Some(&manifest.session) {
        true => Ok(manifest),
        false => Err(Problem::BadManifest { why: format!("it is of {}", manifest.session) }),
    }
}

/// Every entry with what the manifest says of it.
fn compare(manifest: &Manifest, entries: &[FoundEntry], problems: &mut Vec<Problem>) {
    let own = [MANIFEST, MANIFEST_SUM];
    let found: BTreeMap<&str, &FoundEntry> =
        entries.iter().rev().map(|entry| (entry.path.as_str(), entry)).collect();
    let known: BTreeSet<&str> =
        manifest.entries.iter().map(|entry| entry.path.as_str()).chain(own).collect();
    for entry in &manifest.entries {
        let path = entry.path.clone();
        match found.get(entry.path.as_str()) {
            None => problems.push(Problem::Removed { path }),
            Some(one) if one.sha256 != entry.sha256 || one.bytes != entry.bytes => {
                problems.push(Problem::Altered { path });
            }
            Some(_) => {}
        }
    }
    let added = found.keys().filter(|path| !known.contains(**path));
    problems.extend(added.map(|path| Problem::Added { path: (*path).to_owned() }));
    if known.len() != manifest.entries.len() + own.len() {
        problems.push(Problem::BadManifest { why: "it names an entry twice".to_owned() });
    }
    let wanted = manifest.entries.iter().map(|entry| entry.path.as_str()).chain(own);
    let is_same = |(found, wanted): &(&FoundEntry, &str)| found.path == *wanted;
    let moved = entries.iter().zip(wanted).find(|pair| !is_same(pair));
    if let Some((entry, _)) = moved.filter(|_| problems.is_empty()) {
        problems.push(Problem::Moved { path: entry.path.clone() });
    }
}

fn judged(manifest: Manifest, folder: TempDir, entries: &[FoundEntry]) -> Result<Archive, Problem> {
    let layout = Layout::new(folder.path()).session(&manifest.session);
    let why = |error: JournalError| {
        // Where it was put to be read is of no use to anybody.
        let place = layout.journal().display().to_string();
        Problem::Journal { why: error.to_string().replace(&place, JOURNAL) }
    };
    let chain = Client::verify(&layout, &manifest.session, &[]).map_err(why)?;
    let said = &manifest.chain;
    let words =
        |records: u64, hash: &str| format!("{}, last hash {hash}", counted(records, "record"));
    if chain.torn_bytes > 0 || (chain.records, &chain.last_hash) != (said.records, &said.last_hash)
    {
        let found = words(chain.records, &chain.last_hash);
        let said = words(said.records, &said.last_hash);
        return Err(Problem::Chain { found, said });
    }
    let mut client = Client::open(layout.clone()).map_err(why)?;
    let audit = client.audit().map_err(why)?;
    let (Some(audit), Some(view)) = (audit, client.seen()) else {
        return Err(Problem::Journal { why: "it has not begun".to_owned() });
    };
    let commits = commits(&manifest, &view, &audit, &Shelf(folder.path()))?;
    let (missing, present): (Vec<&Artefact>, Vec<&Artefact>) =
        view.results.artefacts.iter().partition(|one| entry(&one.path, entries).is_none());
    let edited = present.into_iter().filter(|one| is_edited(one, entries, &client));
    let path = |one: &Artefact| one.path.clone();
    let edited = edited.map(path).collect();
    let missing = missing.into_iter().map(path).collect();
    Ok(Archive { manifest, chain, commits, edited, missing, folder })
}

/// The journal says which commit the work ended with, and the bundle must have it.
fn commits(
    manifest: &Manifest,
    view: &View,
    audit: &Audit,
    shelf: &Shelf<'_>,
) -> Result<CommitsSeen, Problem> {
    let bad = |why: &str| Problem::Commits { why: why.to_owned() };
    let Some(Commits { branch, tip, needs, holds }) = &manifest.commits else {
        return match view.branch.has_accepted_work() {
            true => Err(bad("the journal has accepted work, but the manifest names no commits")),
            false => Ok(CommitsSeen::None),
        };
    };
    if *tip != view.branch.tip || *branch != view.branch.name {
        return Err(bad("the manifest names another commit than the journal"));
    }
    if let Some(left_out) = manifest.left_out.iter().find(|one| one.path == COMMITS) {
        return Ok(CommitsSeen::LeftOut(left_out.why.clone()));
    }
    let file = shelf.file(&manifest.session, COMMITS);
    if file.symlink_metadata().is_err() {
        return Err(bad("it was removed"));
    }
    let found = match bundle::commits_in(
        &file,
        &bundle::head(branch, tip, needs),
        bundle::format_of(tip),
    ) {
        Ok(found) => found,
        Err(BundleError::Bad(why)) => return Err(bad(&why)),
        Err(BundleError::NotLookedInto(why)) => return Ok(CommitsSeen::NotLookedInto(why)),
    };
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let wanted: BTreeSet<&str> = holds.iter().map(|commit| commit.as_str()).collect();
    if found != wanted || !found.contains(tip.as_str()) {
        return Err(bad("its commits are not those that the manifest names"));
    }
    let accepted = audit
        .commits
        .iter()
        .filter(|entry| entry.outcome == tollgate_core::view::Outcome::Accepted);
    for entry in accepted {
        if !found.contains(entry.commit.as_str()) {
            return Err(bad(&format!("the accepted commit {} is missing", entry.commit)));
        }
    }
    Ok(CommitsSeen::All(found.len()))
}

fn entry<'a>(path: &str, entries: &'a [FoundEntry]) -> Option<&'a FoundEntry> {
    entries.iter().find(|entry| entry.path.strip_prefix(SESSION) == Some(path))
}

/// The journal has a hash of each document, whatever the manifest says. What the engine itself writes into one, such as the
/// status of each task, is no edit.
fn is_edited(one: &Artefact, entries: &[FoundEntry], client: &Client) -> bool {
    let is_other = entry(&one.path, entries).is_some_and(|entry| entry.sha256 != one.sha256);
    is_other && client.since_recorded(&one.path) != Some(Since::WrittenByUs)
}

/// The name of an archive and not of a session.
pub fn is_archive_name(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains('/') || text.ends_with(".tar.gz") || text.ends_with(".tgz")
}
