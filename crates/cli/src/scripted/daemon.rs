//! A process that gets away: out of the session and from its parent, with a heartbeat to tell whether it lives.
//!
//! The agent starts itself (stage 1), which leaves the session, starts itself again (stage 2) and ends.

use super::{count, write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

const STAGE: &str = "TOLLGATE_SCRIPTED_DAEMON";
const HEARTBEAT: Duration = Duration::from_millis(50);
/// A daemon that nobody ends goes by itself after ten minutes.
const HEARTBEATS_MAX: u32 = 12_000;

/// The stage that this process plays, if it is one of a daemon.
pub(super) fn stage() -> Option<u8> {
    std::env::var(STAGE).ok()?.parse().ok()
}

pub(super) fn run(stage: u8, script: &Path) -> ExitCode {
    if stage == 1 {
        let left = rustix::process::setsid().is_ok();
        return if left && launch(2, script).is_ok() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let heartbeat = count::folder(script).join("daemon.alive");
    for _ in 0..HEARTBEATS_MAX {
        // Where the folder cannot be written, the daemon is still one.
        let _ = write::append(&heartbeat, &format!("{}\n", std::process::id()));
        std::thread::sleep(HEARTBEAT);
    }
    ExitCode::SUCCESS
}

pub(super) fn spawn(script: &Path) -> std::io::Result<()> {
    launch(1, script)?.wait().map(|_| ())
}

fn launch(stage: u8, script: &Path) -> std::io::Result<std::process::Child> {
    Command::new(std::env::current_exe()?)
        .arg("scripted")
        .arg(script)
        .env(STAGE, stage.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
