//! The folder of one run: its lock, what to run, that it has begun, how it ended.

use super::spec::{RunOutcome, RunSpec, SandboxLevel};
use super::stop::StopReason;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tollgate_files::write_lock::{self, Owned};

const OPENED_BY: &str = "opened-by";
const SPEC: &str = "run.json";
const LOCK: &str = "lock";
const STARTED: &str = "started";
const STOP: &str = "stop";
const OUTCOME: &str = "outcome.json";
const OUTPUT: &str = "stdout.log";

/// An absolute path: a supervisor works from `/`.
#[derive(Debug, Clone)]
pub(super) struct RunFolder(PathBuf);

/// What `outcome.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub(super) enum OutcomeRecord {
    Finished(RunOutcome),
    /// Closed without an outcome: the run is lost and must not begin any more.
    Fenced,
}

/// Who supervises; the start time tells a process from a later one with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Started {
    pub pid: i32,
    pub start_time: u64,
    /// What the kernel enforces; a run that it then would not restrict does not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// The run's own folder for temporary files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp: Option<PathBuf>,
    /// Where the run's cgroup is, if one could be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<PathBuf>,
    /// The run has a `/dev` of its own.
    #[serde(default)]
    pub own_devices: bool,
}

impl RunFolder {
    pub fn create(dir: &Path) -> io::Result<Self> {
        fs::create_dir_all(dir)?;
        Ok(Self(dir.canonicalize()?))
    }

    pub fn open(dir: &Path) -> io::Result<Option<Self>> {
        match dir.canonicalize() {
            Ok(dir) => Ok(Some(Self(dir))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn dir(&self) -> &Path {
        &self.0
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Blocks; the lock ends with the value, and with the process. It is for a supervisor, and for whoever decides in
    /// its place.
    pub fn lock(&self) -> io::Result<File> {
        write_lock::own(&self.path(LOCK))
    }

    /// None when another process holds it.
    pub fn try_lock(&self) -> io::Result<Option<File>> {
        Ok(match write_lock::try_own(&self.path(LOCK))? {
            Owned::Ours(file) => Some(file),
            Owned::ByAnother(_) => None,
        })
    }

    pub fn is_locked(&self) -> io::Result<bool> {
        write_lock::is_held(&self.path(LOCK))
    }

    /// The hash of the record that opened what runs here. Synced: an outcome without it would count for nothing.
    pub fn write_opened_by(&self, hash: &str) -> io::Result<()> {
        self.replace(OPENED_BY, hash.as_bytes(), Durability::Synced)
    }

    pub fn read_opened_by(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(self.path(OPENED_BY)) {
            Ok(hash) => Ok(Some(hash)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Not synced: without its supervisor it means nothing.
    pub fn write_spec(&self, spec: &RunSpec) -> io::Result<()> {
        self.replace(SPEC, &serde_json::to_vec_pretty(spec)?, Durability::Rename)
    }

    pub fn remove_spec(&self) -> io::Result<()> {
        match fs::remove_file(self.path(SPEC)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    pub fn read_spec(&self) -> io::Result<RunSpec> {
        self.read(SPEC)?.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                format!("{} is missing", self.path(SPEC).display()),
            )
        })
    }

    /// The whole of an output at once.
    pub fn write_output(&self, output: &[u8]) -> io::Result<()> {
        self.replace(OUTPUT, output, Durability::Synced)
    }

    pub fn write_started(&self, started: &Started) -> io::Result<()> {
        self.replace(STARTED, &serde_json::to_vec(started)?, Durability::Synced)
    }

    pub fn read_started(&self) -> io::Result<Option<Started>> {
        self.read(STARTED)
    }

    pub fn has_started(&self) -> bool {
        self.path(STARTED).exists()
    }

    /// For the supervisor, which hears a stop as a signal. Not synced: it means nothing without its supervisor.
    pub fn write_stop(&self, why: StopReason) -> io::Result<()> {
        self.replace(STOP, &serde_json::to_vec(&why)?, Durability::Rename)
    }

    pub fn read_stop(&self) -> io::Result<Option<StopReason>> {
        self.read(STOP)
    }

    pub fn write_record(&self, record: &OutcomeRecord) -> io::Result<()> {
        self.replace(OUTCOME, &serde_json::to_vec_pretty(record)?, Durability::Synced)
    }

    pub fn read_record(&self) -> io::Result<Option<OutcomeRecord>> {
        self.read(OUTCOME)
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        let path = self.path(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let place = path.display();
            io::Error::new(io::ErrorKind::InvalidData, format!("{place} cannot be read: {error}"))
        })
    }

    /// A reader sees the old content or the new one, never a part.
    fn replace(&self, name: &str, content: &[u8], durability: Durability) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(name).tempfile_in(&self.0)?;
        file.write_all(content)?;
        if durability == Durability::Synced {
            file.as_file().sync_data()?;
        }
        file.persist(self.path(name))?;
        if durability == Durability::Synced {
            File::open(&self.0)?.sync_all()?;
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    Rename,
    Synced,
}

/// Whether something was to run in a folder.
pub(super) fn has_spec(dir: &Path) -> bool {
    dir.join(SPEC).is_file()
}

/// In clock ticks since boot; none when there is no such process.
pub(super) fn start_time_of(pid: i32) -> Option<u64> {
    const FIELD_AFTER_NAME: usize = 19;
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    stat_fields(&stat)?.nth(FIELD_AFTER_NAME)?.parse().ok()
}

/// The fields after the name of the process. The name may hold spaces and brackets, so its last bracket counts.
pub(super) fn stat_fields(stat: &[u8]) -> Option<std::str::SplitAsciiWhitespace<'_>> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    Some(std::str::from_utf8(&stat[name_end + 1..]).ok()?.split_ascii_whitespace())
}
