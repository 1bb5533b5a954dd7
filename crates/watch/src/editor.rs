//! The editor of the person has the terminal for a while.

use crate::signals::{self, Signals};
use crate::terminal::{self, Tty};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

/// How soon it is seen that it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// What was written, or why nothing came of it; an error where the terminal cannot be taken back.
pub fn edit(
    editor: fn(&Path) -> Result<Command, String>,
    text: &str,
    signals: &Signals,
    tty: &mut Tty,
) -> io::Result<Result<String, String>> {
    terminal::give_back();
    let written = write(editor, text, signals);
    tty.take()?;
    Ok(written)
}

fn write(
    editor: fn(&Path) -> Result<Command, String>,
    text: &str,
    signals: &Signals,
) -> Result<String, String> {
    let words = |cause: io::Error| format!("a file for the editor cannot be made: {cause}");
    let mut file =
        tempfile::Builder::new().prefix("tollgate-").suffix(".md").tempfile().map_err(words)?;
    file.write_all(text.as_bytes()).map_err(words)?;
    let mut command = editor(file.path())?;
    let child = command.spawn().map_err(|cause| {
        format!("the editor cannot be started: {cause}; set $EDITOR to another one")
    })?;
    let has_saved = wait(child, signals).map_err(|cause| format!("the editor failed: {cause}"))?;
    if !has_saved {
        return Err("The editor ended with an error; your words are as they were.".to_owned());
    }
    let bytes = std::fs::read(file.path())
        .map_err(|cause| format!("what you wrote cannot be read: {cause}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn wait(mut child: Child, signals: &Signals) -> io::Result<bool> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if signals.must_leave() {
            for signal in [Signal::TERM, Signal::CONT] {
                let _has_left = kill_process(Pid::from_child(&child), signal);
            }
        }
        if signals.must_stop() {
            signals::stop();
        }
        std::thread::sleep(LOOK);
    }
}
