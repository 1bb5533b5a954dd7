//! Qwen Code: one prompt, one answer. Its lines are those of Claude Code; it asks nobody, so the role's boundary is given
//! to it as rules.

use super::acp::{OverAcp, unwritten};
use super::claude_lines::{ClaudeLines, Counting};
use super::event::{Finished, TurnOutcome};
use super::{
    Access, AgentAdapter, AgentExit, AgentStart, DriverPlan, Job, LoginFile, NotStarted, StandIn,
    Stdin, Talk, Turn, words,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, AgentConfig};
use tollgate_contract::reply_form::Way;
use tollgate_core::duration;
use tollgate_files::clock;

pub struct Qwen;

const OAUTH: &str = "oauth_creds.json";

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("QWEN_HOME"),
    below_moved: OAUTH,
    below_home: ".qwen/oauth_creds.json",
    to: OAUTH,
}];

const LOGIN_VARIABLES: [&str; 4] =
    ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/// Of the person and of the repository, what decides what runs.
const INHERITED: [&str; 8] = [
    ".env",
    ".qwen/.env",
    ".qwen/agents",
    ".qwen/commands",
    ".qwen/extensions",
    ".qwen/hooks",
    ".qwen/settings.json",
    ".qwen/skills",
];

/// What would run or be obeyed if an earlier attempt had left it in the private folder.
const LEFT_BEHIND: [&str; 7] =
    [".env", "agents", "commands", "extensions", "hooks", "skills", "trustedFolders.json"];

/// Neither hooks nor servers, extensions and skills, of whosoever.
const SAFE: &str = "--safe-mode";

/// Rounds with the model before it gives up; a guard against running in circles, far above what one task takes.
const TURNS_MAX: &str = "400";

/// What needs a person, a later time or another tree makes no sense in one dispatch.
const WITHOUT: [&str; 7] = [
    "ask_user_question",
    "cron_create",
    "cron_delete",
    "cron_list",
    "enter_worktree",
    "exit_worktree",
    "loop_wakeup",
];

/// It ran out of its turns, or of its tool calls or its time; it says so on standard error alone.
const USED_UP: [i32; 2] = [53, 55];

impl AgentAdapter for Qwen {
    fn kind(&self) -> Adapter {
        Adapter::Qwen
    }

    fn program(&self) -> &'static str {
        "qwen"
    }

    fn tested(&self) -> &'static str {
        "0.24.4"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@qwen-code/qwen-code")
    }

    fn login(&self, _agent: &AgentConfig) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self, _agent: &AgentConfig) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn stand_in(&self, _agent: &AgentConfig, address: &str) -> StandIn {
        let env = [
            ("OPENAI_BASE_URL", format!("{address}/v1")),
            ("OPENAI_API_KEY", "sk-stand-in".to_owned()),
            ("OPENAI_MODEL", "stand-in".to_owned()),
        ];
        let env = env.map(|(name, value)| (name.to_owned(), value)).to_vec();
        StandIn { env, ..StandIn::default() }
    }

    fn inherited(&self, _agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let of_both = [person_home, root]
            .into_iter()
            .flat_map(|place| INHERITED.map(|name| place.join(name)));
        of_both.chain([root.join(".mcp.json")]).collect()
    }

    fn over_acp(&self) -> Option<&'static dyn OverAcp> {
        Some(&Self)
    }

    fn replies_by(&self) -> Way {
        Way::Tool("structured_output")
    }

    fn start(&self, job: &Job<'_>) -> Result<AgentStart, NotStarted> {
        let mut argv = job.program.clone();
        let mut say = |words: &[&str]| argv.extend(words.iter().map(|word| (*word).to_owned()));
        say(&["--output-format", "stream-json", "--approval-mode", "default"]);
        say(&["--json-schema", &job.schema.to_string()]);
        say(&["--max-session-turns", TURNS_MAX]);
        for rule in allowed(job) {
            say(&["--allowed-tools", &rule]);
        }
        for rule in WITHOUT.into_iter().chain(["edit(/.git/**)", "write_file(/.git/**)"]) {
            say(&["--exclude-tools", rule]);
        }
        let mut env = BTreeMap::from([("QWEN_CODE_NO_RELAUNCH".to_owned(), "true".to_owned())]);
        if !job.agent.inherit {
            say(&[SAFE]);
            let (name, folder) = apart(job)
                .map_err(|error| format!("cannot write the settings of Qwen Code: {error}"))?;
            env.insert(name.to_owned(), folder);
        }
        if job.home.path(OAUTH).exists() {
            say(&["--auth-type", "qwen-oauth"]);
        }
        if let Some(model) = &job.agent.model {
            say(&["--model", model]);
        }
        if let Some(session) = job.resume {
            say(&["--resume", session]);
        }
        argv.extend(job.agent.args.iter().cloned());
        Ok(AgentStart { argv, env, stdin: Stdin::Prompt, writable: job.own_places(&[".qwen"]) })
    }

    fn talk(&self, plan: &DriverPlan) -> Box<dyn Talk> {
        Box::new(Listening { lines: ClaudeLines::new(plan, Counting::ByMessage, clock::now) })
    }
}

impl OverAcp for Qwen {
    fn names(&self) -> &'static [&'static str] {
        &["qwen", "qwen-code"]
    }

    fn places(&self) -> &'static [&'static str] {
        &[".qwen"]
    }

    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted> {
        Ok(vec![apart(job).map_err(unwritten)?])
    }

    fn words_apart(&self) -> &'static [&'static str] {
        &[SAFE]
    }
}

/// What would need a leave and is not named here is refused by Qwen Code itself.
fn allowed(job: &Job<'_>) -> Vec<String> {
    let mut rules = vec!["run_shell_command".to_owned(), "web_fetch".to_owned()];
    let place = match job.access {
        Access::Read => return rules,
        Access::Session => format!("/{}/**", job.session_folder),
        Access::Tree => "/**".to_owned(),
    };
    rules.extend(["edit", "write_file", "notebook_edit"].map(|tool| format!("{tool}({place})")));
    rules
}

/// What keeps it in its private folder, natively and over ACP.
fn apart(job: &Job<'_>) -> io::Result<(&'static str, String)> {
    for left in LEFT_BEHIND {
        words::forget(job.home.folder(), left)?;
    }
    job.home.write("settings.json", settings().to_string().as_bytes())?;
    Ok(("QWEN_HOME", job.home.folder().display().to_string()))
}

/// In a folder that is not trusted neither the repository's settings nor its `.env` files count.
fn settings() -> Value {
    json!({
        "security": { "folderTrust": { "enabled": true } },
        "general": { "disableAutoUpdate": true },
        "privacy": { "usageStatisticsEnabled": false },
        // A hiccup is got over; the rest is decided by us.
        "model": { "generationConfig": { "maxRetries": 1 } },
    })
}

struct Listening {
    lines: ClaudeLines,
}

impl Talk for Listening {
    fn heard(&mut self, line: &Value, turn: &mut Turn) {
        self.lines.heard(line, turn);
    }

    fn aside(&mut self, line: &str, turn: &mut Turn) {
        if let Some(line) = waiting(line) {
            self.lines.heard(&line, turn);
        }
    }

    fn ended(&mut self, exit: &AgentExit) -> Finished {
        let mut finished = self.lines.ended(exit);
        if let TurnOutcome::Unclear { exit_code: Some(code), detail, .. } = &finished.outcome
            && USED_UP.contains(code)
        {
            finished.outcome = TurnOutcome::Turns { detail: detail.clone() };
        }
        finished
    }
}

/// `Retrying in 60s (attempt 1/10): [API Error: 429 why]` on standard error: the lines tell nothing of these waits. Said
/// again in the form of those that they do tell of.
fn waiting(line: &str) -> Option<Value> {
    let rest = line.trim().strip_prefix("Retrying in ")?;
    let (wait, rest) = rest.split_once(" (attempt ")?;
    let (count, why) = rest.split_once(')')?;
    let wait_ms = duration::read_parts_ms(wait)?;
    let attempt: u64 = count.split('/').next()?.parse().ok()?;
    let status = why.split_once("[API Error: ").and_then(|(_, error)| error.get(..3));
    let status = status.and_then(|digits| digits.parse::<u64>().ok());
    let reason = if status == Some(429) { "rate_limit" } else { "retry" };
    let data =
        json!({ "reason": reason, "status": status, "delayMs": wait_ms, "attempt": attempt });
    Some(json!({ "type": "system", "subtype": "retry", "data": data }))
}
