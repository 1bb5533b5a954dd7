//! The git of an engine that was killed.

use super::{FINISHED, IN_USE, WorkspaceError};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;
use tollgate_files::write_lock;

/// Commands that only read files of the tree; however large these are, nothing is half done when such a command ends early.
const READING: [&[u8]; 3] = [b"status", b"update-index", b"hash-object"];

const POLL: Duration = Duration::from_millis(50);

/// Before a session is taken up: waits until the last git of a killed engine is gone, which could otherwise reset
/// the tree under a new agent. One that reads files is ended. A lock of the index that is left then is nobody's.
pub fn wait_for_orphans(home: &Path) -> Result<(), WorkspaceError> {
    let in_use = home.join(IN_USE);
    let failed = |cause| WorkspaceError::io(home, cause);
    while write_lock::is_held(&in_use).map_err(failed)? {
        end_readers(home);
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

/// Ends every git that holds the lock and only reads. What cannot be looked at is not ours.
fn end_readers(home: &Path) {
    let Ok(home) = home.canonicalize() else { return };
    // The lock is a row of files whose names begin so.
    let is_lock = |at: &Path| {
        let name = at.file_name().unwrap_or_default().as_bytes();
        at.parent() == Some(&home) && name.starts_with(IN_USE.as_bytes())
    };
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
            fs::read_link(entry.path().join("fd").join(stream)).is_ok_and(|at| is_lock(&at))
        };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let is_reading = words.split(|byte| *byte == 0).any(|word| READING.contains(&word));
        if is_reading && (holds("0") || holds("1")) {
            let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
        }
    }
}
