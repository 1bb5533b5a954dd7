//! The agent's process tree: started, asked to end, killed, and gone to the last process before anyone hears of its end.

use super::RunEnd;
use super::RunSpec;
use super::cgroup::Cgroup;
use super::command::{agent_command, could_not_start, end_of, path_variable, spawn_failure};
use super::init::FIRST_PROCESS;
use super::isolation::{Holding, Isolation, Namespace};
use super::output::AgentOutput;
use super::record::{RunFolder, stat_fields};
use super::sandbox::{self, Devices, TEMP_VARIABLE};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, getpid, getppid, kill_process, set_child_subreaper,
    set_dumpable_behavior, set_parent_process_death_signal, wait,
};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// Between two looks for processes that were born while others were killed.
const KILL_LOOP_PAUSE: Duration = Duration::from_millis(1);

/// Killed processes are gone in an instant, unless the kernel holds one up in a call that cannot be interrupted.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) enum Tree {
    Namespace {
        init: Child,
        /// Closing our direction asks the tree to end; theirs brings how the agent ended.
        socket: UnixStream,
        end: Option<RunEnd>,
    },
    Subreaper {
        agent: Pid,
        end: Option<RunEnd>,
        cgroup: Option<Cgroup>,
    },
}

impl Tree {
    /// An agent that cannot be started is an end like any other.
    pub fn start(
        folder: &RunFolder,
        spec: &RunSpec,
        holding: Holding,
        environment: &BTreeMap<OsString, OsString>,
        output: AgentOutput,
    ) -> io::Result<Result<Self, RunEnd>> {
        if let Holding::Namespace(namespace) = &holding {
            namespace.enter()?;
        }
        // What the supervisor knows, its environment above all, is not for processes of the same user.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        let cgroup = match holding {
            Holding::Namespace(namespace) => {
                return start_init(folder, spec, namespace, environment, output);
            }
            Holding::Subreaper => None,
            Holding::Cgroup(dir) => match Cgroup::make(dir) {
                Ok(cgroup) => Some(cgroup),
                Err(cause) if spec.isolation == Some(Isolation::Cgroup) => {
                    let cause = format!("cgroups are refused on this machine: {cause}");
                    return Ok(Err(could_not_start(spec, cause)));
                }
                Err(_) => None,
            },
        };
        start_agent(folder, spec, cgroup, environment, output)
    }

    /// How the agent ended, once it has; nothing of its tree is alive then.
    pub fn try_end(&mut self) -> io::Result<Option<RunEnd>> {
        match self {
            Self::Namespace { init, socket, end } => {
                if end.is_none()
                    && let Some(status) = init.try_wait()?
                {
                    *end = Some(reported_end(socket).unwrap_or_else(|| end_without_word(status)));
                }
                Ok(end.clone())
            }
            Self::Subreaper { agent, end, cgroup } => {
                while end.is_none()
                    && let Some((pid, status)) = reap_one()?
                {
                    if pid == *agent {
                        *end = Some(end_of(status));
                        kill_all(cgroup.as_ref())?;
                    }
                }
                Ok(end.clone())
            }
        }
    }

    /// Asks every process to end.
    pub fn terminate(&self) {
        match self {
            Self::Namespace { socket, .. } => {
                let _already_closed = socket.shutdown(Shutdown::Write);
            }
            Self::Subreaper { .. } => signal_all(&descendants(getpid()), Signal::TERM),
        }
    }

    /// Returns when the last process is gone.
    pub fn kill(&mut self) -> io::Result<()> {
        match self {
            Self::Namespace { end: Some(_), .. } => Ok(()),
            Self::Namespace { init, .. } => {
                init.kill()?;
                init.wait().map(|_| ())
            }
            Self::Subreaper { cgroup, .. } => kill_all(cgroup.as_ref()),
        }
    }
}

impl Drop for Tree {
    /// For the way out by an error: whatever happens, the tree does not stay.
    fn drop(&mut self) {
        let _gone_already = self.kill();
    }
}

#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
fn start_init(
    folder: &RunFolder,
    spec: &RunSpec,
    namespace: Namespace,
    environment: &BTreeMap<OsString, OsString>,
    output: AgentOutput,
) -> io::Result<Result<Tree, RunEnd>> {
    let (socket, init_socket) = UnixStream::pair()?;
    // The very program that runs now, also when the file was replaced meanwhile.
    let mut command = Command::new("/proc/self/exe");
    command
        .arg("agent-init")
        .arg(folder.dir())
        .env_clear()
        .envs(environment)
        .stdin(OwnedFd::from(init_socket))
        .stdout(output.stdout)
        .stderr(output.stderr);
    // SAFETY: this process has one thread, and the closure only makes system calls on paths that exist already.
    unsafe {
        command.pre_exec(move || namespace.mount());
    }
    Ok(match command.spawn() {
        Ok(init) => Ok(Tree::Namespace { init, socket, end: None }),
        Err(error) => Err(spawn_failure(spec, &error)),
    })
}

#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
fn start_agent(
    folder: &RunFolder,
    spec: &RunSpec,
    cgroup: Option<Cgroup>,
    environment: &BTreeMap<OsString, OsString>,
    output: AgentOutput,
) -> io::Result<Result<Tree, RunEnd>> {
    let supervisor = getpid();
    set_child_subreaper(Some(supervisor))?;
    let mut command = match agent_command(folder, spec, path_variable(environment)) {
        Ok(command) => command,
        Err(end) => return Ok(Err(end)),
    };
    command.env_clear().envs(environment).stdout(output.stdout).stderr(output.stderr);
    // SAFETY: two system calls, no memory, no lock.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // The supervisor may have died before the signal was set.
            if getppid() == Some(supervisor) {
                Ok(())
            } else {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        });
    }
    if let Some(cgroup) = &cgroup {
        cgroup.hold(&mut command)?;
    }
    let temp = environment.get(OsStr::new(TEMP_VARIABLE)).map(OsString::as_os_str);
    if let Err(end) = sandbox::confine(&mut command, spec, temp, Devices::OfTheMachine) {
        return Ok(Err(end));
    }
    Ok(match command.spawn() {
        Ok(agent) => Ok(Tree::Subreaper { agent: pid_of(&agent), end: None, cgroup }),
        Err(error) => Err(spawn_failure(spec, &error)),
    })
}

/// What the first process said before it ended; nothing when it was killed.
fn reported_end(socket: &mut UnixStream) -> Option<RunEnd> {
    let mut report = Vec::new();
    socket.read_to_end(&mut report).ok()?;
    serde_json::from_slice(&report).ok()
}

/// The first process was killed, or could not even say what went wrong: its code is not the agent's.
fn end_without_word(status: ExitStatus) -> RunEnd {
    match end_of(status) {
        RunEnd::Exited { .. } => RunEnd::CouldNotStart {
            program: FIRST_PROCESS.to_owned(),
            cause: "it ended without a word".to_owned(),
        },
        end => end,
    }
}

/// What left the cgroup is still a descendant.
fn kill_all(cgroup: Option<&Cgroup>) -> io::Result<()> {
    if let Some(cgroup) = cgroup {
        cgroup.end();
    }
    kill_descendants()
}

fn kill_descendants() -> io::Result<()> {
    loop {
        while reap_one()?.is_some() {}
        let alive = descendants(getpid());
        if alive.is_empty() {
            return Ok(());
        }
        signal_all(&alive, Signal::KILL);
        thread::sleep(KILL_LOOP_PAUSE);
    }
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

/// Every process below `ancestor`. Orphans are among them, because a subreaper inherits them.
fn descendants(ancestor: Pid) -> Vec<Pid> {
    let mut found = with_descendants(&processes(), &[ancestor]);
    found.retain(|pid| *pid != ancestor);
    found
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

/// A process of this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Process {
    pub pid: Pid,
    pub parent: Option<Pid>,
    pub session: Option<Pid>,
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
