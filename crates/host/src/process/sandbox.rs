//! Holds a run to the places where it may write, by Landlock: the kernel refuses every other write, to the program and
//! to whatever it starts. Reading, running programs and the network stay open.

mod probe;

pub use probe::{SandboxProbe, Unheld, probe_sandbox};

use super::command::could_not_start;
use super::{RunEnd, RunSpec};
use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError,
};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The variable that names the temporary folder of a run.
pub(super) const TEMP_VARIABLE: &str = "TMPDIR";

/// Told by the child between fork and exec when the kernel would not restrict it; no exec fails with this.
pub(super) const NOT_RESTRICTED: Errno = Errno::CANCELED;

/// Where a run may write, besides a temporary folder of its own that goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Folders with all below them, and files. They hold no symbolic link; one that is not there is passed over.
    pub writable: Vec<PathBuf>,
    /// Rather no run at all than one that the kernel does not hold fully.
    #[serde(default)]
    pub required: bool,
}

/// How much of a sandbox the kernel enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxLevel {
    /// Every way to change content or names.
    Full,
    /// A file can still be emptied by its name; before Linux 5.19, also, nothing moves from one folder to another.
    Partial,
    /// Nothing.
    None,
}

impl SandboxLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partial => "partial",
            Self::None => "none",
        }
    }

    /// What the kernel says that it enforces.
    pub fn of_this_machine() -> Self {
        match strongest() {
            Some(ABI::V3) => Self::Full,
            Some(_) => Self::Partial,
            None => Self::None,
        }
    }
}

/// The newest of the versions that brought a right to write. Those after them restrict devices, network and sockets,
/// which agents need.
fn strongest() -> Option<ABI> {
    [ABI::V3, ABI::V2, ABI::V1].into_iter().find(|abi| handling(*abi).is_ok())
}

fn handling(abi: ABI) -> Result<Ruleset, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(abi))
}

const TEMP_PREFIX: &str = "tollgate-";

/// A folder for the temporary files of one run. Not in the state directory: the name of a socket has at most 107 bytes, and
/// paths there are long.
pub(super) fn private_temp() -> io::Result<TempDir> {
    let base = std::env::temp_dir().canonicalize()?;
    let mut folder = tempfile::Builder::new();
    folder.prefix(TEMP_PREFIX).permissions(Permissions::from_mode(0o700)).tempdir_in(base)
}

/// Removes what a supervisor that was killed could not. The path was kept in a file: only what can be such a folder goes.
pub(super) fn remove_private_temp(folder: &Path) {
    let base = std::env::temp_dir().canonicalize().ok();
    let name = folder.file_name().map(OsStr::as_encoded_bytes).unwrap_or_default();
    if base.as_deref() == folder.parent() && name.starts_with(TEMP_PREFIX.as_bytes()) {
        // Gone already, as a rule.
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// From its first instruction on the command may write only where its sandbox says and in `temp`. Where the kernel has
/// no Landlock, nothing changes. Only the command is held: whoever starts it still has an outcome to write.
#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
pub(super) fn confine(
    command: &mut Command,
    spec: &RunSpec,
    temp: Option<&OsStr>,
) -> Result<(), RunEnd> {
    let Some(sandbox) = &spec.sandbox else {
        return Ok(());
    };
    let writable: Vec<&Path> =
        sandbox.writable.iter().map(PathBuf::as_path).chain(temp.map(Path::new)).collect();
    let mut ruleset = match ruleset(&writable) {
        Ok(None) => return Ok(()),
        Ok(ruleset) => ruleset,
        Err(cause) => return Err(could_not_start(spec, cause)),
    };
    // SAFETY: whoever starts agents has one thread, and the ruleset is made: what is left are two system calls that
    // allocate nothing. The kernel closes the ruleset's file at exec.
    unsafe {
        command.pre_exec(move || match ruleset.take().map(RulesetCreated::restrict_self) {
            Some(Ok(_)) => Ok(()),
            Some(Err(_)) | None => Err(NOT_RESTRICTED.into()),
        });
    }
    Ok(())
}

/// None when the kernel has no Landlock.
fn ruleset(writable: &[&Path]) -> Result<Option<RulesetCreated>, String> {
    let Some(abi) = strongest() else {
        return Ok(None);
    };
    let refused = |error: RulesetError| format!("the kernel refused the sandbox: {error}");
    let mut ruleset = handling(abi).and_then(Ruleset::create).map_err(refused)?;
    for path in writable {
        let place = match Place::open(path, abi) {
            Ok(place) => place,
            // Gone, or another thing than was checked: not writable, then.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
            Err(errno) => return Err(format!("{} cannot be opened: {errno}", path.display())),
        };
        let rule = PathBeneath::new(place.file, place.rights);
        ruleset = ruleset.add_rule(rule).map_err(refused)?;
    }
    Ok(Some(ruleset))
}

struct Place {
    file: OwnedFd,
    rights: BitFlags<AccessFs>,
}

impl Place {
    /// No symbolic link on the way: the path was looked at before, and agents may have been at work since.
    fn open(path: &Path, abi: ABI) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Sandboxes of containers refuse the call.
            Err(Errno::NOSYS | Errno::PERM) => open(path, flags | OFlags::NOFOLLOW, Mode::empty())?,
            opened => opened?,
        };
        let rights = match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::Directory => AccessFs::from_write(abi),
            FileType::Symlink => return Err(Errno::LOOP),
            _ => AccessFs::from_write(abi) & AccessFs::from_file(abi),
        };
        Ok(Self { file, rights })
    }
}
