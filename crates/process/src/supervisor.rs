//! The supervisor of one run: fenced by the run's lock, it owns the agent's tree and leaves the outcome behind.

use super::command::could_not_start;
use super::environment::agent_environment;
use super::init::drain;
use super::isolation::Holding;
use super::output::{Channel, LOGS, Output, redact_again};
use super::processes::computed_below;
use super::record::{OutcomeRecord, RunFolder, Started, has_spec, start_time_of};
use super::remains::RUN_VARIABLE;
use super::sandbox::{self, TEMP_VARIABLE};
use super::spec::{RunEnd, RunOutcome, RunSpec, SandboxLevel, now_ms};
use super::stop::StopReason;
use super::tree::ProcessTree;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tollgate_files as files;
use tollgate_files::crash;
use tollgate_files::redact::{Redactor, secrets_in};

/// What a tree that ran out of time gets to tidy up.
const GRACE: Duration = Duration::from_secs(1);

/// Logins are small; what is larger is something else.
const LOGIN_BYTES_MAX: u64 = 256 * 1024;

/// The body of `tollgate supervise DIR`. Call it from a process with one thread. Its standard error is its log.
pub fn supervise(run_dir: &Path) -> ExitCode {
    match run_once(run_dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _nowhere_to_tell =
                writeln!(io::stderr(), "the supervisor of {} failed: {error}", run_dir.display());
            ExitCode::FAILURE
        }
    }
}

fn run_once(run_dir: &Path) -> io::Result<()> {
    keep_inherited_files_from_agent()?;
    let folder = RunFolder::create(run_dir)?;
    // Held until this process is gone. Waiting rather than giving up: the holder may only be having a look.
    let _lock = folder.lock()?;
    crash::point("supervisor.locked");
    if folder.has_started() || folder.read_record()?.is_some() || !has_spec(folder.dir()) {
        return Ok(());
    }
    let spec = folder.read_spec()?;
    let signals = Signals::listen()?;
    // Removed last: what an agent left there may be much, and its outcome is worth more.
    let temp = spec.sandbox.as_ref().map(|_| sandbox::private_temp());
    let holding = Holding::choose(spec.isolation, spec.sandbox.as_ref(), folder.dir());
    folder.write_started(&started(&spec, holding.as_ref().ok(), temp.as_ref())?)?;
    crash::point("supervisor.started");
    let outcome = run_agent(&folder, &spec, holding, temp.as_ref(), signals)?;
    crash::point("supervisor.agent_ended");
    folder.write_record(&OutcomeRecord::Finished(outcome))?;
    crash::point("supervisor.outcome_written");
    Ok(())
}

/// Whoever started the engine may have left files open in it.
#[expect(unsafe_code, reason = "a file that this process did not open is known by its number only")]
fn keep_inherited_files_from_agent() -> io::Result<()> {
    const STANDARD_FILES: i32 = 3;
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(number) = number.filter(|number| *number >= STANDARD_FILES) {
            // SAFETY: the number is in use, and this process has no other thread that could close it.
            let file = unsafe { BorrowedFd::borrow_raw(number) };
            fcntl_setfd(file, FdFlags::CLOEXEC)?;
        }
    }
    Ok(())
}

fn started(
    spec: &RunSpec,
    holding: Option<&Holding>,
    temp: Option<&io::Result<TempDir>>,
) -> io::Result<Started> {
    let pid = rustix::process::getpid().as_raw_pid();
    let start_time =
        start_time_of(pid).ok_or_else(|| io::Error::other("/proc does not show this process"))?;
    Ok(Started {
        pid,
        start_time,
        sandbox: spec.sandbox.as_ref().map(|_| SandboxLevel::of_this_machine()),
        temp: temp.and_then(|temp| Some(temp.as_ref().ok()?.path().to_owned())),
        cgroup: holding.and_then(Holding::cgroup).map(Path::to_owned),
        own_devices: holding.is_some_and(Holding::has_own_devices),
    })
}

fn run_agent(
    folder: &RunFolder,
    spec: &RunSpec,
    holding: Result<Holding, String>,
    temp: Option<&io::Result<TempDir>>,
    signals: Signals,
) -> io::Result<RunOutcome> {
    let lent = secrets_of(&spec.secret_files);
    let redactor = Redactor::from_environment(std::env::vars_os()).knowing(&lent);
    let (mut output, agent_output) = Output::open(folder, &redactor, spec.output_bytes_max)?;
    let mut environment = agent_environment(std::env::vars_os(), &spec.env_names, &spec.env);
    environment.insert(RUN_VARIABLE.into(), folder.dir().into());
    for (name, value) in spec.sandbox.iter().flat_map(|sandbox| &sandbox.env) {
        environment.entry(name.into()).or_insert_with(|| value.into());
    }
    let begun = Instant::now();
    let given = why_not_held(spec).map_or_else(|| give(temp, &mut environment), Err);
    let started = match given.and(holding) {
        Ok(holding) => ProcessTree::start(folder, spec, holding, &environment, agent_output)?,
        Err(cause) => Err(could_not_start(spec, cause)),
    };
    let end = match started {
        Err(end) => end,
        Ok(tree) => {
            Watch { folder, spec, begun, tree, output: &mut output, signals, quiet: Quiet::begin() }
                .until_end()?
        }
    };
    output.finish()?;
    take_renewed_out(folder, spec, &redactor, &lent)?;
    let end = match end {
        RunEnd::Exited { .. } | RunEnd::Signalled { .. } if output.is_over_limit() => {
            RunEnd::Stopped { why: spec.output_limit() }
        }
        end => end,
    };
    Ok(RunOutcome {
        end,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        stdout_bytes: output.stdout.bytes,
        stderr_bytes: output.stderr.bytes,
        finished_at_ms: now_ms(),
    })
}

/// A file that is not there, or that an agent has made something else of, holds no login.
fn secrets_of(files: &[PathBuf]) -> BTreeSet<String> {
    let read = |path: &PathBuf| files::read_bounded(path, LOGIN_BYTES_MAX).ok();
    files.iter().filter_map(read).flat_map(|bytes| secrets_in(&bytes)).collect()
}

/// Tokens that the agent got while it ran are known only now.
fn take_renewed_out(
    folder: &RunFolder,
    spec: &RunSpec,
    redactor: &Redactor,
    lent: &BTreeSet<String>,
) -> io::Result<()> {
    let now = secrets_of(&spec.secret_files);
    if now.is_subset(lent) {
        return Ok(());
    }
    let redactor = redactor.knowing(&now);
    LOGS.iter().try_for_each(|log| redact_again(&folder.path(log), &redactor))
}

/// A sandbox that is asked for by all means and cannot be had.
fn why_not_held(spec: &RunSpec) -> Option<String> {
    let enforced = match SandboxLevel::of_this_machine() {
        SandboxLevel::Full => return None,
        SandboxLevel::Partial => "only a part of it",
        SandboxLevel::None => "none of it",
    };
    spec.sandbox.as_ref().filter(|sandbox| sandbox.required).map(|_| {
        format!(
            "tollgate.toml says enforce = \"required\" under [sandbox], and this kernel enforces {enforced}; that \
             needs Landlock of Linux 6.2 or newer, and `tollgate doctor` shows what is missing"
        )
    })
}

/// The run's own folder for temporary files, where it has one.
fn give(
    temp: Option<&io::Result<TempDir>>,
    environment: &mut BTreeMap<OsString, OsString>,
) -> Result<(), String> {
    match temp {
        None => {}
        Some(Ok(temp)) => {
            environment.insert(TEMP_VARIABLE.into(), temp.path().into());
        }
        Some(Err(error)) => return Err(format!("it has no temporary folder: {error}")),
    }
    Ok(())
}

/// An agent at work.
struct Watch<'a, 'r> {
    folder: &'a RunFolder,
    spec: &'a RunSpec,
    begun: Instant,
    tree: ProcessTree,
    output: &'a mut Output<'r>,
    signals: Signals,
    quiet: Quiet,
}

/// Since when it has printed nothing, and how much it had computed half-way to the limit.
struct Quiet {
    since: Instant,
    computed_half_way: Option<u64>,
}

impl Quiet {
    fn begin() -> Self {
        Self { since: Instant::now(), computed_half_way: None }
    }

    /// Whether it has been quiet for so long. Who computes is not gone, however little it says.
    fn is_over(&mut self, limit: Duration) -> bool {
        // A program that waits for nothing but its own timers needs less than this.
        const IDLE_MS_PER_TICK: u128 = 5_000;
        let (half, us) = (limit / 2, rustix::process::getpid());
        if self.since.elapsed() < half {
            return false;
        }
        let before = *self.computed_half_way.get_or_insert_with(|| computed_below(us));
        if self.since.elapsed() < limit {
            return false;
        }
        let computed = u128::from(computed_below(us).saturating_sub(before));
        if computed > half.as_millis() / IDLE_MS_PER_TICK {
            *self = Self::begin();
            return false;
        }
        true
    }

    /// When to look again.
    fn next_look(&self, limit: Duration) -> Instant {
        let wait = if self.computed_half_way.is_none() { limit / 2 } else { limit };
        self.since + wait
    }
}

impl Watch<'_, '_> {
    /// Returns when the last process of the tree is gone.
    fn until_end(mut self) -> io::Result<RunEnd> {
        let deadline = self.begun.checked_add(Duration::from_millis(self.spec.timeout_ms));
        loop {
            if let Some(end) = self.tree.try_end()? {
                return Ok(end);
            }
            if let Some(why) = self.reason_to_stop(deadline) {
                match why {
                    StopReason::Deadline { .. } | StopReason::Silence { .. } => {
                        self.end_with_grace()?
                    }
                    _ => self.tree.kill()?,
                }
                return Ok(RunEnd::Stopped { why });
            }
            self.wait_and_take(self.next_look(deadline))?;
        }
    }

    /// The deadline, or when its silence must be looked at.
    fn next_look(&self, deadline: Option<Instant>) -> Option<Instant> {
        let silence = self.spec.silence_ms.map(Duration::from_millis);
        let look = silence.map(|limit| self.quiet.next_look(limit));
        deadline.into_iter().chain(look).min()
    }

    fn reason_to_stop(&mut self, deadline: Option<Instant>) -> Option<StopReason> {
        if self.signals.stop_asked() {
            return Some(self.folder.read_stop().ok().flatten().unwrap_or(StopReason::Signal));
        }
        if self.output.is_over_limit() {
            return Some(self.spec.output_limit());
        }
        if let Some(after_ms) = self.spec.silence_ms
            && self.quiet.is_over(Duration::from_millis(after_ms))
        {
            return Some(StopReason::Silence { after_ms });
        }
        let is_due = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_due.then_some(StopReason::Deadline { after_ms: self.spec.timeout_ms })
    }

    fn end_with_grace(&mut self) -> io::Result<()> {
        self.tree.terminate();
        let deadline = Instant::now() + GRACE;
        while self.tree.try_end()?.is_none()
            && Instant::now() < deadline
            && !self.signals.stop_asked()
            && !self.output.is_over_limit()
        {
            self.wait_and_take(Some(deadline))?;
        }
        self.tree.kill()
    }

    /// Sleeps until there is output, a signal or the deadline, and takes the output.
    fn wait_and_take(&mut self, deadline: Option<Instant>) -> io::Result<()> {
        let pipes = [&self.output.stdout, &self.output.stderr];
        let mut sources: Vec<_> = pipes
            .into_iter()
            .filter_map(|channel: &Channel<'_>| channel.pipe.as_ref())
            .map(|pipe| PollFd::new(pipe, PollFlags::IN))
            .collect();
        sources.push(PollFd::new(&self.signals.wake_ups, PollFlags::IN));
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // A wait too long for the system to express is as good as one without an end.
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut sources, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        drop(sources);
        drain(&mut self.signals.wake_ups);
        if self.output.take_some()? {
            self.quiet = Quiet::begin();
        }
        Ok(())
    }
}

/// Signals as something that can be waited for together with the output.
struct Signals {
    wake_ups: UnixStream,
    stop: Arc<AtomicBool>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let (wake_ups, write_end) = UnixStream::pair()?;
        wake_ups.set_nonblocking(true)?;
        let stop = Arc::new(AtomicBool::new(false));
        // The flag first: whoever wakes up must see it.
        signal_hook::flag::register(SIGTERM, Arc::clone(&stop))?;
        signal_hook::low_level::pipe::register(SIGTERM, write_end.try_clone()?)?;
        signal_hook::low_level::pipe::register(SIGCHLD, write_end)?;
        // Caught, not ignored: an ignored signal would stay ignored in the agent.
        for survived in [SIGHUP, SIGINT] {
            signal_hook::flag::register(survived, Arc::default())?;
        }
        Ok(Self { wake_ups, stop })
    }

    fn stop_asked(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
