//! The agent's process tree: started, asked to end, killed, and gone to the last process before anyone hears of its end.

use super::cgroup::Cgroup;
use super::command::{
    FIRST_PROCESS, agent_command, could_not_start, end_of, path_variable, spawn_failure,
};
use super::isolation::{Holding, Namespace};
use super::output::OutputPipes;
use super::processes::{
    KILL_LOOP_PAUSE, pid_of, processes, reap_one, signal_all, with_descendants,
};
use super::record::RunFolder;
use super::sandbox::{self, Devices, TEMP_VARIABLE};
use super::spec::{Isolation, RunEnd, RunSpec};
use rustix::process::{
    DumpableBehavior, Pid, Signal, getpid, getppid, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal,
};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::thread;

#[derive(Debug)]
pub(super) enum ProcessTree {
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

impl ProcessTree {
    /// An agent that cannot be started is an end like any other.
    pub fn start(
        folder: &RunFolder,
        spec: &RunSpec,
        holding: Holding,
        environment: &BTreeMap<OsString, OsString>,
        output: OutputPipes,
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

impl Drop for ProcessTree {
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
    output: OutputPipes,
) -> io::Result<Result<ProcessTree, RunEnd>> {
    let (socket, init_socket) = UnixStream::pair()?;
    // The very program that runs now, also when the file was replaced in the meantime.
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
        Ok(init) => Ok(ProcessTree::Namespace { init, socket, end: None }),
        Err(error) => Err(spawn_failure(spec, &error)),
    })
}

#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
fn start_agent(
    folder: &RunFolder,
    spec: &RunSpec,
    cgroup: Option<Cgroup>,
    environment: &BTreeMap<OsString, OsString>,
    output: OutputPipes,
) -> io::Result<Result<ProcessTree, RunEnd>> {
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
        Ok(agent) => Ok(ProcessTree::Subreaper { agent: pid_of(&agent), end: None, cgroup }),
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
            cause: "it ended without any output".to_owned(),
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

/// Every process below `ancestor`. Orphans are among them, because a subreaper inherits them.
fn descendants(ancestor: Pid) -> Vec<Pid> {
    let mut found = with_descendants(&processes(), &[ancestor]);
    found.retain(|pid| *pid != ancestor);
    found
}
