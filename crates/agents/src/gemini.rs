//! Gemini CLI.
//!
//! It is started with the tree as a workspace that it does not trust, so that nothing of the repository's settings, hooks,
//! servers, agents and `.env` files counts. A policy of ours allows what the role needs: nothing ever asks.

mod lines;
mod settings;

use super::acp::{OverAcp, unwritten};
use super::{
    AgentAdapter, AgentStart, DriverPlan, Job, LoginFile, NotStarted, StandIn, Stdin, Talk, words,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};

pub struct Gemini;

/// The folder of its settings, below the home or below what `GEMINI_CLI_HOME` names.
const FOLDER: &str = ".gemini";

const LOGIN: [LoginFile; 2] =
    [login_file(".gemini/oauth_creds.json"), login_file(".gemini/gemini-credentials.json")];

const fn login_file(path: &'static str) -> LoginFile {
    LoginFile { moved_by: Some("GEMINI_CLI_HOME"), below_moved: path, below_home: path, to: path }
}

const LOGIN_VARIABLES: [&str; 3] =
    ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];

/// The best model that the login may use. Without a model, it asks another one first which to take.
const MODEL: &str = "pro";

const POLICY: &str = "policy.toml";

/// What would run or be obeyed if an earlier attempt had left it in the private folder.
const LEFT_BEHIND: [&str; 8] = [
    ".env",
    ".gemini/.env",
    ".gemini/agents",
    ".gemini/commands",
    ".gemini/extensions",
    ".gemini/policies",
    ".gemini/skills",
    ".agents",
];

impl AgentAdapter for Gemini {
    fn kind(&self) -> Adapter {
        Adapter::Gemini
    }

    fn program(&self) -> &'static str {
        "gemini"
    }

    fn tested(&self) -> &'static str {
        "0.61.0"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@google/gemini-cli")
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let env = [("GOOGLE_GEMINI_BASE_URL", address), ("GEMINI_API_KEY", "sk-stand-in")];
        let model = Some("gemini-2.5-flash".to_owned());
        StandIn { model, ..StandIn::by_environment(&env) }
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let files = [".env", ".gemini/.env", ".gemini/settings.json"];
        let folders = ["agents", "commands", "extensions", "policies", "skills"];
        let mut found = Vec::new();
        for place in [person_home, root] {
            let named = files.iter().map(|file| place.join(file));
            found.extend(named.filter(|file| file.exists()));
            found.extend(folders.map(|name| place.join(FOLDER).join(name)));
        }
        found
    }

    fn own_variables(&self) -> &'static [&'static str] {
        &["GEMINI_"]
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let problem = |error: io::Error| format!("cannot write its settings: {error}");
        job.home.write(POLICY, settings::policy(job).as_bytes()).map_err(problem)?;
        let private = match job.agent.inherit {
            true => vec![(TRUST, "true".to_owned())],
            false => apart(job).map_err(problem)?,
        };
        let mut argv = job.program.clone();
        argv.extend(["-o", "stream-json", "--approval-mode", "default"].map(str::to_owned));
        argv.extend(["--policy".to_owned(), job.home.path(POLICY).display().to_string()]);
        let model = job.agent.model.as_deref().unwrap_or(MODEL);
        argv.extend(["-m".to_owned(), model.to_owned()]);
        if let Some(session) = job.resume {
            argv.extend(["--resume".to_owned(), session.to_owned()]);
        }
        argv.extend(job.agent.args.iter().cloned());
        Ok(AgentStart {
            argv,
            env: variables(private),
            stdin: Stdin::Prompt,
            writable: job.own_places(&[".gemini"]),
        })
    }

    fn talk(&self, _plan: &DriverPlan) -> Box<dyn Talk> {
        Box::new(lines::GeminiLines::default())
    }
}

impl OverAcp for Gemini {
    fn names(&self) -> &'static [&'static str] {
        &["gemini", "gemini-cli"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".gemini"]
    }

    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        apart(job).map_err(unwritten)
    }

    /// Without this setting it trusts no folder, whatever the person has agreed to.
    fn trusting(&self) -> Option<(&'static str, &'static str)> {
        Some((TRUST, "true"))
    }

    /// It takes the answer that a file is not there for a failure and cannot make new ones.
    fn can_use_files(&self) -> bool {
        false
    }
}

/// Whether it obeys the settings of the folder in which it works.
const TRUST: &str = "GEMINI_CLI_TRUST_WORKSPACE";

fn variables(private: Vec<(&'static str, String)>) -> BTreeMap<String, String> {
    // Its launcher would start a second process and swallow signals.
    let plain = ["GEMINI_CLI_NO_RELAUNCH", "NO_BROWSER"].map(|name| (name, "true".to_owned()));
    let all = plain.into_iter().chain(private);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What keeps it in its private folder, natively and over ACP: settings under which nothing of the repository, and nothing
/// that was left behind, runs.
fn apart(job: &Job<'_>) -> io::Result<Vec<(&'static str, String)>> {
    for left in LEFT_BEHIND {
        words::forget(job.home.folder(), left)?;
    }
    let signs_in = settings::sign_in(&job.agent.env, |file| job.home.path(file).exists());
    let content = settings::settings(signs_in).to_string();
    job.home.write(&format!("{FOLDER}/settings.json"), content.as_bytes())?;
    job.home.write(&format!("{FOLDER}/GEMINI.md"), settings::NOTE.as_bytes())?;
    let folder = job.home.folder().display().to_string();
    Ok(vec![("GEMINI_CLI_HOME", folder), (TRUST, "false".to_owned())])
}
