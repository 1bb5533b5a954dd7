//! The person's own login at GitHub: a token from the environment, or the one that `gh` keeps. It is held in memory only.

use super::{TrackerError, place::Api};
use std::ffi::OsString;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tollgate_files as files;

/// A token and where it came from. Its value is shown by nothing.
#[derive(Clone)]
pub struct TrackerLogin {
    token: String,
    from: String,
}

impl fmt::Debug for TrackerLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("from", &self.from).finish_non_exhaustive()
    }
}

impl TrackerLogin {
    pub fn new(token: &str, from: &str) -> Result<Self, TrackerError> {
        let token = token.trim();
        let is_sendable = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        match is_sendable {
            true => Ok(Self { token: token.to_owned(), from: from.to_owned() }),
            false => Err(TrackerError::BadToken { from: from.to_owned() }),
        }
    }

    /// `GH_TOKEN`, then `GITHUB_TOKEN`, then `gh auth token`.
    pub fn find(
        api: &Api,
        lookup: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Self, TrackerError> {
        for name in ["GH_TOKEN", "GITHUB_TOKEN"] {
            if let Some(value) = lookup(name).filter(|value| !value.is_empty()) {
                return Self::new(&value.to_string_lossy(), name);
            }
        }
        let none = |gh: &str| TrackerError::NoLogin {
            tried: format!("neither GH_TOKEN nor GITHUB_TOKEN is set, and {gh}"),
        };
        let program = gh_program(lookup).ok_or_else(|| none("the program gh is not on PATH"))?;
        let token = ask_gh(&program, api.site(), lookup).map_err(|why| none(&why))?;
        Self::new(&token, "gh auth token")
    }

    /// Where it came from, as people know it.
    pub fn from(&self) -> &str {
        &self.from
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }
}

/// Relative entries of PATH are left out: an agent could put a program there.
fn gh_program(lookup: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    files::program_on(lookup("PATH"), "gh")
}

/// What `gh` needs to find its settings and the keyring of the person.
const KEPT_VARIABLES: [&str; 9] = [
    "PATH",
    "HOME",
    "USER",
    "GH_CONFIG_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// A keyring may have to be unlocked first; nobody waits longer than this.
const GH_WAIT: Duration = Duration::from_secs(20);
const TOKEN_BYTES_MAX: u64 = 4096;

fn ask_gh(
    program: &Path,
    site: &str,
    lookup: &dyn Fn(&str) -> Option<OsString>,
) -> Result<String, String> {
    let mut command = Command::new(program);
    command.args(["auth", "token", "--hostname", site]).env_clear();
    command.envs(KEPT_VARIABLES.iter().filter_map(|name| Some((name, lookup(name)?))));
    // Nothing of the repository that we are in has a say.
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|cause| format!("gh could not be run: {cause}"))?;
    let answer = first_words(&mut child, Instant::now() + GH_WAIT);
    if answer.is_none() {
        // It may have ended by itself in this very moment.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|cause| format!("waiting for gh failed: {cause}"))?;
    match answer {
        Some(token) if status.success() && !token.trim().is_empty() => Ok(token),
        Some(_) => Err(format!("gh is not logged in at {site}")),
        None => Err("gh did not respond in time".to_owned()),
    }
}

/// What it printed, when it has ended in time.
fn first_words(child: &mut Child, until: Instant) -> Option<String> {
    let pipe = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.take(TOKEN_BYTES_MAX).read_to_end(&mut bytes);
        // Nobody listens any more when it took too long.
        let _ = sender.send(read.map(|_| bytes));
    });
    let left = until.saturating_duration_since(Instant::now());
    let bytes = receiver.recv_timeout(left).ok()?.ok()?;
    while Instant::now() < until {
        if let Ok(Some(_)) = child.try_wait() {
            return String::from_utf8(bytes).ok();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn api() -> Api {
        Api::parse("https://api.github.com").unwrap()
    }

    fn fake_gh(script: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gh");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn find(
        variables: &[(&str, &str)],
        folder: Option<&Path>,
    ) -> Result<TrackerLogin, TrackerError> {
        TrackerLogin::find(&api(), &|name| match (name, folder) {
            ("PATH", Some(folder)) => Some(folder.into()),
            _ => variables.iter().find(|(known, _)| *known == name).map(|(_, v)| v.into()),
        })
    }

    #[test]
    fn the_environment_comes_first_and_gh_last() {
        let gh = fake_gh("test \"$*\" = 'auth token --hostname github.com' && echo from-gh");
        let all = [("GH_TOKEN", "one"), ("GITHUB_TOKEN", "two")];
        let found = find(&all, Some(gh.path())).unwrap();
        assert_eq!((found.token(), found.from()), ("one", "GH_TOKEN"));
        let found = find(&all[1..], Some(gh.path())).unwrap();
        assert_eq!((found.token(), found.from()), ("two", "GITHUB_TOKEN"));
        let found = find(&[("GH_TOKEN", "")], Some(gh.path())).unwrap();
        assert_eq!((found.token(), found.from()), ("from-gh", "gh auth token"));
    }

    #[test]
    fn no_login_says_how_to_get_one() {
        let words = find(&[], None).unwrap_err().to_string();
        assert!(words.contains("gh is not on PATH") && words.contains("gh auth login"), "{words}");
        let gh = fake_gh("echo secret-token; exit 1");
        let words = find(&[], Some(gh.path())).unwrap_err().to_string();
        assert!(words.contains("gh is not logged in at github.com"), "{words}");
        assert!(!words.contains("secret-token"), "{words}");
    }

    #[test]
    fn gh_sees_no_variable_that_it_does_not_need() {
        let gh = fake_gh("echo \"${AWS_SECRET:-none}\"");
        let path = format!("{}:/bin:/usr/bin", gh.path().display());
        let found = find(&[("AWS_SECRET", "x"), ("PATH", &path)], None).unwrap();
        assert_eq!(found.token(), "none");
    }

    #[test]
    fn a_token_is_one_word_and_never_shown() {
        for bad in ["a b", "a\nX-Evil: 1", "ä", "  "] {
            let error = TrackerLogin::new(bad, "GH_TOKEN").unwrap_err().to_string();
            assert!(
                !error.contains("Evil") && error.starts_with("GH_TOKEN does not contain"),
                "{error}"
            );
        }
        let login = TrackerLogin::new("ghp_abc\n", "GH_TOKEN").unwrap();
        assert_eq!(login.token(), "ghp_abc");
        assert!(!format!("{login:?}").contains("ghp_abc"));
    }
}
