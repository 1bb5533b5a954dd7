//! `terminal/*`: commands that an agent has us run. They are children of the driver, so the sandbox and the end of the
//! process tree hold for them as for the agent itself.

use super::boundary::PathBoundary;
use super::rpc::{INTERNAL_ERROR, INVALID_PARAMS, NOT_FOUND, RpcRefusal};
use crate::Post;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// At once; an agent that wants more has lost count.
const TERMINALS_MAX: usize = 32;

/// What is kept of an output: its end.
const OUTPUT_BYTES_MAX: usize = 1024 * 1024;

const PIECE_BYTES: usize = 16 * 1024;

/// What a command has left in its pipe when it ends is waited for this long; something it started may hold the pipe forever.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often and after what pause it is looked whether a command that was killed is gone.
const LEAVING_LOOKS: u32 = 100;
const LEAVING_LOOK: Duration = Duration::from_millis(10);

/// In a note of ours: which terminal it is about.
const NOTE: &str = "terminal";

#[derive(Debug, Default)]
pub struct Terminals {
    open: BTreeMap<String, Terminal>,
    count: u64,
}

#[derive(Debug)]
struct Terminal {
    /// Not yet waited for: its number stays its own until then.
    child: Child,
    output: String,
    is_cut: bool,
    bytes_max: usize,
    /// How it ended.
    exit: Option<Value>,
    /// Requests that wait for its end.
    waiting: Vec<Value>,
}

impl Terminals {
    pub fn create(
        &mut self,
        boundary: &PathBoundary,
        params: &Value,
        post: &Post,
    ) -> Result<Value, RpcRefusal> {
        if self.open.len() >= TERMINALS_MAX {
            return Err(RpcRefusal::new(
                INVALID_PARAMS,
                "too many terminals are open; release some",
            ));
        }
        let mut command = command(boundary, params)?;
        let failed = |error: io::Error| RpcRefusal::new(INTERNAL_ERROR, error.to_string());
        let (reader, writer) = io::pipe().map_err(failed)?;
        let stderr = writer.try_clone().map_err(failed)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(stderr)
            .process_group(0)
            .spawn()
            .map_err(|error| {
                let program = params["command"].as_str().unwrap_or_default();
                RpcRefusal::new(INTERNAL_ERROR, format!("cannot start {program}: {error}"))
            })?;
        self.count += 1;
        let id = format!("terminal-{}", self.count);
        listen(&id, reader, &child, post);
        let limit =
            params["outputByteLimit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let terminal = Terminal {
            child,
            output: String::new(),
            is_cut: false,
            bytes_max: limit.unwrap_or(OUTPUT_BYTES_MAX).min(OUTPUT_BYTES_MAX),
            exit: None,
            waiting: Vec::new(),
        };
        self.open.insert(id.clone(), terminal);
        Ok(json!({ "terminalId": id }))
    }

    pub fn output(&mut self, params: &Value) -> Result<Value, RpcRefusal> {
        let terminal = self.find(params)?;
        let (output, truncated) = (&terminal.output, terminal.is_cut);
        Ok(json!({ "output": output, "truncated": truncated, "exitStatus": terminal.exit }))
    }

    /// The answer, or nothing while the command works: then it comes with the note of its end.
    pub fn wait(&mut self, id: &Value, params: &Value) -> Result<Option<Value>, RpcRefusal> {
        let terminal = self.find(params)?;
        if terminal.exit.is_none() {
            terminal.waiting.push(id.clone());
        }
        Ok(terminal.exit.clone())
    }

    pub fn kill(&mut self, params: &Value) -> Result<Value, RpcRefusal> {
        self.find(params)?.end();
        Ok(json!({}))
    }

    /// Those who still wait for the end of what is released are answered too.
    pub fn release(&mut self, params: &Value) -> Result<(Value, Vec<Value>), RpcRefusal> {
        self.find(params)?;
        let gone = params["terminalId"].as_str().and_then(|id| self.open.remove(id));
        let waiting = gone.map(|mut terminal| std::mem::take(&mut terminal.waiting));
        Ok((json!({}), waiting.unwrap_or_default()))
    }

    /// What a thread of ours has to say; the requests that can be answered now, with their answer.
    pub fn noted(&mut self, note: &Value) -> Option<(Vec<Value>, Value)> {
        let terminal = self.open.get_mut(note[NOTE].as_str()?)?;
        if let Some(piece) = note["output"].as_str() {
            terminal.add(piece);
        }
        note["ended"].as_bool()?;
        let exit = terminal.reap();
        terminal.exit = Some(exit.clone());
        Some((std::mem::take(&mut terminal.waiting), exit))
    }

    fn find(&mut self, params: &Value) -> Result<&mut Terminal, RpcRefusal> {
        let id = params["terminalId"].as_str().unwrap_or_default();
        let missing = || RpcRefusal::new(NOT_FOUND, format!("there is no terminal {id:?}"));
        self.open.get_mut(id).ok_or_else(missing)
    }
}

impl Terminal {
    fn add(&mut self, piece: &str) {
        self.output.push_str(piece);
        let surplus = self.output.len().saturating_sub(self.bytes_max);
        if surplus > 0 {
            let from = (surplus..).find(|at| self.output.is_char_boundary(*at)).unwrap_or(surplus);
            self.output.drain(..from);
            self.is_cut = true;
        }
    }

    fn reap(&mut self) -> Value {
        match self.child.wait() {
            Ok(status) => {
                let signal = status.signal().map(|number| number.to_string());
                json!({ "exitCode": status.code(), "signal": signal })
            }
            Err(_) => json!({ "exitCode": null, "signal": null }),
        }
    }

    /// The command and what it started in its own group; the rest is ended with the process tree.
    fn end(&mut self) {
        if self.exit.is_none()
            && let Some(group) = pid_of(&self.child)
        {
            let _gone = rustix::process::kill_process_group(group, Signal::KILL);
            // It may have left its group.
            let _gone = self.child.kill();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.end();
        // One that cannot be killed is left to the end of the process tree.
        for _ in 0..LEAVING_LOOKS {
            if self.exit.is_some() || !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            thread::sleep(LEAVING_LOOK);
        }
    }
}

/// As the agent gives it: a program with arguments, or, as some do, one line for a shell. It is the agent's own line either
/// way; nothing is put into it.
fn command(boundary: &PathBoundary, params: &Value) -> Result<Command, RpcRefusal> {
    let wrong = |why: &str| RpcRefusal::new(INVALID_PARAMS, why);
    let word = params["command"].as_str().filter(|word| !word.trim().is_empty());
    let word = word.ok_or_else(|| wrong("there is no command"))?;
    let texts = |name: &str| params[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let arguments: Vec<&str> = texts("args").iter().filter_map(Value::as_str).collect();
    if word.contains('\0') || arguments.iter().any(|argument| argument.contains('\0')) {
        return Err(wrong("a zero byte is in the command"));
    }
    let is_line = arguments.is_empty() && !is_one_word(word);
    let mut command = if is_line { Command::new(shell()) } else { Command::new(word) };
    match is_line {
        true => command.arg("-c").arg(word),
        false => command.args(arguments),
    };
    for variable in texts("env") {
        if let (Some(name), Some(value)) = (variable["name"].as_str(), variable["value"].as_str()) {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(wrong("a variable cannot be set"));
            }
            command.env(name, value);
        }
    }
    let folder = params["cwd"].as_str().unwrap_or(".");
    let folder = boundary.folder(folder).map_err(|why| RpcRefusal::new(INVALID_PARAMS, why))?;
    command.current_dir(folder);
    Ok(command)
}

fn is_one_word(command: &str) -> bool {
    command.chars().all(|c| c.is_alphanumeric() || "/._-+@%,:".contains(c))
}

/// Models write for bash.
fn shell() -> &'static str {
    if Path::new("/bin/bash").exists() { "/bin/bash" } else { "/bin/sh" }
}

/// One thread reads, one waits for the end; both only post.
fn listen(id: &str, reader: PipeReader, child: &Child, post: &Post) {
    let (read, all_read) = channel();
    let (pieces, name) = (post.clone(), id.to_owned());
    thread::spawn(move || read_all(&name, reader, &pieces, &read));
    let (end, name, pid) = (post.clone(), id.to_owned(), pid_of(child));
    thread::spawn(move || {
        if let Some(pid) = pid {
            // It is not taken away here, so that its number cannot become someone else's before we know.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(rustix::process::waitid(WaitId::Pid(pid), options), Err(e) if e == rustix::io::Errno::INTR)
            {
            }
        }
        let _held_open = all_read.recv_timeout(LAST_WORDS);
        end.note(json!({ NOTE: name, "ended": true }));
    });
}

fn read_all(id: &str, mut reader: PipeReader, post: &Post, done: &Sender<()>) {
    let mut piece = vec![0; PIECE_BYTES];
    let mut rest = Vec::new();
    loop {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => rest.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        }
        let whole = whole_characters(&rest);
        let text = String::from_utf8_lossy(&rest[..whole]).into_owned();
        rest.drain(..whole);
        post.note(json!({ NOTE: id, "output": text }));
    }
    if !rest.is_empty() {
        post.note(json!({ NOTE: id, "output": String::from_utf8_lossy(&rest) }));
    }
    let _nobody_waits = done.send(());
}

/// How much of it ends with a whole character: one may be cut by the end of a piece.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

fn pid_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}
