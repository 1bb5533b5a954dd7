//! A repository with a scripted crew, and the real program run in it as a person or script would.
#![allow(dead_code, reason = "each test crate uses its part")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

pub mod foreign;
pub mod page;
pub mod plan;
pub mod processes;
pub mod pty;
pub mod samples;
pub mod watched;

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

pub const GOAL: &str = "Add a line to the app";
pub const APPROVE: (&str, &str) = ("UD-APPROVE-DESIGN", "approved");
pub const PER_BATCH: (&str, &str) = ("UD-REVIEW-STRATEGY", "per-batch");
pub const SINGLE_FINAL: (&str, &str) = ("UD-REVIEW-STRATEGY", "single-final");

/// The settings of an agent that plays a script.
pub fn scripted(name: &str, script: &Path) -> String {
    let tollgate = env!("CARGO_BIN_EXE_tollgate");
    format!(
        "[agent.{name}]\nadapter = \"command\"\ncommand = [{tollgate:?}, \"scripted\", {script:?}]\n"
    )
}

/// A git repository with one commit, settings, a crew outside of it, and homes of its own.
pub struct Repo {
    dir: TempDir,
}

/// With `TOLLGATE_KEEP_JOURNALS=FOLDER` the journals of all sessions outlast the test: some of them are kept for later versions
/// to read (`crates/host/tests/journals`).
impl Drop for Repo {
    fn drop(&mut self) {
        let Some(folder) = std::env::var_os("TOLLGATE_KEEP_JOURNALS").map(PathBuf::from) else {
            return;
        };
        let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
        for session in fs::read_dir(self.root().join(".agents-work")).into_iter().flatten() {
            let session = session.unwrap();
            let name = format!("{test}-{}.jsonl", session.file_name().display());
            // A test may leave a session without a journal.
            let _ = fs::copy(session.path().join("journal.jsonl"), folder.join(name));
        }
    }
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub fn says(self, words: &str) -> Self {
        assert!(self.err.contains(words), "stderr does not say {words:?}:\n{}", self.err);
        self
    }

    #[track_caller]
    pub fn does_not_say(self, words: &str) -> Self {
        assert!(!self.err.contains(words), "stderr says {words:?}:\n{}", self.err);
        self
    }
}

impl Repo {
    /// A crew that does the least that every role must.
    pub fn new() -> Self {
        Self::with(json!([]))
    }

    /// A crew that follows these rules, and does the least where none fits.
    pub fn with(rules: Value) -> Self {
        let repo = Self::bare();
        repo.crew(rules);
        repo.write("app.txt", "one\n");
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "--message", "start"]);
        repo
    }

    /// Settings and a crew, but no git.
    pub fn bare() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["repo", "home/.cache/tollgate-scripts", "state"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let repo = Self { dir };
        repo.crew(json!([]));
        let crew = scripted("crew", &repo.outside("crew.json"));
        repo.write(
            "tollgate.toml",
            &format!("[roles]\ndefault = \"crew\"\n\n{crew}\n[retry]\ntransient_base = \"10ms\"\n"),
        );
        repo
    }

    pub fn crew(&self, rules: Value) {
        fs::write(self.outside("crew.json"), json!({ "rules": rules }).to_string()).unwrap();
    }

    /// Adds to tollgate.toml, which is read from the working tree.
    pub fn settings(&self, more: &str) -> &Self {
        let path = self.root().join("tollgate.toml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}\n{more}\n")).unwrap();
        self
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    pub fn outside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Where the crew counts its starts; it may write there.
    pub fn counts(&self) -> PathBuf {
        self.outside("home/.cache/tollgate-scripts/crew.json.d")
    }

    /// A folder outside the repository that agents may write.
    pub fn open_outside(&self, name: &str) -> PathBuf {
        let folder = self.outside(name);
        fs::create_dir(&folder).unwrap();
        self.settings(&format!("[sandbox]\nwrite = [{:?}]", folder.display()));
        folder
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A program of the person, outside of the repository.
    pub fn program(&self, name: &str, lines: &str) -> PathBuf {
        let path = self.outside(name);
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// A path with a `git` that stops at the one that has this word, says so by a file, and waits until the test continues.
    pub fn git_that_stops(&self, word: &str) -> String {
        let bin = self.outside("bin");
        fs::create_dir(&bin).unwrap();
        let busy = self.outside("busy");
        let lines = format!(
            "for word do\n  if [ \"$word\" = {word} ]; then touch {0}; until [ -e {0}.over ]; do sleep 0.01; done; fi\ndone\n\
             PATH=${{PATH#*:}} exec git \"$@\"",
            busy.display()
        );
        let program = self.program("git-that-stops", &lines);
        fs::rename(program, bin.join("git")).unwrap();
        format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
    }

    pub fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        self.hermetic(&mut command);
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
        let output = command.args(identity).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    fn hermetic(&self, command: &mut Command) {
        command
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.outside("home"))
            .env("TOLLGATE_STATE_HOME", self.outside("state"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LANG", "C")
            .env("TZ", "UTC");
    }

    /// The program, ready to be changed further.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        self.hermetic(&mut command);
        command.args(args).stdin(Stdio::null());
        command
    }

    pub fn tollgate(&self, args: &[&str]) -> Ran {
        ran(&mut self.command(args))
    }

    pub fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub fn run(&self) -> Ran {
        self.tollgate(&["run", "--no-input", GOAL])
    }

    pub fn lean(&self) -> Ran {
        self.tollgate(&["run", "--no-input", "--lean", GOAL])
    }

    pub fn resume(&self) -> Ran {
        self.tollgate(&["resume", "--no-input"])
    }

    /// Answers and continues at once.
    pub fn answer(&self, decision: &str, answer: &str) -> Ran {
        self.tollgate(&["answer", "latest", decision, answer, "--resume"])
    }

    /// Answers these questions one after the other, each with a resume; the last command's end.
    #[track_caller]
    pub fn through(&self, answers: &[(&str, &str)]) -> Ran {
        let mut last = self.run();
        for (decision, answer) in answers {
            assert!(matches!(last.code, 3 | 4), "before {decision}: {last:?}");
            last = self.answer(decision, answer);
        }
        last
    }

    pub fn status(&self) -> Value {
        let ran = self.tollgate(&["status", "--json"]).exits(0);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// Path of the only session's folder, or of the newest by name.
    pub fn session(&self) -> PathBuf {
        let folder = self.root().join(".agents-work");
        let mut found: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        found.sort();
        found.pop().expect("a session was opened")
    }

    pub fn session_name(&self) -> String {
        self.session().file_name().unwrap().to_str().unwrap().to_owned()
    }

    pub fn session_file(&self, name: &str) -> String {
        let path = self.session().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// status.json as it lies on disk.
    pub fn status_file(&self) -> Value {
        serde_json::from_str(&self.session_file("status.json")).unwrap()
    }

    /// The record of a question in status.json.
    #[track_caller]
    pub fn decision(&self, id: &str) -> Value {
        let status = self.status_file();
        let mut found = status["user_decisions"].as_array().unwrap().iter();
        let record = found.find(|record| record["decision_id"] == id);
        record.unwrap_or_else(|| panic!("no {id} in {status:#}")).clone()
    }

    /// The events of the journal, in order.
    pub fn journal(&self) -> Vec<Value> {
        let text = self.session_file("journal.jsonl");
        // A line that is being written just now is none yet.
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone()).collect()
    }

    pub fn events(&self, kind: &str) -> Vec<Value> {
        self.journal().into_iter().filter(|event| event["type"] == kind).collect()
    }

    /// What the input file of an attempt said.
    pub fn input(&self, dispatch: u32, attempt: u32) -> Value {
        let folder = self.session().join("dispatches").join(dispatch.to_string());
        let nested = folder.join(format!("attempt-{attempt}")).join("input.json");
        let bytes = fs::read(&nested).unwrap_or_else(|e| panic!("{}: {e}", nested.display()));
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Number of the nth dispatch of a role, from the journal.
    #[track_caller]
    pub fn dispatch_of(&self, role: &str, nth: usize) -> u32 {
        let opened = self.events("dispatch_opened");
        let mut fitting = opened.iter().filter(|event| event["role"] == role);
        let event = fitting.nth(nth).unwrap_or_else(|| panic!("no dispatch {nth} of {role}"));
        u32::try_from(event["number"].as_u64().unwrap()).unwrap()
    }

    /// Every start of an agent, in order: `Role task`.
    pub fn starts(&self) -> Vec<String> {
        let log = fs::read_to_string(self.counts().join("starts.log")).unwrap_or_default();
        log.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
    }

    pub fn starts_of(&self, role: &str) -> usize {
        self.starts().iter().filter(|start| start.split(' ').next() == Some(role)).count()
    }

    /// The blocker's code, and its words with the remedy.
    pub fn blocker(&self) -> (String, String) {
        let status = self.status();
        let blocker = &status["blocker"];
        let words = format!("{} {}", blocker["detail"], blocker["remedy"]);
        (blocker["code"].as_str().unwrap_or("none").to_owned(), words)
    }

    /// What an attempt's errors were, joined.
    pub fn errors_of(&self, dispatch: u32, attempt: u32) -> String {
        self.events("attempt_ended")
            .iter()
            .filter(|e| e["number"] == dispatch && e["attempt"] == attempt)
            .map(|e| e["end"].to_string())
            .collect()
    }

    /// Paths, dates, times and hashes replaced, for snapshots.
    pub fn neutral(&self, text: &str) -> String {
        let name = self.session_name();
        let real = self.dir.path().canonicalize().unwrap();
        text.replace(&name, "SESSION")
            .replace(&real.display().to_string(), "DIR")
            .replace(&self.dir.path().display().to_string(), "DIR")
            .lines()
            .map(|line| without_times(&without_work_time(line.trim_end())))
            .map(|line| format!("{}\n", without_hash(&line)))
            .collect()
    }
}

/// The hash of a built-in text changes with its words.
fn without_hash(line: &str) -> String {
    match line.split_once(" sha256 ") {
        Some((start, _)) => format!("{start} sha256 HASH"),
        None => line.to_owned(),
    }
}

/// How long agents worked depends on the machine.
fn without_work_time(line: &str) -> String {
    match (line.rsplit_once(", "), line.ends_with(" s of agent time")) {
        (Some((start, _)), true) => format!("{start}, N s of agent time"),
        _ => line.to_owned(),
    }
}

/// Points in time become `TIME` and durations in seconds `N s`.
fn without_times(line: &str) -> String {
    let is_time = |text: &str| {
        let pattern = "0000-00-00T00?00?00.000Z";
        text.len() == pattern.len()
            && text.chars().zip(pattern.chars()).all(|(found, wanted)| match wanted {
                '0' => found.is_ascii_digit(),
                '?' => found == ':' || found == '-',
                other => found == other,
            })
    };
    let mut shown = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if rest.get(..24).is_some_and(is_time) {
            shown.push_str("TIME");
            rest = &rest[24..];
            continue;
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = &rest[digits..];
        let is_duration = digits > 0
            && after.get(..6).is_some_and(|text| {
                text.starts_with('.')
                    && text.ends_with(" s")
                    && text[1..4].bytes().all(|byte| byte.is_ascii_digit())
            });
        let (taken, text) = match (is_duration, digits) {
            (true, _) => (digits + 6, "N s"),
            (false, 0) => (first.len_utf8(), &rest[..first.len_utf8()]),
            (false, _) => (digits, &rest[..digits]),
        };
        shown.push_str(text);
        rest = &rest[taken..];
    }
    shown
}

pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every plain file below a folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Waits until something holds, at most ten seconds.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("{what} did not come about within ten seconds");
}
