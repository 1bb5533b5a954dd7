//! A repository with two real sessions, and a way to see what a command prints with nothing of this machine in it.

use expect_test::Expect;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

pub const WAITING: &str = "_add-a-greeting";
pub const DONE: &str = "_fix-the-greeting";

/// What the script's Architect says: nothing that a terminal should ever get.
const EVIL: &str = r"done \u001b]0;owned\u0007\u001b[2Jnow \u202enimda\u202c\u009b31m";

/// A place of its own: a home, a repository in it, and the environment cleared but for these.
pub struct World {
    pub root: PathBuf,
    _temp: Option<TempDir>,
}

/// Made once, for tests that only read.
pub static SESSIONS: LazyLock<World> = LazyLock::new(|| {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli_reading");
    let _ = fs::remove_dir_all(&root);
    let world = World { root, _temp: None };
    world.make_repository();
    let done = world.run(&["run", "--lean", "--no-input", "Fix the greeting"]);
    assert_eq!(done.code, 0, "{done:?}");
    let asked = world.run(&["run", "--no-input", "Add a greeting"]);
    assert_eq!(asked.code, 3, "{asked:?}");
    let words = "changes-requested: Architect: make it smaller";
    let again = world.run(&["answer", "latest", "UD-APPROVE-DESIGN", words, "--resume"]);
    assert_eq!(again.code, 3, "{again:?}");
    world
});

#[derive(Debug)]
pub struct Seen {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl World {
    /// An empty folder that is no repository.
    pub fn empty() -> Self {
        let temp = TempDir::new().unwrap();
        let root = temp.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        fs::create_dir_all(root.join("repo")).unwrap();
        Self { root, _temp: Some(temp) }
    }

    /// A repository with a commit and nothing of Tollgate.
    pub fn repository() -> Self {
        let world = Self::empty();
        world.write("README.md", "A greeting.\n");
        world.commit();
        world
    }

    /// A copy of the repository with its two sessions, to be broken.
    pub fn with_sessions() -> Self {
        let world = Self::empty();
        let status = Command::new("cp")
            .args(["-a", "."])
            .arg(world.repo())
            .current_dir(SESSIONS.repo())
            .status()
            .unwrap();
        assert!(status.success());
        world
    }

    fn make_repository(&self) {
        fs::create_dir_all(self.root.join("home")).unwrap();
        fs::create_dir_all(self.repo()).unwrap();
        let script = self.root.join("script.json");
        let rule = format!(
            r#"{{"when": {{"role": "Architect"}}, "do": {{"default": true, "reply": {{"summary": "{EVIL}"}}}}}}"#
        );
        fs::write(&script, format!(r#"{{"rules": [{rule}]}}"#)).unwrap();
        let settings = format!(
            "[agent.crew]\nadapter = \"command\"\ncommand = [{:?}, \"scripted\", {script:?}]\n",
            env!("CARGO_BIN_EXE_tollgate"),
        );
        self.write("tollgate.toml", &settings);
        self.write("README.md", "A greeting.\n");
        self.commit();
    }

    fn commit(&self) {
        self.git(&["init", "--quiet", "--initial-branch=main"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "First"]);
    }

    pub fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
        let status = self.command("git").args(identity).args(args).status().unwrap();
        assert!(status.success(), "git {args:?}");
    }

    pub fn repo(&self) -> PathBuf {
        self.root.join("repo")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The folder of the session whose name ends so.
    pub fn session(&self, ending: &str) -> PathBuf {
        let folders = fs::read_dir(self.repo().join(".agents-work")).unwrap();
        let mut paths = folders.map(|entry| entry.unwrap().path());
        paths.find(|path| path.to_str().unwrap().ends_with(ending)).unwrap()
    }

    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.root.join("home"))
            .current_dir(self.repo())
            .stdin(Stdio::null());
        command
    }

    pub fn tollgate(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_tollgate"))
    }

    pub fn run(&self, args: &[&str]) -> Seen {
        self.seen(self.tollgate().args(args).output().unwrap())
    }

    pub fn seen(&self, output: Output) -> Seen {
        Seen {
            code: output.status.code().unwrap_or(-1),
            stdout: self.plain(&String::from_utf8(output.stdout).unwrap()),
            stderr: self.plain(&String::from_utf8(output.stderr).unwrap()),
        }
    }

    /// The same text wherever and whenever it is printed.
    fn plain(&self, text: &str) -> String {
        let text = text.replace(self.root.to_str().unwrap(), "/world");
        let text: String = rewrite(&text).split_inclusive('\n').map(without_work_time).collect();
        text.split_inclusive('\n').map(without_disk_use).collect()
    }
}

impl Seen {
    /// Exit code and both streams, as one text to compare.
    pub fn all(&self) -> String {
        format!("{}{}exit {}\n", self.stdout, self.stderr, self.code)
    }

    pub fn shows(&self, expected: Expect) {
        expected.assert_eq(&self.all());
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

pub fn flip_byte_in_line(path: &Path, line: usize) {
    let text = fs::read_to_string(path).unwrap();
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let at = start + text[start..].find("\"at\":\"2").unwrap() + 6;
    let mut bytes = text.into_bytes();
    bytes[at] = b'3';
    fs::write(path, bytes).unwrap();
}

/// How much of the disk files take depends on the machine.
fn without_disk_use(line: &str) -> String {
    if let Some((start, _)) = line.split_once("\"disk_bytes\": ") {
        return format!("{start}\"disk_bytes\": 0\n");
    }
    let is_size = line.ends_with(" KiB\n") || line.ends_with(" MiB\n");
    match line.trim_end().rsplit_once("   ").filter(|_| is_size) {
        Some((start, _)) => format!("{}   SIZE\n", start.trim_end()),
        None => line.to_owned(),
    }
}

/// How long agents worked depends on the machine.
fn without_work_time(line: &str) -> String {
    if let Some((start, _)) = line.split_once("\"agent_ms\": ") {
        return format!("{start}\"agent_ms\": 0,\n");
    }
    match line.strip_suffix(" s of agent time\n").and_then(|start| start.rsplit_once(", ")) {
        Some((start, _)) => format!("{start}, N s of agent time\n"),
        None => line.to_owned(),
    }
}

/// Times, dates, hashes and durations as words.
fn rewrite(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        if let Some((word, length)) = time(rest) {
            plain.push_str(word);
            rest = &rest[length..];
        } else if length > 0 {
            let word = &rest[..length];
            let is_hash = matches!(length, 12 | 40 | 64)
                && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
            plain.push_str(if is_hash { "HASH" } else { word });
            rest = &rest[length..];
        } else {
            let char = rest.chars().next().unwrap();
            plain.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    plain
}

/// A date, or a time of the length that journals have, at the start of the text.
fn time(text: &str) -> Option<(&'static str, usize)> {
    let fits = |pattern: &str| {
        text.len() >= pattern.len()
            && pattern.bytes().zip(text.bytes()).all(|(p, t)| match p {
                b'0' => t.is_ascii_digit(),
                p => p == t,
            })
    };
    let time = "0000-00-00T00:00:00.000Z";
    let date = "0000-00-00";
    match () {
        () if fits(time) => Some(("TIME", time.len())),
        () if fits(date) => Some(("DATE", date.len())),
        () => None,
    }
}
