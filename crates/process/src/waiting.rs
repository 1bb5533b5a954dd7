//! The engine's end of a run: waits for it, stops it, and keeps its limit where its supervisor does not.

use super::record::{OutcomeRecord, RunFolder, start_time_of};
use super::remains;
use super::spec::{RunEnd, RunOutcome, now_ms};
use super::stop::StopReason;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs::File;
use std::io;
use std::process::Child;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait before looking again for a supervisor that is just starting.
const STARTING_POLL: Duration = Duration::from_millis(2);

/// How long to wait for a supervisor before a look at the time.
const LOOK: Duration = Duration::from_secs(1);

/// A supervisor that has not ended its run this long after it should have is stopped, or never will.
const OVERDUE: Duration = Duration::from_secs(15);

/// How long a run that is overdue can be locked by a supervisor that we do not see, or that was killed.
const UNSEEN_MAX: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub enum Waited {
    Finished(RunOutcome),
    /// The supervisor is gone without an outcome.
    Lost,
}

/// A run whose supervisor is at work or about to be.
#[derive(Debug)]
pub struct SupervisedRun {
    folder: RunFolder,
    /// Ours to reap when this process started it.
    child: Option<Child>,
    stop_asked: Arc<OnceLock<(Instant, StopReason)>>,
}

impl SupervisedRun {
    pub(super) fn of(folder: RunFolder, child: Option<Child>) -> Self {
        Self { folder, child, stop_asked: Arc::default() }
    }

    /// Blocks until the supervisor is gone. One that lets the limit pass, or a stop, is ended with its tree: an agent
    /// may have stopped it.
    pub fn wait(mut self) -> io::Result<Waited> {
        let timeout_ms = self.folder.read_spec().map(|spec| spec.timeout_ms).ok();
        let begun = Instant::now();
        let limit = timeout_ms.and_then(|ms| begun.checked_add(Duration::from_millis(ms)));
        let mut pause = STARTING_POLL;
        while !self.is_reaped()? || self.folder.is_locked()? {
            let is_over = |since: &Instant| since.elapsed() >= OVERDUE;
            if let Some((_, why)) = self.stop_asked.get().filter(|(since, _)| is_over(since)) {
                self.end(*why, begun)?;
            } else if limit.as_ref().is_some_and(is_over) {
                let after_ms = timeout_ms.unwrap_or_default();
                self.end(StopReason::Deadline { after_ms }, begun)?;
            }
            pause = self.sleep(pause);
        }
        Ok(match self.folder.read_record()? {
            Some(OutcomeRecord::Finished(outcome)) => Waited::Finished(outcome),
            Some(OutcomeRecord::Fenced) => Waited::Lost,
            None => {
                remains::clear(&self.folder)?;
                Waited::Lost
            }
        })
    }

    fn is_reaped(&mut self) -> io::Result<bool> {
        if let Some(child) = &mut self.child
            && !remains::reap(child)?
        {
            return Ok(false);
        }
        self.child = None;
        Ok(true)
    }

    /// In place of the supervisor. One that has left its outcome is only tidying up.
    fn end(&self, why: StopReason, begun: Instant) -> io::Result<()> {
        if self.folder.read_record()?.is_some() {
            return Ok(());
        }
        let supervisor = self.supervisor()?;
        if let Some(supervisor) = &supervisor {
            send(supervisor, Signal::KILL)?;
        }
        let _lock = match self.lock_soon()? {
            Some(lock) => lock,
            // The kernel has not let it go yet: the caller comes again.
            None if supervisor.is_some() => return Ok(()),
            None => return Err(unseen()),
        };
        if self.folder.read_record()?.is_some() {
            return Ok(());
        }
        remains::clear(&self.folder)?;
        self.folder.write_record(&OutcomeRecord::Finished(RunOutcome {
            end: RunEnd::Stopped { why },
            duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            stdout_bytes: 0,
            stderr_bytes: 0,
            finished_at_ms: now_ms(),
        }))
    }

    fn lock_soon(&self) -> io::Result<Option<File>> {
        let deadline = Instant::now() + UNSEEN_MAX;
        loop {
            let lock = self.folder.try_lock()?;
            if lock.is_some() || Instant::now() >= deadline {
                return Ok(lock);
            }
            thread::sleep(STARTING_POLL);
        }
    }

    /// Until the supervisor is gone, but not for long. One that is not seen may live in another container, and for hours: each
    /// pause is longer than the one before. Returns the next one.
    fn sleep(&self, pause: Duration) -> Duration {
        match self.supervisor() {
            Ok(Some(supervisor)) => {
                let look = Timespec { tv_sec: LOOK.as_secs() as i64, tv_nsec: 0 };
                // Interrupted, or not: the caller looks again.
                let _ = poll(&mut [PollFd::new(&supervisor, PollFlags::IN)], Some(&look));
                STARTING_POLL
            }
            Ok(None) | Err(_) => {
                thread::sleep(pause);
                LOOK.min(pause * 2)
            }
        }
    }

    /// None when there is none yet, or none any more.
    fn supervisor(&self) -> io::Result<Option<OwnedFd>> {
        match &self.child {
            // Not reaped, so the number is its own.
            Some(child) => Ok(pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()),
            None => supervisor_of(&self.folder),
        }
    }

    /// Stops it, and blocks until it is gone.
    pub fn stop(self, why: StopReason) -> io::Result<()> {
        self.stopper().stop(why)?;
        self.wait().map(drop)
    }

    pub fn stopper(&self) -> Stopper {
        Stopper { folder: self.folder.clone(), asked: Arc::clone(&self.stop_asked) }
    }
}

/// None when there is none yet, or none any more.
fn supervisor_of(folder: &RunFolder) -> io::Result<Option<OwnedFd>> {
    let Some(started) = folder.read_started()? else {
        return Ok(None);
    };
    let pidfd = Pid::from_raw(started.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
    // The descriptor pins the process; only now does its start time prove that the number was not reused.
    let is_it = start_time_of(started.pid) == Some(started.start_time);
    Ok(pidfd.and_then(Result::ok).filter(|_| is_it))
}

/// False when it is gone.
fn send(supervisor: &OwnedFd, signal: Signal) -> io::Result<bool> {
    match pidfd_send_signal(supervisor, signal) {
        Ok(()) => Ok(true),
        Err(Errno::SRCH) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The lock is held by a process that is not visible here.
fn unseen() -> io::Error {
    io::Error::other("the supervisor of this run is in another container; stop it there")
}

/// Stops a run from another thread than the one that waits for it.
#[derive(Debug, Clone)]
pub struct Stopper {
    folder: RunFolder,
    asked: Arc<OnceLock<(Instant, StopReason)>>,
}

impl Stopper {
    /// Ends the tree at once. A run that has not begun will not begin; one that has ended stays as it is.
    pub fn stop(&self, why: StopReason) -> io::Result<()> {
        self.asked.get_or_init(|| (Instant::now(), why));
        let deadline = Instant::now() + OVERDUE;
        loop {
            if let Some(_lock) = self.folder.try_lock()? {
                return self.record_stop_before_start(why);
            }
            if self.signal_supervisor(why)? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(unseen());
            }
            thread::sleep(STARTING_POLL);
        }
    }

    fn record_stop_before_start(&self, why: StopReason) -> io::Result<()> {
        if self.folder.has_started() || self.folder.read_record()?.is_some() {
            return Ok(());
        }
        self.folder.write_record(&OutcomeRecord::Finished(RunOutcome::stopped(why)))
    }

    /// False when there is no supervisor to signal yet, or none any more.
    fn signal_supervisor(&self, why: StopReason) -> io::Result<bool> {
        match supervisor_of(&self.folder)? {
            None => Ok(false),
            // An agent may have stopped it, and one that is stopped hears nothing.
            Some(supervisor) => {
                // Also where the disk is full, a run can be stopped.
                let _reason_is_lost = self.folder.write_stop(why);
                Ok(send(&supervisor, Signal::TERM)? && send(&supervisor, Signal::CONT).is_ok())
            }
        }
    }
}
