//! What to run, within which limits, and how it ended: what is written to the folder of a run.

use super::stop::StopReason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// What to run and within which limits. Written to disk, so it never holds a value that may be secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSpec {
    /// A first word with a slash is relative to `cwd`; one without is found on the child's `PATH`.
    pub argv: Vec<String>,
    pub cwd: PathBuf,
    /// Names whose values the supervisor passes on from the environment that it inherited.
    #[serde(default)]
    pub env_names: Vec<String>,
    /// Plain values, none of them secret.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// A file of the run's folder; without one the standard input is empty.
    #[serde(default)]
    pub stdin_file: Option<String>,
    pub timeout_ms: u64,
    /// How long it may print nothing and compute nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence_ms: Option<u64>,
    /// Standard output and standard error together.
    pub output_bytes_max: u64,
    /// Forces a way of holding the tree together; otherwise the best one that works here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// Where it may write; without one, everywhere that the person may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// Files with a login; what is secret in them is taken out of the output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secret_files: Vec<PathBuf>,
}

impl RunSpec {
    pub(super) fn output_limit(&self) -> StopReason {
        StopReason::OutputLimit { limit_bytes: self.output_bytes_max }
    }
}

/// Every way a run can end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunEnd {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    CouldNotStart {
        program: String,
        cause: String,
    },
    /// It did not end by itself.
    Stopped {
        why: StopReason,
    },
}

/// How a run ended and what it cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutcome {
    pub end: RunEnd,
    pub duration_ms: u64,
    /// Bytes taken from the agent, before secrets were taken out.
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub finished_at_ms: i64,
}

impl RunOutcome {
    /// Of a run that never began.
    pub fn stopped(why: StopReason) -> Self {
        Self {
            end: RunEnd::Stopped { why },
            duration_ms: 0,
            stdout_bytes: 0,
            stderr_bytes: 0,
            finished_at_ms: now_ms(),
        }
    }

    /// It was stopped for a reason that is not its own, so it shows nothing about what was run.
    pub fn was_cut_short(&self) -> bool {
        matches!(self.end, RunEnd::Stopped { why } if !why.is_limit())
    }
}

pub(super) fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}

/// How a process tree is held together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The kernel ends every process of the tree with its first one. Nothing escapes.
    PidNamespace,
    /// The kernel ends every process of the tree at once. One that sets out to leave the cgroup is ended like below.
    Cgroup,
    /// Descendants are found and killed until none is left. A process that forks fast enough can outrun this.
    Subreaper,
}

/// Where a run may write, besides a temporary folder of its own that goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sandbox {
    /// Folders with all below them, and files. They hold no symbolic link; one that is not there is passed over.
    pub writable: Vec<PathBuf>,
    /// Rather no run at all than one that the kernel does not hold fully.
    #[serde(default)]
    pub required: bool,
    /// Variables that lead programs to places that are open; those of the run itself win.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
}

/// How much of a sandbox the kernel enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// Every way to change content or names.
    Full,
    /// A file can still be emptied by its name; before Linux 5.19, also, nothing moves from one folder to another.
    Partial,
    /// Nothing.
    None,
}

impl SandboxLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::None => "none",
        }
    }
}
