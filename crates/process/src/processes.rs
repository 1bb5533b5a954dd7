//! The processes of this machine: which there are, who began them, and how they are ended.

use super::record::stat_fields;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// Between two looks for processes that were born while others were killed.
pub(super) const KILL_LOOP_PAUSE: Duration = Duration::from_millis(1);

/// Killed processes are gone in an instant, unless the kernel holds one up in a call that cannot be interrupted.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// A process of this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Process {
    pub pid: Pid,
    pub parent: Option<Pid>,
    pub session: Option<Pid>,
}

/// Calls `end_some` until it says that there was none to end.
pub(super) fn until_none_is_left(end_some: impl Fn() -> bool) {
    let deadline = Instant::now() + KILL_PATIENCE;
    while end_some() && Instant::now() < deadline {
        thread::sleep(KILL_LOOP_PAUSE);
    }
}

pub(super) fn signal_all(processes: &[Pid], signal: Signal) {
    for process in processes {
        let _gone_already = kill_process(*process, signal);
    }
}

pub(super) fn with_descendants(all: &[Process], ancestors: &[Pid]) -> Vec<Pid> {
    let mut found = ancestors.to_vec();
    let mut unvisited = ancestors.to_vec();
    while let Some(parent) = unvisited.pop() {
        for process in all.iter().filter(|process| process.parent == Some(parent)) {
            // A number that was reused during the look can make a circle.
            if !found.contains(&process.pid) {
                found.push(process.pid);
                unvisited.push(process.pid);
            }
        }
    }
    found
}

pub(super) fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let pid = numbered(entry.file_name().to_str()?)?;
            process(pid, &fs::read(entry.path().join("stat")).ok()?)
        })
        .collect()
}

/// How long processes that descend from one have computed, in ticks of the kernel's clock.
pub(super) fn computed_below(ancestor: Pid) -> u64 {
    let family = with_descendants(&processes(), &[ancestor]);
    let ticks =
        |pid: &Pid| ticks_of(&fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?);
    family.iter().filter(|pid| **pid != ancestor).filter_map(ticks).sum()
}

/// Its own time and that of children it has waited for.
fn ticks_of(stat: &[u8]) -> Option<u64> {
    const TIMES_AFTER_NAME: usize = 11;
    const TIMES: usize = 4;
    let times = stat_fields(stat)?.skip(TIMES_AFTER_NAME).take(TIMES);
    Some(times.filter_map(|field| field.parse::<u64>().ok()).sum())
}

fn process(pid: Pid, stat: &[u8]) -> Option<Process> {
    const PARENT_AFTER_NAME: usize = 1;
    const SESSION_AFTER_PARENT: usize = 1;
    let mut fields = stat_fields(stat)?;
    let parent = numbered(fields.nth(PARENT_AFTER_NAME)?);
    let session = numbered(fields.nth(SESSION_AFTER_PARENT)?);
    Some(Process { pid, parent, session })
}

/// A process by its number. The kernel says 0 for one outside our PID namespace and -1 for one that is just exiting; rustix
/// panics on both.
fn numbered(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|number| *number > 0).and_then(Pid::from_raw)
}

/// The process group of this process; none where its leader lives outside our PID namespace (`getpgrp` of rustix panics).
pub fn own_group() -> Option<Pid> {
    const GROUP_AFTER_NAME: usize = 2;
    let stat = fs::read("/proc/self/stat").ok()?;
    numbered(stat_fields(&stat)?.nth(GROUP_AFTER_NAME)?)
}

/// One child that has ended, if there is one.
pub(super) fn reap_one() -> io::Result<Option<(Pid, ExitStatus)>> {
    match wait(WaitOptions::NOHANG) {
        Ok(ended) => Ok(ended.map(|(pid, status)| (pid, ExitStatus::from_raw(status.as_raw())))),
        Err(rustix::io::Errno::CHILD) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::{Pid, process};

    #[test]
    fn r112_a_process_that_is_just_exiting_ends_no_look_at_the_others() {
        let one = Pid::from_raw(7).unwrap();
        let working = process(one, b"7 (a) b) S 3 7 5 0 -1 4194560 0").unwrap();
        assert_eq!((working.parent, working.session), (Pid::from_raw(3), Pid::from_raw(5)));
        let exiting = process(one, b"7 (a) X 0 -1 -1 0 -1 4228108 0").unwrap();
        assert_eq!((exiting.parent, exiting.session), (None, None));
        let from_outside = process(one, b"7 (a) S 0 0 0 0 -1 4194560 0").unwrap();
        assert_eq!((from_outside.parent, from_outside.session), (None, None));
    }
}
