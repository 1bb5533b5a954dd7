//! The first process of an agent's PID namespace: it starts the agent, reaps what is orphaned, and with it everything ends.

use super::command::{FIRST_PROCESS, agent_command, end_of, spawn_failure};
use super::processes::{pid_of, reap_one};
use super::record::RunFolder;
use super::sandbox::{self, Devices, TEMP_VARIABLE};
use super::spec::RunEnd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{
    DumpableBehavior, Pid, Signal, getpid, kill_process_group, set_dumpable_behavior,
    set_parent_process_death_signal,
};
use signal_hook::consts::SIGCHLD;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

/// The body of `tollgate agent-init DIR`. Its standard input is a socket to the supervisor, its standard output and
/// error are the agent's, and its environment is exactly the agent's: an agent can look at it.
pub fn agent_init(run_dir: &Path) -> ExitCode {
    match serve(run_dir) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody else to tell: standard error is the agent's.
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(run_dir: &Path) -> io::Result<()> {
    if getpid() != Pid::INIT {
        return Err(io::Error::other("not the first process of a namespace"));
    }
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let mut supervisor = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // A supervisor that died before the line above leaves a closed socket instead of a signal.
    if is_readable(&supervisor)? {
        return Ok(());
    }
    // What goes wrong here is never taken for how the agent ended.
    let end = run_agent(run_dir, &supervisor).unwrap_or_else(|error| RunEnd::CouldNotStart {
        program: FIRST_PROCESS.to_owned(),
        cause: error.to_string(),
    });
    supervisor.write_all(&serde_json::to_vec(&end)?)
}

/// The supervisor never writes: readable means closed, by its word or by its death.
fn is_readable(supervisor: &UnixStream) -> io::Result<bool> {
    let mut sockets = [PollFd::new(supervisor, PollFlags::IN)];
    // Also a look that does not wait is interrupted, by the agent's end at this very moment.
    let look = || poll(&mut sockets, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    Ok(retry_on_intr(look)? > 0)
}

fn run_agent(run_dir: &Path, supervisor: &UnixStream) -> io::Result<RunEnd> {
    let folder = RunFolder::create(run_dir)?;
    let spec = folder.read_spec()?;
    let (mut child_signals, write_end) = UnixStream::pair()?;
    child_signals.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(SIGCHLD, write_end)?;

    let path_variable = std::env::var_os("PATH");
    let mut command = match agent_command(&folder, &spec, path_variable.as_deref()) {
        Ok(command) => command,
        Err(end) => return Ok(end),
    };
    let temp = std::env::var_os(TEMP_VARIABLE);
    let has_own = folder.read_started()?.is_some_and(|started| started.own_devices);
    let devices = if has_own { Devices::Own } else { Devices::OfTheMachine };
    if let Err(end) = sandbox::confine(&mut command, &spec, temp.as_deref(), devices) {
        return Ok(end);
    }
    let agent = match command.spawn() {
        Ok(agent) => pid_of(&agent),
        Err(error) => return Ok(spawn_failure(&spec, &error)),
    };
    let mut asked_to_end = false;
    loop {
        while let Some((pid, status)) = reap_one()? {
            if pid == agent {
                return Ok(end_of(status));
            }
        }
        if !asked_to_end && is_readable(supervisor)? {
            asked_to_end = true;
            // To the whole namespace except this process; fails only when nobody is there.
            let _none_left = kill_process_group(Pid::INIT, Signal::TERM);
        }
        sleep_until_something_happens(supervisor, asked_to_end, &mut child_signals)?;
    }
}

fn sleep_until_something_happens(
    supervisor: &UnixStream,
    asked_to_end: bool,
    child_signals: &mut UnixStream,
) -> io::Result<()> {
    let mut sources = vec![PollFd::new(&*child_signals, PollFlags::IN)];
    if !asked_to_end {
        sources.push(PollFd::new(supervisor, PollFlags::IN));
    }
    match poll(&mut sources, None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    drop(sources);
    drain(child_signals);
    Ok(())
}

/// Empties a wake-up pipe that does not block.
pub(super) fn drain(wake_ups: &mut UnixStream) {
    let mut buffer = [0; 64];
    while wake_ups.read(&mut buffer).is_ok_and(|count| count > 0) {}
}
