//! `tollgate doctor`: what this machine and this repository lack for a run.

mod agents;
mod disk;
mod probe;
mod repository;
mod sandbox;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use serde::Serialize;

/// Check everything that a run needs: git, the repository, settings, agents, isolation, sandbox, disk space
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate doctor\n  tollgate doctor --json")]
pub struct Doctor {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// A run works, but less well or less safely.
    Warn,
    /// A run does not work.
    Fail,
}

#[derive(Debug, Serialize)]
struct DoctorCheck {
    name: String,
    level: Level,
    message: String,
    fix: Option<String>,
}

impl DoctorCheck {
    fn new(level: Level, name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), level, message: message.into(), fix: None }
    }

    fn ok(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Level::Ok, name, message)
    }

    fn warn(name: impl Into<String>, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..Self::new(Level::Warn, name, message) }
    }

    fn fail(name: impl Into<String>, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..Self::new(Level::Fail, name, message) }
    }
}

#[derive(Serialize)]
struct DoctorOutput<'a> {
    ok: bool,
    checks: &'a [DoctorCheck],
}

impl Doctor {
    pub fn run(self) -> Result<Exit, Failure> {
        let findings = probe::everything();
        let ok = findings.iter().all(|finding| finding.level != Level::Fail);
        if self.json {
            output::json(&DoctorOutput { ok, checks: &findings });
        } else {
            findings.iter().for_each(show);
        }
        Ok(if ok { Exit::Ok } else { Exit::Fails })
    }
}

fn show(finding: &DoctorCheck) {
    let (style, mark) = match finding.level {
        Level::Ok => (output::GOOD, "ok  "),
        Level::Warn => (output::WARN, "warn"),
        Level::Fail => (output::BAD, "FAIL"),
    };
    output::row("", style, mark, &format!("{:<12} {}", finding.name, finding.message));
    if let Some(fix) = &finding.fix {
        output::row("     ", output::NOTE, "            fix:", fix);
    }
}
