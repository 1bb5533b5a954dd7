//! A repository, settings and a state folder of their own, in which the agent under test plays every role.

use super::record::JournalEvents;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::sample_git;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tollgate_agents::{AgentAdapter, StandIn};
use tollgate_contract::config::AgentConfig;
use tollgate_files::clock;
use tollgate_files::layout::{Layout, SessionLayout};
use tollgate_process::{self as process, Alive};
use tollgate_standin::{Request, Script, Service};

const GOAL: &str = "Add one line to app.txt that says T-001";
const SLUG: &str = "conformance";
const POLL: Duration = Duration::from_millis(100);

/// A session that takes longer than this does not come to an end; a real model takes its time.
const LONGEST: Duration = Duration::from_secs(10 * 60);
const LONGEST_REAL: Duration = Duration::from_secs(30 * 60);

/// How long a session may take to end what it has started.
const LEAVING: Duration = Duration::from_secs(60);

pub struct TestSetup<'a> {
    /// Set when a person wants it to end.
    pub stop: &'a AtomicBool,
    pub agent: &'a AgentConfig,
    pub adapter: &'static dyn AgentAdapter,
    pub stand_in: bool,
}

/// When a session has shown enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    End,
    Parked,
}

/// What is left of a session: how it went, and where.
pub struct Played {
    pub record: JournalEvents,
    /// A session was opened.
    pub has_begun: bool,
    pub is_done: bool,
    /// It took too long and was ended by us, after so long.
    pub stopped_after: Option<Duration>,
    /// What it told a person.
    pub words: String,
    /// What the model was asked, where one stands in.
    pub requests: Vec<Request>,
    session: String,
    folder: TempDir,
}

impl Played {
    /// The file that was to be changed, as the session left it.
    pub fn delivered(&self) -> String {
        let file = format!("tollgate/{}:app.txt", self.session);
        sample_git::git(&self.folder.path().join(REPO), &["show", &file]).unwrap_or_default()
    }

    /// Processes that work in its folder, or were started with it or for it.
    pub fn still_alive(&self) -> Vec<Alive> {
        process::alive_in(self.folder.path())
    }
}

const REPO: &str = "repo";

impl TestSetup<'_> {
    /// Plays a lean session; `script` is what the model says where one stands in, made for the session of this name.
    pub fn play(
        &self,
        script: impl FnOnce(&str) -> Script,
        until: Until,
    ) -> Result<Played, Failure> {
        let played = self.try_play(script, until).map_err(could_not_be_tried)?;
        if self.stop.load(Ordering::Relaxed) {
            let message = "it was stopped early; nothing was left behind";
            return Err(Failure::new(Exit::Interrupted, "cli.agent_test", message));
        }
        if !played.has_begun {
            return Err(refused(&played.words));
        }
        Ok(played)
    }

    fn try_play(&self, script: impl FnOnce(&str) -> Script, until: Until) -> io::Result<Played> {
        // Asked once: another day may begin before the session ends.
        let session = format!("{}_{SLUG}", clock::local_date());
        let folder = tempfile::Builder::new().prefix("tollgate-agent-").tempdir()?;
        let service = self.stand_in.then(|| Service::start(script(&session))).transpose()?;
        let led =
            service.as_ref().map(|service| self.adapter.stand_in(self.agent, &service.address()));
        let led = led.unwrap_or_default();
        self.lay_out(folder.path(), &led)?;
        let mut child = start(folder.path(), &led)?;
        let place = Layout::new(folder.path().join(REPO)).sessions_folder().join(&session);
        let mut record = JournalEvents::of(SessionLayout::at(place));
        let (is_done, stopped_after) = self.wait(&mut child, &mut record, until)?;
        let words = fs::read_to_string(told(folder.path()))?;
        let requests = service.map(|service| service.requests()).unwrap_or_default();
        record.look();
        let has_begun = record.has_begun();
        Ok(Played { record, has_begun, is_done, stopped_after, words, requests, session, folder })
    }

    /// Whether the session came to a good end, or after what time it was given up.
    fn wait(
        &self,
        child: &mut Child,
        record: &mut JournalEvents,
        until: Until,
    ) -> io::Result<(bool, Option<Duration>)> {
        let longest = if self.stand_in { LONGEST } else { LONGEST_REAL };
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok((status.success(), None));
            }
            record.look();
            let is_enough = until == Until::Parked && record.is_parked();
            let is_over = is_enough || self.stop.load(Ordering::Relaxed);
            let is_too_long = !is_over && begun.elapsed() > longest;
            if is_over || is_too_long {
                return Ok((end(child)?, is_too_long.then_some(longest)));
            }
            thread::sleep(POLL);
        }
    }

    fn lay_out(&self, folder: &Path, led: &StandIn) -> io::Result<()> {
        let repo = folder.join(REPO);
        fs::create_dir(&repo)?;
        fs::create_dir(folder.join("state"))?;
        fs::write(repo.join("app.txt"), "one\n")?;
        fs::write(repo.join("tollgate.toml"), self.settings(led))?;
        sample_git::first_commit(&repo, "start").map_err(io::Error::other)
    }

    /// The agent as the person described it, led to the stand-in where there is one.
    fn settings(&self, led: &StandIn) -> String {
        let agent = self.agent;
        // Texts and lists of JSON are texts and lists of TOML.
        let text = |text: &String| serde_json::json!(text).to_string();
        let list = |words: Vec<&String>| serde_json::json!(words).to_string();
        let mut lines = vec![format!("[agent.tried]\nadapter = \"{}\"", agent.adapter.as_str())];
        let model = led.model.as_ref().or(agent.model.as_ref());
        lines.extend(model.map(|model| format!("model = {}", text(model))));
        lines.extend(agent.program.as_ref().map(|program| format!("program = {}", text(program))));
        lines.push(format!("args = {}", list(agent.args.iter().chain(&led.args).collect())));
        if !agent.command.is_empty() {
            lines.push(format!("command = {}", list(agent.command.iter().collect())));
        }
        let names = led.env.iter().map(|(name, _)| name);
        lines.push(format!("env = {}", list(agent.env.iter().chain(names).collect())));
        lines.push("[retry]\ntransient_attempts = 1".to_owned());
        if self.stand_in {
            lines.push("[timeout]\nsilence = \"30s\"".to_owned());
        }
        format!("{}\n", lines.join("\n"))
    }
}

fn could_not_be_tried(cause: io::Error) -> Failure {
    let message = format!("the agent could not be tested: {cause}");
    Failure::usage("cli.agent_test", message).hint(format!(
        "the test creates a small repository in {}: check that it is writable and has free space, or set TMPDIR to another folder",
        std::env::temp_dir().display()
    ))
}

/// The run was refused before it opened a session: in its own words.
fn refused(words: &str) -> Failure {
    let after = |mark: &str| words.lines().find_map(|line| line.trim().strip_prefix(mark));
    let why = after("error:").unwrap_or(words).trim();
    let failure = Failure::usage("cli.agent_test", format!("the agent could not be tested: {why}"));
    match after("help:") {
        Some(help) => failure.hint(help.trim()),
        None => failure,
    }
}

fn start(folder: &Path, led: &StandIn) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["run", "--no-input", "--lean", "--slug", SLUG, GOAL])
        .current_dir(folder.join(REPO))
        .env("TOLLGATE_STATE_HOME", folder.join("state"))
        .envs(led.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(told(folder))?)
        // Ctrl-C reaches it through us, once: a second one would leave its agents to themselves.
        .process_group(0)
        .spawn()
}

fn told(folder: &Path) -> PathBuf {
    folder.join("told.txt")
}

/// As Ctrl-C does: what it has started ends with it.
fn end(child: &mut Child) -> io::Result<bool> {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _gone = rustix::process::kill_process(pid, rustix::process::Signal::INT);
    }
    let begun = Instant::now();
    while begun.elapsed() < LEAVING {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(POLL);
    }
    child.kill()?;
    Ok(child.wait()?.success())
}
