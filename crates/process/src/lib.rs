//! Runs a command under a detached supervisor that outlives the engine: start it, find it again, wait for it, stop it.
//!
//! One run has one folder. In it `run.json` says what to run, the lock is held by the supervisor for as long as it
//! lives, `started` appears before the agent does and `outcome.json` after the last process of its tree is gone.

mod alive;
mod belong;
mod cgroup;
mod command;
mod devices;
mod environment;
mod init;
mod isolation;
mod output;
mod processes;
mod record;
mod remains;
mod sandbox;
mod spec;
mod stop;
mod supervisor;
mod tree;
mod trial;
mod waiting;

pub use alive::{Alive, alive, alive_in};
pub use belong::belong;
pub use environment::agent_environment;
pub use init::agent_init;
pub use isolation::isolation;
pub use processes::own_group;
pub use remains::{adopt_orphans, end_marked};
pub use sandbox::{SandboxProbe, Unheld, probe_sandbox, restricts_signals};
pub use spec::{Isolation, RunEnd, RunOutcome, RunSpec, Sandbox, SandboxLevel};
pub use stop::StopReason;
pub use supervisor::supervise;
pub use waiting::{Stopper, SupervisedRun, Waited};

use record::{OutcomeRecord, RunFolder};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tollgate_files::crash;

/// What became of a run that another process may have started.
#[derive(Debug)]
pub enum Attached {
    Finished(RunOutcome),
    Running(SupervisedRun),
    /// No supervisor has begun. One may still be on its way: `start` again, or `fence` before giving up.
    NeverStarted,
    /// The agent began, and its supervisor is gone without an outcome.
    Lost,
}

/// What was found when a run was closed to late supervisors.
#[derive(Debug)]
pub enum Fenced {
    /// An outcome was there already.
    Finished(RunOutcome),
    /// Not closed: a supervisor is at work.
    Running(SupervisedRun),
    /// Closed: no agent of this run will ever start again.
    Lost,
}

/// Starts a run by `program supervise RUN_DIR`. Starting the same folder again never gives a second agent.
pub fn start(run_dir: &Path, spec: &RunSpec, program: &Path) -> io::Result<SupervisedRun> {
    let folder = RunFolder::create(run_dir)?;
    write_spec(&folder, spec)?;
    spawn(folder, program)
}

fn write_spec(folder: &RunFolder, spec: &RunSpec) -> io::Result<()> {
    crash::point("process.run_unwritten");
    folder.write_spec(spec)?;
    crash::point("process.run_written");
    Ok(())
}

fn spawn(folder: RunFolder, program: &Path) -> io::Result<SupervisedRun> {
    let child = spawn_supervisor(&folder, program)?;
    crash::point("process.spawned");
    Ok(SupervisedRun::of(folder, Some(child)))
}

/// What was to run in a folder; none when nothing was.
pub fn spec_of(run_dir: &Path) -> io::Result<Option<RunSpec>> {
    match RunFolder::open(run_dir)?.map(|folder| folder.read_spec()) {
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        spec => spec.transpose(),
    }
}

/// What the kernel enforces, or enforced, for a run; none when it has not begun or asked for no sandbox.
pub fn sandbox_of(run_dir: &Path) -> io::Result<Option<SandboxLevel>> {
    let started = match RunFolder::open(run_dir)? {
        Some(folder) => folder.read_started()?,
        None => None,
    };
    Ok(started.and_then(|started| started.sandbox))
}

/// The folders right in this one in which something was to run; none when it is not there.
pub fn runs_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let listed = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let mut runs = Vec::new();
    for entry in listed {
        let entry = entry?;
        if entry.file_type()?.is_dir() && record::has_spec(&entry.path()) {
            runs.push(entry.path());
        }
    }
    Ok(runs)
}

/// Takes up a run by what its folder says.
pub fn attach(run_dir: &Path) -> io::Result<Attached> {
    let Some(folder) = RunFolder::open(run_dir)? else {
        return Ok(Attached::NeverStarted);
    };
    // In this order: the lock is held from before `started` until after the outcome, so one that has started and neither
    // holds the lock nor left an outcome is gone.
    let has_started = folder.has_started();
    let is_locked = folder.is_locked()?;
    if let Some(record) = folder.read_record()? {
        return Ok(attached(record));
    }
    if is_locked {
        return Ok(Attached::Running(SupervisedRun::of(folder, None)));
    }
    if !has_started {
        return Ok(Attached::NeverStarted);
    }
    remains::clear(&folder)?;
    Ok(Attached::Lost)
}

fn attached(record: OutcomeRecord) -> Attached {
    match record {
        OutcomeRecord::Finished(outcome) => Attached::Finished(outcome),
        OutcomeRecord::Fenced => Attached::Lost,
    }
}

/// While it lives, no supervisor of the run begins.
#[derive(Debug)]
pub struct Hold {
    folder: RunFolder,
    lock: File,
}

impl Hold {
    /// Starts the run like [`start`]; a supervisor that comes late finds this very spec, too.
    pub fn start(self, spec: &RunSpec, program: &Path) -> io::Result<SupervisedRun> {
        write_spec(&self.folder, spec)?;
        drop(self.lock);
        spawn(self.folder, program)
    }
}

/// Keeps a supervisor that is still on its way from beginning while the run is prepared again. None when the run
/// has begun or ended in the meantime: `attach` again.
pub fn hold(run_dir: &Path) -> io::Result<Option<Hold>> {
    let folder = RunFolder::create(run_dir)?;
    let lock = folder.try_lock()?;
    let is_free = !folder.has_started() && folder.read_record()?.is_none();
    let Some(lock) = lock.filter(|_| is_free) else { return Ok(None) };
    // What an engine that was killed meant to run. Its supervisor would otherwise begin in a tree that is half prepared, as
    // soon as this process is killed too.
    folder.remove_spec()?;
    crash::point("hold.taken");
    Ok(Some(Hold { folder, lock }))
}

/// Brings in what someone who is no program has to say: their output, and that they ended well. False when the run has
/// begun or ended already; then nothing changes.
pub fn hand_in(run_dir: &Path, output: &[u8]) -> io::Result<bool> {
    let folder = RunFolder::create(run_dir)?;
    let _lock = folder.lock()?;
    if folder.has_started() || folder.read_record()?.is_some() {
        return Ok(false);
    }
    folder.write_output(output)?;
    crash::point("submit.output_written");
    folder.write_record(&OutcomeRecord::Finished(RunOutcome {
        end: RunEnd::Exited { code: 0 },
        // Time that people think is no time of an agent.
        duration_ms: 0,
        stdout_bytes: output.len() as u64,
        stderr_bytes: 0,
        finished_at_ms: spec::now_ms(),
    }))?;
    crash::point("submit.handed_in");
    Ok(true)
}

/// Whether a run has come to its end, however it ended.
pub fn is_ended(run_dir: &Path) -> io::Result<bool> {
    Ok(match RunFolder::open(run_dir)? {
        Some(folder) => folder.read_record()?.is_some(),
        None => false,
    })
}

/// Closes a run without an outcome, so that a supervisor that comes late starts nothing.
pub fn fence(run_dir: &Path) -> io::Result<Fenced> {
    let folder = RunFolder::create(run_dir)?;
    let Some(_lock) = folder.try_lock()? else {
        return Ok(Fenced::Running(SupervisedRun::of(folder, None)));
    };
    Ok(match folder.read_record()? {
        Some(OutcomeRecord::Finished(outcome)) => Fenced::Finished(outcome),
        Some(OutcomeRecord::Fenced) => Fenced::Lost,
        None => {
            remains::clear(&folder)?;
            folder.write_record(&OutcomeRecord::Fenced)?;
            Fenced::Lost
        }
    })
}

/// Ends what runs in a folder, and lets nothing begin there any more.
pub fn end(run_dir: &Path, why: StopReason) -> io::Result<()> {
    match RunFolder::open(run_dir)?.map(|_| fence(run_dir)).transpose()? {
        Some(Fenced::Running(run)) => run.stop(why),
        Some(Fenced::Finished(_) | Fenced::Lost) | None => Ok(()),
    }
}

fn spawn_supervisor(folder: &RunFolder, program: &Path) -> io::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).open(folder.path("supervisor.log"))?;
    let mut command = Command::new(program);
    command
        .arg("supervise")
        .arg(folder.dir())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    crash::confine_to_this_process(&mut command);
    detach(&mut command);
    remains::spawn(&mut command)
}

/// A session of its own: neither the terminal's signals nor its closing reach the supervisor.
#[expect(unsafe_code, reason = "code between fork and exec is unsafe by nature")]
fn detach(command: &mut Command) {
    // SAFETY: setsid is one system call; it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(|_| ()).map_err(io::Error::from));
    }
}
