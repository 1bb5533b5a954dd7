//! goose.
//!
//! It keeps everything below one folder of ours and gets its developer tools only. It has no way to refuse a repository's
//! plugins as a whole, so each that is there is switched off by name.

mod lines;
mod log;
mod settings;

use super::acp::{OverAcp, unwritten};
use super::event::TurnOutcome;
use super::{
    Access, AgentAdapter, AgentStart, DriverPlan, Home, Job, LoginFile, NotStarted, StandIn, Stdin,
    Talk, npm, words,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_files as files;
use tollgate_files::clock;

pub struct Goose;

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("XDG_CONFIG_HOME"),
    below_moved: "goose/secrets.yaml",
    below_home: ".config/goose/secrets.yaml",
    to: "config/secrets.yaml",
}];

const LOGIN_VARIABLES: [&str; 8] = [
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "DATABRICKS_TOKEN",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "XAI_API_KEY",
];

/// Rounds with the model before it gives up; a guard against running in circles.
const TURNS_MAX: &str = "500";

/// What would run or be obeyed if an earlier attempt had left it in the private folder.
const LEFT_BEHIND: [&str; 5] =
    [".agents", ".config", "config/custom_providers", "config/recipes", PERMISSIONS];

const PERMISSIONS: &str = "config/permission.yaml";

/// Everything of its own lies below the folder that this names.
const ROOT: &str = "GOOSE_PATH_ROOT";

impl AgentAdapter for Goose {
    fn kind(&self) -> Adapter {
        Adapter::Goose
    }

    fn program(&self) -> &'static str {
        "goose"
    }

    fn tested(&self) -> &'static str {
        "1.52.0"
    }

    fn package(&self) -> Option<&'static str> {
        match npm::target()?.0 {
            "linux-x64" => Some("@aaif/goose-binary-linux-x64"),
            "linux-arm64" => Some("@aaif/goose-binary-linux-arm64"),
            _ => None,
        }
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let persons = [
            ".config/goose/config.yaml",
            ".config/goose/custom_providers",
            ".config/goose/recipes",
            ".config/goose/settings.json",
        ];
        let projects = [".config/goose/settings.json", ".config/goose/settings.local.json"];
        let mut found: Vec<PathBuf> = persons.iter().map(|file| person_home.join(file)).collect();
        found.extend(projects.iter().map(|file| root.join(file)));
        found.extend([person_home, root].map(|place| place.join(PLUGINS)));
        found
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let model = Some("claude-sonnet-4-5".to_owned());
        let env = [
            ("GOOSE_PROVIDER", "anthropic"),
            ("ANTHROPIC_HOST", address),
            ("ANTHROPIC_API_KEY", "sk-stand-in"),
        ];
        StandIn { model, ..StandIn::by_environment(&env) }
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let mut argv = job.program.clone();
        let fixed = ["run", "-q", "--output-format", "stream-json", "--max-turns", TURNS_MAX];
        argv.extend(fixed.map(str::to_owned));
        if !job.agent.inherit {
            prepare(job).map_err(|error| format!("cannot write its settings: {error}"))?;
            argv.push("--no-profile".to_owned());
        }
        argv.extend(["--with-builtin", "developer", "--name"].map(str::to_owned));
        argv.push(job.resume.map_or_else(|| new_session(job), str::to_owned));
        if job.resume.is_some() {
            argv.push("--resume".to_owned());
        }
        if let Some(model) = &job.agent.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        argv.extend(job.agent.args.iter().cloned());
        argv.extend(["-i", "-"].map(str::to_owned));
        Ok(AgentStart {
            argv,
            env: variables(job),
            stdin: Stdin::Prompt,
            writable: job.own_places(&[
                ".config/goose",
                ".local/share/goose",
                ".local/state/goose",
            ]),
        })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        Box::new(lines::GooseLines::new(plan))
    }
}

impl OverAcp for Goose {
    fn names(&self) -> &'static [&'static str] {
        &["goose", "goose-binary-linux-x64"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".config/goose", ".local/share/goose", ".local/state/goose"]
    }

    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        without_plugins(job).map_err(unwritten)?;
        let own = [("GOOSE_TELEMETRY_OFF", "1".to_owned())];
        Ok(apart(job.home).into_iter().chain(own).collect())
    }

    fn has_login_files(&self) -> bool {
        false
    }

    fn stand_in_over_acp(&self, agent: &AgentConfig, address: &str) -> StandIn {
        let native = self.stand_in(agent, address);
        let model = native.model.map(|model| ("GOOSE_MODEL".to_owned(), model));
        StandIn { env: native.env.into_iter().chain(model).collect(), ..StandIn::default() }
    }

    fn counts_whole_turns(&self) -> bool {
        false
    }

    /// It ends its turn well and tells of the failure of its model service in a message of its own.
    fn failure_in_words(&self, text: &str) -> Option<TurnOutcome> {
        lines::told_in_words(text)
    }
}

const PLUGINS: &str = ".agents/plugins";

fn variables(job: &Job<'_>) -> BTreeMap<String, String> {
    // Where it must ask, it refuses instead: the tools that a reading role may use are all listed.
    let mode = if is_limited(job) { "approve" } else { "auto" };
    let mut env = BTreeMap::from([
        ("GOOSE_MODE".to_owned(), mode.to_owned()),
        ("GOOSE_TELEMETRY_OFF".to_owned(), "1".to_owned()),
        ("GOOSE_DISABLE_SESSION_NAMING".to_owned(), "true".to_owned()),
    ]);
    if !job.agent.inherit {
        let private = apart(job.home).map(|(name, value)| (name.to_owned(), value));
        env.extend(private);
    }
    env
}

/// What keeps it in its private folder.
fn apart(home: &Home) -> [(&'static str, String); 2] {
    [
        ("GOOSE_PATH_ROOT", home.folder().display().to_string()),
        ("GOOSE_DISABLE_KEYRING", "1".to_owned()),
    ]
}

/// Sessions are found by their name, and with `inherit` all of them lie in the person's own store.
fn new_session(job: &Job<'_>) -> String {
    let place = files::hash_bytes(job.home.folder().as_os_str().as_encoded_bytes());
    let place: String = place.as_str().chars().rev().take(12).collect();
    format!("tollgate-{place}-{}", clock::now().as_ms())
}

fn is_limited(job: &Job<'_>) -> bool {
    job.access == Access::Read && !job.agent.inherit
}

fn prepare(job: &Job<'_>) -> io::Result<()> {
    without_plugins(job)?;
    let permissions = settings::permissions(is_limited(job)).to_string();
    job.home.write(PERMISSIONS, permissions.as_bytes())
}

/// Settings under which nothing of the repository, and nothing that was left behind, runs.
fn without_plugins(job: &Job<'_>) -> io::Result<()> {
    for left in LEFT_BEHIND {
        words::forget(job.home.folder(), left)?;
    }
    // What it waited for in an earlier attempt is over.
    words::forget(job.home.folder(), log::FOLDER)?;
    let config = settings::config(&plugins(job.tree));
    job.home.write("config/config.yaml", config.to_string().as_bytes())
}

/// The plugins of the repository, by every path that they may be called by.
fn plugins(tree: &Path) -> Vec<PathBuf> {
    let mut places = vec![tree.to_owned()];
    places.extend(tree.canonicalize().ok().filter(|real| real != tree));
    places.iter().flat_map(|place| words::folders_in(&place.join(PLUGINS))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use serde_json::Value;
    use std::fs;
    use tollgate_contract::config::{Adapter, AgentConfig};

    fn started(dir: &Path, access: Access, resume: Option<&str>) -> AgentStart {
        let agent = AgentConfig {
            model: Some("m".to_owned()),
            args: vec!["--provider".to_owned(), "p".to_owned()],
            ..AgentConfig::plain(Adapter::Goose)
        };
        let (tree, home) = (dir.join("tree"), Home::create(&dir.join("home")).unwrap());
        let program = vec!["goose".to_owned()];
        let job = Job { program, access, resume, ..Job::sample(&agent, &tree, &home) };
        Goose.start(&job).unwrap()
    }

    #[test]
    fn plugins_of_the_repository_are_off_and_what_was_left_behind_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let plugin = dir.path().join("tree/.agents/plugins/evil");
        let left = dir.path().join("home/.agents/plugins/evil");
        let sessions = dir.path().join("home/data/sessions");
        for folder in [&plugin, &left, &sessions] {
            fs::create_dir_all(folder).unwrap();
        }
        let start = started(dir.path(), Access::Tree, Some("tollgate"));
        let config = fs::read(dir.path().join("home/config/config.yaml")).unwrap();
        let config: Value = serde_json::from_slice(&config).unwrap();
        assert_eq!(config["plugins"][plugin.to_str().unwrap()]["enabled"], false);
        assert!(!left.exists() && sessions.exists());
        assert_eq!(start.env["GOOSE_MODE"], "auto");
        assert_eq!(
            start.argv.join(" "),
            "goose run -q --output-format stream-json --max-turns 500 --no-profile --with-builtin developer \
             --name tollgate --resume --model m --provider p -i -"
        );
        let named =
            |start: &AgentStart| start.argv.iter().position(|word| word == "--name").unwrap();
        let new = started(dir.path(), Access::Tree, None);
        let name = &new.argv[named(&new) + 1];
        assert!(name.starts_with("tollgate-") && name.len() > 20, "{name}");
        let other = started(&dir.path().join("other"), Access::Tree, None);
        assert_ne!(name, &other.argv[named(&other) + 1]);
    }

    #[test]
    fn a_reading_role_is_refused_the_tools_that_write() {
        let dir = tempfile::tempdir().unwrap();
        let start = started(dir.path(), Access::Read, None);
        assert_eq!(start.env["GOOSE_MODE"], "approve");
        let permissions = fs::read(dir.path().join("home/config/permission.yaml")).unwrap();
        let permissions: Value = serde_json::from_slice(&permissions).unwrap();
        assert_eq!(permissions["user"]["never_allow"], serde_json::json!(["write", "edit"]));
    }
}
