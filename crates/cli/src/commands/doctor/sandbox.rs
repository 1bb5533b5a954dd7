//! What the kernel refuses to agents, and what the settings open to them.

use super::DoctorCheck;
use crate::place;
use std::path::Path;
use tollgate_contract::config::{Config, Enforce};
use tollgate_files::layout::{Layout, state_home};
use tollgate_git::repository::Repository;
use tollgate_host::sandbox::{self, Closed, Surroundings};
use tollgate_process::{SandboxLevel, SandboxProbe, Unheld, probe_sandbox};

const NAME: &str = "sandbox";
/// Of what the settings have a say in.
const TITLE: &str = "[sandbox]";

/// Tried out, not only asked for.
pub(super) fn enforced() -> DoctorCheck {
    match probe_sandbox() {
        Ok(probe) => finding(&probe),
        Err(cause) => DoctorCheck::warn(
            NAME,
            format!("it could not be tested: {cause}"),
            "check that the folder for temporary files is writable",
        ),
    }
}

fn finding(probe: &SandboxProbe) -> DoctorCheck {
    let spoken = probe.abi.map(|abi| format!(" (Landlock ABI {abi})")).unwrap_or_default();
    match (probe.level, &probe.why_none) {
        (SandboxLevel::Full, _) => {
            let terminals = if probe.own_terminals {
                "they have terminals of their own"
            } else {
                "they have no terminal at all"
            };
            DoctorCheck::ok(
                NAME,
                format!(
                    "full: the kernel blocks every write of an agent outside the folders open to it, and \
                     the terminals and devices of this machine; {terminals}{spoken}"
                ),
            )
        }
        (SandboxLevel::Partial, _) if !probe.devices_held => DoctorCheck::warn(
            NAME,
            format!("partial: a device could still be opened or created{spoken}"),
            "run Tollgate as an ordinary user",
        ),
        (SandboxLevel::Partial, _) => DoctorCheck::warn(
            NAME,
            format!(
                "partial: files outside can still be truncated; the diff does not show that{spoken}"
            ),
            "Linux 6.2 or newer enforces everything",
        ),
        (SandboxLevel::None, why) => {
            let why = why.as_ref().map(ToString::to_string).unwrap_or_default();
            DoctorCheck::warn(
                NAME,
                format!(
                    "none: {why}; only the diff of the workspace shows what an agent wrote{spoken}"
                ),
                fix(probe.why_none.as_ref()),
            )
        }
    }
}

/// What no sandbox covers is the whole machine, then.
pub(super) fn user() -> Option<DoctorCheck> {
    let message =
        "you are root: agents may do anything to this machine that the sandbox does not cover";
    let fix = "run Tollgate as an ordinary user";
    rustix::process::geteuid().is_root().then(|| DoctorCheck::warn("user", message, fix))
}

fn fix(why: Option<&Unheld>) -> &'static str {
    match why {
        Some(Unheld::NotEnabled) => {
            "add landlock to the list of lsm= on the kernel's command line and reboot"
        }
        Some(Unheld::NotInKernel) => {
            "use Linux 6.2 or newer, and in a container allow the landlock_* system calls"
        }
        _ => "run Tollgate as a user with few write permissions",
    }
}

/// What differs from the usual.
pub(super) fn settings(
    repository: &Repository,
    layout: &Layout,
    config: &Config,
) -> Vec<DoctorCheck> {
    if config.sandbox.enforce == Enforce::Off {
        let message =
            "not active: enforce = \"off\" in tollgate.toml, so agents can write wherever you can";
        return vec![DoctorCheck::warn(TITLE, message, "remove the line")];
    }
    let home = place::home();
    // Told by a line of its own.
    let Ok(state_home) = state_home(|name| std::env::var_os(name)) else {
        return Vec::new();
    };
    let surroundings = Surroundings { repository, state_home: &state_home, home: home.as_deref() };
    match sandbox::added(&config.sandbox, &surroundings) {
        Err(refused) => {
            let fix = format!("fix {}", layout.settings().display());
            vec![DoctorCheck::fail(TITLE, refused.to_string(), fix)]
        }
        Ok(paths) => {
            let absent = paths.iter().find(|path| !path.exists()).map(|absent| {
                let message =
                    format!("{} does not exist, so it is not opened to agents", absent.display());
                DoctorCheck::warn(TITLE, message, "create it")
            });
            let closed = sandbox::closed(&surroundings);
            let closed = closed.iter().filter(|(path, _)| !paths.contains(path));
            absent.into_iter().chain(closed.map(|(path, why)| closed_finding(path, *why))).collect()
        }
    }
}

fn closed_finding(path: &Path, why: Closed) -> DoctorCheck {
    let (why, fix) = match why {
        Closed::SharesAFile => {
            ("a file in it is a hard link to a file of your checkout", "install again with copies")
        }
        Closed::TooManyFiles => (
            "too many files, there or in your checkout, to look for hard links between them",
            "clean it",
        ),
    };
    DoctorCheck::warn(TITLE, format!("{} is closed to agents: {why}", path.display()), fix)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::commands::doctor::Level;

    #[test]
    fn every_level_is_reported_with_a_way_on() {
        let devices = |level, abi, why_none, devices_held| {
            finding(&SandboxProbe { level, abi, why_none, devices_held, own_terminals: true })
        };
        let probe = |level, abi, why_none| devices(level, abi, why_none, true);
        let full = probe(SandboxLevel::Full, Some(7), None);
        assert_eq!((full.level, full.fix), (Level::Ok, None));
        assert!(full.message.contains("ABI 7"), "{}", full.message);
        let partial = probe(SandboxLevel::Partial, Some(1), None);
        assert!(partial.message.starts_with("partial"), "{}", partial.message);
        assert!(partial.fix.unwrap().contains("6.2"));
        let open = devices(SandboxLevel::Partial, Some(7), None, false);
        assert!(open.message.contains("device"), "{}", open.message);
        let many = closed_finding(Path::new("/tmp"), Closed::TooManyFiles);
        assert!(many.message.contains("too many files"), "{}", many.message);
        let none = probe(SandboxLevel::None, None, Some(Unheld::NotEnabled));
        assert!(none.message.starts_with("none: Landlock is in the kernel"), "{}", none.message);
        assert!(none.fix.unwrap().contains("lsm="));
    }
}
