//! Claude Code.

mod stream;

use super::{AgentAdapter, Job, LoginFile, Plan, StandIn, Start, Stdin, Talk};
use std::collections::BTreeMap;

pub struct Claude;

const LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("CLAUDE_CONFIG_DIR"),
    below_moved: ".credentials.json",
    below_home: ".claude/.credentials.json",
    to: ".credentials.json",
}];

const LOGIN_VARIABLES: [&str; 3] =
    ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];

impl AgentAdapter for Claude {
    fn program(&self) -> &'static str {
        "claude"
    }

    fn login(&self) -> &'static [LoginFile] {
        &LOGIN
    }

    fn login_variables(&self) -> &'static [&'static str] {
        &LOGIN_VARIABLES
    }

    fn stand_in(&self, address: &str) -> StandIn {
        let env = [("ANTHROPIC_BASE_URL", address), ("ANTHROPIC_API_KEY", "sk-stand-in")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        StandIn { env, ..StandIn::default() }
    }

    fn start(&self, job: &Job<'_>) -> Result<Start, String> {
        let mut argv = job.program.clone();
        let fixed = ["-p", "--output-format", "stream-json", "--verbose"];
        argv.extend(fixed.map(str::to_owned));
        argv.extend(["--permission-mode".to_owned(), "acceptEdits".to_owned()]);
        argv.extend(["--json-schema".to_owned(), job.schema.to_string()]);
        if let Some(model) = &job.agent.model {
            argv.extend(["--model".to_owned(), model.clone()]);
        }
        if let Some(session) = job.resume {
            argv.extend(["--resume".to_owned(), session.to_owned()]);
        }
        argv.extend(job.agent.args.iter().cloned());
        let env = BTreeMap::from([
            ("CLAUDE_CONFIG_DIR".to_owned(), job.home.folder().display().to_string()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".to_owned(), "1".to_owned()),
            ("DISABLE_AUTOUPDATER".to_owned(), "1".to_owned()),
        ]);
        Ok(Start { argv, env, stdin: Stdin::Prompt, writable: Vec::new() })
    }

    fn talk(&self, plan: &Plan) -> Box<dyn Talk> {
        Box::new(stream::Stream::new(plan.before))
    }
}
