//! What of an agent program is on this machine: where it is, which version, and whether someone is logged in. Nothing is spent.

use super::AgentAdapter;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tollgate_contract::config::AgentConfig;
use tollgate_process::agent_environment;

/// The slowest of them takes a few seconds; one that takes longer is stuck.
const VERSION_WAIT: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// What is read of what a program says about its version.
const VERSION_BYTES_MAX: u64 = 4 * 1024;

/// Where people's things are.
#[derive(Debug, Clone, Copy)]
pub struct Person<'a> {
    pub home: Option<&'a Path>,
    pub lookup: fn(&str) -> Option<OsString>,
}

/// How an agent would log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginState {
    /// By a variable that the settings passed on.
    Variable(&'static str),
    File(PathBuf),
    /// These variables are set, and the settings do not let them through.
    Withheld(Vec<&'static str>),
    /// Neither; the agent may still have a way of its own, such as a key ring.
    Unknown,
}

pub fn login(adapter: &dyn AgentAdapter, agent: &AgentConfig, person: Person<'_>) -> LoginState {
    let is_set = |name: &str| (person.lookup)(name).is_some_and(|value| !value.is_empty());
    let set: Vec<&'static str> =
        adapter.login_variables(agent).iter().copied().filter(|name| is_set(name)).collect();
    let is_let_through = |name: &&str| agent.env.iter().any(|given| given == name);
    if let Some(name) = set.iter().find(|name| is_let_through(name)) {
        return LoginState::Variable(name);
    }
    let lookup = |name: &str| (person.lookup)(name).map(PathBuf::from);
    let mut files = adapter.login(agent).iter().filter_map(|file| file.from(person.home, &lookup));
    match files.find(|path| path.is_file()) {
        Some(path) => LoginState::File(path),
        None if set.is_empty() => LoginState::Unknown,
        None => LoginState::Withheld(set),
    }
}

/// What the program says about its version, in numbers such as `2.1.325`; in words why it says none.
pub fn version(command: &[String], person: Person<'_>) -> Result<String, String> {
    let scratch = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let mut child = start(command, person, scratch.path())?;
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < VERSION_WAIT => thread::sleep(POLL),
            Ok(None) => {
                let _gone = child.kill().and_then(|()| child.wait());
                return Err(format!(
                    "it does not respond to --version within {} s",
                    VERSION_WAIT.as_secs()
                ));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    let said = said(scratch.path());
    numbers(&said).ok_or_else(|| {
        let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        format!("its response to --version is {line:?} ({status})")
    })
}

/// In a home of its own: a first start of some programs writes there.
fn start(command: &[String], person: Person<'_>, scratch: &Path) -> Result<Child, String> {
    let (program, words) = command.split_first().ok_or("no program is given")?;
    let mut extra = BTreeMap::from([("HOME".to_owned(), scratch.display().to_string())]);
    if let Some(home) = person.home {
        extra.insert("XDG_CACHE_HOME".to_owned(), home.join(".cache").display().to_string());
    }
    let path = (person.lookup)("PATH").map(|path| (OsString::from("PATH"), path));
    let output = std::fs::File::create(scratch.join(SAID)).map_err(|error| error.to_string())?;
    Command::new(program)
        .args(words)
        .arg("--version")
        .current_dir(scratch)
        .env_clear()
        .envs(agent_environment(path.into_iter(), &[], &extra))
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{program} could not be started: {error}"))
}

/// A file rather than a pipe: a process that it leaves behind may hold a pipe open.
const SAID: &str = "said";

fn said(scratch: &Path) -> String {
    let mut text = Vec::new();
    let file = std::fs::File::open(scratch.join(SAID));
    let _unreadable = file.and_then(|file| file.take(VERSION_BYTES_MAX).read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

/// The first word made of at least two numbers with dots between.
fn numbers(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut words = words.map(|word| word.trim_matches('.'));
    words.find(|word| word.split('.').count() >= 2).map(str::to_owned)
}

/// How a version stands to the one that was tested.
pub fn compare(found: &str, tested: &str) -> std::cmp::Ordering {
    let parts =
        |text: &str| -> Vec<u64> { text.split('.').map(|p| p.parse().unwrap_or(0)).collect() };
    parts(found).cmp(&parts(tested))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (said, version) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            (" 1.52.0\n", Some("1.52.0")),
            ("GitHub Copilot CLI 1.0.102.\nRun 'copilot update'\n", Some("1.0.102")),
            ("no idea. 3\n", None),
        ] {
            assert_eq!(numbers(said).as_deref(), version, "{said}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(compare("2.10.0", "2.9.9"), Ordering::Greater);
        assert_eq!(compare("0.61.0", "0.61.0"), Ordering::Equal);
        assert_eq!(compare("1.0", "1.0.1"), Ordering::Less);
    }
}
