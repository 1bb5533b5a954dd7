//! A person at a terminal: the program on a pseudo-terminal, with what it shows and what they type.

use super::{APPROVE, GOAL, Repo, text};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far more than anything takes; only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// The gate that a person comes to first.
pub const GATE: &str = APPROVE.0;

/// A run that waits at that gate, with these variables set.
pub fn at_the_gate(repo: &Repo, variables: &[(&str, &str)]) -> Terminal {
    let mut terminal = Terminal::start_with_all(repo, &["run", GOAL], variables);
    terminal.wait_for(&format!("{GATE} (approve)")).wait_for("? help").wait_for("> ");
    terminal
}

pub struct Terminal {
    child: Child,
    keyboard: File,
    shown: Arc<Mutex<Vec<u8>>>,
    /// Reads what is shown, until nobody can show anything any more.
    reader: JoinHandle<()>,
    seen: usize,
}

impl Terminal {
    pub fn start(repo: &Repo, args: &[&str]) -> Self {
        Self::start_with(repo, args, "TERM", "xterm")
    }

    /// With a variable set.
    pub fn start_with(repo: &Repo, args: &[&str], variable: &str, value: &str) -> Self {
        Self::start_with_all(repo, args, &[(variable, value)])
    }

    /// With several variables set.
    pub fn start_with_all(repo: &Repo, args: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::open(repo, args, variables, 0, None)
    }

    /// A script reads what is printed, as in `name=$(tollgate run …)`: standard output is a file.
    pub fn start_printing_to(
        repo: &Repo,
        args: &[&str],
        variables: &[(&str, &str)],
        file: &Path,
    ) -> Self {
        Self::open(repo, args, variables, 0, Some(File::create(file).unwrap()))
    }

    /// At a terminal that tells how wide it is.
    pub fn start_wide(repo: &Repo, args: &[&str], columns: u16) -> Self {
        Self::open(repo, args, &[], columns, None)
    }

    /// The same with several variables set.
    pub fn start_wide_with(
        repo: &Repo,
        args: &[&str],
        variables: &[(&str, &str)],
        columns: u16,
    ) -> Self {
        Self::open(repo, args, variables, columns, None)
    }

    fn open(
        repo: &Repo,
        args: &[&str],
        variables: &[(&str, &str)],
        columns: u16,
        output: Option<File>,
    ) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let path = std::ffi::OsStr::from_bytes(name.to_bytes());
        let open = || OpenOptions::new().read(true).write(true).open(path).unwrap();
        let child = in_front(repo.command(args))
            .env("TERM", "xterm")
            .envs(variables.iter().copied())
            .stdin(Stdio::from(open()))
            .stdout(Stdio::from(output.unwrap_or_else(open)))
            .stderr(Stdio::from(open()))
            .spawn()
            .unwrap();
        let keyboard = File::from(master);
        let shown = Arc::new(Mutex::new(Vec::new()));
        let reader = follow(keyboard.try_clone().unwrap(), shown.clone());
        Self { child, keyboard, shown, reader, seen: 0 }
    }

    /// Everything shown so far.
    pub fn screen(&self) -> String {
        text(&self.shown.lock().unwrap())
    }

    /// Every byte that was shown, as it came.
    pub fn bytes(&self) -> Vec<u8> {
        self.shown.lock().unwrap().clone()
    }

    /// How the terminal treats what is typed and shown: every mode that a program can change.
    pub fn modes(&self) -> [u32; 4] {
        let modes = tcgetattr(&self.keyboard).unwrap();
        let Termios { input_modes, output_modes, control_modes, local_modes, .. } = modes;
        [input_modes.bits(), output_modes.bits(), control_modes.bits(), local_modes.bits()]
    }

    /// The same without colours and other sequences.
    pub fn plain(&self) -> String {
        plain(&self.screen())
    }

    /// Waits until these words appear after what was waited for before.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) -> &mut Self {
        let give_up = Instant::now() + PATIENCE;
        loop {
            let shown = self.shown.lock().unwrap().clone();
            let fresh = &shown[self.seen.min(shown.len())..];
            if let Some(at) = fresh.windows(words.len()).position(|w| w == words.as_bytes()) {
                self.seen += at + words.len();
                return self;
            }
            assert!(Instant::now() < give_up, "{words:?} was not shown:\n{}", text(&shown));
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn types(&mut self, line: &str) -> &mut Self {
        self.sends(&format!("{line}\n"))
    }

    /// Keys, or what a terminal makes of a paste.
    pub fn sends(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self
    }

    /// The person makes the window narrower or wider.
    pub fn is_resized(&mut self, columns: u16) -> &mut Self {
        let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.keyboard, size).unwrap();
        self
    }

    /// Ctrl-C, as a person types it: the terminal tells everybody who is in front.
    pub fn types_ctrl_c(&mut self) -> &mut Self {
        self.sends("\u{3}")
    }

    pub fn signals(&mut self, signal: rustix::process::Signal) -> &mut Self {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
        self
    }

    /// What is typed is shown and read line by line, as at a shell.
    pub fn is_as_before(&self) -> bool {
        let modes = tcgetattr(&self.keyboard).unwrap().local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON)
    }

    /// The end of the input, as by Ctrl-D.
    pub fn hangs_up(&mut self) -> &mut Self {
        self.keyboard.write_all(&[4]).unwrap();
        self
    }

    /// The exit code, when everything that was shown has been read; a program that keeps asking fails the test.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        let give_up = Instant::now() + PATIENCE;
        loop {
            let ended = self.child.try_wait().unwrap();
            if let Some(status) = ended.filter(|_| self.reader.is_finished()) {
                return status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < give_up, "it did not end:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // After a failed expectation nobody types any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same command with the terminal as its own, where the program for that is installed: what is typed as Ctrl-C then
/// reaches it and the programs that it starts.
fn in_front(command: Command) -> Command {
    let is_there = Command::new("setsid").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        return command;
    }
    let mut leader = Command::new("setsid");
    // Whoever runs the tests in the background ignores Ctrl-C, and that would be inherited.
    leader.args(["--ctty", "env", "--default-signal=INT,QUIT"]);
    leader.arg(command.get_program()).args(command.get_args());
    leader.env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            leader.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        leader.current_dir(folder);
    }
    leader
}

/// Text without colours and other sequences.
pub fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |end| end + 1);
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

/// Reads until the other side is gone.
fn follow(mut screen: File, shown: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = screen.read(&mut buffer) {
            shown.lock().unwrap().extend_from_slice(&buffer[..count]);
        }
    })
}
