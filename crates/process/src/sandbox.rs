//! Holds a run to the places where it may write, by Landlock: the kernel refuses every other write, to the program and
//! to whatever it starts. It opens no device but the usual ones, and signals nobody outside. Reading files, running programs
//! and the network stay open.

mod probe;

pub use probe::{SandboxProbe, Unheld, probe_sandbox};

use super::command::{NOT_RESTRICTED, could_not_start};
use super::devices::{TERMINALS, USUAL};
use super::spec::{RunEnd, RunSpec, SandboxLevel};
use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat2};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
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

impl SandboxLevel {
    /// What the kernel says that it enforces.
    pub fn of_this_machine() -> Self {
        match strongest() {
            Some(ABI::V3) => Self::Full,
            Some(_) => Self::Partial,
            None => Self::None,
        }
    }
}

/// The newest of the versions that brought a right to write.
fn strongest() -> Option<ABI> {
    [ABI::V3, ABI::V2, ABI::V1].into_iter().find(|abi| handling(*abi).is_ok())
}

fn handling(abi: ABI) -> Result<Ruleset, RulesetError> {
    strict().handle_access(AccessFs::from_write(abi))
}

fn strict() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

/// Whether the kernel keeps a run from signalling its supervisor, or anyone else outside.
pub fn restricts_signals() -> bool {
    strict().scope(Scope::Signal).is_ok()
}

/// What a place that is open allows. Device nodes are made nowhere: root could make one of any disk.
fn writing(abi: ABI) -> BitFlags<AccessFs> {
    AccessFs::from_write(abi) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

/// Which devices a run sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Devices {
    /// None but its own, see [`super::devices`].
    Own,
    /// All; then it may not read them either, terminals above all.
    OfTheMachine,
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
/// no Landlock, only what root may do beyond others is taken. Only the command is held: whoever starts it still has an
/// outcome to write.
#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
pub(super) fn confine(
    command: &mut Command,
    spec: &RunSpec,
    temp: Option<&OsStr>,
    devices: Devices,
) -> Result<(), RunEnd> {
    let Some(sandbox) = &spec.sandbox else {
        return Ok(());
    };
    let writable: Vec<&Path> =
        sandbox.writable.iter().map(PathBuf::as_path).chain(temp.map(Path::new)).collect();
    let mut ruleset = match ruleset(&writable, devices) {
        Ok(ruleset) => ruleset,
        Err(cause) => return Err(could_not_start(spec, cause)),
    };
    let is_held = ruleset.is_some();
    // SAFETY: whoever starts agents has one thread, and the ruleset is made: what is left are a few system calls that
    // allocate nothing. The kernel closes the ruleset's file at exec.
    unsafe {
        command.pre_exec(move || {
            give_up_powers()?;
            match ruleset.take().map(RulesetCreated::restrict_self) {
                Some(Ok(_)) => Ok(()),
                None if !is_held => Ok(()),
                Some(Err(_)) | None => Err(NOT_RESTRICTED.into()),
            }
        });
    }
    Ok(())
}

/// What root may do in a container, less making devices. The rest leads out of any sandbox: loading a module, reading
/// the kernel's memory, opening files by number. For a child between fork and exec.
fn give_up_powers() -> io::Result<()> {
    const KEPT: CapabilitySet = CapabilitySet::CHOWN
        .union(CapabilitySet::DAC_OVERRIDE)
        .union(CapabilitySet::FOWNER)
        .union(CapabilitySet::FSETID)
        .union(CapabilitySet::KILL)
        .union(CapabilitySet::SETGID)
        .union(CapabilitySet::SETUID)
        .union(CapabilitySet::SETPCAP)
        .union(CapabilitySet::SETFCAP)
        .union(CapabilitySet::NET_BIND_SERVICE)
        .union(CapabilitySet::NET_RAW)
        .union(CapabilitySet::SYS_CHROOT)
        .union(CapabilitySet::AUDIT_WRITE);
    // Without this the next program of root would have everything again.
    rustix::thread::set_no_new_privs(true)?;
    let had = capabilities(None)?;
    let kept = CapabilitySets {
        effective: had.effective & KEPT,
        permitted: had.permitted & KEPT,
        inheritable: had.inheritable & KEPT,
    };
    Ok(set_capabilities(None, kept)?)
}

/// None when the kernel has no Landlock.
fn ruleset(writable: &[&Path], devices: Devices) -> Result<Option<RulesetCreated>, String> {
    let Some(abi) = strongest() else {
        return Ok(None);
    };
    let mut rules: Vec<(PathBuf, BitFlags<AccessFs>)> = Vec::new();
    let opened = writable.iter().copied().chain(USUAL.map(Path::new));
    let opened = opened.chain((devices == Devices::Own).then_some(Path::new(TERMINALS)));
    rules.extend(opened.map(|path| (path.to_owned(), writing(abi))));
    let mut handled = handling(abi);
    if devices == Devices::OfTheMachine {
        handled = handled.and_then(|ruleset| ruleset.handle_access(AccessFs::ReadFile));
        rules.iter_mut().for_each(|(_, rights)| *rights |= AccessFs::ReadFile);
        let outside = all_but_devices().map_err(|error| format!("/ cannot be read: {error}"))?;
        rules.extend(outside.map(|path| (path, AccessFs::ReadFile.into())));
    }
    if restricts_signals() {
        handled = handled.and_then(|ruleset| ruleset.scope(Scope::Signal));
    }
    let refused = |error: RulesetError| format!("the kernel refused the sandbox: {error}");
    let mut ruleset = handled.and_then(Ruleset::create).map_err(refused)?;
    for (path, rights) in rules {
        let Some(place) = OpenFolder::of_rule(&path, rights, abi)? else { continue };
        let rule = PathBeneath::new(place.file, place.rights);
        ruleset = ruleset.add_rule(rule).map_err(refused)?;
    }
    Ok(Some(ruleset))
}

/// Landlock cannot subtract: to close `/dev` to reading, everything beside it is opened.
fn all_but_devices() -> io::Result<impl Iterator<Item = PathBuf>> {
    let entries = std::fs::read_dir("/")?.collect::<io::Result<Vec<_>>>()?;
    Ok(entries.into_iter().map(|entry| entry.path()).filter(|path| path != Path::new("/dev")))
}

struct OpenFolder {
    file: OwnedFd,
    rights: BitFlags<AccessFs>,
}

impl OpenFolder {
    /// None for one that is not open, then.
    fn of_rule(path: &Path, rights: BitFlags<AccessFs>, abi: ABI) -> Result<Option<Self>, String> {
        match Self::open(path, rights, abi) {
            Ok(place) => Ok(Some(place)),
            // Gone, or another thing than was checked.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            // Such as a mount whose server is dead: nobody else can read it either.
            Err(_) if rights == AccessFs::ReadFile => Ok(None),
            Err(errno) => Err(format!("{} cannot be opened: {errno}", path.display())),
        }
    }

    /// No symbolic link on the way: the path was looked at before, and agents may have been at work since.
    fn open(path: &Path, rights: BitFlags<AccessFs>, abi: ABI) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // Sandboxes of containers refuse the call.
            Err(Errno::NOSYS | Errno::PERM) => open(path, flags | OFlags::NOFOLLOW, Mode::empty())?,
            opened => opened?,
        };
        let rights = match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::Directory => rights,
            FileType::Symlink => return Err(Errno::LOOP),
            _ => rights & AccessFs::from_file(abi),
        };
        Ok(Self { file, rights })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// It stands for a mount that does not answer: the kernel has an error of its own for it.
    #[test]
    fn a_place_for_reading_that_cannot_be_opened_keeps_no_agent_from_starting() {
        let unnamable = PathBuf::from("/").join("x".repeat(300));
        let rule = |path: &Path, rights| OpenFolder::of_rule(path, rights, ABI::V3);
        assert!(rule(&unnamable, AccessFs::ReadFile.into()).unwrap().is_none());
        assert!(rule(Path::new("/"), AccessFs::ReadFile.into()).unwrap().is_some());
        let words = rule(&unnamable, writing(ABI::V3)).err().unwrap();
        assert!(words.contains("cannot be opened"), "{words}");
        assert!(rule(Path::new("/nowhere/at/all"), writing(ABI::V3)).unwrap().is_none());
    }
}
