//! One writer per session, by a lock of the operating system: it goes with its process, however that ends.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tollgate_core::time::Timestamp;
use tollgate_files::clock;
use tollgate_files::layout::SessionLayout;
use tollgate_files::write_lock::{self, Owned};

/// Held as long as this value lives. Programs that we start do not inherit it.
#[derive(Debug)]
pub struct SessionLock {
    files: Vec<File>,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another process {}is running this session. Wait for it, or use `tollgate answer` and `tollgate log --follow`", named(.owner))]
    Held { owner: Option<LockOwner> },
    #[error("process {pid} runs this session and is stopped")]
    Stopped { pid: u32 },
    #[error("cannot lock the session by {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Who wrote the lock file last; the truth while the lock is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockOwner {
    pub pid: u32,
    pub host: String,
    pub since: Timestamp,
}

impl LockOwner {
    /// Only the kernel of its own machine knows.
    fn is_stopped(&self) -> bool {
        let stat = std::fs::read(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        // The state follows the name, which may have brackets in it.
        let after_name = stat.rsplit(|byte| *byte == b')').next().unwrap_or_default();
        let state = after_name.iter().find(|byte| **byte != b' ');
        self.host == host_name() && matches!(state, Some(b'T' | b't'))
    }
}

fn named(owner: &Option<LockOwner>) -> String {
    owner
        .as_ref()
        .map(|owner| format!("(pid {} on {}, since {}) ", owner.pid, owner.host, owner.since))
        .unwrap_or_default()
}

impl SessionLock {
    /// Takes the lock of a session folder, or says who has it.
    pub fn acquire(folder: &Path) -> Result<Self, LockError> {
        Self::acquire_file(&SessionLayout::at(folder).lock())
    }

    /// Takes the lock that is this file.
    pub fn acquire_file(path: &Path) -> Result<Self, LockError> {
        Ok(Self { files: vec![acquire(path)?] })
    }

    /// Takes the lock of a session folder, too.
    pub fn and_folder(mut self, folder: &Path) -> Result<Self, LockError> {
        self.files.extend(Self::acquire(folder)?.files);
        Ok(self)
    }
}

fn acquire(path: &Path) -> Result<File, LockError> {
    // Two who come at once may each see the other and let go.
    const TRIES: u32 = 5;
    const PAUSE: Duration = Duration::from_millis(20);
    let io = |source| LockError::Io { path: path.to_owned(), source };
    let mut owner = None;
    for _ in 0..TRIES {
        match write_lock::try_own(path).map_err(io)? {
            Owned::Ours(mut file) => {
                write_owner(&mut file).map_err(io)?;
                return Ok(file);
            }
            Owned::ByAnother(file) => owner = read_owner(&file),
        }
        std::thread::sleep(PAUSE);
    }
    Err(match owner.as_ref().filter(|owner| owner.is_stopped()) {
        Some(owner) => LockError::Stopped { pid: owner.pid },
        None => LockError::Held { owner },
    })
}

/// Whether the process that owns the session is stopped, by Ctrl-Z for example: it takes nothing until it is continued.
pub fn is_stopped(folder: &Path) -> bool {
    let owner =
        File::open(SessionLayout::at(folder).lock()).ok().and_then(|file| read_owner(&file));
    is_held(folder) && owner.is_some_and(|owner| owner.is_stopped())
}

/// Whether some process owns the session now.
pub fn is_held(folder: &Path) -> bool {
    write_lock::is_held(&SessionLayout::at(folder).lock()).unwrap_or(false)
}

fn write_owner(file: &mut File) -> io::Result<()> {
    let owner = LockOwner { pid: std::process::id(), host: host_name(), since: clock::now() };
    let mut text = serde_json::to_vec(&owner)?;
    text.push(b'\n');
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(&text)
}

/// None when the owner is just writing it.
fn read_owner(mut file: &File) -> Option<LockOwner> {
    let mut text = Vec::new();
    file.rewind().ok()?;
    file.take(4096).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "unknown host".to_owned(), |name| name.trim().to_owned())
}
