//! GitHub Copilot CLI: one prompt per process, in a session of its own that can be taken up again.

mod login;
mod stream;

use super::acp::OverAcp;
use super::{
    Access, AgentAdapter, AgentStart, DriverPlan, Home, Job, LoginFile, NotStarted, StandIn, Stdin,
    Talk, npm, words,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};

pub struct Copilot;

/// Where there is no keyring, Copilot keeps its token in this file, among other things.
const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some(HOME_VARIABLE),
    below_moved: "config.json",
    below_home: ".copilot/config.json",
    to: CONFIG_FILE,
}];

const LOGIN_VARIABLES: [&str; 5] = [
    "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "COPILOT_PROVIDER_API_KEY",
    "COPILOT_PROVIDER_BEARER_TOKEN",
];

/// In the folder of Copilot, private or not.
const CONFIG_FILE: &str = "config.json";

const HOME_VARIABLE: &str = "COPILOT_HOME";

/// The person's folder, where they have not moved it.
const PERSONS_FOLDER: &str = ".copilot";

/// What would run or be obeyed if an earlier attempt had left it in the private folder.
const LEFT_BEHIND: [&str; 6] =
    ["settings.json", "mcp-config.json", "hooks", "agents", "skills", "installed-plugins"];

/// Of a repository.
const HOOKS: &str = ".github/hooks";

/// Without the servers that it brings along.
const ALONE: &str = "--disable-builtin-mcps";

/// Where Copilot counts the tokens of a run; its lines do not tell them.
const USAGE_FILE: &str = "tollgate-usage.json";

impl AgentAdapter for Copilot {
    fn kind(&self) -> Adapter {
        Adapter::Copilot
    }

    fn program(&self) -> &'static str {
        "copilot"
    }

    fn command(&self, found: &Path) -> Vec<String> {
        let native = npm::target().and_then(|(platform, _)| {
            npm::native(found, &format!("@github/copilot-{platform}"), "copilot")
        });
        vec![native.as_deref().unwrap_or(found).display().to_string()]
    }

    fn tested(&self) -> &'static str {
        "1.0.102"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@github/copilot")
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let own =
            ["settings.json", "mcp-config.json", "hooks", "agents", "skills", "installed-plugins"]
                .map(|name| person_home.join(PERSONS_FOLDER).join(name));
        // It obeys the hooks of Claude Code, too.
        let theirs = [
            HOOKS,
            ".github/copilot",
            ".github/agents",
            ".github/mcp.json",
            ".mcp.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/hooks",
        ]
        .map(|name| root.join(name));
        own.into_iter().chain(theirs).collect()
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let model = Some("claude-sonnet-4.5".to_owned());
        let env = [
            ("COPILOT_PROVIDER_BASE_URL", address),
            ("COPILOT_PROVIDER_TYPE", "anthropic"),
            ("COPILOT_PROVIDER_API_KEY", "sk-stand-in"),
            ("COPILOT_OFFLINE", "true"),
        ];
        StandIn { model, ..StandIn::by_environment(&env) }
    }

    fn own_variables(&self) -> &'static [&'static str] {
        &["COPILOT_"]
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let problem = |error: io::Error| format!("cannot write the settings of Copilot: {error}");
        let usage = job.home.path(USAGE_FILE);
        // What an attempt before counted is not this one's.
        job.home.write(USAGE_FILE, b"").map_err(problem)?;
        let mut argv = job.program.clone();
        let fixed = ["--output-format", "json", "--no-auto-update", "--no-ask-user", "--no-color"];
        argv.extend(fixed.map(str::to_owned));
        argv.extend(["--usage-output-file".to_owned(), usage.display().to_string()]);
        argv.extend(allowed(job));
        let mut env = BTreeMap::new();
        let mut writable = Vec::new();
        if job.agent.inherit {
            // A session that continues knows whether its folder is trusted, and refuses to be told.
            let is_new = job.resume.is_none();
            argv.extend(is_new.then(|| "--trust-folder".to_owned()));
            writable.extend(job.person_home.map(|home| home.join(PERSONS_FOLDER)));
        } else {
            argv.push(ALONE.to_owned());
            let (name, folder) = apart(job.home).map_err(problem)?;
            env.insert(name.to_owned(), folder);
        }
        env.extend(job.cache_variable());
        if let Some(model) = &job.agent.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        argv.extend(job.resume.map(|session| format!("--resume={session}")));
        argv.extend(job.agent.args.iter().cloned());
        Ok(AgentStart { argv, env, stdin: Stdin::Prompt, writable })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        let flag = plan.argv.iter().position(|word| word == "--usage-output-file");
        let usage = flag.and_then(|at| plan.argv.get(at + 1)).map(PathBuf::from);
        Box::new(stream::CopilotStream::new(usage, plan.before))
    }
}

impl OverAcp for Copilot {
    fn names(&self) -> &'static [&'static str] {
        &["copilot", "copilot-linux-x64", "copilot-linux-arm64"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".copilot"]
    }

    /// It runs the hooks of a repository whatever it is told here, its own setting against them included.
    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        if job.tree.join(HOOKS).symlink_metadata().is_ok() {
            return Err(NotStarted::Refused(format!(
                "the repository has {HOOKS}, and `copilot --acp` always runs what is in it; use adapter = \"copilot\", \
                 or write inherit = true and agree to it with `tollgate agents trust`"
            )));
        }
        let private = apart(job.home)
            .map_err(|error| format!("cannot write the settings of Copilot: {error}"))?;
        Ok(vec![private])
    }

    fn words_apart(&self) -> &'static [&'static str] {
        &[ALONE]
    }

    fn has_login_files(&self) -> bool {
        false
    }

    fn needs_cache(&self) -> bool {
        true
    }
}

/// What keeps it in its private folder, natively and over ACP.
fn apart(home: &Home) -> io::Result<(&'static str, String)> {
    for left in LEFT_BEHIND {
        words::forget(home.folder(), left)?;
    }
    login::keep_only(home, CONFIG_FILE)?;
    Ok((HOME_VARIABLE, home.folder().display().to_string()))
}

/// What needs no leave; whatever else asks for one is refused, because nobody is there to give it. A command that writes
/// by redirection counts as writing.
fn allowed(job: &Job<'_>) -> Vec<String> {
    let shell = "--allow-tool=shell".to_owned();
    match job.access {
        Access::Read => vec![shell],
        Access::Session => {
            let folder = job.tree.join(job.session_folder);
            vec![shell, format!("--allow-tool=write({}/**)", folder.display())]
        }
        Access::Tree => vec!["--allow-all-tools".to_owned()],
    }
}

#[cfg(test)]
mod tests;
