//! Tries a sandbox out: whether the kernel really refuses what it says it refuses.

use super::{Devices, ruleset};
use crate::isolation;
use crate::spec::SandboxLevel;
use landlock::{ABI, AccessFs, LandlockStatus, Ruleset, RulesetAttr};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::thread;

/// What came of trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxProbe {
    pub level: SandboxLevel,
    /// The version of Landlock that the kernel speaks.
    pub abi: Option<u32>,
    /// Why the level is none.
    pub why_none: Option<Unheld>,
    /// No device but the usual ones can be opened, and none made.
    pub devices_held: bool,
    /// Runs have terminals of their own; else they have none.
    pub own_terminals: bool,
}

/// Why nothing is enforced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unheld {
    #[error("the kernel was built without Landlock, or a container hides it")]
    NotInKernel,
    #[error("Landlock is in the kernel, but was not switched on at boot")]
    NotEnabled,
    #[error("{0}")]
    Refused(String),
    #[error("Landlock is available, but a forbidden write succeeded")]
    DoesNotHold,
}

/// Restricts a thread, never the caller, and lets it write where it may and where it may not.
pub fn probe_sandbox() -> io::Result<SandboxProbe> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    fs::create_dir(root.join("inside"))?;
    let tried = thread::spawn(move || try_out(&root)).join();
    let own_terminals = isolation::has_own_devices();
    tried
        .map(|probe| SandboxProbe { own_terminals, ..probe })
        .map_err(|_| io::Error::other("the sandbox test failed unexpectedly"))
}

fn try_out(root: &Path) -> SandboxProbe {
    let level = SandboxLevel::of_this_machine();
    let terminals = File::open(NEW_TERMINAL).is_ok();
    let tried = match ruleset(&[&root.join("inside")], Devices::OfTheMachine) {
        Ok(Some(ruleset)) => match ruleset.restrict_self() {
            Ok(_) => holds(root),
            Err(error) => Err(Unheld::Refused(format!("the kernel refused a sandbox: {error}"))),
        },
        Ok(None) => Ok(()),
        Err(words) => Err(Unheld::Refused(words)),
    };
    let (abi, absent) = spoken();
    let devices_held = closes_devices(root, terminals);
    let (level, why_none) = match tried.and(absent.map_or(Ok(()), Err)) {
        Ok(()) if level == SandboxLevel::Full && !devices_held => (SandboxLevel::Partial, None),
        Ok(()) => (level, None),
        Err(why) => (SandboxLevel::None, Some(why)),
    };
    SandboxProbe { level, abi, why_none, devices_held, own_terminals: false }
}

fn holds(root: &Path) -> Result<(), Unheld> {
    let refused = |path: &str| {
        let written = fs::write(root.join(path), "x");
        written.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    if !refused("outside") {
        return Err(Unheld::DoesNotHold);
    }
    match fs::write(root.join("inside/x"), "x") {
        Ok(()) => Ok(()),
        Err(error) => Err(Unheld::Refused(format!("an allowed write was refused: {error}"))),
    }
}

/// Opening it makes a terminal.
const NEW_TERMINAL: &str = "/dev/ptmx";

/// What holds for runs that see the machine's devices; those with their own see no others.
fn closes_devices(root: &Path, had_terminals: bool) -> bool {
    let null = rustix::fs::makedev(1, 3);
    let node = root.join("inside/null");
    let made = mknodat(CWD, node, FileType::CharacterDevice, Mode::RUSR, null);
    made.is_err() && !(had_terminals && File::open(NEW_TERMINAL).is_ok())
}

/// The crate tells its version only to who lets himself be restricted.
fn spoken() -> (Option<u32>, Option<Unheld>) {
    let status = Ruleset::default()
        .handle_access(AccessFs::from_write(ABI::V3))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self)
        .map(|status| status.landlock);
    match status {
        Ok(LandlockStatus::Available { effective_abi, kernel_abi }) => {
            let abi = kernel_abi.unwrap_or(effective_abi as i32);
            (u32::try_from(abi).ok(), None)
        }
        Ok(LandlockStatus::NotEnabled) => (None, Some(Unheld::NotEnabled)),
        Ok(LandlockStatus::NotImplemented) => (None, Some(Unheld::NotInKernel)),
        Err(error) => (None, Some(Unheld::Refused(error.to_string()))),
    }
}
