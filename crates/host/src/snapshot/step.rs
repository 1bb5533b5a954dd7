//! Places where a test can kill this process: before every change to a disk that taking or restoring makes.

/// Set to N by a test of the program in a debug build: the process dies at its Nth step, as by a power cut.
#[cfg(debug_assertions)]
const KILL_AT: &str = "TOLLGATE_SNAPSHOT_KILL_AT";

#[cfg(debug_assertions)]
pub(super) fn step() {
    use rustix::process::{Signal, getpid, kill_process};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static STEPS: AtomicU64 = AtomicU64::new(0);
    static WANTED: OnceLock<Option<u64>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| std::env::var(KILL_AT).ok()?.parse().ok());
    if *wanted == Some(STEPS.fetch_add(1, Ordering::Relaxed) + 1) {
        let _does_not_return = kill_process(getpid(), Signal::KILL);
    }
}

#[cfg(not(debug_assertions))]
#[inline]
pub(super) fn step() {}
