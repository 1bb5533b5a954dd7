//! Signals, as flags that the loop looks at; a byte on a pipe wakes it.

use rustix::process::{getpgrp, getsid};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::{flag, low_level};
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell sees of a program that was interrupted.
const INTERRUPTED: i32 = 130;

#[derive(Debug, Default)]
pub struct Signals {
    leave: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    is_back: Arc<AtomicBool>,
    is_resized: Arc<AtomicBool>,
}

impl Signals {
    pub fn listen(wake: &UnixStream) -> io::Result<Self> {
        let signals = Self::default();
        for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
            // Asked twice while it cannot leave, it leaves at once.
            flag::register_conditional_shutdown(signal, INTERRUPTED, signals.leave.clone())?;
        }
        let flags = [
            (SIGTERM, &signals.leave),
            (SIGHUP, &signals.leave),
            (SIGINT, &signals.leave),
            (SIGQUIT, &signals.leave),
            (SIGTSTP, &signals.stop),
            (SIGCONT, &signals.is_back),
            (SIGWINCH, &signals.is_resized),
        ];
        for (signal, flag) in flags {
            flag::register(signal, flag.clone())?;
            low_level::pipe::register(signal, wake.try_clone()?)?;
        }
        Ok(signals)
    }

    pub fn must_leave(&self) -> bool {
        self.leave.load(Ordering::Relaxed)
    }

    pub fn must_stop(&self) -> bool {
        self.stop.swap(false, Ordering::Relaxed)
    }

    pub fn is_back(&self) -> bool {
        self.is_back.swap(false, Ordering::Relaxed)
    }

    pub fn is_resized(&self) -> bool {
        self.is_resized.swap(false, Ordering::Relaxed)
    }
}

/// Stops this process until somebody continues it. Where no shell could, nothing happens, as for every program there.
pub fn stop() {
    let is_nobodys_job = getsid(None).is_ok_and(|session| session == getpgrp());
    if !is_nobodys_job {
        let _is_stopped = low_level::emulate_default_handler(SIGTSTP);
    }
}

/// The same for everybody in front at this terminal, as by a key that the terminal itself knows.
pub fn stop_all_in_front() {
    let _also_us = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
}
