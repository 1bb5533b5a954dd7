//! The scripted agent: a program that behaves like an agent that is a command, and does what a script says.
//!
//! Tests and the demo run on it. `{}` is a script that delivers: every role does something sensible by itself.

mod act;
mod count;
mod daemon;
mod defaults;
mod documents;
mod leave;
mod matching;
mod plan;
mod script;
mod start;
mod write;

use script::{Script, Stdout};
use serde_json::Value;
use start::Start;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Wrong usage, as in sysexits: the script, not the work, is at fault.
const EXIT_USAGE: u8 = 64;
/// The workspace did not let the script do what it says.
const EXIT_CANNOT: u8 = 73;

pub fn run(script: &Path) -> ExitCode {
    if let Some(stage) = daemon::stage() {
        return daemon::run(stage, script);
    }
    let (code, message) = match play(script) {
        Ok(code) => return ExitCode::from(code),
        Err(ScriptError::Script(message)) => (EXIT_USAGE, message),
        Err(ScriptError::World(message)) => (EXIT_CANNOT, message),
    };
    to_stderr(&format!("scripted agent: {message}\n"));
    ExitCode::from(code)
}

/// Why a script could not be played.
#[derive(Debug)]
enum ScriptError {
    Script(String),
    World(String),
}

fn play(path: &Path) -> Result<u8, ScriptError> {
    let script = Script::read(path).map_err(ScriptError::Script)?;
    let start = Start::from_process().map_err(ScriptError::Script)?;
    let nth = counted(path, &script, &start)?;
    if let Some(log) = &script.log {
        let line = format!("{start} nth {nth}\n");
        write::append(Path::new(&start.fill(log)), &line)
            .map_err(|error| ScriptError::World(format!("cannot write the log {log}: {error}")))?;
    }
    let rule = script.rules.iter().find(|rule| matching::fits(&rule.when, &start, nth));
    let Some(rule) = rule else {
        if script.defaults {
            defaults::work(&start).map_err(ScriptError::World)?;
            say(&Stdout::Exact(act::filled(None, &start)));
            return Ok(0);
        }
        let message = format!("no rule fits {start} nth {nth}, and \"defaults\" is off");
        return Err(ScriptError::Script(message));
    };
    let outcome = act::perform(&rule.then, &start, path).map_err(ScriptError::World)?;
    if let Some(stdout) = &outcome.stdout {
        say(stdout);
    }
    Ok(outcome.exit)
}

/// Counting matters to a script that asks for it, and to a test that made the folder for it.
fn counted(path: &Path, script: &Script, start: &Start) -> Result<u32, ScriptError> {
    if !script.counts() && !count::is_on() {
        return Ok(1);
    }
    let folder = count::folder(path);
    count::record(&folder, start).map_err(|error| {
        ScriptError::World(format!("this start is not counted in {}: {error}", folder.display()))
    })
}

/// A reader that went away ends the conversation, not the script.
fn say(stdout: &Stdout) {
    let mut out = std::io::stdout().lock();
    let bytes = match stdout {
        Stdout::Text(text) => text.clone().into_bytes(),
        Stdout::Bytes(bytes) => bytes.clone(),
        Stdout::Exact(value) => one_line(value).into_bytes(),
    };
    let _ = out.write_all(&bytes).and_then(|()| out.flush());
}

fn one_line(value: &Value) -> String {
    format!("{value}\n")
}

fn to_stderr(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
