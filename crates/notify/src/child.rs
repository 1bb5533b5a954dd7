//! A program of the person: it gets some text, and ends in time or is ended with all it started.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tollgate_core::sanitize::terminal_line;
use tollgate_files::clock;

/// Names the delivery to everything that the program starts.
const DELIVERY_VARIABLE: &str = "TOLLGATE_DELIVERY";
const LOOK: Duration = Duration::from_millis(10);
/// Of what it said about its failure, this much is told.
const SAID_CHARS_MAX: usize = 200;
const SAID_BYTES_MAX: u64 = 4 * 1024;

/// Runs it to its end, or until its time is over or nobody waits for it any more. The error is for people.
pub(super) fn run(
    mut command: Command,
    input: &[u8],
    patience: Duration,
    is_stopped: &AtomicBool,
) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let cannot = |cause: std::io::Error| format!("{program} cannot be started: {cause}");
    let mut said = tempfile::tempfile().map_err(cannot)?;
    let errors = said.try_clone().map_err(cannot)?;
    let delivery = next_delivery();
    command.env(DELIVERY_VARIABLE, &delivery);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(errors).process_group(0);
    let mut child = command.spawn().map_err(cannot)?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = input.to_owned();
        // A program that reads nothing holds nobody: the pipe breaks when it is ended.
        thread::spawn(move || stdin.write_all(&input));
    }
    let is_in_time = wait(&child, patience, is_stopped);
    end_all(&child, &delivery);
    let status = child.wait().map_err(|cause| format!("{program} is lost: {cause}"))?;
    if !is_in_time {
        return Err(format!("{program} did not end within {} seconds", patience.as_secs()));
    }
    if status.success() {
        return Ok(());
    }
    let mut text = Vec::new();
    let _unread = said.rewind().and_then(|()| said.take(SAID_BYTES_MAX).read_to_end(&mut text));
    let words = terminal_line(&String::from_utf8_lossy(&text), SAID_CHARS_MAX);
    let how = match status.code() {
        Some(code) => format!("{program} ended with exit code {code}"),
        None => format!("{program} was killed by a signal"),
    };
    Err(if words.is_empty() { how } else { format!("{how}: {words}") })
}

/// Whether it ended by itself. Its number stays taken until it is asked how.
fn wait(child: &Child, patience: Duration, is_stopped: &AtomicBool) -> bool {
    let give_up = Instant::now() + patience;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    while !is_stopped.load(Ordering::Relaxed) && Instant::now() < give_up {
        match waitid(WaitId::Pid(pid(child)), look) {
            Ok(None) => thread::sleep(LOOK),
            // Where it cannot be asked, it is gone.
            Ok(Some(_)) | Err(_) => return true,
        }
    }
    false
}

/// What it left running ends with it, also what went into a process group of its own.
fn end_all(child: &Child, delivery: &str) {
    // There may be nothing left.
    let _gone = kill_process_group(pid(child), Signal::KILL);
    tollgate_process::end_marked(DELIVERY_VARIABLE, delivery.as_ref());
}

/// Another one for each delivery of this machine.
fn next_delivery() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{number}", std::process::id(), clock::now().as_ms())
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}
