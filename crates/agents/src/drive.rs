//! The driver: starts an agent program inside the sandbox, talks to it, and writes down what it says, raw and in our words.

mod lines;
mod stdin_writer;

use super::event::{AgentEvent, Finished, TurnOutcome};
use super::plan::PLAN;
use super::transcript::RAW_KEY;
use super::words::without_first_half;
use super::{AgentExit, DriverPlan, Post, Stdin, Talk, Turn, adapter};
use lines::{AgentLine, Asides, read_lines};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, BufWriter, Read, Stdout, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};
use stdin_writer::StdinWriter;
use tollgate_core::limits::{AGENT_RETRIES_MAX, AGENT_WAIT_MS_MAX, REPLY_BYTES_MAX, TAIL_BYTES};
use tollgate_files as files;
use tollgate_files::clock;

/// In the folder of an attempt, beside the plan.
const PROMPT: &str = "prompt.md";

/// What a program gets to leave by itself after its last word; some hold their output open forever.
const LEAVING: Duration = Duration::from_secs(5);

/// How long the rest of what a program said may take to come when it is gone; a process that it left may hold its output.
const REST: Duration = Duration::from_secs(2);

/// How often to look whether the program is gone while its output stays open.
const LOOK: Duration = Duration::from_millis(100);

/// The body of `tollgate drive DIR`. Its standard output is the transcript.
pub fn drive(run_dir: &Path) -> ExitCode {
    match run(run_dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _nowhere_to_tell = writeln!(io::stderr(), "the agent could not be driven: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(run_dir: &Path) -> io::Result<()> {
    // What is said here is ours alone: nobody else of this user may open our output through /proc.
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let bytes =
        files::read_bounded(&run_dir.join(PLAN), REPLY_BYTES_MAX).map_err(io::Error::other)?;
    let mut plan: DriverPlan = serde_json::from_slice(&bytes)?;
    plan.prompt = std::fs::read_to_string(run_dir.join(PROMPT))?;
    let adapter = adapter(plan.adapter).ok_or_else(|| io::Error::other("no such agent"))?;
    // Small: what is not taken yet waits in the pipe, not in memory.
    let (sender, heard) = sync_channel(1);
    let mut child = start(&plan, run_dir)?;
    let stdin = child.stdin.take().map(StdinWriter::new);
    listen(&mut child, plan.output_bytes_max, &sender);
    let mut drive = Drive {
        talk: adapter.talk(&plan),
        plan,
        child,
        stdin,
        heard,
        transcript: BufWriter::new(io::stdout()),
        tools: BTreeSet::new(),
        retries: 0,
        last_words: Vec::new(),
        asides: Asides::default(),
        over_since: None,
    };
    drive.until_end(Post(sender))
}

fn start(plan: &DriverPlan, run_dir: &Path) -> io::Result<Child> {
    let (program, arguments) =
        plan.argv.split_first().ok_or_else(|| io::Error::other("there is no program to start"))?;
    let stdin = match plan.stdin {
        Stdin::Nothing => Stdio::null(),
        Stdin::Prompt => std::fs::File::open(run_dir.join(PROMPT))?.into(),
        Stdin::Talk => Stdio::piped(),
    };
    Command::new(program)
        .args(arguments)
        .envs(&plan.env)
        .current_dir(&plan.tree)
        // Its own group: what it sends to its group does not reach the driver.
        .process_group(0)
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io::Error::other(format!("{program}: {error}")))
}

/// Something that reached the driver.
#[derive(Debug)]
pub enum DriverInput {
    Line(AgentLine),
    Stderr(Vec<u8>),
    /// Its standard output is closed.
    Closed,
    Note(Value),
    /// It wrote more than it may.
    Flood,
}

fn listen(child: &mut Child, bytes_max: u64, sender: &SyncSender<DriverInput>) {
    if let Some(stdout) = child.stdout.take() {
        let lines = sender.clone();
        thread::spawn(move || {
            let mut output = stdout.take(bytes_max.saturating_add(1));
            read_lines(&mut output, &mut |line| lines.send(DriverInput::Line(line)).is_ok());
            let is_flood = output.limit() == 0;
            let _over = lines.send(if is_flood { DriverInput::Flood } else { DriverInput::Closed });
        });
    }
    if let Some(stderr) = child.stderr.take() {
        let words = sender.clone();
        thread::spawn(move || {
            lines::read_pieces(stderr, &mut |piece| words.send(DriverInput::Stderr(piece)).is_ok());
        });
    }
}

struct Drive {
    talk: Box<dyn Talk>,
    plan: DriverPlan,
    child: Child,
    /// None when it is closed.
    stdin: Option<StdinWriter>,
    heard: Receiver<DriverInput>,
    transcript: BufWriter<Stdout>,
    /// The tools at work: while there are any, silence is no sign of trouble.
    tools: BTreeSet<String>,
    /// In a row, with nothing else heard between.
    retries: u32,
    /// What it said to people last.
    last_words: Vec<u8>,
    asides: Asides,
    over_since: Option<Instant>,
}

impl Drive {
    fn until_end(&mut self, post: Post) -> io::Result<()> {
        if self.plan.resume.is_some() {
            self.write(&AgentEvent::Resumed { before: self.plan.before })?;
        }
        let mut turn = Turn::default();
        self.talk.open(post, &mut turn);
        self.follow(turn)?;
        let finished = match self.converse()? {
            Some(outcome) => {
                self.end_child();
                Finished::without_reply(outcome)
            }
            None => {
                let exit = self.exit()?;
                self.talk.ended(&exit)
            }
        };
        self.write(&AgentEvent::Finished(finished))?;
        self.transcript.flush()
    }

    /// Until the program is gone or has said its last word; an outcome where we put an end to it.
    fn converse(&mut self) -> io::Result<Option<TurnOutcome>> {
        let silence = Duration::from_millis(self.plan.silence_ms);
        let mut last_heard = Instant::now();
        let mut is_closed = false;
        loop {
            // A program may be gone while a process of its own still holds the output, and writes to it.
            if self.is_gone()? {
                return self.take_rest(is_closed);
            }
            if self.over_since.is_some_and(|since| since.elapsed() > LEAVING) {
                return Ok(None);
            }
            // After its last word nothing more is expected.
            let is_expected = self.over_since.is_none() && self.tools.is_empty();
            if is_expected && last_heard.elapsed() > silence {
                return Ok(Some(TurnOutcome::Silent { after_ms: self.plan.silence_ms }));
            }
            match self.heard.recv_timeout(LOOK) {
                Ok(DriverInput::Closed) => is_closed = true,
                Ok(heard) => {
                    last_heard = Instant::now();
                    if let Some(outcome) = self.take(heard)? {
                        return Ok(Some(outcome));
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.transcript.flush()?,
                // It has closed all its output, and lives on.
                Err(RecvTimeoutError::Disconnected) => {
                    is_closed = true;
                    self.transcript.flush()?;
                    thread::sleep(LOOK);
                }
            }
        }
    }

    fn is_gone(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// What was said right before the end, up to the end of its output or until nothing more comes of it.
    fn take_rest(&mut self, is_closed: bool) -> io::Result<Option<TurnOutcome>> {
        let begun = Instant::now();
        let mut patience = if is_closed { LOOK } else { REST };
        while begun.elapsed() < LEAVING {
            match self.heard.recv_timeout(patience) {
                // Its words to people may still be on their way.
                Ok(DriverInput::Closed) => patience = LOOK,
                Ok(heard) => {
                    let outcome = self.take(heard)?;
                    if matches!(outcome, Some(TurnOutcome::Flooded { .. })) {
                        return Ok(outcome);
                    }
                }
                Err(_) => break,
            }
        }
        Ok(None)
    }

    fn take(&mut self, heard: DriverInput) -> io::Result<Option<TurnOutcome>> {
        let mut turn = Turn::default();
        match heard {
            DriverInput::Line(AgentLine::Json(value)) => {
                self.write(&json!({ RAW_KEY: value }))?;
                // What follows the last word is kept, and means nothing any more.
                if self.over_since.is_none() {
                    self.talk.heard(&value, &mut turn);
                }
            }
            DriverInput::Line(AgentLine::Other(text)) => {
                self.write(&json!({ RAW_KEY: text }))?;
                // Some say there why they cannot start.
                self.keep_words(format!("{text}\n").as_bytes());
            }
            DriverInput::Note(note) => self.talk.posted(note, &mut turn),
            DriverInput::Stderr(piece) => {
                self.pass_on(&piece)?;
                let talk = &mut self.talk;
                self.asides.take(&piece, &mut |line| talk.aside(line, &mut turn));
            }
            DriverInput::Flood => {
                let limit_bytes = self.plan.output_bytes_max;
                return Ok(Some(TurnOutcome::Flooded { limit_bytes }));
            }
            DriverInput::Closed => {}
        }
        self.follow(turn)
    }

    /// What the program says to people is passed on to them, and its end is kept.
    fn pass_on(&mut self, piece: &[u8]) -> io::Result<()> {
        io::stderr().write_all(piece)?;
        self.keep_words(piece);
        Ok(())
    }

    fn keep_words(&mut self, piece: &[u8]) {
        self.last_words.extend_from_slice(piece);
        let surplus = self.last_words.len().saturating_sub(TAIL_BYTES);
        self.last_words.drain(..surplus);
    }

    fn follow(&mut self, turn: Turn) -> io::Result<Option<TurnOutcome>> {
        let mut outcome = None;
        let was_over = self.over_since.is_some();
        let has_news = !turn.events.is_empty();
        for event in turn.events {
            self.write(&event)?;
            outcome = outcome.or(self.watch(event));
        }
        // Whoever ends us, what was spent is known.
        if has_news {
            self.transcript.flush()?;
        }
        for line in turn.say {
            let is_said = self.stdin.as_ref().is_none_or(|stdin| stdin.say(&line));
            if !is_said {
                let detail = "it asks questions but does not read the answers".to_owned();
                outcome = Some(TurnOutcome::unclear(detail));
            }
        }
        if turn.is_over && self.over_since.is_none() {
            self.over_since = Some(Instant::now());
            self.stdin = None;
        }
        Ok(outcome.filter(|_| !was_over))
    }

    fn watch(&mut self, event: AgentEvent) -> Option<TurnOutcome> {
        match event {
            AgentEvent::ToolStart { id, .. } => {
                self.tools.insert(id);
                self.retries = 0;
            }
            AgentEvent::ToolEnd { id, .. } => {
                self.tools.remove(&id);
                self.retries = 0;
            }
            AgentEvent::Text { .. } => self.retries = 0,
            AgentEvent::Retry { status, wait_ms, detail } => {
                self.retries += 1;
                // An agent that sleeps for an hour holds its place for nothing: the engine waits better.
                if let Some(wait_ms) = wait_ms.filter(|wait| *wait > AGENT_WAIT_MS_MAX) {
                    let resets_at = Some(clock::now().plus_ms(wait_ms));
                    return Some(match status {
                        None | Some(429) => TurnOutcome::UsageLimit { resets_at, detail },
                        status => TurnOutcome::Service { status, detail },
                    });
                }
                if self.retries > AGENT_RETRIES_MAX {
                    return Some(TurnOutcome::Looping { requests: self.retries });
                }
            }
            _ => {}
        }
        None
    }

    fn write(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.transcript, line)?;
        self.transcript.write_all(b"\n")
    }

    fn exit(&mut self) -> io::Result<AgentExit> {
        if self.child.try_wait()?.is_none() {
            self.end_child();
        }
        let status = self.child.wait()?;
        Ok(exit_of(status, &self.last_words))
    }

    /// What else it has started is ended with the process tree.
    fn end_child(&mut self) {
        let _gone = self.child.kill();
    }
}

fn exit_of(status: ExitStatus, stderr_tail: &[u8]) -> AgentExit {
    let tail = String::from_utf8_lossy(stderr_tail);
    AgentExit {
        code: status.code(),
        signal: status.signal(),
        stderr_tail: match stderr_tail.len() < TAIL_BYTES {
            true => tail.into_owned(),
            false => without_first_half(&tail).to_owned(),
        },
    }
}
