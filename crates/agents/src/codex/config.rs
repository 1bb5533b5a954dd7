//! The settings that Codex runs with: what it may do, and nothing of the person's or the repository's.

use crate::{Access, Job};
use serde_json::{Map, Value, json};

pub const CODEX_KEY: &str = "CODEX_API_KEY";
pub const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// A setting: its dotted name and its value. Strings, numbers, lists and truth values are written in TOML as in JSON.
type Setting = (String, Value);

/// The name of the profile, and of the provider, that are ours.
const OURS: &str = "tollgate";

/// Switched off: what would run other programs, reach other services or spend without being counted.
const FEATURES_OFF: [&str; 10] = [
    "hooks",
    "plugins",
    "remote_plugin",
    "apps",
    "memories",
    "multi_agent",
    "goals",
    "shell_snapshot",
    "daemon_auto_start",
    "unbounded_connection_retries",
];

/// The whole of the private `config.toml`.
pub fn private(job: &Job<'_>) -> String {
    let mut settings = bounds(job);
    settings.extend(apart(job));
    settings.push(("allow_login_shell".to_owned(), json!(false)));
    settings.extend(provider(job));
    in_lines(&settings)
}

/// The same over ACP: there Codex asks us before it goes further than its files, and chooses its service itself.
pub fn over_acp(job: &Job<'_>) -> String {
    let mut settings = apart(job);
    if let Some(files) = files(job).filter(|_| job.is_confined) {
        settings.extend(profile(files));
    }
    in_lines(&settings)
}

/// Nothing of the person's and the repository's.
fn apart(job: &Job<'_>) -> Vec<Setting> {
    let mut settings = vec![trust(job, "untrusted")];
    let plain = [
        ("check_for_update_on_startup", json!(false)),
        ("analytics.enabled", json!(false)),
        ("history.persistence", json!("none")),
        ("skills.include_instructions", json!(false)),
        ("skills.bundled.enabled", json!(false)),
        // The login and what is meant for Codex alone do not reach the commands of the model.
        (
            "shell_environment_policy.exclude",
            json!([CODEX_KEY, OPENAI_KEY, "CODEX_HOME", "RUST_LOG"]),
        ),
    ];
    settings.extend(plain.map(|(name, value)| (name.to_owned(), value)));
    settings.extend(FEATURES_OFF.map(|name| (format!("features.{name}"), json!(false))));
    settings
}

fn in_lines(settings: &[Setting]) -> String {
    settings.iter().map(|(name, value)| format!("{name} = {}\n", toml(value))).collect()
}

/// For settings that are the person's own.
pub fn inherited(job: &Job<'_>) -> Vec<String> {
    let settings = bounds(job).into_iter().chain([trust(job, "trusted")]);
    settings.flat_map(|setting| as_flag(&setting)).collect()
}

/// Said outright in either case: where Codex finds no word about a repository it writes down that it is trusted, and
/// runs its settings.
fn trust(job: &Job<'_>, level: &str) -> Setting {
    let tree = job.tree.canonicalize().unwrap_or_else(|_| job.tree.to_owned());
    let mut trees = Map::new();
    trees.insert(tree.display().to_string(), json!({"trust_level": level}));
    ("projects".to_owned(), Value::Object(trees))
}

/// What it may do, whoever's settings it runs with.
fn bounds(job: &Job<'_>) -> Vec<Setting> {
    let mut settings = vec![("approval_policy".to_owned(), json!("never"))];
    match files(job) {
        None => settings.push(("default_permissions".to_owned(), json!(":workspace"))),
        Some(files) => settings.extend(profile(files)),
    }
    settings
}

fn profile(files: Value) -> [Setting; 2] {
    [
        ("default_permissions".to_owned(), json!(OURS)),
        (format!("permissions.{OURS}.filesystem"), files),
    ]
}

/// Which files the model's commands may write; none for the profile of Codex itself that opens the tree. The network is
/// closed to them in all of these.
fn files(job: &Job<'_>) -> Option<Value> {
    // Codex bounds files by mounting them again, which the kernel denies to whoever is held by Landlock already: no
    // command would start. The bounds are ours then, and Codex only closes the network.
    if job.is_confined {
        return Some(json!({":root": "write"}));
    }
    let mut files = json!({":root": "read", ":tmpdir": "write", ":slash_tmp": "write"});
    match job.access {
        Access::Read => {}
        Access::Session => {
            let folder = job.tree.join(job.session_folder);
            files[folder.display().to_string()] = json!("write");
        }
        Access::Tree => return None,
    }
    Some(files)
}

/// Codex itself does not read OpenAI's usual variable.
fn provider(job: &Job<'_>) -> Vec<Setting> {
    let is_let_through = |name: &str| job.agent.env.iter().any(|let_through| let_through == name);
    let has_login = job.home.path(super::LOGIN[0].to).exists() || is_let_through(CODEX_KEY);
    if has_login || !is_let_through(OPENAI_KEY) {
        return Vec::new();
    }
    let of = |name: &str| format!("model_providers.{OURS}.{name}");
    vec![
        ("model_provider".to_owned(), json!(OURS)),
        (of("name"), json!("OpenAI")),
        (of("base_url"), json!("https://api.openai.com/v1")),
        (of("env_key"), json!(OPENAI_KEY)),
        (of("wire_api"), json!("responses")),
        (of("request_max_retries"), json!(2)),
        (of("stream_max_retries"), json!(2)),
        (of("stream_idle_timeout_ms"), json!(300_000)),
    ]
}

/// The same setting as words of the command line.
fn as_flag((name, value): &Setting) -> [String; 2] {
    ["-c".to_owned(), format!("{name}={}", toml(value))]
}

fn toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| format!("{}={}", json!(name), toml(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
