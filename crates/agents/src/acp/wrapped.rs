//! What an agent program does in its own way when it speaks ACP. Each says so in its own file; one that is not known gets
//! the folders of the XDG convention and the protocol as it is.

use crate::event::TurnOutcome;
use crate::{AgentAdapter, DriverPlan, Job, LoginFile, NotStarted, StandIn, all};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use tollgate_contract::config::AgentConfig;
use tollgate_core::time::Timestamp;

/// An agent program that can also be started to speak ACP.
pub trait OverAcp: AgentAdapter {
    /// The names by which it is started, of programs, scripts and packages.
    fn names(&self) -> &'static [&'static str];

    /// Where the person keeps its settings, below the home.
    fn places(&self) -> &'static [&'static str];

    /// The variables that lead it to settings of ours instead of the person's and the repository's, and those settings
    /// written; the error is why it cannot be kept apart.
    fn apart(&self, job: &Job<'_>) -> Result<Vec<(&'static str, String)>, NotStarted>;

    /// Words that keep it apart where no variable does.
    fn words_apart(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether its login is in files here too, and not in variables only.
    fn has_login_files(&self) -> bool {
        true
    }

    /// How to point it at a service that stands in for its model. Models are chosen over the protocol.
    fn stand_in_over_acp(&self, agent: &AgentConfig, address: &str) -> StandIn {
        StandIn { env: self.stand_in(agent, address).env, ..StandIn::default() }
    }

    /// The variable that makes it take the repository's settings, where agreed to.
    fn trusting(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    fn needs_cache(&self) -> bool {
        false
    }

    /// What a session is told beyond the protocol.
    fn session_meta(&self, _plan: &DriverPlan) -> Option<Value> {
        None
    }

    /// Whether it can take files from us.
    fn can_use_files(&self) -> bool {
        true
    }

    /// Whether it tells the tokens of a whole turn, and not those of its last request only.
    fn counts_whole_turns(&self) -> bool {
        true
    }

    /// The mode that it makes of the settings that we write for it.
    fn mode(&self) -> Option<&'static str> {
        None
    }

    /// When a limit ends, from the words in which it tells of the limit.
    fn limit_ends(&self, _words: &str) -> Option<Timestamp> {
        None
    }

    /// What a message means that it sends while its model service is in trouble.
    fn told_in_trouble(&self, _text: &str) -> Option<TurnOutcome> {
        None
    }

    /// The failure of its model service that it tells in a message, in a turn that ended well.
    fn failure_in_words(&self, _text: &str) -> Option<TurnOutcome> {
        None
    }
}

/// Why an agent is not started whose settings could not be written.
pub fn unwritten(error: io::Error) -> NotStarted {
    format!("cannot write the settings of the agent: {error}").into()
}

/// Every agent program that can also speak ACP.
pub fn over_acp() -> impl Iterator<Item = &'static dyn OverAcp> {
    all().filter_map(AgentAdapter::over_acp)
}

/// An interpreter or a package runner may come first, with an option of its own.
const WORDS_LOOKED_AT: usize = 3;

/// For an agent of which nothing else is known.
const XDG: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_CACHE_HOME", "cache"),
];

/// The agent behind a command that speaks ACP.
#[derive(Clone, Copy)]
pub enum Wrapped {
    Known(&'static dyn OverAcp),
    Other,
}

impl std::fmt::Debug for Wrapped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.known().map_or("other", |known| known.program()))
    }
}

impl Wrapped {
    pub fn of(argv: &[String]) -> Self {
        let words = argv.iter().take(WORDS_LOOKED_AT);
        let named = words.flat_map(|word| word.split('/')).find_map(|part| {
            let name = part.strip_suffix(".js").or(part.strip_suffix(".exe")).unwrap_or(part);
            // A package may carry its version.
            Self::named(name.split('@').find(|piece| !piece.is_empty())?)
        });
        named.map_or(Self::Other, Self::Known)
    }

    /// The agent of this name, as it is started or as it calls itself.
    pub fn named(name: &str) -> Option<&'static dyn OverAcp> {
        over_acp().find(|known| known.names().contains(&name))
    }

    fn known(self) -> Option<&'static dyn OverAcp> {
        match self {
            Self::Known(known) => Some(known),
            Self::Other => None,
        }
    }

    pub fn login(self, agent: &AgentConfig) -> &'static [LoginFile] {
        let known = self.known().filter(|known| known.has_login_files());
        known.map(|known| known.login(agent)).unwrap_or_default()
    }

    /// Of one that is not known, whatever any of the others would run.
    pub fn inherited(self, agent: &AgentConfig, person_home: &Path, root: &Path) -> Vec<PathBuf> {
        let meant: Vec<&dyn OverAcp> = match self {
            Self::Known(known) => vec![known],
            Self::Other => over_acp().collect(),
        };
        let files = meant.into_iter().flat_map(|known| known.inherited(agent, person_home, root));
        files.collect::<BTreeSet<PathBuf>>().into_iter().collect()
    }

    pub fn login_variables(self, agent: &AgentConfig) -> &'static [&'static str] {
        self.known().map(|known| known.login_variables(agent)).unwrap_or_default()
    }

    pub fn stand_in(self, agent: &AgentConfig, address: &str) -> StandIn {
        self.known().map(|known| known.stand_in_over_acp(agent, address)).unwrap_or_default()
    }

    /// Where it finds its settings instead of the person's and the repository's, as when it is started by its own adapter,
    /// and those settings written; the error is why it cannot be kept apart.
    pub fn apart(self, job: &Job<'_>) -> Result<BTreeMap<String, String>, NotStarted> {
        let pairs = match self {
            Self::Known(known) => known.apart(job)?,
            Self::Other => XDG
                .map(|(variable, name)| (variable, job.home.path(name).display().to_string()))
                .to_vec(),
        };
        Ok(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    pub fn words_apart(self) -> &'static [&'static str] {
        self.known().map(OverAcp::words_apart).unwrap_or_default()
    }

    pub fn trusting(self) -> Option<(String, String)> {
        let (name, value) = self.known()?.trusting()?;
        Some((name.to_owned(), value.to_owned()))
    }

    pub fn needs_cache(self) -> bool {
        self.known().is_some_and(OverAcp::needs_cache)
    }

    /// What must be open to it when it works with the person's own settings.
    pub fn own_places(self, person_home: &Path) -> Vec<PathBuf> {
        let places = self.known().map(OverAcp::places).unwrap_or_default();
        let places = places.iter().map(|place| person_home.join(place));
        places.filter(|place| place.exists()).collect()
    }

    pub fn session_meta(self, plan: &DriverPlan) -> Option<Value> {
        self.known()?.session_meta(plan)
    }

    pub fn can_use_files(self) -> bool {
        self.known().is_none_or(OverAcp::can_use_files)
    }

    pub fn counts_whole_turns(self) -> bool {
        self.known().is_none_or(OverAcp::counts_whole_turns)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::Home;
    use std::fs;
    use tollgate_contract::config::Adapter;

    #[test]
    fn they_are_known_by_program_script_and_package() {
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            format!("{:?}", Wrapped::of(&words))
        };
        assert_eq!(of(&["/usr/bin/goose", "acp"]), "goose");
        assert_eq!(of(&["node", "/opt/x/@agentclientprotocol/codex-acp/dist/index.js"]), "codex");
        assert_eq!(of(&["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.99.1"]), "claude");
        assert_eq!(of(&["/opt/gemini-cli/bundle/gemini.js", "--acp"]), "gemini");
        assert_eq!(of(&["/srv/me/work/agent", "goose"]), "goose");
        assert_eq!(of(&["/srv/goosefarm/agent", "serve"]), "other");
    }

    #[test]
    fn over_acp_they_are_kept_apart_by_all_that_keeps_them_apart_natively() {
        let keeps: [(Adapter, &[&str]); 7] = [
            (Adapter::Claude, &["CLAUDE_CONFIG_DIR"]),
            (Adapter::Codex, &["CODEX_HOME"]),
            (Adapter::Gemini, &["GEMINI_CLI_HOME", "GEMINI_CLI_TRUST_WORKSPACE"]),
            (
                Adapter::Opencode,
                &[
                    "XDG_CONFIG_HOME",
                    "XDG_DATA_HOME",
                    "XDG_STATE_HOME",
                    "OPENCODE_TEST_HOME",
                    "OPENCODE_DISABLE_PROJECT_CONFIG",
                    "OPENCODE_PURE",
                ],
            ),
            (Adapter::Copilot, &["COPILOT_HOME"]),
            (Adapter::Qwen, &["QWEN_HOME"]),
            (Adapter::Goose, &["GOOSE_PATH_ROOT", "GOOSE_DISABLE_KEYRING"]),
        ];
        for (adapter, names) in keeps {
            let temp = tempfile::tempdir().unwrap();
            let home = Home::create(&temp.path().join("home")).unwrap();
            let tree = temp.path().join("tree");
            let agent = AgentConfig::plain(adapter);
            let job = Job::sample(&agent, &tree, &home);
            let native = crate::adapter(adapter).unwrap();
            let wrapped = Wrapped::Known(native.over_acp().unwrap());
            let native = native.start(&job).unwrap().env;
            let over_acp = wrapped.apart(&job).unwrap();
            for name in names {
                assert!(native.contains_key(*name), "{adapter:?} {name}");
                assert_eq!(native.get(*name), over_acp.get(*name), "{adapter:?} {name}");
            }
        }
    }

    #[test]
    fn what_an_earlier_attempt_left_behind_is_gone() {
        for (name, left) in [
            ("codex-acp", "hooks.json"),
            ("gemini", ".gemini/extensions"),
            ("opencode", "home/.opencode"),
            ("copilot", "hooks"),
            ("qwen", "hooks"),
            ("goose", ".agents"),
        ] {
            let temp = tempfile::tempdir().unwrap();
            let home = Home::create(&temp.path().join("home")).unwrap();
            fs::create_dir_all(home.path(left)).unwrap();
            let agent = AgentConfig::plain(Adapter::Acp);
            Wrapped::of(&[name.to_owned()])
                .apart(&Job::sample(&agent, temp.path(), &home))
                .unwrap();
            assert!(!home.path(left).exists(), "{name}");
        }
    }

    #[test]
    fn qwen_trusts_no_folder() {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::create(temp.path()).unwrap();
        Wrapped::of(&["qwen".to_owned()])
            .apart(&Job::sample(&AgentConfig::plain(Adapter::Acp), temp.path(), &home))
            .unwrap();
        let settings = fs::read(home.path("settings.json")).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        assert_eq!(settings["security"]["folderTrust"]["enabled"], true);
    }
}
