//! Where it is kept what the person agreed to: one file under the state folder, for the person alone.

use super::{Inherited, Sources, TrustChange, TrustError, whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use tollgate_core::id::ContentHash;
use tollgate_core::time::Timestamp;
use tollgate_files as files;
use tollgate_files::write_lock;

/// Below the state folder.
pub const TRUST_FILE: &str = "trust.json";

const STORE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Sessions may work from different revisions of the settings; the oldest agreement goes.
const KEPT_MAX: usize = 8;

#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustStore {
    schema_version: u32,
    /// By repository and by the agent's name, the newest agreement last.
    repositories: BTreeMap<PathBuf, BTreeMap<String, Vec<Agreement>>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Agreement {
    sha256: ContentHash,
    agreed_at: Timestamp,
    files: BTreeMap<String, ContentHash>,
}

/// What is different from what the person agreed to last, and may be nothing where they never did; none when they have
/// agreed to just this.
pub fn untrusted(
    sources: Sources<'_>,
    agent: &str,
    inherited: &Inherited,
) -> Result<Option<Vec<(String, TrustChange)>>, TrustError> {
    let sha256 = whole(&inherited.hashes());
    let store = read(sources)?;
    let agreements = agreements(&store, sources, agent);
    if agreements.iter().any(|agreement| agreement.sha256 == sha256) {
        return Ok(None);
    }
    let last = agreements.last().map(|last| last.files.clone()).unwrap_or_default();
    Ok(Some(inherited.changes(&last)))
}

/// The person has looked at it and agreed.
pub fn trust(
    sources: Sources<'_>,
    agent: &str,
    inherited: &Inherited,
    now: Timestamp,
) -> Result<(), TrustError> {
    let path = path(sources);
    let problem = |cause| TrustError::Store { path: path.clone(), cause };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(sources.state_home)
        .map_err(problem)?;
    let _lock = write_lock::own(&path.with_extension("lock")).map_err(problem)?;
    let mut store = read(sources)?;
    store.schema_version = 1;
    let agents = store.repositories.entry(sources.repository.root().to_owned()).or_default();
    let agreements = agents.entry(agent.to_owned()).or_default();
    let files = inherited.hashes();
    let sha256 = whole(&files);
    agreements.retain(|agreement| agreement.sha256 != sha256);
    agreements.push(Agreement { sha256, agreed_at: now, files });
    let surplus = agreements.len().saturating_sub(KEPT_MAX);
    agreements.drain(..surplus);
    write(&path, &store).map_err(problem)
}

fn agreements<'s>(store: &'s TrustStore, sources: Sources<'_>, agent: &str) -> &'s [Agreement] {
    let agents = store.repositories.get(sources.repository.root());
    agents.and_then(|agents| agents.get(agent)).map_or(&[], Vec::as_slice)
}

fn path(sources: Sources<'_>) -> PathBuf {
    sources.state_home.join(TRUST_FILE)
}

fn read(sources: Sources<'_>) -> Result<TrustStore, TrustError> {
    let path = path(sources);
    let bytes = match files::read_bounded(&path, STORE_BYTES_MAX) {
        Err(error) if error.is_not_found() => return Ok(TrustStore::default()),
        Err(error) => return Err(TrustError::Store { path, cause: io::Error::other(error) }),
        Ok(bytes) => bytes,
    };
    serde_json::from_slice(&bytes).map_err(|error| TrustError::Store { path, cause: error.into() })
}

/// A temporary file is the person's alone, and so is what it becomes.
fn write(path: &std::path::Path, store: &TrustStore) -> io::Result<()> {
    let bytes = serde_json::to_vec_pretty(store).expect("what was agreed to can be written");
    let mut temp = tempfile::NamedTempFile::new_in(files::folder_of(path))?;
    temp.write_all(&bytes)?;
    temp.as_file().sync_data()?;
    temp.persist(path).map_err(|error| error.error)?;
    Ok(())
}
