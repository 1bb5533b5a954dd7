//! Every session in one line. A journal is read only where it changed since the last look.

use super::{SessionsError, began_at, folders, has_begun, order};
use crate::client::{Client, JournalError};
use crate::lock;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tollgate_core::id::SessionName;
use tollgate_core::time::Timestamp;
use tollgate_core::view::Summary;
use tollgate_files as files;
use tollgate_files::disk::disk_use;
use tollgate_files::layout::{self, Layout, SessionLayout};

/// A session of the list.
#[derive(Debug)]
pub struct Listed {
    pub summary: Summary,
    pub trouble: Option<Trouble>,
    /// Some process runs it.
    pub is_running: bool,
    /// What it takes of the disk, its workspaces included, when its journal was last written. Nothing where it was not measured.
    pub disk_bytes: u64,
}

/// Whether the files of the sessions are counted too, which takes its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    DiskUse,
    Nothing,
}

/// Why nothing is known of a session.
#[derive(Debug)]
pub enum Trouble {
    NotBegun,
    /// Its journal cannot be read.
    Unreadable(String),
}

/// What was found at the last look; of another version of this program it is of no use.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    version: String,
    sessions: BTreeMap<String, KnownSession>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KnownSession {
    journal: Stamp,
    began: Option<Timestamp>,
    summary: Summary,
    /// None until somebody wants to know.
    disk_bytes: Option<u64>,
}

/// What changes whenever a journal does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    inode: u64,
    changed: (i64, i64),
}

/// The sessions of a repository for whoever lists them once.
pub fn summaries(
    layout: &Layout,
    state: Option<&Path>,
    measure: Measure,
) -> Result<Vec<Listed>, SessionsError> {
    Summaries::of(layout.clone(), state.map(Path::to_owned)).list(measure)
}

/// The sessions of a repository. Listed again, it reads what has changed and asks for the dates of the other files.
#[derive(Debug)]
pub struct Summaries {
    layout: Layout,
    /// Without it nothing is known before the first list.
    state: Option<PathBuf>,
    known: Known,
    /// The file with what is known, when it was last read or written here.
    file: Option<Stamp>,
    /// The sessions that some process runs. Each is read on from where it was left.
    running: BTreeMap<SessionName, (u64, Client)>,
}

impl Summaries {
    pub fn of(layout: Layout, state: Option<PathBuf>) -> Self {
        Self { layout, state, known: Known::default(), file: None, running: BTreeMap::new() }
    }

    /// All sessions, the newest first.
    pub fn list(&mut self, measure: Measure) -> Result<Vec<Listed>, SessionsError> {
        let folders = folders(&self.layout)?;
        self.read_known();
        let before = std::mem::take(&mut self.known);
        let mut listed = Vec::new();
        self.known.version = version();
        for name in folders {
            if let Ok(name) = SessionName::parse(&name) {
                let known = before.sessions.get(name.as_str());
                listed.extend(self.entry(name, known, measure));
            }
        }
        listed.sort_by_cached_key(|(began, listed)| order(&listed.summary.session, *began));
        self.note(&before);
        Ok(listed.into_iter().map(|(_, listed)| listed).collect())
    }

    /// Nothing for a folder in which no session has begun.
    fn entry(
        &mut self,
        name: SessionName,
        known: Option<&KnownSession>,
        measure: Measure,
    ) -> Option<(Option<Timestamp>, Listed)> {
        let session = self.layout.session(&name);
        let journal = stamp(&session.journal());
        let known = known.filter(|known| Some(&known.journal) == journal.as_ref());
        if known.is_none() && !has_begun(&session) {
            return None;
        }
        let began = known.map_or_else(|| began_at(&session.journal()), |known| known.began);
        let client = self.running.remove(&name);
        let client =
            client.filter(|(inode, _)| journal.as_ref().is_some_and(|j| j.inode == *inode));
        let (summary, client) = match known {
            Some(known) => (known.summary.clone(), None),
            None => match look(&session, client.map(|(_, client)| client)) {
                Ok((Some(summary), client)) => (summary, Some(client)),
                Ok((None, _)) => return Some((began, unknown(name, Trouble::NotBegun))),
                Err(why) => {
                    let why = Trouble::Unreadable(why.to_string());
                    return Some((began, unknown(name, why)));
                }
            },
        };
        let disk_bytes = known.and_then(|known| known.disk_bytes).or_else(|| match measure {
            Measure::DiskUse => Some(disk(&self.layout, self.state.as_deref(), &name)),
            Measure::Nothing => None,
        });
        let is_running = !summary.is_over() && lock::is_held(session.folder());
        match (journal, client) {
            // Whether a person is at work there is not in the journal, and settled only when no process runs it.
            (Some(journal), client) if is_running => {
                self.running.extend(client.map(|client| (name, (journal.inode, client))));
            }
            (Some(journal), _) => {
                let summary = summary.clone();
                let known = KnownSession { journal, began, summary, disk_bytes };
                self.known.sessions.insert(name.to_string(), known);
            }
            (None, _) => {}
        }
        let disk_bytes = disk_bytes.unwrap_or_default();
        Some((began, Listed { summary, trouble: None, is_running, disk_bytes }))
    }

    fn file(&self) -> Option<PathBuf> {
        Some(layout::summaries(self.state.as_deref()?, self.layout.repo_root()))
    }

    /// Another process may have written it since.
    fn read_known(&mut self) {
        let Some(path) = self.file() else { return };
        let found = stamp(&path);
        if found != self.file {
            self.known = read(&path);
            self.file = found;
        }
    }

    fn note(&mut self, before: &Known) {
        if let Some(path) = self.file()
            && write(&path, before, &self.known)
        {
            self.file = stamp(&path);
        }
    }
}

fn look(
    session: &SessionLayout,
    client: Option<Client>,
) -> Result<(Option<Summary>, Client), JournalError> {
    let mut client = client.map_or_else(|| Client::open(session.clone()), Ok)?;
    Ok((client.summary()?, client))
}

fn unknown(name: SessionName, trouble: Trouble) -> Listed {
    let summary = Summary::unknown(name);
    Listed { summary, trouble: Some(trouble), is_running: false, disk_bytes: 0 }
}

/// What a session takes: its folder, its workspaces and the private folders of its agents.
fn disk(layout: &Layout, state: Option<&Path>, name: &SessionName) -> u64 {
    let own = disk_use(layout.session(name).folder());
    let homes = state.map(|state| homes(state, layout.repo_root(), name)).unwrap_or_default();
    homes.iter().map(|home| disk_use(home)).fold(own, u64::saturating_add)
}

/// What a session has in the state directory.
pub(crate) fn homes(state: &Path, root: &Path, name: &SessionName) -> Vec<PathBuf> {
    let workspace = layout::workspace_home(state, root, name);
    let mut homes = crate::context::homes_of(&workspace).unwrap_or_default();
    homes.push(layout::agent_homes(state, root, name));
    homes.retain(|home| home.symlink_metadata().is_ok());
    homes
}

fn stamp(journal: &Path) -> Option<Stamp> {
    let found = journal.symlink_metadata().ok()?;
    let changed = (found.ctime(), found.ctime_nsec());
    Some(Stamp { bytes: found.len(), inode: found.ino(), changed })
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

fn read(path: &Path) -> Known {
    let known = std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    known.filter(|known: &Known| known.version == version()).unwrap_or_default()
}

/// Whether there was anything to write. What cannot be written is found again the next time.
fn write(path: &Path, before: &Known, now: &Known) -> bool {
    let is_same = before.sessions.len() == now.sessions.len()
        && before.sessions.iter().all(|(name, known)| {
            now.sessions.get(name).is_some_and(|other| {
                (&other.journal, other.disk_bytes) == (&known.journal, known.disk_bytes)
            })
        });
    if is_same {
        return false;
    }
    if let (Some(folder), Ok(bytes)) = (path.parent(), serde_json::to_vec(now)) {
        let _ = std::fs::create_dir_all(folder);
        let _ = files::write_atomic(path, &bytes);
    }
    true
}

/// What the sessions hold has changed, and not their journals: it is counted again when somebody wants to know. Nothing is known of
/// those that are gone.
pub(crate) fn forget_disk_use(state: &Path, root: &Path) {
    let path = layout::summaries(state, root);
    let known = read(&path);
    let folder = Layout::new(root).sessions_folder();
    let is_there = |name: &&String| folder.join(name).symlink_metadata().is_ok();
    let left = known.sessions.iter().filter(|(name, _)| is_there(name));
    let of = |(name, one): (&String, &KnownSession)| {
        (name.clone(), KnownSession { disk_bytes: None, ..one.clone() })
    };
    let now = Known { version: version(), sessions: left.map(of).collect() };
    match now.sessions.is_empty() {
        true => {
            let _was_not_there = std::fs::remove_file(path);
        }
        false => {
            write(&path, &known, &now);
        }
    }
}

/// Notes that a repository has sessions, so that they are found from everywhere.
pub(crate) fn note_repository(state: &Path, root: &Path) {
    use std::os::unix::ffi::OsStrExt;
    let path = layout::repository_note(state, root);
    if path.symlink_metadata().is_err()
        && let Some(folder) = path.parent()
    {
        let _ = std::fs::create_dir_all(folder);
        let _ = files::write_atomic(&path, root.as_os_str().as_bytes());
    }
}

/// The repositories that have had sessions on this machine and that are still there, by path.
pub fn repositories(state: &Path) -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let notes = std::fs::read_dir(layout::repository_notes(state)).into_iter().flatten().flatten();
    let read = |note: std::fs::DirEntry| std::fs::read(note.path()).ok();
    let mut roots: Vec<PathBuf> = notes
        .filter_map(read)
        .map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
        .filter(|root| root.is_absolute() && Layout::new(root).sessions_folder().is_dir())
        .collect();
    roots.sort();
    roots
}
