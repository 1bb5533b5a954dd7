//! Runs the git program so that nothing but our own settings, and where asked the person's, has a say.

mod error;
pub mod status;

pub use error::GitError;

use rustix::process::Signal;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tollgate_core::identity::Identity;

/// Who ref updates are made by, and commits where the person has not said who they are.
pub const IDENTITY_NAME: &str = "Tollgate";
pub const IDENTITY_EMAIL: &str = "tollgate@localhost";

/// What git and the person's filters need of the parent's environment; all else, and every `GIT_*`, stays out.
const KEPT_VARIABLES: [&str; 5] = ["HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME"];

/// Wins over every file of configuration: nothing of a repository runs because we looked at it.
const OVERRIDES: [&str; 17] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    // Since 2.54 a hook can be in the configuration; these are the events that our calls raise.
    "hook.reference-transaction.enabled=false",
    "hook.post-index-change.enabled=false",
    "hook.post-checkout.enabled=false",
    // A folder that merely looks like a git directory is none: its files could be part of anyone's commit.
    "safe.bareRepository=explicit",
    "core.askPass=",
    "core.alternateRefsCommand=true",
    "log.showSignature=false",
    "core.sshCommand=false",
    "core.pager=cat",
    "credential.helper=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// Whose configuration a call reads besides that of the git directory it is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Configuration {
    /// None: neither the system's nor the person's.
    Ours,
    /// The system's and the person's, for what only they can say: ignore rules, filters, trust.
    Theirs,
}

/// The git program of this machine.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    search_path: OsString,
}

impl Git {
    /// Looks on PATH. Relative entries are left out: an agent could put a program there.
    pub fn find() -> Result<Self, GitError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> =
            std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let program = folders
            .iter()
            .map(|folder| folder.join("git"))
            .find(|candidate| candidate.is_file())
            .ok_or(GitError::Missing)?;
        let search_path = std::env::join_paths(folders).map_err(|_| GitError::Missing)?;
        Ok(Self { program, search_path })
    }

    pub fn call(&self, configuration: Configuration) -> GitCall {
        let mut command = Command::new(&self.program);
        command.env_clear().env("PATH", &self.search_path);
        for name in KEPT_VARIABLES {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ALLOW_PROTOCOL", "")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            // A Python filter of the person must not import modules from the tree it runs in.
            .env("PYTHONSAFEPATH", "1")
            .env("GIT_AUTHOR_NAME", IDENTITY_NAME)
            .env("GIT_AUTHOR_EMAIL", IDENTITY_EMAIL)
            .env("GIT_COMMITTER_NAME", IDENTITY_NAME)
            .env("GIT_COMMITTER_EMAIL", IDENTITY_EMAIL);
        if configuration == Configuration::Ours {
            command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        }
        for setting in OVERRIDES {
            command.arg("-c").arg(setting);
        }
        // Ctrl-C in the terminal is for the engine; git finishes what it began.
        command.process_group(0);
        GitCall { command, words: Vec::new(), input: None, lock: None, ends_with_us: false }
    }
}

/// Where git looks for the person's ignore rules when no setting says where.
pub(crate) fn default_excludes() -> Option<PathBuf> {
    let variable =
        |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    Some(folder.join("git/ignore"))
}

/// One run of git, ready to start.
#[derive(Debug)]
pub struct GitCall {
    command: Command,
    words: Vec<String>,
    input: Option<Vec<u8>>,
    lock: Option<Arc<File>>,
    ends_with_us: bool,
}

/// What a run printed; it succeeded.
#[derive(Debug)]
pub struct GitOutput {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl GitOutput {
    /// The first line, for commands that answer with a name.
    pub fn line(&self) -> String {
        let text = String::from_utf8_lossy(&self.stdout);
        text.lines().next().unwrap_or_default().to_owned()
    }
}

impl GitCall {
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.words.push(arg.as_ref().to_string_lossy().into_owned());
        self.command.arg(arg);
        self
    }

    pub fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Author and committer of what this call commits; ours without one.
    pub fn signed_by(self, identity: Option<&Identity>) -> Self {
        let Some(identity) = identity else { return self };
        let (name, email) = (identity.name(), identity.email());
        self.env("GIT_AUTHOR_NAME", name)
            .env("GIT_AUTHOR_EMAIL", email)
            .env("GIT_COMMITTER_NAME", name)
            .env("GIT_COMMITTER_EMAIL", email)
    }

    pub fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Some(bytes);
        self
    }

    /// Lets git hold this file, and with it a lock on it, for as long as it runs: also when we are gone.
    pub fn holding(mut self, lock: &Arc<File>) -> Self {
        self.lock = Some(Arc::clone(lock));
        self
    }

    /// The kernel ends git when we end, however that happens. For a call that reads what agents left, which may be without
    /// end, and that leaves nothing half done. Short calls finish what they began, also when we are gone.
    pub fn ending_with_us(mut self) -> Self {
        self.ends_with_us = true;
        self
    }

    /// The lock takes the place of a stream that the command does not use. Any other way to pass it on would need
    /// code between fork and exec, and a fork costs more the more memory we have.
    fn streams(&self) -> std::io::Result<(Stdio, Stdio)> {
        let lock = self.lock.as_ref().map(|lock| lock.try_clone()).transpose()?;
        // What is fed a list of paths says nothing; `commit-tree` answers, and touches neither tree nor index.
        let is_silent = self.words.iter().any(|word| word == "update-index");
        Ok(match (self.input.is_some(), lock) {
            (false, Some(lock)) => (Stdio::from(lock), Stdio::piped()),
            (false, None) => (Stdio::null(), Stdio::piped()),
            (true, Some(lock)) if is_silent => (Stdio::piped(), Stdio::from(lock)),
            (true, _) => (Stdio::piped(), Stdio::piped()),
        })
    }

    /// Runs it to its end. An exit code other than 0 is an error with the last words of stderr.
    pub fn run(self) -> Result<GitOutput, GitError> {
        self.run_with(&[]).map(|(output, _)| output)
    }

    /// Runs a command that answers with its exit code: besides 0, these codes are answers too.
    pub fn run_with(mut self, answers: &[i32]) -> Result<(GitOutput, i32), GitError> {
        let name = format!("git {}", self.words.join(" "));
        let (stdin, stdout) =
            self.streams().map_err(|cause| could_not_run(&name, &self.command, cause))?;
        if self.ends_with_us {
            end_with_us(&mut self.command);
        }
        let mut child = self
            .command
            .stdin(stdin)
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|cause| could_not_run(&name, &self.command, cause))?;
        let stdin = child.stdin.take().zip(self.input.as_deref());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (stdout, stderr) = std::thread::scope(|scope| {
            if let Some((mut pipe, bytes)) = stdin {
                // A broken pipe here means that git ended early; its exit code says why.
                scope.spawn(move || drop(pipe.write_all(bytes)));
            }
            let stderr = scope.spawn(move || stderr.map_or(Ok(Vec::new()), read_bounded));
            let stdout = stdout.map_or(Ok(Vec::new()), read_bounded);
            if stdout.is_err() {
                drop(child.kill());
            }
            (stdout, stderr.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let status = child.wait();
        let fail = |cause| could_not_run(&name, &self.command, cause);
        let (stdout, stderr, status) =
            (stdout.map_err(fail)?, stderr.map_err(fail)?, status.map_err(fail)?);
        match status.code() {
            Some(code) if code == 0 || answers.contains(&code) => {
                Ok((GitOutput { stdout, stderr }, code))
            }
            _ => Err(GitError::failed(name, status, &stderr)),
        }
    }
}

/// The signal comes when the thread that started git ends: `run_with` waits for git on that thread.
#[expect(unsafe_code, reason = "only code between fork and exec can ask for the signal")]
fn end_with_us(command: &mut Command) {
    let us = rustix::process::getpid();
    // SAFETY: the closure makes two system calls and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // We may have ended before the signal was asked for.
            match rustix::process::getppid() == Some(us) {
                true => Ok(()),
                false => Err(std::io::Error::from(rustix::io::Errno::SRCH)),
            }
        });
    }
}

/// More than this is not a listing of anyone's work; a tree filled on purpose shall not fill the memory.
const OUTPUT_BYTES_MAX: u64 = 256 * 1024 * 1024;

fn read_bounded(pipe: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = pipe.take(OUTPUT_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).is_ok_and(|read| read <= OUTPUT_BYTES_MAX) {
        Ok(bytes)
    } else {
        Err(std::io::Error::other("it printed more than 256 MiB; are there millions of new files?"))
    }
}

fn could_not_run(name: &str, command: &Command, cause: std::io::Error) -> GitError {
    let folder = command.get_current_dir().unwrap_or(Path::new(".")).to_owned();
    GitError::CouldNotRun { command: name.to_owned(), folder, cause }
}
