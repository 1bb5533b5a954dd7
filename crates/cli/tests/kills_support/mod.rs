//! A repository of its own with a scripted crew, the real program, and a person who answers until the work is done.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

pub mod facts;
pub mod random;

use crate::support::plan::{Planned, planner};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;
use tollgate_core::decision::DecisionKind;
use tollgate_core::session::Session;
use tollgate_files::layout::{Layout, SessionLayout};
use tollgate_host::journal;
use tollgate_host::sessions;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tollgate");

/// The first reply of the Coder breaks a rule, so that its changes are rescued; the Reviewer leaves a question.
pub const LEAN_CREW: &str = r#"{"rules": [
    {"when": {"role": "Coder", "input_has": "previous_errors"}, "do": {"append": {"app.txt": "one\n"}}},
    {"when": {"role": "Coder"}, "do": {"append": {"app.txt": "one\n", "agents/x.md": "not mine\n"}}},
    {"when": {"role": "Reviewer"}, "do": {"reply": {"artifacts": {"review_comments": [
        {"severity": "minor", "category": "style", "file": "app.txt", "line": "1", "message": "short", "suggested_fix": "none"}]}}}}
]}"#;

/// Two tasks, each a line in a file of its own: a line that is there twice was written twice.
pub const FULL_CREW: &str = r#"{"rules": [
    {"when": {"role": "Coder", "task": "T-001"}, "do": {"append": {"app.txt": "one\n"}}},
    {"when": {"role": "Coder", "task": "T-002"}, "do": {"append": {"lib.txt": "two\n"}}}
]}"#;

/// Two tasks with work items.
fn items_crew() -> String {
    let task = |id: &str, file: &str, by: &[&str]| {
        let body = format!(
            "## Objective\n\n{file} has one line more.\n\n## Spec Reference\n\n- Spec: `spec.md`\n- Section(s): Goals\n\n\
             ## Scope\n\n### In Scope\n\n- {file}\n\n### Out of Scope\n\nNone\n\n## Acceptance Criteria\n\n\
             - [ ] {file} has the line\n- [ ] cmd: true\n\n## Context\n\nNone\n\n## Constraints\n\n- None\n"
        );
        let labels = ["task:implement", "status:pending", "priority:high", "complexity:low"];
        json!({"tempID": id, "title": format!("Change {file}"), "body": body, "labels": labels, "blockedBy": by})
    };
    let create = [task("a", "app.txt", &[]), task("b", "lib.txt", &["a"])];
    let plan = json!({"role": "planner", "create": create, "close": [], "update": []});
    json!({"rules": [
        {"when": {"role": "Planner"}, "do": {"reply": plan}},
        {"when": {"role": "Coder", "task": "T-001"}, "do": {"append": {"app.txt": "one\n"}}},
        {"when": {"role": "Coder", "task": "T-002"}, "do": {"append": {"lib.txt": "two\n"}}},
    ]})
    .to_string()
}

/// Each member adds a line to a file of its own: a line that is there twice was written twice.
pub const PARALLEL_CREW: &str = r#"{"rules": [
    {"when": {"role": "Coder"}, "do": {"append": {"src/a.txt": "a\n"}}},
    {"when": {"role": "Docs"}, "do": {"append": {"docs/b.md": "b\n"}}},
    {"when": {"role": "QA"}, "do": {"append": {"tests/c.txt": "c\n"}}}
]}"#;

const PARALLEL_ACTION: &str = "---
name: x
description: Three at once
steps:
  - parallel:
      - {dispatch: Coder, outputs: [src/a.txt]}
      - {dispatch: Docs, outputs: [docs/b.md]}
      - {dispatch: QA, outputs: [tests/c.txt]}
    state: IMPLEMENT_LOOP
  - {dispatch: Researcher, state: INTEGRATE, outputs: [research/]}
  - {close: done, state: DONE}
---
";

/// The same in every world, so that the trees at the end can be compared.
const SETTINGS: &str = concat!(
    r#"
[roles]
default = "crew"
[agent.crew]
adapter = "command"
command = [""#,
    env!("CARGO_BIN_EXE_tollgate"),
    r#"", "scripted", "crew/crew.json"]
[retry]
transient_base = "10ms"
"#
);

/// So many tasks are worked on at once.
const AT_ONCE: &str = "[limits]\nparallel_tasks = 3\n";

/// Five tasks, each with a line in a file of its own and one in a file out of its scope: a line that is there twice was
/// written twice.
fn tasks_crew() -> String {
    let task = |(id, file)| Planned { kind: "chore", ..Planned::new(id, file) };
    let tasks = [
        ("T-001", "out/T-001.txt"),
        ("T-002", "out/T-002.txt"),
        ("T-003", "out/T-003.txt"),
        ("T-004", "out/T-004.txt"),
        ("T-005", "out/T-005.txt"),
    ];
    let lines = json!({"out/{task}.txt": "one\n", "beside/{task}.txt": "beside\n"});
    json!({"rules": [
        planner(&tasks.map(task)),
        {"when": {"role": "Coder"}, "do": {"append": lines}},
    ]})
    .to_string()
}

pub const LEAN: &[&str] = &["--lean"];
pub const FULL: &[&str] = &[];
pub const PARALLEL: &[&str] = &["--action", "x"];

/// Where one session is worked on.
pub struct World {
    folder: TempDir,
    /// Beside the goal: which way the session takes.
    route: &'static [&'static str],
    head: String,
    /// Answers to the first questions, before those that pass.
    pub first_answers: Mutex<Vec<String>>,
}

/// What a process left behind.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub text: String,
}

/// What the person would do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Run,
    Resume,
    Answer { decision: String, answer: String },
    Nothing,
}

impl World {
    pub fn lean() -> Self {
        Self::new(LEAN, LEAN_CREW)
    }

    pub fn full() -> Self {
        Self::new(FULL, FULL_CREW)
    }

    /// Two tasks that work items describe.
    pub fn items() -> Self {
        Self::new(FULL, &items_crew())
    }

    /// Three roles at once, and one behind them.
    pub fn parallel() -> Self {
        Self::new(PARALLEL, PARALLEL_CREW)
    }

    /// Tasks at the same time, each with a change out of its scope.
    pub fn tasks() -> Self {
        Self::with(FULL, &tasks_crew(), AT_ONCE)
    }

    pub fn new(route: &'static [&'static str], crew: &str) -> Self {
        Self::with(route, crew, "")
    }

    fn with(route: &'static [&'static str], crew: &str, settings: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("tollgate-kills-").tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["repo/crew", "repo/agents/actions", "home/.cache/tollgate-scripts", "state"] {
            fs::create_dir_all(at(name)).unwrap();
        }
        fs::write(at("repo/crew/crew.json"), crew).unwrap();
        fs::write(at("repo/tollgate.toml"), format!("{SETTINGS}{settings}")).unwrap();
        if route == PARALLEL {
            fs::write(at("repo/agents/actions/x.md"), PARALLEL_ACTION).unwrap();
        }
        let mut world =
            Self { folder, route, head: String::new(), first_answers: Mutex::default() };
        world.git(&["init", "--quiet", "--initial-branch=main"]);
        world.git(&["add", "--all"]);
        world.git(&["commit", "--quiet", "--message", "Begin"]);
        world.head = world.git(&["rev-parse", "HEAD"]);
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    pub fn head(&self) -> &str {
        &self.head
    }

    pub fn git(&self, args: &[&str]) -> String {
        let output = hermetic(Command::new("git"), self.folder.path())
            .args(["-c", "user.name=P", "-c", "user.email=p@localhost"])
            .args(args)
            .current_dir(self.repo())
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", text(&output));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub fn tollgate(&self, args: &[&str]) -> Command {
        let mut command = hermetic(Command::new(PROGRAM), self.folder.path());
        command.args(args).current_dir(self.repo());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The folder of the newest session, none before there is one.
    pub fn session_layout(&self) -> Option<SessionLayout> {
        let layout = Layout::new(self.repo());
        Some(layout.session(&sessions::find(&layout, "latest").ok()?))
    }

    /// None while no record says that a session is open.
    pub fn session(&self) -> Option<Session> {
        let layout = self.session_layout()?;
        if !layout.journal().exists() {
            return None;
        }
        let records = journal::read(&layout.journal()).unwrap().records;
        (!records.is_empty()).then(|| journal::replay(&layout.journal(), &records).unwrap())
    }

    pub fn next(&self) -> Next {
        let Some(session) = self.session() else {
            return Next::Run;
        };
        if session.standing.closed {
            return Next::Nothing;
        }
        let Some(decision) = session.pending_decisions().next() else {
            return Next::Resume;
        };
        let answer = match decision.kind {
            DecisionKind::Approve => {
                let first = self.first_answers.lock().unwrap();
                let asked_before = session.decisions.rejections.len();
                first.get(asked_before).cloned().unwrap_or_else(|| "approved".to_owned())
            }
            DecisionKind::Strategy => "per-batch".to_owned(),
            DecisionKind::Notes => "accept".to_owned(),
            kind => panic!("nobody expects a {kind} question: {}", decision.question),
        };
        Next::Answer { decision: decision.decision_id.to_string(), answer }
    }

    pub fn command(&self, next: &Next) -> Command {
        match next {
            Next::Run => {
                let run = ["run", "Add a line", "--slug", "work", "--no-input"];
                self.tollgate(&[&run, self.route].concat())
            }
            Next::Resume | Next::Nothing => self.tollgate(&["resume", "--no-input"]),
            Next::Answer { decision, answer } => {
                self.tollgate(&["answer", "latest", decision, answer])
            }
        }
    }

    /// What a person does after a crash.
    pub fn take_up(&self) {
        let next = if self.session().is_some() { Next::Resume } else { Next::Run };
        let ended = ended(&self.command(&next).output().unwrap());
        assert!(matches!(ended.code, Some(0 | 3)), "{next:?}: {}", ended.text);
    }

    /// Continues until the work is done. `prepare` may change each process before it starts, told its number from 0.
    pub fn finish(&self, mut prepare: impl FnMut(usize, &mut Command)) -> Vec<Ended> {
        let mut processes = Vec::new();
        let mut was_killed = false;
        loop {
            let next = self.next();
            if next == Next::Nothing && !was_killed {
                return processes;
            }
            let mut command = self.command(&next);
            prepare(processes.len(), &mut command);
            let ended = ended(&command.output().unwrap());
            self.expect_status_parses();
            was_killed = ended.signal.is_some();
            assert!(
                was_killed || matches!(ended.code, Some(0 | 3)),
                "{next:?} ended with {:?}:\n{}",
                ended.code,
                ended.text
            );
            processes.push(ended);
            assert!(processes.len() < 60, "there is no end: {processes:?}");
        }
    }

    /// R013: whatever happened, the file is not there yet or it parses.
    pub fn expect_status_parses(&self) {
        let Some(layout) = self.session_layout() else { return };
        let Ok(bytes) = fs::read(layout.status()) else { return };
        let status: serde_json::Value = serde_json::from_slice(&bytes).expect("status.json parses");
        let state = status["current_state"].as_str().unwrap_or_default();
        assert!(tollgate_core::role::State::parse(state).is_some(), "current_state {state:?}");
    }

    /// One line per start of an agent: role, task, dispatch, attempt.
    pub fn starts(&self) -> Vec<String> {
        let log = self.path("home/.cache/tollgate-scripts/crew.json.d/starts.log");
        let log = fs::read_to_string(log).unwrap_or_default();
        let words = |line: &str| line.split(' ').take(4).collect::<Vec<_>>().join(" ");
        log.lines().map(words).collect()
    }
}

/// Only what is named here reaches the program.
fn hermetic(mut command: Command, folder: &Path) -> Command {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.join("home"))
        .env("TOLLGATE_STATE_HOME", folder.join("state"))
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

pub fn ended(output: &Output) -> Ended {
    Ended { code: output.status.code(), signal: output.status.signal(), text: text(output) }
}

fn text(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    format!("{stdout}{}", String::from_utf8_lossy(&output.stderr))
}

pub fn signal(child: &Child, signal: Signal) {
    // A process that has ended by itself meanwhile is as good.
    let _ = kill_process(Pid::from_child(child), signal);
}

/// Plays every case on a few threads and says in which cases it panicked.
pub fn each<T: Sync + std::fmt::Debug>(cases: &[T], play: impl Fn(&T) + Sync) {
    const THREADS: usize = 4;
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS.min(cases.len()) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let played =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(case)));
                    if let Err(panic) = played {
                        let words = panic.downcast_ref::<String>().cloned();
                        let words =
                            words.or_else(|| panic.downcast_ref().map(|s: &&str| (*s).into()));
                        failed
                            .lock()
                            .unwrap()
                            .push(format!("{case:?}: {}", words.unwrap_or_default()));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "{} of {} failed:\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n\n")
    );
}
