//! A `/dev` of a run's own: the few devices that every program needs, terminals that nobody else has, and no other device
//! anywhere. A terminal of someone else can be written to, read from and typed at by whoever opens it.

use super::spec::Sandbox;
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, mkdir, open, symlink};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree};
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Without these the simplest programs fail. The last one is the terminal of whoever opens it, if he has one.
pub(super) const USUAL: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Where the terminals of a run are.
pub(super) const TERMINALS: &str = "/dev/pts";

const LINKS: [(&CStr, &CStr); 5] = [
    (c"pts/ptmx", c"/dev/ptmx"),
    (c"/proc/self/fd", c"/dev/fd"),
    (c"/proc/self/fd/0", c"/dev/stdin"),
    (c"/proc/self/fd/1", c"/dev/stdout"),
    (c"/proc/self/fd/2", c"/dev/stderr"),
];

/// What of the machine's `/dev` a run keeps. More than this nobody needs; what is beyond is left out.
const KEPT_MAX: usize = 32;

/// Made before a fork, because nothing may be allocated after one.
#[derive(Debug, Clone)]
pub(super) struct OwnDevices {
    devices: Vec<CString>,
    /// Such as the folder of shared memory.
    folders: Vec<CString>,
    /// In which the others lie.
    parents: Vec<CString>,
}

impl OwnDevices {
    /// The usual ones, and what the sandbox opens below `/dev`.
    pub fn of(sandbox: &Sandbox) -> Self {
        let opened = sandbox.writable.iter().filter(|path| path.starts_with("/dev/"));
        let all = USUAL.iter().map(Path::new).chain(opened.map(AsRef::as_ref));
        let mut own = Self { devices: Vec::new(), folders: Vec::new(), parents: Vec::new() };
        for path in all.filter(|path| path.exists()).take(KEPT_MAX) {
            let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { continue };
            let above = path.ancestors().skip(1).take_while(|above| *above != Path::new("/dev"));
            let above = above.filter_map(|above| CString::new(above.as_os_str().as_bytes()).ok());
            let at = own.parents.len();
            own.parents.extend(above);
            own.parents[at..].reverse();
            let kind = if path.is_dir() { &mut own.folders } else { &mut own.devices };
            kind.push(name);
        }
        own
    }

    /// For a child between fork and exec that has mounts of its own.
    pub fn mount(&self) -> io::Result<()> {
        let mut devices = [const { None }; KEPT_MAX];
        let mut folders = [const { None }; KEPT_MAX];
        copy(&self.devices, &mut devices)?;
        without_devices(c"/")?;
        copy(&self.folders, &mut folders)?;
        let plain = MountFlags::NOSUID | MountFlags::NOEXEC;
        mount(c"tmpfs", c"/dev", c"tmpfs", plain | MountFlags::NODEV, c"mode=755,size=1m")?;
        mkdir(c"/dev/pts", Mode::from_raw_mode(0o755))?;
        let terminals = c"newinstance,ptmxmode=0666,mode=0620";
        mount(c"devpts", c"/dev/pts", c"devpts", plain, terminals)?;
        for (target, link) in LINKS {
            symlink(target, link)?;
        }
        for parent in &self.parents {
            make_folder(parent)?;
        }
        for (name, copied) in self.devices.iter().zip(&devices) {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            open(name.as_c_str(), flags, Mode::from_raw_mode(0o600))?;
            place(copied.as_ref(), name)?;
        }
        for (name, copied) in self.folders.iter().zip(&folders) {
            make_folder(name)?;
            place(copied.as_ref(), name)?;
        }
        Ok(())
    }
}

fn copy(names: &[CString], copies: &mut [Option<OwnedFd>; KEPT_MAX]) -> io::Result<()> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    for (name, copied) in names.iter().zip(copies) {
        *copied = Some(open_tree(CWD, name.as_c_str(), flags)?);
    }
    Ok(())
}

fn place(copied: Option<&OwnedFd>, name: &CStr) -> io::Result<()> {
    let copied = copied.ok_or(Errno::BADF)?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    Ok(move_mount(copied, c"", CWD, name, flags)?)
}

fn make_folder(name: &CStr) -> io::Result<()> {
    match mkdir(name, Mode::from_raw_mode(0o755)) {
        Err(Errno::EXIST) => Ok(()),
        made => Ok(made?),
    }
}

/// No device node below can be opened, wherever it lies and whoever made it.
#[expect(unsafe_code, reason = "rustix has no binding for this call")]
fn without_devices(below: &CStr) -> io::Result<()> {
    let change = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the path ends with a zero, and the size is that of the structure, which the kernel only reads.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            CWD.as_raw_fd(),
            below.as_ptr(),
            libc::AT_RECURSIVE,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
