//! A thread that brings the tracker to what the session wants shown, so that the session never waits for it.

use super::mirror::{Mirror, WantedItem, is_for_all};
use super::{Tracker, TrackerError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use tollgate_files::redact::Redactor;

/// What the session and the thread share.
#[derive(Debug, Default)]
struct Desk {
    /// The newest; what was wanted before is skipped when it has not been begun.
    wanted: Option<Vec<WantedItem>>,
    is_busy: bool,
    /// What the newest asks for and the tracker is not known to show, by key.
    left: Vec<String>,
    last_failure: Option<String>,
}

/// Ends with the process; a request that is cut off then is found again by the key of its item.
#[derive(Debug)]
pub struct TrackerFollower {
    desk: Arc<(Mutex<Desk>, Condvar)>,
}

impl TrackerFollower {
    /// `failed` hears of every failure, in words for people.
    pub fn start(
        tracker: Box<dyn Tracker>,
        redactor: Redactor,
        failed: impl Fn(String) + Send + 'static,
    ) -> Self {
        let desk = Arc::new((Mutex::new(Desk::default()), Condvar::new()));
        let shared = Arc::clone(&desk);
        thread::spawn(move || {
            let mut mirror = Mirror::new(tracker.as_ref(), redactor);
            loop {
                let wanted = next(&shared);
                bring(&shared, &mut mirror, wanted, &failed);
            }
        });
        Self { desk }
    }

    pub fn show(&self, wanted: Vec<WantedItem>) {
        let mut desk = lock(&self.desk.0);
        desk.left = wanted.iter().map(|wanted| wanted.key.clone()).collect();
        desk.wanted = Some(wanted);
        self.desk.1.notify_one();
    }

    /// Nothing is being sent, and nothing waits to be.
    pub fn is_idle(&self) -> bool {
        let desk = lock(&self.desk.0);
        desk.wanted.is_none() && !desk.is_busy
    }

    /// What is not shown yet, by key, and why, if that is known.
    pub fn left(&self) -> (Vec<String>, Option<String>) {
        let desk = lock(&self.desk.0);
        (desk.left.clone(), desk.last_failure.clone())
    }
}

fn next(shared: &(Mutex<Desk>, Condvar)) -> Vec<WantedItem> {
    let mut desk = lock(&shared.0);
    loop {
        if let Some(wanted) = desk.wanted.take() {
            desk.is_busy = true;
            return wanted;
        }
        desk.is_busy = false;
        desk = shared.1.wait(desk).unwrap_or_else(|poisoned| poisoned.into_inner());
    }
}

/// One item after the other, until something newer is wanted or the next would fail for the same reason.
fn bring(
    shared: &(Mutex<Desk>, Condvar),
    mirror: &mut Mirror<'_>,
    wanted: Vec<WantedItem>,
    failed: &dyn Fn(String),
) {
    for wanted in wanted {
        let failure = mirror.bring(std::slice::from_ref(&wanted)).failed.pop();
        let mut desk = lock(&shared.0);
        if desk.wanted.is_some() {
            return;
        }
        let Some((_, error)) = failure else {
            desk.left.retain(|key| *key != wanted.key);
            continue;
        };
        desk.last_failure = Some(error.to_string());
        drop(desk);
        failed(error.to_string());
        if ends_it(&error) {
            return;
        }
    }
}

fn ends_it(error: &TrackerError) -> bool {
    is_for_all(error) || matches!(error, TrackerError::Server { .. })
}

/// Nothing panics while it holds the desk; a panic elsewhere leaves what is on it as it was.
fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
