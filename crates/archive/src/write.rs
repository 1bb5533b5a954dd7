//! Writes a session as an archive: first everything that tells of it, and last the journal, which then has all of it.

use crate::manifest::{self, Chain, Commits, Entry, LeftOut, Manifest};
use crate::{
    COMMITS, COMMITS_BYTES_MAX, ENTRIES_MAX, ENTRY_BYTES_MAX, FORMAT, JOURNAL, JOURNAL_BYTES_MAX,
    MANIFEST, MANIFEST_SUM, SESSION, TOTAL_BYTES_MAX, bundle, tape,
};
use flate2::{Compression, GzBuilder, write::GzEncoder};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;
use tollgate_core::id::{CommitId, ContentHash, SessionName};
use tollgate_core::view::View;
use tollgate_files::layout::{SessionLayout, journal_anchors};
use tollgate_files::{FileError, ListingKind, TreeLimits, list_files, open_beneath};
use tollgate_git::GitError;
use tollgate_git::repository::{Repository, RepositoryError};
use tollgate_host::client::{Client, JournalError, Prefix};

/// A commit is in the journal a moment before it is in the repository.
const COMMIT_TRIES: u32 = 10;
const COMMIT_PAUSE: Duration = Duration::from_millis(200);

/// What only the engine on this machine needs: locks, command lines with paths of this machine, what waits to be taken.
const OF_THIS_MACHINE: [&str; 7] =
    ["lock", "started", "opened-by", "run.json", "plan.json", "stop", "supervisor.log"];

/// The session that is written.
#[derive(Debug)]
pub struct Source<'a> {
    pub name: &'a SessionName,
    pub layout: &'a SessionLayout,
    pub repository: &'a Repository,
    /// Where the second anchor of the journal is.
    pub state: Option<&'a Path>,
    /// The version of the program.
    pub version: &'a str,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the session has not started yet")]
    NotBegun,
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot write the archive: {0}")]
    Write(io::Error),
    #[error("{what} is larger than an archive may be ({max} bytes)")]
    TooLarge { what: String, max: u64 },
    #[error("{path} became shorter while it was read; run the command again")]
    Shrank { path: String },
    #[error("the commits cannot be packed: {0}")]
    Commits(RepositoryError),
}

/// Writes the archive, and says what is in it.
pub fn write(source: &Source<'_>, out: impl Write) -> Result<Manifest, ExportError> {
    let anchors = journal_anchors(source.state, source.repository.common_dir(), source.name);
    Client::verify(source.layout, source.name, &anchors)?;
    let (view, _) = seen(source)?;
    let mut writer = Writer::new(source.name, &view, out);
    writer.files(source)?;
    // Read last, so that it has everything that the files tell.
    let (view, prefix) = seen(source)?;
    if prefix.bytes > JOURNAL_BYTES_MAX {
        return Err(ExportError::TooLarge {
            what: "the journal".to_owned(),
            max: JOURNAL_BYTES_MAX,
        });
    }
    let journal = open_beneath(source.layout.folder(), "journal.jsonl")?;
    writer.entry(JOURNAL, prefix.bytes, journal)?;
    let commits = writer.commits(source, &view)?;
    let manifest = Manifest {
        format: FORMAT,
        tollgate: source.version.to_owned(),
        session: source.name.clone(),
        chain: Chain { records: prefix.records, last_hash: prefix.last_hash },
        commits,
        entries: std::mem::take(&mut writer.entries),
        left_out: std::mem::take(&mut writer.left_out),
    };
    writer.finish(&manifest)?;
    Ok(manifest)
}

/// The session, and how much of its journal says so.
fn seen(source: &Source<'_>) -> Result<(View, Prefix), ExportError> {
    let mut client = Client::open(source.layout.clone())?;
    let view = client.view()?.ok_or(ExportError::NotBegun)?;
    Ok((view, client.read_so_far()))
}

struct Writer<'a, W: Write> {
    name: &'a SessionName,
    mtime: u64,
    out: GzEncoder<W>,
    entries: Vec<Entry>,
    left_out: Vec<LeftOut>,
    total: u64,
}

impl<'a, W: Write> Writer<'a, W> {
    fn new(name: &'a SessionName, view: &View, out: W) -> Self {
        let opened_s = view.opened_at.as_ms().div_euclid(1_000);
        Self {
            name,
            mtime: u64::try_from(opened_s).unwrap_or(0),
            out: GzBuilder::new().operating_system(0xff).write(out, Compression::new(6)),
            entries: Vec::new(),
            left_out: Vec::new(),
            total: 0,
        }
    }

    fn files(&mut self, source: &Source<'_>) -> Result<(), ExportError> {
        let folder = source.layout.folder();
        let limits = TreeLimits { entries_max: ENTRIES_MAX, file_bytes_max: ENTRY_BYTES_MAX };
        for found in list_files(folder, limits)? {
            if found.path == "journal.jsonl" || is_of_this_machine(&found.path) {
                continue;
            }
            match found.kind {
                ListingKind::Dir => {}
                ListingKind::File => self.file(folder, &found.path)?,
                ListingKind::Symlink if is_shortcut(&found.path) => {}
                ListingKind::Symlink => self.leave_out(&found.path, "it is a link"),
                ListingKind::Other => self.leave_out(&found.path, "it is not a file"),
                ListingKind::BadName => self.leave_out(&found.path, "its name is not UTF-8"),
            }
        }
        Ok(())
    }

    fn file(&mut self, folder: &Path, path: &str) -> Result<(), ExportError> {
        let file = match open_beneath(folder, path) {
            Ok(file) => file,
            // It was there a moment ago; a session that runs removes files.
            Err(error) if error.is_not_found() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let meta = file.metadata().map_err(FileError::io("look at", &folder.join(path)))?;
        if !meta.is_file() {
            self.leave_out(path, "it is not a file");
        } else if meta.len() > ENTRY_BYTES_MAX {
            self.leave_out(path, "it is too large");
        } else {
            self.entry(&format!("{SESSION}{path}"), meta.len(), file)?;
        }
        Ok(())
    }

    fn leave_out(&mut self, path: &str, why: &str) {
        self.left_out.push(LeftOut { path: format!("{SESSION}{path}"), why: why.to_owned() });
    }

    /// So many bytes of it: a file may grow while it is read.
    fn entry(&mut self, path: &str, bytes: u64, content: impl Read) -> Result<(), ExportError> {
        let sha256 = self.append(path, bytes, content)?;
        self.entries.push(Entry { path: path.to_owned(), bytes, sha256 });
        Ok(())
    }

    fn append(
        &mut self,
        path: &str,
        bytes: u64,
        content: impl Read,
    ) -> Result<ContentHash, ExportError> {
        self.total = self.total.saturating_add(bytes);
        if self.total > TOTAL_BYTES_MAX {
            return Err(ExportError::TooLarge {
                what: "the session".to_owned(),
                max: TOTAL_BYTES_MAX,
            });
        }
        let name = format!("{}/{path}", self.name);
        self.out.write_all(&tape::head(&name, bytes, self.mtime)).map_err(ExportError::Write)?;
        let mut content = content.take(bytes);
        let (mut hash, mut left) = (Sha256::new(), bytes);
        let mut buffer = vec![0; 64 << 10];
        while left > 0 {
            let read = content.read(&mut buffer).map_err(FileError::io("read", Path::new(path)))?;
            if read == 0 {
                return Err(ExportError::Shrank { path: path.to_owned() });
            }
            hash.update(&buffer[..read]);
            self.out.write_all(&buffer[..read]).map_err(ExportError::Write)?;
            left -= read as u64;
        }
        let padding = vec![0; tape::padding(bytes)];
        self.out.write_all(&padding).map_err(ExportError::Write)?;
        let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(ContentHash::parse(&digest).expect("a SHA-256 has 64 hex digits"))
    }

    /// The commits of the session and nothing that was there before. Where they are gone, the archive says so.
    fn commits(
        &mut self,
        source: &Source<'_>,
        view: &View,
    ) -> Result<Option<Commits>, ExportError> {
        let branch = &view.branch;
        if !branch.has_accepted_work() {
            return Ok(None);
        }
        let mut needs = vec![branch.base.clone()];
        needs.extend(branch.merged.as_ref().map(|merged| merged.commit.clone()));
        let mut commits = Commits {
            branch: branch.name.clone(),
            tip: branch.tip.clone(),
            needs,
            holds: Vec::new(),
        };
        match self.bundle(source, &commits) {
            Ok(holds) => commits.holds = holds,
            Err(BundleFailure::LeftOut(why)) => {
                self.left_out.push(LeftOut { path: COMMITS.to_owned(), why });
            }
            Err(BundleFailure::Stop(error)) => return Err(error),
        }
        Ok(Some(commits))
    }

    fn bundle(
        &mut self,
        source: &Source<'_>,
        commits: &Commits,
    ) -> Result<Vec<CommitId>, BundleFailure> {
        let stop = |error| BundleFailure::Stop(ExportError::Write(error));
        let folder = tempfile::tempdir().map_err(stop)?;
        let needs: Vec<&CommitId> = commits.needs.iter().collect();
        let holds =
            with_patience(source, || source.repository.commits_beyond(&commits.tip, &needs))?;
        let pack = with_patience(source, || {
            source.repository.pack_beyond(&commits.tip, &needs, folder.path())
        })?;
        let pack = File::open(pack).map_err(stop)?;
        let head = bundle::head(&commits.branch, &commits.tip, &commits.needs);
        let bytes = head.len() as u64 + pack.metadata().map_err(stop)?.len();
        if bytes > COMMITS_BYTES_MAX {
            return Err(BundleFailure::LeftOut("it is too large".to_owned()));
        }
        self.entry(COMMITS, bytes, head.as_slice().chain(pack)).map_err(BundleFailure::Stop)?;
        Ok(holds)
    }

    fn finish(mut self, manifest: &Manifest) -> Result<(), ExportError> {
        let bytes = manifest.bytes();
        self.append(MANIFEST, bytes.len() as u64, bytes.as_slice())?;
        let sum = manifest::sum_line(&bytes);
        self.append(MANIFEST_SUM, sum.len() as u64, sum.as_slice())?;
        self.out.write_all(&[0; 2 * tape::BLOCK]).map_err(ExportError::Write)?;
        let mut out = self.out.finish().map_err(ExportError::Write)?;
        out.flush().map_err(ExportError::Write)
    }
}

enum BundleFailure {
    /// The rest of the archive is of use without it.
    LeftOut(String),
    Stop(ExportError),
}

/// Only a session that runs is about to have what is not there.
fn with_patience<T>(
    source: &Source<'_>,
    mut act: impl FnMut() -> Result<T, RepositoryError>,
) -> Result<T, BundleFailure> {
    let is_running = Client::open(source.layout.clone()).is_ok_and(|client| client.is_running());
    for tried in 1.. {
        match act() {
            Ok(done) => return Ok(done),
            Err(RepositoryError::Git(error @ GitError::DiskFull { .. })) => {
                return Err(BundleFailure::Stop(ExportError::Commits(error.into())));
            }
            Err(error) if tried == COMMIT_TRIES || !is_running => {
                return Err(BundleFailure::LeftOut(error.to_string()));
            }
            Err(_) => std::thread::sleep(COMMIT_PAUSE),
        }
    }
    unreachable!("the last try returns")
}

/// To a file of the last attempt, which is in the archive under its own name.
fn is_shortcut(path: &str) -> bool {
    matches!(path.split('/').collect::<Vec<_>>().as_slice(), ["dispatches", _, _])
}

/// By its place: a file of this name that an agent wrote is one like any other.
fn is_of_this_machine(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["lock"] | ["inbox" | "importing", ..] => true,
        ["checks", _, name] | ["dispatches" | "checks", _, _, name] => {
            OF_THIS_MACHINE.contains(name)
        }
        _ => false,
    }
}
