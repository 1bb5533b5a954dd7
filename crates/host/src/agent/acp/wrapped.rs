//! What we know of the agents that speak ACP, each told by its command: where its settings can be kept apart, and what of
//! the protocol it cannot take. One that is not known gets the folders of the XDG convention and the protocol as it is.

use crate::agent::{
    AgentAdapter, Job, LoginFile, NotStarted, Plan, StandIn, claude, codex, copilot, gemini, goose,
    opencode, qwen,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::{Adapter, Agent};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapped {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Copilot,
    Qwen,
    Goose,
    Other,
}

/// The names by which they are started, of programs, scripts and packages.
const NAMES: [(&str, Wrapped); 14] = [
    ("claude-agent-acp", Wrapped::Claude),
    ("claude-code-acp", Wrapped::Claude),
    ("codex-acp", Wrapped::Codex),
    ("gemini", Wrapped::Gemini),
    ("gemini-cli", Wrapped::Gemini),
    ("opencode", Wrapped::Opencode),
    ("opencode-ai", Wrapped::Opencode),
    ("copilot", Wrapped::Copilot),
    ("copilot-linux-x64", Wrapped::Copilot),
    ("copilot-linux-arm64", Wrapped::Copilot),
    ("qwen", Wrapped::Qwen),
    ("qwen-code", Wrapped::Qwen),
    ("goose", Wrapped::Goose),
    ("goose-binary-linux-x64", Wrapped::Goose),
];

/// An interpreter or a package runner may come first, with an option of its own.
const WORDS_LOOKED_AT: usize = 3;

/// For an agent of which nothing else is known.
const XDG: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_CACHE_HOME", "cache"),
];

/// The mode that codex-acp makes of the profile in the settings that we write for it.
pub const CODEX_MODE: &str = "permission-profile:tollgate";

impl Wrapped {
    pub fn of(argv: &[String]) -> Self {
        let words = argv.iter().take(WORDS_LOOKED_AT);
        let named = words.flat_map(|word| word.split('/')).find_map(|part| {
            let name = part.strip_suffix(".js").or(part.strip_suffix(".exe")).unwrap_or(part);
            // A package may carry its version.
            let name = name.split('@').find(|piece| !piece.is_empty())?;
            NAMES.iter().find(|(known, _)| *known == name)
        });
        named.map_or(Self::Other, |(_, wrapped)| *wrapped)
    }

    /// The adapter that knows its login and its model service.
    fn adapter(self) -> Option<&'static dyn AgentAdapter> {
        let kind = match self {
            Self::Claude => Adapter::Claude,
            Self::Codex => Adapter::Codex,
            Self::Gemini => Adapter::Gemini,
            Self::Opencode => Adapter::Opencode,
            Self::Qwen => Adapter::Qwen,
            Self::Goose => Adapter::Goose,
            Self::Copilot => Adapter::Copilot,
            Self::Other => return None,
        };
        crate::agent::adapter(kind)
    }

    /// Over ACP, goose and Copilot have their login in variables only.
    pub fn login(self, agent: &Agent) -> &'static [LoginFile] {
        match self {
            Self::Copilot | Self::Goose => &[],
            _ => self.adapter().map(|adapter| adapter.login(agent)).unwrap_or_default(),
        }
    }

    /// Of one that is not known, whatever any of the others would run.
    pub fn inherited(self, agent: &Agent, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let all = NAMES.iter().map(|(_, wrapped)| *wrapped);
        let meant = all.filter(|wrapped| self == Self::Other || *wrapped == self);
        let adapters = meant.filter_map(Self::adapter);
        let files = adapters.flat_map(|adapter| adapter.inherited(agent, person_home, root));
        files.collect::<BTreeSet<PathBuf>>().into_iter().collect()
    }

    pub fn login_variables(self, agent: &Agent) -> &'static [&'static str] {
        self.adapter().map(|adapter| adapter.login_variables(agent)).unwrap_or_default()
    }

    pub fn stand_in(self, agent: &Agent, address: &str) -> StandIn {
        if self == Self::Codex {
            let provider = json!({"name": "stand-in", "base_url": format!("{address}/v1"), "wire_api": "responses", "env_key": "CODEX_API_KEY"});
            let config = json!({"model": "gpt-5.5", "model_provider": "standin", "model_providers": {"standin": provider}});
            let config = config.to_string();
            return StandIn::by_environment(&[
                ("CODEX_CONFIG", &config),
                ("CODEX_API_KEY", "sk-stand-in"),
            ]);
        }
        let led =
            self.adapter().map(|adapter| adapter.stand_in(agent, address)).unwrap_or_default();
        // Models are chosen over the protocol, and only opencode has the same names for them there.
        let (own, others) = match self {
            Self::Opencode => (led.model, None),
            Self::Goose => (None, led.model),
            _ => (None, None),
        };
        let env = led.env.into_iter().chain(others.map(|model| ("GOOSE_MODEL".to_owned(), model)));
        StandIn { env: env.collect(), args: Vec::new(), model: own }
    }

    /// Where it finds its settings instead of the person's and the repository's, as when it is started by its own adapter,
    /// and those settings written; the error is why it cannot be kept apart.
    pub fn apart(self, job: &Job<'_>) -> Result<BTreeMap<String, String>, NotStarted> {
        let problem = |error: io::Error| format!("cannot write the settings of the agent: {error}");
        let on = || "1".to_owned();
        let pairs = match self {
            Self::Claude => vec![
                claude::apart(job.home),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
                ("DISABLE_AUTOUPDATER", on()),
                // Ten by itself, and nothing is heard of them over ACP.
                ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
            ],
            Self::Codex => vec![codex::apart_over_acp(job)?],
            Self::Gemini => gemini::apart(job).map_err(problem)?,
            Self::Qwen => vec![qwen::apart(job).map_err(problem)?],
            Self::Copilot => vec![copilot::apart_over_acp(job)?],
            Self::Opencode => {
                let own = [("OPENCODE_DISABLE_AUTOUPDATE", on())];
                opencode::apart(job)?.into_iter().chain(own).collect()
            }
            Self::Goose => {
                goose::without_plugins(job).map_err(problem)?;
                let own = [("GOOSE_TELEMETRY_OFF", on())];
                goose::apart(job.home).into_iter().chain(own).collect()
            }
            Self::Other => XDG
                .map(|(variable, name)| (variable, job.home.path(name).display().to_string()))
                .to_vec(),
        };
        Ok(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Without a word about it, Gemini CLI takes no folder for a trusted one, whatever the person has agreed to.
    pub fn trusting(self) -> Option<(String, String)> {
        let trust = || (gemini::TRUST.to_owned(), "true".to_owned());
        (self == Self::Gemini).then(trust)
    }

    /// As their adapters know.
    pub fn needs_cache(self) -> bool {
        matches!(self, Self::Copilot | Self::Opencode)
    }

    /// Words that keep it apart where no variable does.
    pub fn words_apart(self) -> &'static [&'static str] {
        match self {
            Self::Qwen => &[qwen::SAFE],
            Self::Copilot => &[copilot::ALONE],
            _ => &[],
        }
    }

    /// Where the person keeps its settings.
    fn places(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude", ".claude.json"],
            Self::Codex => &[".codex"],
            Self::Gemini => &[".gemini"],
            Self::Opencode => &[
                ".config/opencode",
                ".local/share/opencode",
                ".local/state/opencode",
                ".cache/opencode",
            ],
            Self::Copilot => &[".copilot"],
            Self::Qwen => &[".qwen"],
            Self::Goose => &[".config/goose", ".local/share/goose", ".local/state/goose"],
            Self::Other => &[],
        }
    }

    /// What must be open to it when it works with the person's own settings.
    pub fn own_places(self, person_home: &Path) -> Vec<PathBuf> {
        let places = self.places().iter().map(|place| person_home.join(place));
        places.filter(|place| place.exists()).collect()
    }

    /// What a session is told beyond the protocol: the repository's settings are for the repository's own people.
    pub fn session_meta(self, plan: &Plan) -> Option<Value> {
        let is_private = plan.env.contains_key(claude::FOLDER_VARIABLE);
        let options = json!({ "settingSources": [], "strictMcpConfig": true });
        (self == Self::Claude && is_private)
            .then(|| json!({ "claudeCode": { "options": options } }))
    }

    /// Gemini CLI takes the answer that a file is not there for a failure and cannot make new ones.
    pub fn can_use_files(self) -> bool {
        self != Self::Gemini
    }

    /// Some tell the tokens of their last request only, which is not what was spent.
    pub fn counts_whole_turns(self) -> bool {
        !matches!(self, Self::Goose | Self::Opencode)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::agent::{Access, Home};
    use std::fs;

    #[test]
    fn they_are_known_by_program_script_and_package() {
        let of = |words: &[&str]| {
            Wrapped::of(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["/usr/bin/goose", "acp"]), Wrapped::Goose);
        assert_eq!(
            of(&["node", "/opt/x/@agentclientprotocol/codex-acp/dist/index.js"]),
            Wrapped::Codex
        );
        assert_eq!(
            of(&["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.99.1"]),
            Wrapped::Claude
        );
        assert_eq!(of(&["/opt/gemini-cli/bundle/gemini.js", "--acp"]), Wrapped::Gemini);
        assert_eq!(of(&["/srv/me/work/agent", "goose"]), Wrapped::Goose);
        assert_eq!(of(&["/srv/goosefarm/agent", "serve"]), Wrapped::Other);
    }

    fn job<'a>(agent: &'a Agent, tree: &'a Path, home: &'a Home) -> Job<'a> {
        Job {
            agent,
            program: Vec::new(),
            access: Access::Tree,
            tree,
            session_folder: ".agents-work/one",
            home,
            resume: None,
            schema: &Value::Null,
            person_home: None,
            is_confined: true,
            micro_usd: None,
        }
    }

    #[test]
    fn over_acp_they_are_kept_apart_by_all_that_keeps_them_apart_natively() {
        let keeps: [(Adapter, Wrapped, &[&str]); 7] = [
            (Adapter::Claude, Wrapped::Claude, &["CLAUDE_CONFIG_DIR"]),
            (Adapter::Codex, Wrapped::Codex, &["CODEX_HOME"]),
            (Adapter::Gemini, Wrapped::Gemini, &["GEMINI_CLI_HOME", "GEMINI_CLI_TRUST_WORKSPACE"]),
            (
                Adapter::Opencode,
                Wrapped::Opencode,
                &[
                    "XDG_CONFIG_HOME",
                    "XDG_DATA_HOME",
                    "XDG_STATE_HOME",
                    "OPENCODE_TEST_HOME",
                    "OPENCODE_DISABLE_PROJECT_CONFIG",
                    "OPENCODE_PURE",
                ],
            ),
            (Adapter::Copilot, Wrapped::Copilot, &["COPILOT_HOME"]),
            (Adapter::Qwen, Wrapped::Qwen, &["QWEN_HOME"]),
            (Adapter::Goose, Wrapped::Goose, &["GOOSE_PATH_ROOT", "GOOSE_DISABLE_KEYRING"]),
        ];
        for (adapter, wrapped, names) in keeps {
            let temp = tempfile::tempdir().unwrap();
            let home = Home::create(&temp.path().join("home")).unwrap();
            let tree = temp.path().join("tree");
            let agent = Agent::plain(adapter);
            let job = job(&agent, &tree, &home);
            let native = crate::agent::adapter(adapter).unwrap().start(&job).unwrap().env;
            let over_acp = wrapped.apart(&job).unwrap();
            for name in names {
                assert!(native.contains_key(*name), "{adapter:?} {name}");
                assert_eq!(native.get(*name), over_acp.get(*name), "{adapter:?} {name}");
            }
        }
    }

    #[test]
    fn what_an_earlier_attempt_left_behind_is_gone() {
        for (wrapped, left) in [
            (Wrapped::Codex, "hooks.json"),
            (Wrapped::Gemini, ".gemini/extensions"),
            (Wrapped::Opencode, "home/.opencode"),
            (Wrapped::Copilot, "hooks"),
            (Wrapped::Qwen, "hooks"),
            (Wrapped::Goose, ".agents"),
        ] {
            let temp = tempfile::tempdir().unwrap();
            let home = Home::create(&temp.path().join("home")).unwrap();
            fs::create_dir_all(home.path(left)).unwrap();
            let agent = Agent::plain(Adapter::Acp);
            wrapped.apart(&job(&agent, temp.path(), &home)).unwrap();
            assert!(!home.path(left).exists(), "{wrapped:?}");
        }
    }

    #[test]
    fn qwen_trusts_no_folder() {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::create(temp.path()).unwrap();
        Wrapped::Qwen.apart(&job(&Agent::plain(Adapter::Acp), temp.path(), &home)).unwrap();
        let settings = fs::read(home.path("settings.json")).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        assert_eq!(settings["security"]["folderTrust"]["enabled"], true);
    }
}
