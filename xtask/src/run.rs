//! Talking to the person and running programs: nothing here waits for input.

use crate::Trouble;
use std::io::{BufRead, BufReader, Write};
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

/// Runs to the end and gives standard output as text.
pub fn read(command: &mut Command) -> Result<String, Trouble> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| could_not_start(command, &e))?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        let words = String::from_utf8_lossy(&output.stderr);
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

/// Runs to the end, passes both streams through line by line, and gives them back for reading.
pub fn overhear(command: &mut Command) -> Result<String, Trouble> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| could_not_start(command, &e))?;
    let stdout = child.stdout.take().expect("standard output is piped");
    let stderr = child.stderr.take().expect("standard error is piped");
    let heard = std::thread::scope(|scope| {
        let errors = scope.spawn(|| pass_through(stderr));
        let mut heard = pass_through(stdout);
        heard.push_str(&errors.join().expect("passing lines through does not panic"));
        heard
    });
    let status = child.wait()?;
    if status.success() {
        Ok(heard)
    } else {
        Err(format!("{} ended with {status}", shown(command)).into())
    }
}

fn pass_through(stream: impl std::io::Read) -> String {
    let mut heard = String::new();
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        let text = String::from_utf8_lossy(&line);
        say(text.trim_end_matches('\n'));
        heard.push_str(&text);
        line.clear();
    }
    heard
}

fn could_not_start(command: &Command, cause: &std::io::Error) -> Trouble {
    format!("could not start {}: {cause}", command.get_program().to_string_lossy()).into()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
