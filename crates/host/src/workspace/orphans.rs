//! The git of an engine that was killed.

use super::{FINISHED, IN_USE, WorkspaceError, open_in_use};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Commands that only read files of the tree; however large these are, nothing is half done when such a command ends early.
const READING: [&[u8]; 3] = [b"status", b"update-index", b"hash-object"];

const POLL: Duration = Duration::from_millis(50);

/// Before a session is taken up: waits until the last git of a killed engine is gone, which could otherwise reset
/// the tree under a new agent. One that reads files is ended. A lock of the index that is left then is nobody's.
pub fn wait_for_orphans(home: &Path) -> Result<(), WorkspaceError> {
    let in_use = home.join(IN_USE);
    if !in_use.exists() {
        return Ok(());
    }
    let file = open_in_use(home)?;
    while let Err(error) = file.try_lock() {
        match error {
            fs::TryLockError::WouldBlock => end_readers(&in_use),
            fs::TryLockError::Error(cause) => return Err(WorkspaceError::io(home, cause)),
        }
        std::thread::sleep(POLL);
    }
    let lock = home.join(FINISHED).join("shadow/index.lock");
    match fs::remove_file(&lock) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(WorkspaceError::io(&lock, cause))
        }
        _ => Ok(()),
    }
}

/// Ends every git that holds the file and only reads. What cannot be looked at is not ours.
fn end_readers(in_use: &Path) {
    let Ok(in_use) = in_use.canonicalize() else { return };
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid.and_then(Pid::from_raw).filter(|pid| *pid != rustix::process::getpid())
        else {
            continue;
        };
        // Held while it is looked at, so that the number means the same process afterwards.
        let Ok(process) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { continue };
        // A git of ours has the lock in the place of one of its streams.
        let holds = |stream: &str| {
            fs::read_link(entry.path().join("fd").join(stream)).is_ok_and(|at| at == in_use)
        };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_reading = words.split(|byte| *byte == 0).any(|word| READING.contains(&word));
        if is_reading && (holds("0") || holds("1")) {
            let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
        }
    }
}
