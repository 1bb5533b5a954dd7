//! Commands of a person, given to the program itself: the same commands as in a terminal, with the same refusals.

use super::Repo;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tollgate_core::id::{DecisionId, DispatchNumber, SessionName};
use tollgate_files::sanitize::terminal_text;

/// So much of what a failed command said is shown.
const SAID_BYTES_MAX: u64 = 16 << 10;

/// A command that is refused ends within this time.
const SOON: Duration = Duration::from_millis(700);
const LOOK: Duration = Duration::from_millis(10);
/// The exit codes of a command that was refused, found the journal damaged, or failed in itself.
const STARTED_NOTHING: [i32; 3] = [2, 6, 70];

/// Gives commands to a program: ours.
#[derive(Debug, Clone)]
pub struct Orders {
    program: PathBuf,
}

/// What a person answers to a question as they saw it.
#[derive(Debug, Clone)]
pub struct Answer {
    pub decision: DecisionId,
    /// The round that the person saw. An answer to an earlier one is refused.
    pub round: u32,
    /// The keyword of an option; empty where the person's words are all of the answer.
    pub answer: String,
    pub words: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct NewSession {
    pub goal: String,
    /// By default the goal chooses it.
    pub action: Option<String>,
    pub project_type: Option<String>,
    pub agent: Option<String>,
    /// `NAME=VALUE`, as the action asks for them.
    pub inputs: Vec<String>,
    pub research: bool,
    pub design: bool,
}

/// A session as one file, to be taken elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takeaway {
    Report,
    Archive,
}

/// Why a command did nothing.
#[derive(Debug, Clone, Deserialize)]
pub struct Refused {
    /// `tollgate explain` knows it. Empty where the program could not be started.
    pub code: String,
    pub message: String,
    #[serde(default)]
    pub hints: Vec<String>,
}

#[derive(Deserialize)]
struct Failed {
    error: Refused,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Orders {
    pub fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// Records an answer, durably. Nothing continues by it where no process runs the session: that is `resume`.
    pub fn answer(
        &self,
        repo: &Repo,
        session: &SessionName,
        given: &Answer,
    ) -> Result<(), Refused> {
        let round = given.round.to_string();
        let mut command = self.command(repo, "answer");
        command.args(["--json", "--round", &round]);
        // What begins with a dash is an answer, and no option.
        if given.words.is_some() {
            command.args(["--reason-file", "-"]);
        }
        command.args(["--", session.as_str(), given.decision.as_str()]);
        command.args((!given.answer.is_empty()).then_some(&given.answer));
        run(command, given.words.as_deref())
    }

    /// Ends a session for good.
    pub fn cancel(&self, repo: &Repo, session: &SessionName, reason: &str) -> Result<(), Refused> {
        let mut command = self.command(repo, "cancel");
        command.arg(format!("--reason={reason}")).args(["--", session.as_str()]);
        run(command, None)
    }

    /// Submits the reply of a dispatch that a person plays.
    pub fn submit(
        &self,
        repo: &Repo,
        session: &SessionName,
        number: DispatchNumber,
        reply: &str,
    ) -> Result<(), Refused> {
        let mut command = self.command(repo, "submit");
        command.args(["--", session.as_str(), &number.to_string(), "-"]);
        run(command, Some(reply))
    }

    /// Lets a process of its own run the session from where it stands, whatever happens to this one.
    pub fn resume(&self, repo: &Repo, session: &SessionName) -> Result<(), Refused> {
        let mut command = self.command(repo, "resume");
        command.args(["--no-input", "--quiet", "--", session.as_str()]);
        let (said, errors) = scratch()?;
        command.stdout(Stdio::null()).stderr(errors);
        let mut child = detached(command)?;
        match ended_soon(&mut child) {
            Some(code) if STARTED_NOTHING.contains(&code) => Err(told(said)),
            _ => {
                leave(child);
                Ok(())
            }
        }
    }

    /// Opens a session that runs by itself. Returns as soon as it has a name.
    pub fn start(&self, repo: &Repo, new: &NewSession) -> Result<SessionName, Refused> {
        let mut command = self.command(repo, "run");
        command.args(["--no-input", "--quiet"]);
        let named = [
            ("--action", &new.action),
            ("--project-type", &new.project_type),
            ("--agent", &new.agent),
        ];
        for (name, value) in named {
            command.args(value.iter().map(|value| format!("{name}={value}")));
        }
        command.args(new.inputs.iter().map(|input| format!("--input={input}")));
        command.args(new.research.then_some("--research"));
        command.args(new.design.then_some("--design"));
        if !new.goal.trim().is_empty() {
            command.args(["--", new.goal.trim()]);
        }
        let (said, errors) = scratch()?;
        command.stdout(Stdio::piped()).stderr(errors);
        let mut child = detached(command)?;
        let name = child.stdout.take().and_then(first_line);
        match name.and_then(|name| SessionName::parse(&name).ok()) {
            Some(name) => {
                leave(child);
                Ok(name)
            }
            None => {
                let _gone = child.wait();
                Err(told(said))
            }
        }
    }

    /// The session as one file, which has no name and is gone when it is closed.
    pub fn take_away(
        &self,
        repo: &Repo,
        session: &SessionName,
        what: Takeaway,
    ) -> Result<File, Refused> {
        let mut command = match what {
            Takeaway::Report => self.command(repo, "report"),
            Takeaway::Archive => self.command(repo, "export"),
        };
        match what {
            Takeaway::Report => command.arg("--html"),
            Takeaway::Archive => command.arg("--output=-"),
        };
        command.args(["--", session.as_str()]);
        let (mut written, out) = scratch()?;
        let (said, errors) = scratch()?;
        let status = command.stdout(out).stderr(errors).status();
        match status.map_err(|cause| could_not_start(&cause))?.success() {
            true => {
                written.rewind().map_err(|cause| could_not_start(&cause))?;
                Ok(written)
            }
            false => Err(told(said)),
        }
    }

    /// The names of the actions that a session of this repository can have.
    pub fn actions(&self, repo: &Repo) -> Vec<String> {
        let mut command = self.command(repo, "actions");
        let Ok(ended) = command.arg("--json").stderr(Stdio::null()).output() else {
            return Vec::new();
        };
        let listed: Vec<Named> = serde_json::from_slice(&ended.stdout).unwrap_or_default();
        listed.into_iter().map(|one| one.name).collect()
    }

    fn command(&self, repo: &Repo, verb: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(&repo.root).arg("--color=never").arg(verb);
        command.current_dir("/").stdin(Stdio::null());
        command
    }
}

/// Runs a command to its end.
fn run(mut command: Command, input: Option<&str>) -> Result<(), Refused> {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|cause| could_not_start(&cause))?;
    if let (Some(mut stdin), Some(text)) = (child.stdin.take(), input) {
        // A command that ends before it has read all says why.
        let _said_why = stdin.write_all(text.as_bytes());
    }
    let ended = child.wait_with_output().map_err(|cause| could_not_start(&cause))?;
    if ended.status.success() {
        return Ok(());
    }
    match serde_json::from_slice::<Failed>(&ended.stdout) {
        Ok(failed) => Err(failed.error),
        Err(_) => Err(in_its_words(&ended.stderr)),
    }
}

/// In a process group of its own: a Ctrl-C that ends the surface does not end the session.
fn detached(mut command: Command) -> Result<Child, Refused> {
    command.process_group(0).spawn().map_err(|cause| could_not_start(&cause))
}

/// A file without a name, once to write and once to read.
fn scratch() -> Result<(File, File), Refused> {
    let made = tempfile::tempfile().and_then(|file| Ok((file.try_clone()?, file)));
    made.map_err(|cause| could_not_start(&cause))
}

/// Its exit code, where it ends before it can have done anything.
fn ended_soon(child: &mut Child) -> Option<i32> {
    let give_up = Instant::now() + SOON;
    while Instant::now() < give_up {
        match child.try_wait() {
            Ok(Some(status)) => return status.code(),
            Ok(None) => std::thread::sleep(LOOK),
            Err(_) => return None,
        }
    }
    None
}

/// Takes its exit code when it ends, so that nothing is left of it.
fn leave(mut child: Child) {
    std::thread::spawn(move || child.wait());
}

fn first_line(from: impl Read) -> Option<String> {
    let mut line = String::new();
    BufReader::new(from.take(SAID_BYTES_MAX)).read_line(&mut line).ok()?;
    let line = line.trim_end();
    (!line.is_empty()).then(|| line.to_owned())
}

fn told(mut said: File) -> Refused {
    let mut bytes = Vec::new();
    let _unread = said.rewind().and_then(|()| said.take(SAID_BYTES_MAX).read_to_end(&mut bytes));
    in_its_words(&bytes)
}

fn in_its_words(stderr: &[u8]) -> Refused {
    let text = String::from_utf8_lossy(stderr);
    let message = terminal_text(text.trim()).into_owned();
    // The last line of a failure says how its code is looked up.
    let (message, code) = match message.rsplit_once("for details, run `tollgate explain ") {
        Some((before, code)) => {
            (before.trim_end().to_owned(), code.trim_end_matches('`').to_owned())
        }
        None => (message, String::new()),
    };
    Refused { code, message, hints: Vec::new() }
}

fn could_not_start(cause: &std::io::Error) -> Refused {
    let message = format!("cannot start the tollgate program: {cause}");
    Refused { code: String::new(), message, hints: Vec::new() }
}
