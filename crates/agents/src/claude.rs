//! Claude Code, two-way: it asks us before it uses a tool, and we answer by the boundary of the role.

mod memory;
mod permission;
mod talk;

use super::acp::OverAcp;
use super::{
    AgentAdapter, AgentStart, DriverPlan, Home, Job, LoginFile, NotStarted, Runs, StandIn, Stdin,
    Talk, npm,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_files::is_program;

pub struct Claude;

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("CLAUDE_CONFIG_DIR"),
    below_moved: ".credentials.json",
    below_home: ".claude/.credentials.json",
    to: ".credentials.json",
}];

const LOGIN_VARIABLES: [&str; 3] =
    ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

const TWO_WAY: [&str; 8] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--permission-prompt-tool",
    "stdio",
];

/// Neither the person's settings nor the repository's: no hooks, servers, plugins, agents, skills and commands of theirs.
const ALONE: [&str; 4] =
    ["--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands"];

/// What needs a person, a later time or another tree makes no sense in one dispatch.
const WITHOUT: &str = "CronCreate,CronDelete,CronList,ScheduleWakeup,Monitor,EnterWorktree,ExitWorktree,\
                       EnterPlanMode,ExitPlanMode";

/// Rounds with the model before it gives up; a guard against running in circles, far above what one task takes.
const TURNS_MAX: &str = "400";

const ENVIRONMENT: [(&str, &str); 8] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    // A tool that is still at work must not outlive the reply.
    ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
    // A hiccup is got over; the rest is decided by us.
    ("CLAUDE_CODE_MAX_RETRIES", "2"),
    // Without it, a service that asks for more than a minute's wait is given up, and for how long is not said.
    ("CLAUDE_CODE_RETRY_WATCHDOG", "1"),
    ("CLAUDE_CODE_STARTUP_FAILURE_RESULTS", "1"),
    // The repository's CLAUDE.md is text and may be read; it comes with the folder named by --add-dir.
    ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "1"),
];

impl AgentAdapter for Claude {
    fn kind(&self) -> Adapter {
        Adapter::Claude
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn command(&self, found: &Path) -> Vec<String> {
        vec![native(found).unwrap_or_else(|| found.to_owned()).display().to_string()]
    }

    fn tested(&self) -> &'static str {
        "2.1.325"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@anthropic-ai/claude-code")
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let env = [("ANTHROPIC_BASE_URL", address), ("ANTHROPIC_API_KEY", "sk-stand-in")];
        StandIn::by_environment(&env)
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let of_the_person = files_of(person_home, &[".claude.json", ".claude/settings.json"]);
        let of_the_repository =
            files_of(root, &[".mcp.json", ".claude/settings.json", ".claude/settings.local.json"]);
        let folders = ["agents", "commands", "hooks", "plugins", "skills"];
        let within = [person_home, root]
            .into_iter()
            .flat_map(|place| folders.map(|name| place.join(".claude").join(name)));
        of_the_person.into_iter().chain(of_the_repository).chain(within).collect()
    }

    fn own_variables(&self) -> &'static [&'static str] {
        &["ANTHROPIC_", "CLAUDE_"]
    }

    fn runs_of(&self, name: &str, content: &[u8]) -> Runs {
        if name.starts_with("~/.claude/plugins/store/") && name.ends_with(".json") {
            return Runs::Nothing;
        }
        match serde_json::from_slice(content) {
            Ok(Value::Object(all)) if name == "~/.claude.json" => memory::runs_of(&all),
            _ => Runs::All,
        }
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let mut argv = job.program.clone();
        let mut say = |words: &[&str]| argv.extend(words.iter().map(|word| (*word).to_owned()));
        say(&TWO_WAY);
        say(&["--disallowedTools", WITHOUT]);
        say(&["--max-turns", TURNS_MAX]);
        say(&["--json-schema", &job.schema.to_string()]);
        let mut env =
            BTreeMap::from(ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())));
        if !job.agent.inherit {
            say(&ALONE);
            say(&["--add-dir", &job.tree.display().to_string()]);
            let (name, folder) = apart(job.home);
            env.insert(name.to_owned(), folder);
        }
        if let Some(model) = &job.agent.model {
            say(&["--model", model]);
        }
        if let Some(micro) = job.micro_usd {
            say(&["--max-budget-usd", &format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000)]);
        }
        if let Some(session) = job.resume {
            say(&["--resume", session]);
        }
        argv.extend(job.agent.args.iter().cloned());
        Ok(AgentStart {
            argv,
            env,
            stdin: Stdin::Talk,
            writable: job.own_places(&[".claude", ".claude.json"]),
        })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        Box::new(talk::TwoWay::new(plan))
    }
}

impl OverAcp for Claude {
    fn names(&self) -> &'static [&'static str] {
        &["claude-agent-acp", "claude-code-acp"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".claude", ".claude.json"]
    }

    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        let on = || "1".to_owned();
        Ok(vec![
            apart(job.home),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
            ("DISABLE_AUTOUPDATER", on()),
            // Ten by itself, and nothing is heard of them over ACP.
            ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
        ])
    }

    /// The repository's settings are for the repository's own people.
    fn session_meta(&self, plan: &DriverPlan) -> Option<Value> {
        let options = json!({ "settingSources": [], "strictMcpConfig": true });
        let is_private = plan.env.contains_key(FOLDER_VARIABLE);
        is_private.then(|| json!({ "claudeCode": { "options": options } }))
    }
}

/// The folder of its settings, its login and its sessions.
const FOLDER_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// What keeps it in its private folder, natively and over ACP.
fn apart(home: &Home) -> (&'static str, String) {
    (FOLDER_VARIABLE, home.folder().display().to_string())
}

fn files_of(place: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| place.join(name)).filter(|path| path.exists()).collect()
}

/// npm puts a script on `PATH` where its own step after the installation was not run; the program lies beside it.
fn native(found: &Path) -> Option<PathBuf> {
    let real = found.canonicalize().ok()?;
    if is_native(&real) {
        return Some(real);
    }
    let (machine, _) = npm::target()?;
    ["", "-musl"]
        .iter()
        .map(|libc| format!("@anthropic-ai/claude-code-{machine}{libc}"))
        .filter_map(|package| npm::native(found, &package, "claude"))
        .find(|program| is_program(program) && is_native(program))
}

/// Neither a script nor a text that is in its place.
fn is_native(program: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(program).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok()
        && [*b"\x7fELF", [0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]].contains(&start)
}
