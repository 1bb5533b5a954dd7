//! Tries a sandbox out: whether the kernel really refuses what it says it refuses.

use super::{SandboxLevel, ruleset};
use landlock::{ABI, AccessFs, LandlockStatus, Ruleset, RulesetAttr};
use std::fs;
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
    #[error("Landlock is there, but a forbidden write went through")]
    DoesNotHold,
}

/// Restricts a thread, never the caller, and lets it write where it may and where it may not.
pub fn probe_sandbox() -> io::Result<SandboxProbe> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    fs::create_dir(root.join("inside"))?;
    let tried = thread::spawn(move || try_out(&root)).join();
    tried.map_err(|_| io::Error::other("the thread that tried the sandbox out has ended badly"))
}

fn try_out(root: &Path) -> SandboxProbe {
    let level = SandboxLevel::of_this_machine();
    let tried = match ruleset(&[&root.join("inside")]) {
        Ok(Some(ruleset)) => match ruleset.restrict_self() {
            Ok(_) => holds(root),
            Err(error) => Err(Unheld::Refused(format!("the kernel refused a sandbox: {error}"))),
        },
        Ok(None) => Ok(()),
        Err(words) => Err(Unheld::Refused(words)),
    };
    let (abi, absent) = spoken();
    match tried.and(absent.map_or(Ok(()), Err)) {
        Ok(()) => SandboxProbe { level, abi, why_none: None },
        Err(why) => SandboxProbe { level: SandboxLevel::None, abi, why_none: Some(why) },
    }
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
