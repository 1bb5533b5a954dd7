//! What we know of the agents that speak ACP, each told by its command: where its settings can be kept apart, and what of
//! the protocol it cannot take. One that is not known gets the folders of the XDG convention and the protocol as it is.

use crate::agent::{Home, Job, LoginFile, Plan};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

const CLAUDE_LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("CLAUDE_CONFIG_DIR"),
    below_moved: ".credentials.json",
    below_home: ".claude/.credentials.json",
    to: ".credentials.json",
}];

const CODEX_LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("CODEX_HOME"),
    below_moved: "auth.json",
    below_home: ".codex/auth.json",
    to: "auth.json",
}];

const GEMINI_LOGIN: [LoginFile; 2] = [
    LoginFile {
        moved_by: Some("GEMINI_CLI_HOME"),
        below_moved: ".gemini/oauth_creds.json",
        below_home: ".gemini/oauth_creds.json",
        to: ".gemini/oauth_creds.json",
    },
    LoginFile {
        moved_by: Some("GEMINI_CLI_HOME"),
        below_moved: ".gemini/google_accounts.json",
        below_home: ".gemini/google_accounts.json",
        to: ".gemini/google_accounts.json",
    },
];

const OPENCODE_LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("XDG_DATA_HOME"),
    below_moved: "opencode/auth.json",
    below_home: ".local/share/opencode/auth.json",
    to: "data/opencode/auth.json",
}];

const QWEN_LOGIN: [LoginFile; 1] = [LoginFile {
    moved_by: Some("QWEN_HOME"),
    below_moved: "oauth_creds.json",
    below_home: ".qwen/oauth_creds.json",
    to: "oauth_creds.json",
}];

/// Below the person's home: what decides which hooks, servers and programs an agent runs beside its work.
const OF_PERSON: [&str; 10] = [
    ".claude/settings.json",
    ".claude.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".config/opencode",
    ".copilot/config.json",
    ".copilot/mcp-config.json",
    ".qwen/settings.json",
    ".config/goose/config.yaml",
];

/// The same below the root of the repository.
const OF_REPOSITORY: [&str; 12] = [
    ".claude",
    ".mcp.json",
    ".codex",
    ".agents",
    ".gemini",
    "opencode.json",
    "opencode.jsonc",
    ".opencode",
    ".github/copilot",
    ".copilot",
    ".qwen",
    ".goose",
];

/// Of all agents that are known: which one it is stands in settings that are not looked at here.
pub fn inherited(person_home: &Path, root: &Path) -> Vec<PathBuf> {
    let of_person = OF_PERSON.iter().map(|place| person_home.join(place));
    of_person.chain(OF_REPOSITORY.iter().map(|place| root.join(place))).collect()
}

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

    pub fn login(self) -> &'static [LoginFile] {
        match self {
            Self::Claude => &CLAUDE_LOGIN,
            Self::Codex => &CODEX_LOGIN,
            Self::Gemini => &GEMINI_LOGIN,
            Self::Opencode => &OPENCODE_LOGIN,
            Self::Qwen => &QWEN_LOGIN,
            Self::Copilot | Self::Goose | Self::Other => &[],
        }
    }

    /// Where it finds its settings instead of the person's and the repository's.
    pub fn private(self, home: &Home) -> BTreeMap<String, String> {
        let folder = home.folder().display().to_string();
        let below = |name: &str| home.path(name).display().to_string();
        let on = || "1".to_owned();
        let pairs = match self {
            Self::Claude => vec![
                ("CLAUDE_CONFIG_DIR", folder),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
                ("DISABLE_AUTOUPDATER", on()),
                // Ten by itself, and nothing is heard of them over ACP.
                ("CLAUDE_CODE_MAX_RETRIES", "2".to_owned()),
            ],
            Self::Codex => vec![("CODEX_HOME", folder)],
            Self::Gemini => vec![("GEMINI_CLI_HOME", folder)],
            Self::Qwen => vec![("QWEN_HOME", folder)],
            Self::Copilot => vec![("COPILOT_HOME", folder)],
            Self::Opencode => vec![
                ("XDG_CONFIG_HOME", below("config")),
                ("XDG_DATA_HOME", below("data")),
                ("XDG_STATE_HOME", below("state")),
                ("XDG_CACHE_HOME", below("cache")),
                ("OPENCODE_DISABLE_PROJECT_CONFIG", on()),
                ("OPENCODE_DISABLE_AUTOUPDATE", on()),
            ],
            Self::Goose | Self::Other => vec![
                ("XDG_CONFIG_HOME", below("config")),
                ("XDG_DATA_HOME", below("data")),
                ("XDG_STATE_HOME", below("state")),
                ("XDG_CACHE_HOME", below("cache")),
            ],
        };
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Settings that it needs, written into its private folder; the error is why it cannot be kept apart.
    pub fn prepare(self, job: &Job<'_>) -> Result<(), String> {
        let written = match self {
            Self::Codex if job.tree.join(".codex").exists() => {
                return Err("the repository has settings in .codex, and codex-acp runs them whatever it is told; \
                     use adapter = \"codex\", or set inherit = true if you trust them"
                    .to_owned());
            }
            Self::Codex => job.home.write("config.toml", codex_settings(job).as_bytes()),
            // Without it a session is refused; with a login of Google's it is told there.
            Self::Gemini if !job.home.path(GEMINI_LOGIN[0].to).exists() => {
                let auth = json!({ "auth": { "selectedType": "gemini-api-key" } });
                let privacy = json!({ "usageStatisticsEnabled": false });
                let general = json!({ "disableAutoUpdate": true, "maxAttempts": 2 });
                let settings = json!({ "security": auth, "privacy": privacy, "general": general });
                let settings = settings.to_string();
                job.home.write(".gemini/settings.json", settings.as_bytes())
            }
            _ => Ok(()),
        };
        written.map_err(|error| format!("cannot write the settings of the agent: {error}"))
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
        let is_private = plan.env.contains_key("CLAUDE_CONFIG_DIR");
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

/// Codex bounds files by mounting them anew, which the kernel denies to whoever is held by Landlock already: no command
/// would start. The bounds are ours then. It keeps asking us before it goes further, and closes the network.
fn codex_settings(job: &Job<'_>) -> String {
    let mut settings = String::new();
    if job.is_confined {
        settings.push_str("default_permissions = \"tollgate\"\n");
        settings.push_str("permissions.tollgate.filesystem = {\":root\" = \"write\"}\n");
    }
    settings.push_str("check_for_update_on_startup = false\nanalytics.enabled = false\n");
    for feature in ["hooks", "plugins", "remote_plugin", "apps", "memories", "shell_snapshot"] {
        settings.push_str(&format!("features.{feature} = false\n"));
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(of(&["/home/me/work/agent", "goose"]), Wrapped::Goose);
        assert_eq!(of(&["/home/goosefarm/agent", "serve"]), Wrapped::Other);
    }
}
