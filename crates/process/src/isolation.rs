//! How a process tree is held together: a PID namespace or a cgroup that the kernel empties, or a subreaper that we empty.

use super::cgroup;
use super::devices::OwnDevices;
use super::spec::{Isolation, Sandbox};
use super::trial::works_in_a_child;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, write};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::CStr;
use std::io;
use std::path::{Path, PathBuf};

/// The best that this machine allows.
pub fn isolation() -> Isolation {
    let held_by_kernel = [Isolation::PidNamespace, Isolation::Cgroup];
    held_by_kernel.into_iter().find(|level| level.works_here()).unwrap_or(Isolation::Subreaper)
}

impl Isolation {
    /// Tries it in a child, so the caller stays as it is.
    pub fn works_here(self) -> bool {
        match self {
            Self::PidNamespace => Namespace::probe(None).is_some(),
            Self::Cgroup => cgroup::works_here(),
            Self::Subreaper => true,
        }
    }
}

/// How the tree of one run will be held together.
#[derive(Debug)]
pub(super) enum Holding {
    Namespace(Namespace),
    /// Where its cgroup goes. Nothing is made yet: first it is written down, for who comes after a crash.
    Cgroup(PathBuf),
    Subreaper,
}

impl Holding {
    /// What is asked for, else the best there is; words when it cannot be had.
    pub fn choose(
        asked: Option<Isolation>,
        sandbox: Option<&Sandbox>,
        run_dir: &Path,
    ) -> Result<Self, String> {
        let namespace = || Namespace::probe(sandbox).map(Self::Namespace);
        let cgroup = || cgroup::place_for(run_dir).map(Self::Cgroup);
        match asked {
            None => Ok(namespace().or_else(cgroup).unwrap_or(Self::Subreaper)),
            Some(Isolation::PidNamespace) => {
                namespace().ok_or_else(|| "PID namespaces are refused on this machine".to_owned())
            }
            Some(Isolation::Cgroup) => {
                cgroup().ok_or_else(|| "this machine has no cgroups of version 2".to_owned())
            }
            Some(Isolation::Subreaper) => Ok(Self::Subreaper),
        }
    }

    pub fn cgroup(&self) -> Option<&Path> {
        match self {
            Self::Cgroup(dir) => Some(dir),
            Self::Namespace(_) | Self::Subreaper => None,
        }
    }

    /// Whether the run has a `/dev` of its own.
    pub fn has_own_devices(&self) -> bool {
        matches!(self, Self::Namespace(Namespace { devices: Some(_), .. }))
    }
}

/// Whether runs get a `/dev` of their own here, with terminals of their own.
pub(super) fn has_own_devices() -> bool {
    let namespace = Namespace::probe(Some(&Sandbox::default()));
    namespace.is_some_and(|namespace| namespace.devices.is_some())
}

/// A way into a PID namespace that works here.
#[derive(Debug, Clone)]
pub(super) struct Namespace {
    flags: UnshareFlags,
    /// Same user and group inside and outside; only where a user namespace is needed to be allowed the other.
    maps: Option<IdMaps>,
    devices: Option<OwnDevices>,
}

/// Made before a fork, because nothing may be allocated after one.
#[derive(Debug, Clone)]
struct IdMaps {
    user: Vec<u8>,
    group: Vec<u8>,
}

impl Namespace {
    /// The best for what is to run in a sandbox is one with a `/dev` of its own.
    pub fn probe(sandbox: Option<&Sandbox>) -> Option<Self> {
        let devices = sandbox.map(OwnDevices::of);
        let bare = [Self::with_privilege(), Self::without_privilege()];
        let with_devices = bare
            .clone()
            .map(|way| Self { devices: devices.clone(), ..way })
            .into_iter()
            .filter(|way| way.devices.is_some());
        with_devices.chain(bare).find(|way| {
            let attempt = way.clone();
            works_in_a_child(move || {
                attempt.enter()?;
                attempt.devices.as_ref().map_or(Ok(()), |devices| {
                    own_mounts()?;
                    devices.mount()
                })
            })
        })
    }

    fn with_privilege() -> Self {
        Self { flags: UnshareFlags::NEWPID, maps: None, devices: None }
    }

    fn without_privilege() -> Self {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        Self {
            flags: UnshareFlags::NEWPID | UnshareFlags::NEWUSER,
            maps: Some(IdMaps {
                user: format!("{user} {user} 1").into_bytes(),
                group: format!("{group} {group} 1").into_bytes(),
            }),
            devices: None,
        }
    }

    /// The children of this process will be in the new namespace. Needs a process with one thread.
    pub fn enter(&self) -> io::Result<()> {
        unshare(self.flags)?;
        let Some(maps) = &self.maps else {
            return Ok(());
        };
        write_whole(c"/proc/self/setgroups", b"deny")?;
        write_whole(c"/proc/self/uid_map", &maps.user)?;
        write_whole(c"/proc/self/gid_map", &maps.group)?;
        Ok(())
    }

    /// What the tree sees of the machine: its own processes where the system lets us, which does no harm where not, and
    /// its own devices. For a child between fork and exec.
    pub fn mount(&self) -> io::Result<()> {
        let mounts = own_mounts();
        if mounts.is_ok() {
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            let _the_outer_one_stays = mount(c"proc", c"/proc", c"proc", flags, None);
        }
        match &self.devices {
            None => Ok(()),
            Some(devices) => {
                mounts?;
                devices.mount()
            }
        }
    }
}

fn own_mounts() -> Result<(), Errno> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    // Without the second a mount by a privileged user would show up outside.
    unshare(UnshareFlags::NEWNS).and_then(|()| mount_change(c"/", private))
}

#[expect(unsafe_code, reason = "the binding is unsafe for one flag that we do not use")]
fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: file descriptor tables stay shared; that flag is never passed.
    unsafe { unshare_unsafe(flags) }
}

fn write_whole(path: &CStr, content: &[u8]) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    match write(&file, content)? {
        written if written == content.len() => Ok(()),
        _ => Err(Errno::IO),
    }
}
