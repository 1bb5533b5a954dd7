//! Reads tollgate.toml, every key of it, and gives the settings in the form they are used.

mod address;
mod rules;
pub mod wire;

pub use wire::{
    Adapter, ConfigFile, CoverageTable, Enforce, GcTable, Isolation, NotifyOn, NotifyTable,
    SandboxTable, SnapshotTable, TelemetryTable, TrackerKind,
};

use crate::agent_output::wire::micro_usd;
use crate::diagnostic::{Report, shape as words};
use crate::json_file::typed;
use crate::node::read_toml;
use std::collections::BTreeMap;
use tollgate_core::duration;
use tollgate_core::identity::Identity;
use tollgate_core::limits::{
    DISPATCH_BYTES_DEFAULT, FILE_BYTES_DEFAULT, OUTPUT_BYTES_DEFAULT, SILENCE_MS_DEFAULT,
};
use tollgate_core::policy::Policy;
use tollgate_core::role::Role;

/// How many tasks may be worked on at once: each has a checkout, an agent and checks of its own.
pub const PARALLEL_TASKS_MAX: u32 = 16;

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The agent of every role without one of its own.
    pub default_agent: Option<String>,
    pub roles: BTreeMap<Role, String>,
    pub agents: BTreeMap<String, AgentConfig>,
    pub limits: Limits,
    pub workspace: WorkspaceConfig,
    pub sandbox: SandboxTable,
    /// Globs.
    pub sensitive: Vec<String>,
    pub check_runner: Vec<String>,
    pub test_command: Vec<String>,
    /// Globs.
    pub syntax_except: Vec<String>,
    /// None is the usual number.
    pub incidental_lines_max: Option<u32>,
    pub tracker: TrackerKind,
    /// `owner/name`, where it is not that of the remote `origin`.
    pub tracker_repository: Option<String>,
    pub coverage: Option<CoverageTable>,
    pub snapshot: SnapshotTable,
    pub commit: CommitConfig,
    pub gc: GcTable,
    pub notify: NotifyTable,
    pub telemetry: TelemetryTable,
    /// The session folders are left to git.
    pub sessions_tracked: bool,
    policy: Policy,
}

/// A program that can play roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    pub adapter: Adapter,
    pub model: Option<String>,
    /// Names passed on from the parent's environment.
    pub env: Vec<String>,
    pub program: Option<String>,
    pub args: Vec<String>,
    pub inherit: bool,
    pub fallback: Vec<String>,
    pub command: Vec<String>,
}

impl AgentConfig {
    /// As if the settings said nothing but its adapter.
    pub fn plain(adapter: Adapter) -> Self {
        Self {
            adapter,
            model: None,
            env: Vec::new(),
            program: None,
            args: Vec::new(),
            inherit: false,
            fallback: Vec::new(),
            command: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub output_bytes: u64,
    /// Of a changed file.
    pub file_bytes: u64,
    /// Of all changed files of one dispatch.
    pub dispatch_bytes: u64,
    /// How long an agent may say nothing while no tool of its is at work.
    pub silence_ms: u64,
}

/// How accepted work is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitConfig {
    /// Where it is not the person of the git configuration.
    pub author: Option<Identity>,
    pub trailer: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceConfig {
    pub isolation: Isolation,
    pub setup: Vec<String>,
    pub copy: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        config(ConfigFile::default())
    }
}

impl Config {
    /// The part of the settings that decisions depend on.
    pub fn policy(&self) -> Policy {
        let player = |role: Role| Some((role, self.agent_for(role)?.0.to_owned()));
        let has_list = self.agents.iter().filter(|(_, agent)| !agent.fallback.is_empty());
        Policy {
            players: Role::dispatched().filter_map(player).collect(),
            fallbacks: has_list.map(|(name, a)| (name.clone(), a.fallback.clone())).collect(),
            ..self.policy.clone()
        }
    }

    /// Who plays a role: by name, by default, or because there is only one.
    pub fn agent_for(&self, role: Role) -> Option<(&str, &AgentConfig)> {
        let only = || match self.agents.len() {
            1 => self.agents.keys().next(),
            _ => None,
        };
        let name = self.roles.get(&role).or(self.default_agent.as_ref()).or_else(only)?;
        self.agent(name)
    }

    pub fn agent(&self, name: &str) -> Option<(&str, &AgentConfig)> {
        self.agents.get_key_value(name).map(|(name, agent)| (name.as_str(), agent))
    }
}

/// The settings when there is no error.
pub fn read(text: &str, path: &str) -> (Option<Config>, Report) {
    let (node, errors) = read_toml(text);
    let mut report = Report::default();
    report.extend(errors.iter().map(|(message, line)| words::toml_syntax(path, message, *line)));
    if !report.is_ok() {
        return (None, report);
    }
    let file = typed::<ConfigFile>(&node, path, &mut report, |f| words::fault(path, f));
    rules::check(&node, path, &mut report);
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    let config = file.filter(|_| report.is_ok()).map(config);
    (config, report)
}

/// The owner and the name of `owner/name`, when it can be a repository of GitHub.
pub fn repository_parts(text: &str) -> Option<(&str, &str)> {
    let (owner, name) = text.split_once('/')?;
    let is_part = |part: &str| {
        (1..=100).contains(&part.len())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
            && !matches!(part, "." | "..")
    };
    (is_part(owner) && is_part(name) && !name.ends_with(".git")).then_some((owner, name))
}

fn config(file: ConfigFile) -> Config {
    let roles = file.roles.by_role();
    Config {
        policy: policy(&file),
        limits: limits(&file),
        roles: roles.into_iter().map(|(role, name)| (role, name.to_owned())).collect(),
        default_agent: file.roles.default,
        agents: file.agent.into_iter().map(|(name, table)| (name, agent(table))).collect(),
        workspace: WorkspaceConfig {
            isolation: file.workspace.isolation,
            setup: file.workspace.setup,
            copy: file.workspace.copy,
        },
        sandbox: file.sandbox,
        sensitive: file.security.sensitive,
        check_runner: file.check.runner,
        test_command: file.check.test,
        syntax_except: file.check.syntax_except,
        incidental_lines_max: file.scope.incidental_lines,
        tracker: file.tracker.kind,
        tracker_repository: file.tracker.repository,
        coverage: file.coverage,
        snapshot: file.snapshot,
        commit: CommitConfig {
            author: file.commit.author.as_deref().and_then(Identity::parse),
            trailer: file.commit.trailer,
        },
        gc: file.gc,
        notify: file.notify,
        telemetry: file.telemetry,
        sessions_tracked: file.session.tracked,
    }
}

fn limits(file: &ConfigFile) -> Limits {
    let silence = file.timeout.silence.as_deref().and_then(duration::read_ms);
    Limits {
        output_bytes: file.limits.output_bytes.unwrap_or(OUTPUT_BYTES_DEFAULT),
        file_bytes: file.limits.file_bytes.unwrap_or(FILE_BYTES_DEFAULT),
        dispatch_bytes: file.limits.dispatch_bytes.unwrap_or(DISPATCH_BYTES_DEFAULT),
        silence_ms: silence.unwrap_or(SILENCE_MS_DEFAULT),
    }
}

fn agent(table: wire::AgentTable) -> AgentConfig {
    AgentConfig {
        adapter: table.adapter,
        model: table.model,
        env: table.env,
        program: table.program,
        args: table.args,
        inherit: table.inherit,
        fallback: table.fallback,
        command: table.command,
    }
}

fn policy(file: &ConfigFile) -> Policy {
    let usual = Policy::default();
    let ms = |text: &Option<String>| text.as_deref().and_then(duration::read_ms);
    let timeouts = file.timeout.by_role().into_iter();
    Policy {
        transient_attempts: file.retry.transient_attempts.unwrap_or(usual.transient_attempts),
        transient_base_ms: ms(&file.retry.transient_base).unwrap_or(usual.transient_base_ms),
        invalid_reruns: file.retry.invalid_reruns.unwrap_or(usual.invalid_reruns),
        repairs: file.retry.repairs.unwrap_or(usual.repairs),
        timeout_ms: timeouts
            .filter_map(|(role, text)| Some((role, duration::read_ms(text)?)))
            .collect(),
        check_timeout_ms: ms(&file.timeout.check).unwrap_or(usual.check_timeout_ms),
        players: usual.players,
        fallbacks: usual.fallbacks,
        parallel_tasks: file.limits.parallel_tasks.unwrap_or(usual.parallel_tasks),
        coverage_minimum: file.coverage.as_ref().map(|table| hundredths(table.minimum)),
        evidence: file.check.commands.clone(),
        micro_usd_max: file.limits.usd.map(micro_usd),
        tokens_max: file.limits.tokens,
        wall_ms_max: ms(&file.limits.wall),
    }
}

/// Per cent to hundredths of it; the rules keep it between 0 and 100.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn hundredths(per_cent: f64) -> u32 {
    (per_cent.clamp(0.0, 100.0) * 100.0).round() as u32
}

#[cfg(test)]
mod tests;
