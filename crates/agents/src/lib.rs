//! The agent programs that people have: how each is started, what it says, and what that means. One file per agent, and one
//! list of them (`REGISTRY`).
//!
//! An agent runs under two processes of ours. The supervisor owns its process tree and its limits. Inside that tree and its
//! sandbox the driver starts the program, talks to it in its own protocol, and writes what it says in one vocabulary.

mod boundary;
mod drive;
pub mod event;
mod follow;
mod home;
mod npm;
mod plan;
pub mod probe;
mod transcript;
pub mod trust;
mod words;

mod acp;
mod claude;
mod claude_lines;
mod codex;
mod copilot;
mod gemini;
mod goose;
mod opencode;
mod qwen;

pub use drive::drive;
pub use follow::{OutputReader, TranscriptFollower};
pub use home::{Home, LENT_SUFFIX, LoginFile};
pub use plan::{
    Access, AgentStart, DriverPlan, Job, NotStarted, Stdin, is_driven, read_plan, remove_plan,
    write_plan,
};
pub use transcript::{Transcript, read_transcript};

pub use acp::OverAcp;
use event::{AgentEvent, Finished, TurnOutcome};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_contract::reply_form::Way;

/// One kind of agent program.
pub trait AgentAdapter: Sync {
    /// Its name in the settings.
    fn kind(&self) -> Adapter;

    /// The name to look for on `PATH` where the settings name no program.
    fn program(&self) -> &'static str;

    /// The version that it was tested with.
    fn tested(&self) -> &'static str;

    /// The package of npm that has the program for this machine.
    fn package(&self) -> Option<&'static str> {
        None
    }

    /// What installs the version that it was tested with.
    fn how_to_install(&self) -> Option<String> {
        let package = self.package()?;
        Some(format!("npm install --global {package}@{}", self.tested()))
    }

    /// From the program that was found to what is started: the native binary rather than a loader that only starts it.
    fn command(&self, found: &Path) -> Vec<String> {
        vec![found.display().to_string()]
    }

    /// The person's files that make up their login, and where they lie in the private folder.
    fn login(&self, agent: &AgentConfig) -> &'static [LoginFile];

    /// Variables that hold a login. They reach the agent only when the settings let them through; people are told of them.
    fn login_variables(&self, agent: &AgentConfig) -> &'static [&'static str];

    /// How the variables begin that are there for this agent and its maker's service only. A token for GitHub opens more
    /// than a model, and who works with the services of many makers gets the keys that a person names.
    fn own_variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// How to point it at a service on this address that stands in for its model.
    fn stand_in(&self, agent: &AgentConfig, address: &str) -> StandIn;

    /// The files of the person and of the repository that decide what else would run; trusted by their content.
    fn inherited(&self, agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf>;

    /// What of such a file can make something run. Some programs keep counters, caches and addresses of schemas beside what
    /// they run, and write them again at every start: were they counted, nobody could trust anything for longer than one
    /// attempt.
    fn runs_of(&self, _name: &str, _content: &[u8]) -> Runs {
        Runs::All
    }

    /// What it does in its own way over ACP, where it can speak that too.
    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        None
    }

    /// How it submits its reply.
    fn replies_by(&self) -> Way {
        Way::LastMessage
    }

    /// How to start the program for this job. Writes what it needs into the private folder.
    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted>;

    /// The other end of the conversation.
    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk>;
}

/// What of a file of settings counts for trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    All,
    Part(Vec<u8>),
    Nothing,
}

/// What settings and environment lead an agent to another model service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StandIn {
    pub env: Vec<(String, String)>,
    pub args: Vec<String>,
    pub model: Option<String>,
}

impl StandIn {
    fn by_environment(env: &[(&str, &str)]) -> Self {
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { env: env.collect(), ..Self::default() }
    }
}

/// A conversation with a running program, one JSON value a line. Whatever it does not know it leaves alone.
pub trait Talk {
    /// What is said before anything is heard; only where the program listens.
    fn open(&mut self, _post: Post, _turn: &mut Turn) {}

    fn heard(&mut self, line: &Value, turn: &mut Turn);

    /// A line of its standard error: what some programs say nowhere else.
    fn aside(&mut self, _line: &str, _turn: &mut Turn) {}

    /// Something that a thread of the conversation itself has posted.
    fn posted(&mut self, _note: Value, _turn: &mut Turn) {}

    /// The program is gone; what the stream said counts first, the exit code last.
    fn ended(&mut self, exit: &AgentExit) -> Finished;
}

/// What follows from one thing that was heard.
#[derive(Debug, Default)]
pub struct Turn {
    pub events: Vec<AgentEvent>,
    /// Said to the program, a line each.
    pub say: Vec<Value>,
    /// The conversation is over: the standard input is closed, and the program has a moment to leave.
    pub is_over: bool,
}

/// Brings notes of other threads into the conversation; not for the thread of the conversation itself, which would wait for
/// its own ear.
#[derive(Debug, Clone)]
pub struct Post(SyncSender<drive::DriverInput>);

impl Post {
    /// For a conversation that is only told again: its notes are heard by nobody.
    pub fn to_nobody() -> Self {
        Self(sync_channel(1).0)
    }

    /// Nobody reads it any more when the conversation is over.
    pub fn note(&self, note: Value) {
        let _over = self.0.send(drive::DriverInput::Note(note));
    }
}

/// How the program ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentExit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// The last words on its standard error.
    pub stderr_tail: String,
}

impl AgentExit {
    /// It ended without saying how.
    fn unclear(&self) -> TurnOutcome {
        TurnOutcome::Unclear {
            exit_code: self.code,
            signal: self.signal,
            detail: self.stderr_tail.clone(),
        }
    }
}

/// Every agent program that we talk to, the best tested first. This is the only list: whatever differs between them is a
/// method of the adapter.
static REGISTRY: [&dyn AgentAdapter; 8] = [
    &claude::Claude,
    &codex::Codex,
    &gemini::Gemini,
    &goose::Goose,
    &opencode::Opencode,
    &copilot::Copilot,
    &qwen::Qwen,
    &acp::Acp,
];

pub fn all() -> impl Iterator<Item = &'static dyn AgentAdapter> {
    REGISTRY.into_iter()
}

/// Those that have a program with a name of its own, which people may have installed.
pub fn installable() -> impl Iterator<Item = &'static dyn AgentAdapter> {
    all().filter(|adapter| adapter.kind() != Adapter::Acp)
}

/// The adapter of this kind of agent; none for commands and people, which need no driver.
pub fn adapter(kind: Adapter) -> Option<&'static dyn AgentAdapter> {
    all().find(|adapter| adapter.kind() == kind)
}
