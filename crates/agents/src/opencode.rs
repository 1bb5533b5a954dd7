//! opencode: one run a turn, lines of JSON, the prompt on its standard input.

mod log;
mod stream;

use super::acp::OverAcp;
use super::{
    Access, AgentAdapter, AgentStart, DriverPlan, Job, LoginFile, NotStarted, Runs, StandIn, Stdin,
    Talk, npm, words,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};

pub struct Opencode;

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("XDG_DATA_HOME"),
    below_moved: "opencode/auth.json",
    below_home: ".local/share/opencode/auth.json",
    to: "data/opencode/auth.json",
}];

const LOGIN_VARIABLES: [&str; 6] = [
    "OPENCODE_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "GITHUB_TOKEN",
];

/// Below a settings folder of opencode, what decides what runs. Its `node_modules` are not listed: opencode fills them
/// from `package.json`.
const SETTINGS: [&str; 15] = [
    "opencode.json",
    "opencode.jsonc",
    "config.json",
    "package.json",
    "plugin",
    "plugins",
    "tool",
    "tools",
    "agent",
    "agents",
    "command",
    "commands",
    "mode",
    "modes",
    "bun.lock",
];

/// Below the home, the folders that it works with.
const FOLDERS: [&str; 3] = [".config/opencode", ".local/share/opencode", ".local/state/opencode"];

/// What would run or be obeyed if an earlier attempt had left it in the private folder.
const LEFT_BEHIND: [&str; 2] = ["config/opencode", "home/.opencode"];

impl AgentAdapter for Opencode {
    fn kind(&self) -> Adapter {
        Adapter::Opencode
    }

    fn program(&self) -> &'static str {
        "opencode"
    }

    /// The package of npm starts a loader, which starts the package of the platform.
    fn command(&self, found: &Path) -> Vec<String> {
        let native = npm::target().and_then(|(platform, _)| {
            npm::native(found, &format!("opencode-{platform}"), "bin/opencode")
        });
        vec![native.as_deref().unwrap_or(found).display().to_string()]
    }

    fn tested(&self) -> &'static str {
        "1.18.33"
    }

    fn package(&self) -> Option<&'static str> {
        Some("opencode-ai")
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let folders = [person_home.join(".config/opencode"), person_home.join(".opencode")];
        let theirs = folders.iter().flat_map(|folder| SETTINGS.map(|name| folder.join(name)));
        // Of the repository all of it: what its plugins load was written by anyone.
        theirs.chain(SETTINGS_OF_THE_REPOSITORY.map(|name| root.join(name))).collect()
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let base = format!("{address}/v1");
        let env = [("ANTHROPIC_BASE_URL", base.as_str()), ("ANTHROPIC_API_KEY", "sk-stand-in")];
        let model = Some("anthropic/claude-sonnet-4-5".to_owned());
        StandIn { model, ..StandIn::by_environment(&env) }
    }

    fn own_variables(&self) -> &'static [&'static str] {
        &["OPENCODE_"]
    }

    fn runs_of(&self, name: &str, content: &[u8]) -> Runs {
        match serde_json::from_slice(content) {
            Ok(Value::Object(mut fields)) if name.ends_with("opencode.json") => {
                fields.remove("$schema");
                Runs::Part(Value::Object(fields).to_string().into_bytes())
            }
            _ => Runs::All,
        }
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let private = match job.agent.inherit {
            true => Vec::new(),
            false => apart(job)?,
        };
        let mut argv = job.program.clone();
        argv.extend(["run", "--format", "json"].map(str::to_owned));
        if let Some(model) = &job.agent.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        if let Some(session) = job.resume {
            argv.extend(["--session".to_owned(), session.to_owned()]);
        }
        argv.extend(job.agent.args.iter().cloned());
        let mut env = BTreeMap::from(
            [
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        env.insert("OPENCODE_CONFIG_CONTENT".to_owned(), settings(job).to_string());
        env.extend(job.cache_variable());
        let writable = match job.agent.inherit {
            true => own_folders(job)?,
            false => Vec::new(),
        };
        env.extend(private.into_iter().map(|(name, value)| (name.to_owned(), value)));
        Ok(AgentStart { argv, env, stdin: Stdin::Prompt, writable })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        // The person's own log is written by all of their agents.
        let data = plan.env.get("XDG_DATA_HOME").map(PathBuf::from);
        Box::new(stream::OpencodeStream::new(data.map(|data| data.join(log::LOG))))
    }
}

impl OverAcp for Opencode {
    fn names(&self) -> &'static [&'static str] {
        &["opencode", "opencode-ai"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"]
    }

    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        let own = [("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned())];
        Ok(apart(job)?.into_iter().chain(own).collect())
    }

    /// The only one that has the same names for models here.
    fn stand_in_over_acp(&self, agent: &AgentConfig, address: &str) -> StandIn {
        StandIn { args: Vec::new(), ..self.stand_in(agent, address) }
    }

    fn needs_cache(&self) -> bool {
        true
    }

    fn counts_whole_turns(&self) -> bool {
        false
    }
}

/// In the top folder of a repository, the settings that it reads whatever it is told.
const SETTINGS_OF_THE_REPOSITORY: [&str; 3] = ["opencode.json", "opencode.jsonc", ".opencode"];

/// What keeps it in its private folders, natively and over ACP; the error is why it cannot be kept apart.
///
/// There is no variable for `~/.opencode` but the one with which it moves the home in its own tests.
fn apart(job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
    refuse_settings(job.tree)?;
    for left in LEFT_BEHIND {
        words::forget(job.home.folder(), left)
            .map_err(|error| format!("{left} in its private folder cannot be removed: {error}"))?;
    }
    let below = |name: &str| job.home.path(name).display().to_string();
    let folders = [
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
        ("OPENCODE_TEST_HOME", "home"),
    ];
    let switches = ["OPENCODE_DISABLE_PROJECT_CONFIG", "OPENCODE_PURE"];
    let folders = folders.map(|(variable, name)| (variable, below(name)));
    let switches = switches.map(|variable| (variable, "1".to_owned()));
    Ok(folders.into_iter().chain(switches).collect())
}

/// A second reader of settings in it obeys none of its switches and imports the plugins that they list: they would run with
/// the person's login in reach. It looks from where it works up to the top of the work tree, and it works at the top.
fn refuse_settings(tree: &Path) -> Result<(), NotStarted> {
    let is_there = |name: &&str| tree.join(name).symlink_metadata().is_ok();
    match SETTINGS_OF_THE_REPOSITORY.iter().find(|name| is_there(name)) {
        None => Ok(()),
        Some(name) => Err(NotStarted::Refused(format!(
            "the repository has {name}, and opencode would run the plugins in it or named by it, whatever its settings say; \
             remove it from the repository, use another agent, or write inherit = true and agree to it with `tollgate agents trust`"
        ))),
    }
}

/// What stands above every other settings file, also where the person's are inherited.
fn settings(job: &Job<'_>) -> Value {
    json!({
        "autoupdate": false,
        "share": "disabled",
        // Copies of the tree for an undo that nobody asks for.
        "snapshot": false,
        "permission": permission(job),
    })
}

/// Nothing asks: what is not allowed is denied, and the model is told. Later rules win.
fn permission(job: &Job<'_>) -> Value {
    let edit = match job.access {
        Access::Tree => json!("allow"),
        Access::Session => json!({ "*": "deny", format!("{}/*", job.session_folder): "allow" }),
        Access::Read => json!("deny"),
    };
    // Builds use toolchains, caches and temporary files; the kernel keeps what must not be written.
    let elsewhere = if job.is_confined { "allow" } else { "deny" };
    json!({
        "*": "allow",
        "edit": edit,
        "external_directory": elsewhere,
        "question": "deny",
        "doom_loop": "deny",
    })
}

/// The person's folders of opencode, made as it would have made them.
fn own_folders(job: &Job<'_>) -> Result<Vec<PathBuf>, String> {
    let folders = job.person_home.iter().flat_map(|home| FOLDERS.map(|folder| home.join(folder)));
    let folders: Vec<PathBuf> = folders.collect();
    for folder in &folders {
        fs::create_dir_all(folder)
            .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    }
    Ok(folders)
}

#[cfg(test)]
mod tests;
