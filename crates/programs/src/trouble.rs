//! Why the programs could not be installed, in words: what failed, what npm said, how to continue.

use crate::WITHOUT_VARIABLE;
use std::fmt::Write;
use std::path::Path;

/// The end of what npm says holds its reason; before it come other packages' warnings.
const LINES_SHOWN_MAX: usize = 15;

/// Codes of npm and of the system below it, and what they mean here.
const REASONS: [(&[&str], &str); 4] = [
    (&["ENOSPC", "EDQUOT"], "the disk is full (they need about 2.2 GB, and npm's cache 0.9 GB)"),
    (&["EINTEGRITY"], "a package is not the one that xtask/agents/package-lock.json names"),
    (
        &[
            "ENOTFOUND",
            "EAI_AGAIN",
            "ECONNREFUSED",
            "ECONNRESET",
            "ETIMEDOUT",
            "ENETUNREACH",
            "EHOSTUNREACH",
            "ENOTCACHED",
            "ERR_SOCKET_TIMEOUT",
        ],
        "the npm registry is not reachable; `npm config get registry` says which one is asked",
    ),
    (&["E401", "E403", "E404", "ETARGET"], "the npm registry does not give out a package"),
];

pub fn npm_missing(npm: &str, cause: &std::io::Error) -> String {
    let what = format!("`{npm}` could not be started: {cause}");
    told(&what, "", "install Node.js with npm (version 7 or later)")
}

pub fn npm_failed(status: &str, output: &str) -> String {
    let known = REASONS.iter().find(|(codes, _)| codes.iter().any(|code| has_word(output, code)));
    let reason = known.map_or("for a reason of its own", |(_, reason)| reason);
    told(&format!("npm ended with {status}: {reason}"), output, "put that right")
}

pub fn wrong_version(program: &str, wanted: &str, output: &str) -> String {
    let what = format!("{program} was installed but does not answer `--version` with {wanted}");
    told(&what, output, "see whether it runs on this machine")
}

pub fn no_such_platform(platform: &str) -> String {
    let what = format!("they are pinned for linux-x86_64, and this is {platform}");
    told(&what, "", "run the tests on such a machine")
}

pub fn disk(path: &Path, doing: &str, cause: &std::io::Error) -> String {
    told(
        &format!("could not {doing} {}: {cause}", path.display()),
        "",
        "put that right, or set TOLLGATE_AGENTS_CACHE to another folder",
    )
}

fn told(what: &str, output: &str, way_on: &str) -> String {
    let mut text = format!("THE AGENT PROGRAMS ARE NOT INSTALLED\n  {what}\n");
    let lines: Vec<&str> = output.lines().filter(|line| says_something(line)).collect();
    for line in &lines[lines.len().saturating_sub(LINES_SHOWN_MAX)..] {
        let _ = writeln!(text, "  | {}", line.replace(char::is_control, " "));
    }
    let _ = write!(
        text,
        "  to continue: {way_on}, then run `cargo xtask agents`.\n  \
         Without them, and without the tests that need them: {WITHOUT_VARIABLE}=1"
    );
    text
}

/// Neither blank nor a place in npm's own code.
fn says_something(line: &str) -> bool {
    let line = line.strip_prefix("npm error").unwrap_or(line).trim();
    !line.is_empty() && !line.starts_with("at ")
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|other| other == word)
}
