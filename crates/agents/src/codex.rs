//! Codex: `codex exec`, one turn per process, in a thread of its own that can be taken up again.

mod config;
mod failure;
mod schema;
mod stream;

use super::acp::OverAcp;
use super::event::TurnOutcome;
use super::{
    AgentAdapter, AgentStart, DriverPlan, Job, LoginFile, NotStarted, Runs, StandIn, Stdin, Talk,
    npm, words,
};
use jiff::tz::TimeZone;
use serde_json::json;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_core::time::Timestamp;
use tollgate_files::clock;

pub struct Codex;

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("CODEX_HOME"),
    below_moved: "auth.json",
    below_home: ".codex/auth.json",
    to: "auth.json",
}];

/// The first is read by Codex itself, the second through a provider of ours.
const LOGIN_VARIABLES: [&str; 2] = [config::CODEX_KEY, config::OPENAI_KEY];

const CONFIG_FILE: &str = "config.toml";

/// The person's folder, where they have not moved it.
const PERSONS_FOLDER: &str = ".codex";

const SCHEMA_FILE: &str = "tollgate-reply.schema.json";

/// What would run or be obeyed if an earlier attempt had left it in the private folder.
const LEFT_BEHIND: [&str; 6] = ["AGENTS.md", "hooks.json", "rules", "agents", "plugins", "skills"];

/// What Codex tells nobody else: that it waits, and what was refused.
const LOG: &str = "error,codex_core=warn,codex_sandboxing=warn";

impl AgentAdapter for Codex {
    fn kind(&self) -> Adapter {
        Adapter::Codex
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn command(&self, found: &Path) -> Vec<String> {
        let native = npm::target().and_then(|(platform, triple)| {
            let package = format!("@openai/codex-{platform}");
            npm::native(found, &package, &format!("vendor/{triple}/bin/codex"))
        });
        vec![native.as_deref().unwrap_or(found).display().to_string()]
    }

    fn tested(&self) -> &'static str {
        "0.166.0"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@openai/codex")
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        [person_home, root].iter().flat_map(|place| settings_of(place)).collect()
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let args = vec!["-c".to_owned(), format!("openai_base_url=\"{address}/v1\"")];
        let model = Some("gpt-5.5".to_owned());
        StandIn { args, model, ..StandIn::by_environment(&[("CODEX_API_KEY", "sk-stand-in")]) }
    }

    fn own_variables(&self) -> &'static [&'static str] {
        &["CODEX_", "OPENAI_"]
    }

    fn runs_of(&self, name: &str, _content: &[u8]) -> Runs {
        let is_its_own = name.starts_with("~/.codex/skills/.system/");
        if is_its_own { Runs::Nothing } else { Runs::All }
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let problem =
            |error: std::io::Error| format!("cannot write the settings of Codex: {error}");
        let strict = schema::strict(job.schema);
        job.home.write(SCHEMA_FILE, strict.to_string().as_bytes()).map_err(problem)?;
        let mut argv = job.program.clone();
        argv.extend(
            ["exec", "--json", "--skip-git-repo-check", "--output-schema"].map(str::to_owned),
        );
        argv.push(job.home.path(SCHEMA_FILE).display().to_string());
        let mut env = BTreeMap::from([("RUST_LOG".to_owned(), LOG.to_owned())]);
        let mut writable = Vec::new();
        if job.agent.inherit {
            argv.extend(config::inherited(job));
            writable.extend(job.person_home.map(|home| home.join(PERSONS_FOLDER)));
        } else {
            argv.push("--ignore-rules".to_owned());
            let (name, folder) = apart(job, &config::private(job)).map_err(problem)?;
            env.insert(name.to_owned(), folder);
        }
        if let Some(model) = &job.agent.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        argv.extend(job.agent.args.iter().cloned());
        if let Some(thread) = job.resume {
            argv.extend(["resume".to_owned(), thread.to_owned()]);
        }
        argv.push("-".to_owned());
        Ok(AgentStart { argv, env, stdin: Stdin::Prompt, writable })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        Box::new(stream::CodexStream::new(plan.before))
    }
}

impl OverAcp for Codex {
    fn names(&self) -> &'static [&'static str] {
        &["codex-acp"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".codex"]
    }

    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        if job.tree.join(PERSONS_FOLDER).symlink_metadata().is_ok() {
            let why = "the repository has settings in .codex, and codex-acp always uses them; use adapter = \
                 \"codex\", or write inherit = true and agree to them with `tollgate agents trust`";
            return Err(NotStarted::Refused(why.to_owned()));
        }
        let private = apart(job, &config::over_acp(job))
            .map_err(|error| format!("cannot write the settings of Codex: {error}"))?;
        Ok(vec![private])
    }

    fn stand_in_over_acp(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let provider = json!({"name": "stand-in", "base_url": format!("{address}/v1"), "wire_api": "responses", "env_key": "CODEX_API_KEY"});
        let config = json!({"model": "gpt-5.5", "model_provider": "standin", "model_providers": {"standin": provider}});
        let config = config.to_string();
        StandIn::by_environment(&[("CODEX_CONFIG", &config), ("CODEX_API_KEY", "sk-stand-in")])
    }

    fn mode(&self) -> Option<&'static str> {
        Some("permission-profile:tollgate")
    }

    fn limit_ends(&self, words: &str) -> Option<Timestamp> {
        failure::resets_at(words, clock::now(), &TimeZone::system())
    }

    fn told_in_trouble(&self, text: &str) -> Option<TurnOutcome> {
        Some(failure::outcome(text.trim(), clock::now(), &TimeZone::system()))
    }
}

/// What keeps it in its private folder, natively and over ACP.
fn apart(job: &Job<'_>, settings: &str) -> io::Result<(&'static str, String)> {
    for left in LEFT_BEHIND {
        words::forget(job.home.folder(), left)?;
    }
    job.home.write(CONFIG_FILE, settings.as_bytes())?;
    Ok(("CODEX_HOME", job.home.folder().display().to_string()))
}

/// Settings, hooks, rules and plugins below a home or below a repository; both have the same names.
fn settings_of(place: &Path) -> Vec<PathBuf> {
    let names = ["config.toml", "hooks.json", "rules", "agents", "plugins", "skills"];
    let own = names.map(|name| place.join(PERSONS_FOLDER).join(name));
    own.into_iter().chain([place.join(".agents")]).collect()
}

#[cfg(test)]
mod tests;
