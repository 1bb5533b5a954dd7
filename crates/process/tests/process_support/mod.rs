//! Runs of shell scripts in a folder of their own, for the tests of the supervisor.
#![allow(dead_code, reason = "no test file needs all of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tollgate_process::{
    Attached, Isolation, RunEnd, RunOutcome, RunSpec, SupervisedRun, Waited, attach, start,
};

const PATIENCE: Duration = Duration::from_secs(30);

pub struct World {
    folder: tempfile::TempDir,
    pub isolation: Isolation,
    /// An argument of `sleep` that no other process has.
    pub marker: String,
}

/// Tells the story once for each way of holding a tree together that works on this machine.
pub fn with_each_isolation(story: impl Fn(&World)) {
    for isolation in [Isolation::PidNamespace, Isolation::Cgroup, Isolation::Subreaper] {
        where_it_works(isolation, &story);
    }
}

pub fn where_it_works(isolation: Isolation, story: impl Fn(&World)) {
    if isolation.works_here() {
        story(&World::new(isolation));
    } else {
        eprintln!("NOT TESTED: this machine does not allow {isolation:?}");
    }
}

impl World {
    pub fn new(isolation: Isolation) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let unique = folder.path().as_os_str().as_encoded_bytes();
        let digits = unique.iter().rev().take(6).map(|byte| format!("{byte:03}"));
        let marker = format!("3600.{}{}", std::process::id(), digits.collect::<String>());
        Self { folder, isolation, marker }
    }

    pub fn run_dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// `MARKED` in the script stands for a sleep that can be found again.
    pub fn script(&self, script: &str) -> RunSpec {
        let script = script.replace("MARKED", &format!("sleep {}", self.marker));
        self.command(&["sh", "-c", &script])
    }

    pub fn command(&self, argv: &[&str]) -> RunSpec {
        RunSpec {
            argv: argv.iter().map(ToString::to_string).collect(),
            cwd: self.work(),
            env_names: Vec::new(),
            env: BTreeMap::new(),
            stdin_file: None,
            timeout_ms: 60_000,
            silence_ms: None,
            output_bytes_max: 1_000_000,
            isolation: Some(self.isolation),
            sandbox: None,
            secret_files: Vec::new(),
        }
    }

    pub fn start(&self, spec: &RunSpec) -> SupervisedRun {
        start(&self.run_dir(), spec, Path::new(PROGRAM)).unwrap()
    }

    pub fn run(&self, spec: &RunSpec) -> RunOutcome {
        match self.start(spec).wait().unwrap() {
            Waited::Finished(outcome) => outcome,
            Waited::Lost => panic!("the run was lost: {}", self.log("supervisor.log")),
        }
    }

    pub fn end(&self, spec: &RunSpec) -> RunEnd {
        self.run(spec).end
    }

    /// A process of its own that starts the run and waits for it.
    pub fn engine(&self, spec: &RunSpec) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("engine").arg(self.run_dir()).arg(serde_json::to_string(spec).unwrap());
        command
    }

    pub fn attach(&self) -> Attached {
        attach(&self.run_dir()).unwrap()
    }

    pub fn log(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.run_dir().join(name)).unwrap()).unwrap()
    }

    pub fn work_file(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap_or_default()
    }

    pub fn supervisor_pid(&self) -> i32 {
        self.started()["pid"].as_i64().unwrap().try_into().unwrap()
    }

    /// Where the run's cgroup was to be.
    pub fn cgroup(&self) -> Option<PathBuf> {
        self.started()["cgroup"].as_str().map(PathBuf::from)
    }

    fn started(&self) -> serde_json::Value {
        wait_for("the supervisor", || self.run_dir().join("started").exists());
        serde_json::from_str(&self.log("started")).unwrap()
    }

    /// Is a process with the marker alive, in whatever session or namespace?
    pub fn marked_process_lives(&self) -> bool {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let command_line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command_line).contains(&self.marker)
        })
    }

    pub fn wait_for_work_file(&self, name: &str) {
        wait_for(name, || self.work().join(name).exists());
    }
}

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_process-test-program");

#[track_caller]
pub fn finished(run: SupervisedRun) -> RunOutcome {
    match run.wait().unwrap() {
        Waited::Finished(outcome) => outcome,
        Waited::Lost => panic!("the run was lost"),
    }
}

#[track_caller]
pub fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "waited too long for {what}");
        sleep(Duration::from_millis(5));
    }
}

pub fn has_program(name: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {name}")])
        .output()
        .unwrap()
        .status
        .success()
}

/// A terminal at which someone sits.
pub struct Terminal {
    /// What is shown there can be read here.
    master: fs::File,
    /// Kept open, as a shell would.
    slave: fs::File,
    pub name: PathBuf,
}

impl Terminal {
    #[expect(unsafe_code, reason = "there is no safe binding at hand")]
    pub fn open() -> Self {
        let read_write = || fs::OpenOptions::new().read(true).write(true).clone();
        let without_wait =
            read_write().custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open("/dev/ptmx").unwrap();
        let (mut number, unlocked) = (0 as libc::c_int, 0 as libc::c_int);
        // SAFETY: both calls read or write the one number that they are given.
        unsafe {
            assert_eq!(libc::ioctl(without_wait.as_raw_fd(), libc::TIOCSPTLCK, &unlocked), 0);
            assert_eq!(libc::ioctl(without_wait.as_raw_fd(), libc::TIOCGPTN, &mut number), 0);
        }
        let name = PathBuf::from(format!("/dev/pts/{number}"));
        let slave =
            read_write().custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(&name).unwrap();
        Self { master: without_wait, slave, name }
    }

    pub fn shown(&self) -> String {
        let mut shown = vec![0; 4096];
        let count = (&self.master).read(&mut shown).unwrap_or(0);
        String::from_utf8_lossy(&shown[..count]).into_owned()
    }

    /// Whether something was typed, or seems so.
    #[expect(unsafe_code, reason = "there is no safe binding at hand")]
    pub fn has_input(&self) -> bool {
        // What was typed is echoed also where no line is ended yet.
        let mut waiting = 0 as libc::c_int;
        // SAFETY: the call writes the one number that it is given.
        assert_eq!(unsafe { libc::ioctl(self.slave.as_raw_fd(), libc::TIOCINQ, &mut waiting) }, 0);
        waiting > 0 || !self.shown().is_empty()
    }
}
