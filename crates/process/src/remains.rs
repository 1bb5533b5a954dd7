//! What a supervisor that was killed leaves behind, ended by whoever finds its run lost.

use super::processes::{self, Process, until_none_is_left};
use super::{cgroup, record, sandbox};
use record::RunFolder;
use rustix::process::{Pid, Signal, WaitOptions, getpid, set_child_subreaper, waitpid};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names the folder of the run to everything that the agent starts.
pub(super) const RUN_VARIABLE: &str = "TOLLGATE_RUN";

/// What this process has to tell its own supervisors from what others left to it.
struct Adopter {
    is_active: bool,
    /// Started here and not reaped yet.
    supervisors: BTreeSet<i32>,
}

static ADOPTER: Mutex<Adopter> =
    Mutex::new(Adopter { is_active: false, supervisors: BTreeSet::new() });

fn adopter() -> MutexGuard<'static, Adopter> {
    ADOPTER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on what a supervisor of ours leaves when it is killed comes to this process, whatever it did to hide, and ends
/// when the run is found lost. For an engine, not for a process with children in sessions of their own.
pub fn adopt_orphans() -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    adopter().is_active = true;
    Ok(())
}

/// Starts a supervisor, so that it is not taken for what another one left.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut adopter = adopter();
    let child = command.spawn()?;
    adopter.supervisors.insert(Pid::from_child(&child).as_raw_pid());
    Ok(child)
}

/// Whether it has ended.
pub(super) fn reap(child: &mut Child) -> io::Result<bool> {
    let mut adopter = adopter();
    let has_ended = child.try_wait()?.is_some();
    if has_ended {
        adopter.supervisors.remove(&Pid::from_child(child).as_raw_pid());
    }
    Ok(has_ended)
}

/// Ends and removes what a killed supervisor could not. Only where no supervisor is at work.
pub(super) fn clear(folder: &RunFolder) -> io::Result<()> {
    let Some(started) = folder.read_started()? else {
        return Ok(());
    };
    if let Some(dir) = started.cgroup {
        cgroup::end_of_run(&dir, folder.dir());
    }
    until_none_is_left(|| end_some_orphans(&adopter()));
    end_marked(RUN_VARIABLE, folder.dir().as_os_str());
    if let Some(temp) = started.temp {
        sandbox::remove_private_temp(&temp);
    }
    Ok(())
}

/// A child that this process did not start: it is in another session, for it cannot have come into this one, and it is no
/// supervisor of ours. False when there was none.
fn end_some_orphans(adopter: &Adopter) -> bool {
    // The first process of a container is given what others there left, too. Only what names the run is of the run.
    if getpid().is_init() {
        return false;
    }
    let all = processes::processes();
    let own = all.iter().find(|process| process.pid == getpid() && adopter.is_active);
    // The leader of our session may live outside our PID namespace. The session has no number then; `getsid` of rustix
    // panics on that.
    let Some(own_session) = own.map(|process| process.session) else {
        return false;
    };
    let is_orphan = |process: &&Process| {
        process.parent == Some(getpid())
            && process.session != own_session
            && !adopter.supervisors.contains(&process.pid.as_raw_pid())
    };
    let orphans: Vec<Pid> = all.iter().filter(is_orphan).map(|process| process.pid).collect();
    processes::signal_all(&processes::with_descendants(&all, &orphans), Signal::KILL);
    for orphan in &orphans {
        let _not_gone_yet = waitpid(Some(*orphan), WaitOptions::NOHANG);
    }
    !orphans.is_empty()
}

/// Ends everything that was started with this variable, and what it started: for what left its process group, for runs of
/// engines before this one, which left nothing to it, and for the first process of a container. A process that means to hide
/// takes the variable off.
pub fn end_marked(variable: &str, value: &OsStr) {
    let mark = [variable.as_bytes(), b"=", value.as_bytes()].concat();
    until_none_is_left(|| end_some_marked(&mark));
}

/// False when there was none.
fn end_some_marked(mark: &[u8]) -> bool {
    let all = processes::processes();
    let is_marked = |process: &&Process| {
        let variables = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        process.pid != getpid() && variables.split(|byte| *byte == 0).any(|entry| entry == mark)
    };
    let marked: Vec<Pid> = all.iter().filter(is_marked).map(|process| process.pid).collect();
    processes::signal_all(&processes::with_descendants(&all, &marked), Signal::KILL);
    !marked.is_empty()
}
