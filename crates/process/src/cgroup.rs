//! A cgroup for one run: the kernel ends everything in it at once, forks under way included. It is used where PID
//! namespaces are refused, and needs a cgroup v2 in which this user may make more of them.

use super::processes::until_none_is_left;
use super::trial::works_in_a_child;
use rustix::fs::statfs;
use rustix::io::write;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// A cgroup in which a process has been. All in it ends with the value.
#[derive(Debug)]
pub(super) struct Cgroup {
    dir: PathBuf,
}

impl Cgroup {
    /// What an earlier one of the same name left is ended first.
    pub fn make(dir: PathBuf) -> io::Result<Self> {
        end(&dir);
        fs::create_dir(&dir)?;
        let cgroup = Self { dir };
        // Without it (before Linux 5.14) a cgroup would be nothing but a list of processes.
        OpenOptions::new().write(true).open(cgroup.dir.join("cgroup.kill"))?;
        let processes = cgroup.processes()?;
        if works_in_a_child(move || enter(&processes)) {
            Ok(cgroup)
        } else {
            Err(io::Error::other("no process can be moved into it"))
        }
    }

    /// From its first instruction on the command is in the cgroup, and so is whatever it starts.
    #[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
    pub fn hold(&self, command: &mut Command) -> io::Result<()> {
        let processes = self.processes()?;
        // SAFETY: one system call on a file that is open already. The kernel closes it at exec.
        unsafe {
            command.pre_exec(move || enter(&processes));
        }
        Ok(())
    }

    fn processes(&self) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.dir.join("cgroup.procs"))
    }

    /// Returns when nothing is left in it.
    pub fn end(&self) {
        end(&self.dir);
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        self.end();
    }
}

/// Zero stands for who writes it.
fn enter(processes: &File) -> io::Result<()> {
    write(processes, b"0").map(|_| ()).map_err(io::Error::from)
}

/// Whether runs can have cgroups here.
pub(super) fn works_here() -> bool {
    let name = format!("tollgate-probe-{}", rustix::thread::gettid().as_raw_nonzero());
    own_cgroup().is_some_and(|own| Cgroup::make(own.join(name)).is_ok())
}

/// Where the cgroup of a run goes: into that of this process.
pub(super) fn place_for(run_dir: &Path) -> Option<PathBuf> {
    Some(own_cgroup()?.join(name_of(run_dir)?))
}

/// Device and number tell the folder from every other one that this kernel knows.
fn name_of(run_dir: &Path) -> Option<String> {
    let folder = fs::metadata(run_dir).ok()?;
    Some(format!("tollgate-{:x}-{:x}", folder.dev(), folder.ino()))
}

/// Ends what a supervisor that was killed could not. The path was kept in a file: only the cgroup of this very run goes.
pub(super) fn end_of_run(dir: &Path, run_dir: &Path) {
    const CGROUP2: u64 = 0x6367_7270;
    let is_cgroup = statfs(dir).is_ok_and(|found| found.f_type as u64 == CGROUP2);
    let name = name_of(run_dir);
    if is_cgroup && name.is_some_and(|name| dir.file_name() == Some(name.as_ref())) {
        end(dir);
    }
}

/// The kernel removes a cgroup only when no process is left in it: once it is gone, so are they.
fn end(dir: &Path) {
    until_none_is_left(|| {
        let is_left = remove(dir).is_err_and(|error| is_busy(&error));
        if is_left {
            let kill = OpenOptions::new().write(true).open(dir.join("cgroup.kill"));
            let _next_round = kill.map(|file| write(&file, b"1"));
        }
        is_left
    });
}

/// With those that were made in it.
fn remove(dir: &Path) -> io::Result<()> {
    match fs::remove_dir(dir) {
        Err(error) if is_busy(&error) => {}
        removed => return removed,
    }
    let entries: Vec<_> = fs::read_dir(dir)?.collect::<io::Result<_>>()?;
    for entry in entries {
        if entry.file_type()?.is_dir() {
            remove(&entry.path())?;
        }
    }
    fs::remove_dir(dir)
}

fn is_busy(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ResourceBusy
}

/// The folder of the cgroup that this process is in.
fn own_cgroup() -> Option<PathBuf> {
    let cgroup = path_in_tree(&fs::read("/proc/self/cgroup").ok()?)?;
    let mounts = fs::read("/proc/self/mountinfo").ok()?;
    let mut found = mounts.split(|byte| *byte == b'\n').filter_map(|line| below(line, &cgroup));
    found.find(|folder| folder.join("cgroup.procs").exists())
}

/// The line of the one tree of version 2. A way up leads out of what this process may see.
fn path_in_tree(cgroups: &[u8]) -> Option<PathBuf> {
    let line = cgroups.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"0::"))?;
    let path = Path::new(std::ffi::OsStr::from_bytes(line));
    let is_plain = !path.components().any(|component| component == Component::ParentDir);
    is_plain.then(|| path.to_owned())
}

/// The folder of a cgroup by a line of `mountinfo`, when that line mounts it.
fn below(line: &[u8], cgroup: &Path) -> Option<PathBuf> {
    const ROOT: usize = 3;
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let kind = fields.iter().position(|field| *field == b"-")? + 1;
    if fields.get(kind)? != b"cgroup2" {
        return None;
    }
    let below_root = cgroup.strip_prefix(unescaped(fields.get(ROOT)?)).ok()?;
    Some(unescaped(fields.get(ROOT + 1)?).join(below_root))
}

/// Blanks and backslashes are written as three digits of base eight.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsStr::from_bytes(&plain))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    #![allow(clippy::print_stderr, reason = "what is not tested here is said aloud")]

    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn r112_whatever_is_in_a_cgroup_ends_with_it() {
        if !works_here() {
            return eprintln!("NOT TESTED: this machine does not allow cgroups");
        }
        let folder = tempfile::tempdir().unwrap();
        let cgroup = Cgroup::make(place_for(folder.path()).unwrap()).unwrap();
        let mut members = [1, 2, 3].map(|_| {
            let mut command = Command::new("sleep");
            cgroup.hold(command.arg("3600")).unwrap();
            command.spawn().unwrap()
        });
        // One of them in another one below.
        let below = cgroup.dir.join("below");
        fs::create_dir(&below).unwrap();
        fs::write(below.join("cgroup.procs"), members[0].id().to_string()).unwrap();
        let dir = cgroup.dir.clone();
        drop(cgroup);
        let ended = members.each_mut().map(|member| member.try_wait().unwrap());
        members.iter_mut().for_each(|member| member.kill().unwrap());
        assert_eq!(ended.map(|status| status.and_then(|status| status.signal())), [Some(9); 3]);
        assert!(!dir.exists());
    }

    #[test]
    fn only_the_tree_of_version_2_counts() {
        let both = b"9:name=systemd:/old\n1:cpu:/other\n0::/user.slice/mine.scope\n";
        assert_eq!(path_in_tree(both).unwrap(), Path::new("/user.slice/mine.scope"));
        assert_eq!(path_in_tree(b"9:name=systemd:/old\n"), None);
        assert_eq!(path_in_tree(b"0::/../../outside\n"), None);
    }

    #[test]
    fn a_cgroup_is_found_wherever_its_tree_is_mounted() {
        let found = |line: &str, cgroup: &str| below(line.as_bytes(), Path::new(cgroup));
        let plain = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw";
        assert_eq!(found(plain, "/").unwrap(), Path::new("/sys/fs/cgroup/unified"));
        assert_eq!(found(plain, "/a/b").unwrap(), Path::new("/sys/fs/cgroup/unified/a/b"));
        let of_container = r"41 31 0:38 /pod/box /my\040mount rw - cgroup2 cgroup2 rw";
        assert_eq!(found(of_container, "/pod/box/a").unwrap(), Path::new("/my mount/a"));
        assert_eq!(found(of_container, "/pod/other"), None);
        assert_eq!(found("32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", "/"), None);
        assert_eq!(found("", "/"), None);
    }

    #[test]
    fn a_cgroup_of_another_run_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let like_one = folder.path().join(name_of(folder.path()).unwrap());
        fs::create_dir(&like_one).unwrap();
        end_of_run(&like_one, folder.path());
        assert!(like_one.exists());
        let Some(own) = own_cgroup() else { return };
        let foreign = own.join(format!("tollgate-foreign-{}", std::process::id()));
        if fs::create_dir(&foreign).is_ok() {
            end_of_run(&foreign, folder.path());
            assert!(foreign.exists());
            fs::remove_dir(&foreign).unwrap();
        }
    }
}
