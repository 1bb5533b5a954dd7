//! What is new, for whoever looks: one task for each session that is looked at, and none for those that are not.

use crate::sessions::{Sessions, Shared};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::{self, Receiver, Sender};
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::view::Outcome;
use tollgate_desk::{LogLine, OpenedError};

/// How often a journal is looked at for news. A look at one that has not changed is one call to the kernel.
const LOOK: Duration = Duration::from_millis(25);
/// How often is looked what agents do just now, which no journal tells.
const LOOKS_PER_LOOK_AT_AGENTS: u32 = 40;
/// A reader who is so much behind begins again.
const BEHIND_MAX: usize = 256;
/// How many may follow at once. Each has a connection of its own.
pub const FOLLOWERS_MAX: usize = 64;

#[derive(Debug, Clone)]
pub enum News {
    /// Events of the journal, in words.
    Lines(Arc<Vec<LogLine>>),
    /// What a dispatch does just now.
    Doing(DispatchNumber, String),
}

type Key = (String, String);
type Followed = Arc<Mutex<BTreeMap<Key, (Shared, Sender<News>)>>>;

#[derive(Debug)]
pub struct Live {
    sessions: Arc<Sessions>,
    followed: Followed,
    followers: Arc<AtomicUsize>,
}

/// A place among those who follow; it is free again when this is dropped.
#[derive(Debug)]
pub struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Live {
    pub fn new(sessions: Arc<Sessions>) -> Self {
        Self { sessions, followed: Arc::default(), followers: Arc::default() }
    }

    /// None where too many follow already.
    pub fn place(&self) -> Option<Place> {
        let taken = self.followers.fetch_add(1, Ordering::Relaxed);
        let place = Place(self.followers.clone());
        (taken < FOLLOWERS_MAX).then_some(place)
    }

    pub async fn follow(&self, repo: &str, session: &str) -> Result<Receiver<News>, OpenedError> {
        let key = (repo.to_owned(), session.to_owned());
        let shared = self.open(&key).await?;
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        // One that was removed may still be followed while another of its name is there.
        if let Some((of, sender)) = followed.get(&key)
            && Arc::ptr_eq(of, &shared)
        {
            return Ok(sender.subscribe());
        }
        let (sender, receiver) = broadcast::channel(BEHIND_MAX);
        followed.insert(key.clone(), (shared.clone(), sender.clone()));
        tokio::spawn(look_again(shared, sender, self.followed.clone(), key));
        Ok(receiver)
    }

    async fn open(&self, key: &Key) -> Result<Shared, OpenedError> {
        let (sessions, key) = (self.sessions.clone(), key.clone());
        let opening = tokio::task::spawn_blocking(move || sessions.open(&key.0, &key.1));
        opening.await.unwrap_or(Err(OpenedError::NoSession))
    }
}

/// Until nobody follows any more.
async fn look_again(shared: Shared, sender: Sender<News>, followed: Followed, key: Key) {
    let mut told = shared.lock().map_or(0, |opened| opened.lines().len());
    let mut doing = BTreeMap::new();
    let mut stamp = None;
    for look in 0_u32.. {
        tokio::time::sleep(LOOK).await;
        {
            let mut followed = followed.lock().unwrap_or_else(PoisonError::into_inner);
            if sender.receiver_count() == 0 {
                if followed.get(&key).is_some_and(|(of, _)| Arc::ptr_eq(of, &shared)) {
                    followed.remove(&key);
                }
                return;
            }
        }
        let looks_at_agents = look % LOOKS_PER_LOOK_AT_AGENTS == 0;
        let (shared, before) = (shared.clone(), stamp.clone());
        let found = tokio::task::spawn_blocking(move || {
            let mut opened = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let now = opened.stamp();
            // Someone else may have read on meanwhile, so the lines are counted, not the looks.
            if now != before {
                // A journal that cannot be read now is read at the next look; the page itself says why it cannot.
                let _unread = opened.look();
            }
            let lines: Vec<LogLine> = opened.lines().iter().skip(told).cloned().collect();
            let doing = if looks_at_agents { at_work(&mut opened) } else { Vec::new() };
            (now, lines, doing)
        });
        let Ok((now, lines, at_work)) = found.await else { continue };
        stamp = now;
        told += lines.len();
        if !lines.is_empty() {
            let _nobody = sender.send(News::Lines(Arc::new(lines)));
        }
        for (number, text) in at_work {
            if doing.insert(number, text.clone()).as_ref() != Some(&text) {
                let _nobody = sender.send(News::Doing(number, text));
            }
        }
    }
}

fn at_work(opened: &mut tollgate_desk::Opened) -> Vec<(DispatchNumber, String)> {
    let Ok(view) = opened.view() else { return Vec::new() };
    let running = view.work.dispatches.into_iter().filter(|one| one.outcome == Outcome::Running);
    running.filter_map(|one| Some((one.number, one.doing?))).collect()
}

/// The lines of an attempt that came since the last look, and whether it is over.
#[derive(Debug)]
pub struct OutputNews {
    pub lines: Vec<String>,
    pub is_over: bool,
}

/// Reads what an agent writes. The newest attempt is followed; a new one begins below it.
#[derive(Debug)]
pub struct OutputFollower {
    shared: Shared,
    number: DispatchNumber,
    attempt: Attempt,
    reader: Option<tollgate_desk::Output>,
}

impl OutputFollower {
    pub fn new(shared: Shared, number: DispatchNumber) -> Self {
        Self { shared, number, attempt: Attempt(0), reader: None }
    }

    /// Lines that were shown before are passed over.
    pub fn skip(mut self, lines: usize) -> Self {
        let mut left = lines;
        while left > 0 {
            let news = self.look();
            if news.lines.is_empty() {
                break;
            }
            left = left.saturating_sub(news.lines.len());
        }
        self
    }

    pub fn look(&mut self) -> OutputNews {
        let mut opened = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let found = opened.view().ok().and_then(|view| {
            view.work.dispatches.into_iter().find(|one| one.number == self.number)
        });
        let Some(dispatch) = found else {
            return OutputNews { lines: Vec::new(), is_over: true };
        };
        let works = dispatch.outcome == Outcome::Running;
        let mut lines = Vec::new();
        loop {
            let is_last = self.attempt.0 >= dispatch.attempts;
            if let Some(reader) = &mut self.reader {
                lines.extend(reader.news(!is_last || !works));
            }
            if is_last {
                return OutputNews { lines, is_over: !works };
            }
            self.attempt = Attempt(self.attempt.0 + 1);
            if self.attempt.0 > 1 {
                lines.push(format!("── attempt {} ──", self.attempt));
            }
            self.reader = Some(opened.output(self.number, self.attempt));
        }
    }
}
