//! What an adapter is told about a job, and what the driver is told in turn.

use super::Home;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_core::limits::OUTPUT_BYTES_DEFAULT;
use tollgate_core::reply::Usage;
use tollgate_files::{self as files, FileError};

/// The file in the folder of an attempt that tells the driver what to do.
pub(super) const PLAN: &str = "plan.json";

/// A plan is short; the prompt is beside it.
const PLAN_BYTES_MAX: u64 = 1 << 20;

pub fn write_plan(folder: &Path, plan: &DriverPlan) -> Result<(), FileError> {
    let bytes = serde_json::to_vec_pretty(plan).expect("a plan can always be written");
    files::write_atomic(&folder.join(PLAN), &bytes)
}

/// An attempt that is prepared again may be that of another kind of agent.
pub fn remove_plan(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(PLAN)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// None where the attempt was not that of an agent program, and where its plan cannot be read.
pub fn read_plan(folder: &Path) -> Option<DriverPlan> {
    let bytes = files::read_bounded(&folder.join(PLAN), PLAN_BYTES_MAX).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whether an attempt was that of an agent program.
pub fn is_driven(folder: &Path) -> bool {
    folder.join(PLAN).exists()
}

/// One attempt, as an adapter sees it.
#[derive(Debug)]
pub struct Job<'a> {
    pub agent: &'a AgentConfig,
    /// The program and what must come before its arguments, found and made absolute.
    pub program: Vec<String>,
    pub access: Access,
    /// Where it works.
    pub tree: &'a Path,
    /// The session's folder, relative to the tree.
    pub session_folder: &'a str,
    pub home: &'a Home,
    /// The agent's own session to take up again.
    pub resume: Option<&'a str>,
    /// The JSON Schema of the reply.
    pub schema: &'a serde_json::Value,
    /// The person's home, where they have one.
    pub person_home: Option<&'a Path>,
    /// Whether the kernel holds it to the places where it may write; without, its own sandbox is all there is.
    pub is_confined: bool,
    /// Millionths of a US dollar that it may spend.
    pub micro_usd: Option<u64>,
}

impl Job<'_> {
    /// The person's own places that an agent works with when it inherits; those that are there.
    pub fn own_places(&self, below_home: &[&str]) -> Vec<PathBuf> {
        let places = below_home.iter().filter_map(|place| Some(self.person_home?.join(place)));
        places.filter(|place| self.agent.inherit && place.exists()).collect()
    }

    /// A cache of its own for a program that cannot do without one, where the person has none: it may make none in the home.
    pub fn cache_variable(&self) -> Option<(String, String)> {
        let has_cache = self.person_home.is_some_and(|home| home.join(".cache").is_dir());
        let folder = || self.home.path("cache").display().to_string();
        (!has_cache).then(|| ("XDG_CACHE_HOME".to_owned(), folder()))
    }
}

#[cfg(test)]
impl<'a> Job<'a> {
    /// An attempt of a role that writes in the tree, confined, with nothing else said.
    pub(crate) fn sample(agent: &'a AgentConfig, tree: &'a Path, home: &'a Home) -> Self {
        Self {
            agent,
            program: Vec::new(),
            access: Access::Tree,
            tree,
            session_folder: ".agents-work/S",
            home,
            resume: None,
            schema: &serde_json::Value::Null,
            person_home: None,
            is_confined: true,
            micro_usd: None,
        }
    }
}

/// What a role may write in its tree, in this step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Nothing.
    Read,
    /// Files of the session's folder.
    Session,
    /// Files of the repository too.
    Tree,
}

/// Why a program is not started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStarted {
    /// What is wrong may be over at the next try.
    #[error("{0}")]
    Failed(String),
    /// It would run what nobody agreed to; only a person can change that.
    #[error("{0}")]
    Refused(String),
}

impl From<String> for NotStarted {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// How an adapter wants its program started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentStart {
    pub argv: Vec<String>,
    /// Plain values, none of them secret.
    pub env: BTreeMap<String, String>,
    pub stdin: Stdin,
    /// Outside the workspace and the private folder, what it cannot do without; it is there.
    pub writable: Vec<PathBuf>,
}

/// What the program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// Nothing: it is closed.
    #[default]
    Nothing,
    /// The prompt, then the end of the file.
    Prompt,
    /// What the conversation says.
    Talk,
}

/// For the driver. Written to disk, so it never holds a value that may be secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverPlan {
    pub adapter: Adapter,
    pub argv: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub stdin: Stdin,
    /// What the agent is asked to do; it lies beside the plan.
    #[serde(skip)]
    pub prompt: String,
    pub tree: PathBuf,
    pub session_folder: String,
    pub access: Access,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own session that is taken up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// What was spent in that session before: agents that count on give totals.
    #[serde(default)]
    pub before: Usage,
    pub silence_ms: u64,
    /// What the program may write on its standard output: most of a line that is no JSON is not passed on.
    #[serde(default = "output_bytes_default")]
    pub output_bytes_max: u64,
}

fn output_bytes_default() -> u64 {
    OUTPUT_BYTES_DEFAULT
}
