//! tollgate.toml as it is written; its JSON Schema comes from here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tollgate_core::role::Role;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConfigFile {
    /// Who plays which role.
    pub roles: RolesTable,
    pub agent: BTreeMap<String, AgentTable>,
    /// How long one attempt may take, per role.
    pub timeout: TimeoutTable,
    pub retry: RetryTable,
    pub limits: LimitsTable,
    pub workspace: WorkspaceTable,
    pub sandbox: SandboxTable,
    pub security: SecurityTable,
    pub check: CheckTable,
    pub scope: ScopeTable,
    pub tracker: TrackerTable,
    pub coverage: Option<CoverageTable>,
    pub snapshot: SnapshotTable,
    pub session: SessionTable,
    pub commit: CommitTable,
    pub gc: GcTable,
    pub notify: NotifyTable,
    pub telemetry: TelemetryTable,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionTable {
    /// Whether `.agents-work` is left to git, to be committed by people, instead of being excluded.
    pub tracked: bool,
}

/// How long `tollgate gc` leaves things alone after a session has ended, in days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GcTable {
    /// Workspaces, and the private folders of agents.
    pub workspace_days: u32,
    /// What agents and checks printed.
    pub transcript_days: u32,
    /// Commits that git keeps for a session whose work is merged.
    pub ref_days: u32,
}

impl Default for GcTable {
    fn default() -> Self {
        Self { workspace_days: 7, transcript_days: 30, ref_days: 30 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommitTable {
    /// `Name <address>` of author and committer; else they are read from the git configuration.
    pub author: Option<String>,
    /// Whether each commit names the agent in an `Assisted-by:` trailer.
    pub trailer: bool,
}

impl Default for CommitTable {
    fn default() -> Self {
        Self { author: None, trailer: true }
    }
}

/// By which means a person is told that they are needed; by none where none is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotifyTable {
    /// What is told; `waiting` is also for a role that waits for a person to play it.
    pub on: Vec<NotifyOn>,
    /// Rings the bell of the terminal that runs the session.
    pub bell: bool,
    /// By notify-send where there is a desktop, else by OSC 9 through the terminal that runs the session.
    pub desktop: bool,
    /// The program and its arguments. It gets the event as JSON on standard input and in `TOLLGATE_*` variables.
    pub command: Vec<String>,
    /// An address that gets the event as CloudEvents JSON.
    pub webhook: Option<String>,
    /// Headers of that request, each with the name of the environment variable that has its value.
    pub webhook_header_env: BTreeMap<String, String>,
}

impl Default for NotifyTable {
    fn default() -> Self {
        Self {
            on: vec![NotifyOn::Waiting, NotifyOn::Blocked, NotifyOn::Done],
            bell: false,
            desktop: false,
            command: Vec::new(),
            webhook: None,
            webhook_header_env: BTreeMap::new(),
        }
    }
}

/// Where traces of sessions are sent; nowhere by default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryTable {
    /// The address of an OpenTelemetry collector that takes OTLP over HTTP.
    pub otlp: Option<String>,
    /// Headers of that request, each with the name of the environment variable that has its value.
    pub header_env: BTreeMap<String, String>,
}

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum NotifyOn {
    Waiting,
    Blocked,
    Done,
    Cancelled,
}

impl NotifyOn {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A table with one optional text per role and one for each further key.
macro_rules! role_table {
    ($(#[$doc:meta])* $name:ident, $($extra:ident),+: $($field:ident = $text:literal $role:ident),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $(pub $extra: Option<String>,)+
            $(#[serde(rename = $text)]
            pub $field: Option<String>,)+
        }

        impl $name {
            /// The roles that are given.
            pub fn by_role(&self) -> BTreeMap<Role, &str> {
                let all = [$((Role::$role, self.$field.as_deref())),+];
                all.into_iter().filter_map(|(role, text)| Some((role, text?))).collect()
            }
        }
    };
}

role_table!(
    /// Names of agents.
    RolesTable, default:
    spec_agent = "SpecAgent" SpecAgent,
    architect = "Architect" Architect,
    planner = "Planner" Planner,
    designer = "Designer" Designer,
    researcher = "Researcher" Researcher,
    coder = "Coder" Coder,
    reviewer = "Reviewer" Reviewer,
    qa = "QA" QA,
    security = "Security" Security,
    integrator = "Integrator" Integrator,
    docs = "Docs" Docs,
);

role_table!(
    /// Durations such as `30m`; `check` is for check commands, `silence` for how long an agent may say nothing while no tool
    /// of its works.
    TimeoutTable, check, silence:
    spec_agent = "SpecAgent" SpecAgent,
    architect = "Architect" Architect,
    planner = "Planner" Planner,
    designer = "Designer" Designer,
    researcher = "Researcher" Researcher,
    coder = "Coder" Coder,
    reviewer = "Reviewer" Reviewer,
    qa = "QA" QA,
    security = "Security" Security,
    integrator = "Integrator" Integrator,
    docs = "Docs" Docs,
);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTable {
    pub adapter: Adapter,
    #[serde(default)]
    pub model: Option<String>,
    /// Names passed on from the parent's environment.
    #[serde(default)]
    pub env: Vec<String>,
    /// Found on PATH when not given.
    #[serde(default)]
    pub program: Option<String>,
    /// Given to the program as they are.
    #[serde(default)]
    pub args: Vec<String>,
    /// Lets the agent's own settings, hooks and servers of the person and the repository run.
    #[serde(default)]
    pub inherit: bool,
    /// Who takes over when this one is out of its usage limit.
    #[serde(default)]
    pub fallback: Vec<String>,
    /// The program and its arguments, for the adapters `command` and `acp`.
    #[serde(default)]
    pub command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Adapter {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Copilot,
    Qwen,
    Goose,
    Acp,
    Command,
    Manual,
}

impl Adapter {
    pub const ALL: [Self; 10] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Copilot,
        Self::Qwen,
        Self::Goose,
        Self::Acp,
        Self::Command,
        Self::Manual,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Copilot => "copilot",
            Self::Qwen => "qwen",
            Self::Goose => "goose",
            Self::Acp => "acp",
            Self::Command => "command",
            Self::Manual => "manual",
        }
    }

    /// The adapter of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|adapter| adapter.as_str() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetryTable {
    pub transient_attempts: Option<u32>,
    /// A duration; it doubles.
    pub transient_base: Option<String>,
    pub invalid_reruns: Option<u32>,
    pub repairs: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsTable {
    pub usd: Option<f64>,
    pub tokens: Option<u64>,
    /// A duration.
    pub wall: Option<String>,
    /// Per dispatch.
    pub output_bytes: Option<u64>,
    /// A changed file that is larger is set aside.
    pub file_bytes: Option<u64>,
    /// All changed files of one dispatch; the largest are set aside until the rest fits.
    pub dispatch_bytes: Option<u64>,
    pub parallel_tasks: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorkspaceTable {
    pub isolation: Isolation,
    /// Commands run once in a new workspace.
    pub setup: Vec<String>,
    /// Ignored files to bring along.
    pub copy: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Isolation {
    #[default]
    Clone,
    InPlace,
}

/// Where agents and checks may write besides their own tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxTable {
    /// `auto`: as much as the kernel can; `required`: nothing starts that it does not hold fully.
    pub enforce: Enforce,
    /// Paths outside the repository, absolute or from `~/`.
    pub write: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Enforce {
    #[default]
    Auto,
    Off,
    Required,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SecurityTable {
    /// Globs of paths that only Security may wave through.
    pub sensitive: Vec<String>,
}

impl Default for SecurityTable {
    fn default() -> Self {
        let sensitive = ["**/auth/**", "**/login*", "**/*secret*", "**/crypto/**"];
        Self { sensitive: sensitive.map(str::to_owned).to_vec() }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CheckTable {
    /// Put before a check or gate command.
    pub runner: Vec<String>,
    /// Commands that show what the project does, such as its build and its tests. `build`, `feature` and `test` end with
    /// their exit codes.
    pub commands: Vec<String>,
    /// How a file of tests is run; `{path}` stands for it. Else the runner that the project uses.
    pub test: Vec<String>,
    /// Globs of files that may be left as they are, even where they do not parse.
    pub syntax_except: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ScopeTable {
    /// So many lines of a file may change where the change is declared incidental.
    pub incidental_lines: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TrackerTable {
    pub kind: TrackerKind,
    /// `owner/name` on GitHub; else it is read from the remote `origin`.
    pub repository: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TrackerKind {
    #[default]
    Files,
    Github,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverageTable {
    /// A file of lcov or Cobertura.
    #[schemars(length(min = 1))]
    pub report: String,
    /// Percent.
    #[serde(default = "coverage_minimum")]
    pub minimum: f64,
}

fn coverage_minimum() -> f64 {
    80.0
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotTable {
    pub keep: u32,
    pub days: u32,
}

impl Default for SnapshotTable {
    fn default() -> Self {
        Self { keep: 10, days: 30 }
    }
}
