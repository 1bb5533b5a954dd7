//! Talking to the person and running programs: nothing here waits for input.

use crate::Trouble;
use std::io::Write;
use std::process::{Command, Stdio};

/// Everything xtask says goes through here, so that a closed pipe is no panic.
pub fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // Nobody is left to tell when standard output is gone.
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// The cargo that started us, else the one on PATH.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    command
}

/// Runs to the end with output passed through; anything but success is trouble.
pub fn must(command: &mut Command) -> Result<(), Trouble> {
    let status = command.stdin(Stdio::null()).status().map_err(|e| could_not_start(command, &e))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} ended with {status}", shown(command)).into())
    }
}

/// Runs to the end and gives standard output as text; what it said, where it fails.
pub fn read(command: &mut Command) -> Result<String, Trouble> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| could_not_start(command, &e))?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        let words = [output.stderr, output.stdout].concat();
        let words = String::from_utf8_lossy(&words);
        Err(format!("{} ended with {}\n{}", shown(command), output.status, words.trim_end()).into())
    }
}

/// Whether it starts and succeeds; what it prints is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn could_not_start(command: &Command, cause: &std::io::Error) -> Trouble {
    format!("could not start {}: {cause}", command.get_program().to_string_lossy()).into()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
