//! A program of the person has the terminal: their pager or their editor. The session continues meanwhile, on the thread of
//! its owner, and what happens is told when the terminal is back.

use super::keyboard;
use crate::output::{self, Shown};
use crate::pager;
use anstyle::Style;
use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use tempfile::NamedTempFile;
use tollgate_core::answer::AnswerOption;
use tollgate_core::view::QuestionView;
use tollgate_host::serve::OwnerMessage;

/// How soon it is seen that the program has ended.
const LOOK: Duration = Duration::from_millis(20);
/// How long a program may take to leave when the session ends.
const LEAVE_PATIENCE: Duration = Duration::from_secs(3);

/// When a file of the editor was written that nobody saved since: long before any clock of today.
const UNSAVED: SystemTime = SystemTime::UNIX_EPOCH;

/// The session ends, and whoever has the terminal is asked to leave.
static IS_CALLED_BACK: AtomicBool = AtomicBool::new(false);

pub fn call_back() {
    IS_CALLED_BACK.store(true, Ordering::Relaxed);
}

pub fn is_called_back() -> bool {
    IS_CALLED_BACK.load(Ordering::Relaxed)
}

type Ended = io::Result<ExitStatus>;

#[derive(Debug)]
pub struct Loan {
    program: JoinHandle<Ended>,
    opened: Opened,
    asked: Asked,
}

/// What the person was asked when they opened it.
#[derive(Debug, Clone)]
pub struct Asked {
    pub question: QuestionView,
    /// The option that they chose, and its words are still wanted.
    pub chosen: Option<AnswerOption>,
}

/// What the person has open.
#[derive(Debug)]
enum Opened {
    /// This text, painted.
    Pager(String),
    Editor(NamedTempFile),
}

/// What a person left in their editor.
#[derive(Debug)]
pub struct Written {
    pub text: String,
    /// Why it is not sent.
    pub failure: Option<String>,
    /// The person saved it: a draft that they only looked at is not sent.
    pub is_saved: bool,
    file: NamedTempFile,
}

impl Loan {
    /// Opens the person's pager. Where there is none, the lines are shown at once.
    pub fn pager(
        lines: &[(Style, String)],
        asked: Asked,
        to: Sender<OwnerMessage>,
    ) -> Option<Self> {
        let text = output::painted(lines, Shown::AsTalk);
        let (Some(mut command), Ok(terminal)) = (pager::over(&text), output::terminal()) else {
            output::show_painted(&text);
            return None;
        };
        command.stdout(terminal);
        Some(Self::begin(command, Opened::Pager(text), asked, to))
    }

    /// Opens the person's editor with a text. The reason where that cannot be.
    pub fn editor(text: &str, asked: Asked, to: Sender<OwnerMessage>) -> Result<Self, String> {
        let words = |cause: io::Error| format!("a file for the editor cannot be made: {cause}");
        let mut file =
            tempfile::Builder::new().prefix("tollgate-").suffix(".md").tempfile().map_err(words)?;
        io::Write::write_all(&mut file, text.as_bytes()).map_err(words)?;
        file.as_file().set_modified(UNSAVED).map_err(words)?;
        let mut command = editor()?;
        command.arg(file.path()).stdout(output::terminal().map_err(words)?);
        Ok(Self::begin(command, Opened::Editor(file), asked, to))
    }

    fn begin(mut command: Command, opened: Opened, asked: Asked, to: Sender<OwnerMessage>) -> Self {
        keyboard::lend_out();
        let program = std::thread::spawn(move || {
            let ended = command.spawn().and_then(wait);
            let _owner_is_gone = to.send(OwnerMessage::TerminalIsBack);
            ended
        });
        Self { program, opened, asked }
    }

    /// Waits until the program has ended and takes the terminal back; with what was written, if it was an editor.
    pub fn end(self) -> (Asked, Option<Written>) {
        let ended = self.program.join();
        keyboard::take_back();
        let ended = ended.unwrap_or_else(|_| Err(io::Error::other("its thread ended")));
        let written = match self.opened {
            Opened::Pager(text) => {
                if !pager::has_shown(&ended) {
                    output::show_painted(&text);
                }
                None
            }
            Opened::Editor(file) => Some(Written::read(file, &ended)),
        };
        (self.asked, written)
    }
}

fn wait(mut child: Child) -> Ended {
    let mut asked_to_leave = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if is_called_back() {
            let since = *asked_to_leave.get_or_insert_with(|| ask_to_leave(&child));
            if since.elapsed() > LEAVE_PATIENCE {
                child.kill()?;
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// Also when it is stopped.
fn ask_to_leave(child: &Child) -> Instant {
    for signal in [Signal::TERM, Signal::CONT] {
        let _has_left = kill_process(Pid::from_child(child), signal);
    }
    Instant::now()
}

impl Written {
    fn read(file: NamedTempFile, ended: &Ended) -> Self {
        let failure = match ended {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("the editor ended with {}", words(*status))),
            Err(cause) => {
                Some(format!("the editor cannot be started: {cause}; set $EDITOR to another one"))
            }
        };
        let (text, unread) = match std::fs::read(file.path()) {
            Ok(bytes) => (lossy(bytes), None),
            Err(cause) => (String::new(), Some(format!("what you wrote cannot be read: {cause}"))),
        };
        let modified = std::fs::metadata(file.path()).and_then(|found| found.modified());
        let is_saved = modified.is_ok_and(|at| at != UNSAVED);
        Self { text, failure: failure.or(unread), is_saved, file }
    }

    /// Nobody asks for it any more, so it stays where it is.
    pub fn keep(self) {
        match self.file.keep() {
            Ok((_, path)) => {
                output::talk(&format!("what you wrote is kept in {}", path.display()));
            }
            Err(failed) => {
                output::talk(&format!("what you wrote cannot be kept: {}", failed.error));
                output::talk(&self.text);
            }
        }
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|broken| {
        output::talk(
            "what you wrote is not UTF-8: each byte that cannot be read is replaced by \u{fffd}",
        );
        String::from_utf8_lossy(broken.as_bytes()).into_owned()
    })
}

fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// `$VISUAL`, else `$EDITOR`, else vi. One that is empty is not set.
pub fn editor() -> Result<Command, String> {
    let named = |name: &'static str| {
        let words = std::env::var(name).ok()?;
        Some((name, words)).filter(|(_, words)| !words.trim().is_empty())
    };
    let (name, text) =
        named("VISUAL").or_else(|| named("EDITOR")).unwrap_or(("EDITOR", "vi".to_owned()));
    let words =
        shlex::split(&text).ok_or_else(|| format!("a quote in ${name} is not closed: {text}"))?;
    let (program, args) = words.split_first().ok_or_else(|| format!("${name} names no program"))?;
    let mut command = Command::new(program);
    command.args(args);
    Ok(command)
}
