//! Reads one session as it changes. A look at a journal that has not changed is one call to the kernel.

use crate::seen::Seen;
use std::time::{Duration, Instant};
use tollgate_core::id::{Attempt, DispatchNumber};
use tollgate_core::view::{Outcome, Standing};
use tollgate_desk::{LogLine, Opened, OpenedError, Output, Stamp};

/// How often is looked what agents do just now, and whether a process runs the session: no journal tells that.
const LOOK_AT_AGENTS: Duration = Duration::from_secs(1);
/// So many pieces of an output are read at a look; a long one must not hold up the keys.
const PIECES_MAX: usize = 8;

#[derive(Debug)]
pub struct Source {
    opened: Opened,
    stamp: Option<Stamp>,
    told: usize,
    looked: Instant,
    /// Something changes without the journal.
    is_live: bool,
    following: Option<Following>,
}

/// What an agent writes. The newest attempt is followed; a new one begins below it.
#[derive(Debug)]
struct Following {
    number: DispatchNumber,
    attempt: Attempt,
    attempts: Attempt,
    works: bool,
    reader: Option<Output>,
}

/// What is new.
#[derive(Debug)]
pub struct News {
    pub seen: Seen,
    pub lines: Vec<LogLine>,
}

impl Source {
    pub fn new(mut opened: Opened) -> Result<(Self, News), OpenedError> {
        let stamp = opened.stamp();
        let seen = Seen::of(&mut opened)?;
        let lines = opened.lines().to_vec();
        let (told, looked, is_live) = (lines.len(), Instant::now(), is_live(&seen));
        let following = None;
        Ok((Self { opened, stamp, told, looked, is_live, following }, News { seen, lines }))
    }

    /// None where nothing changed.
    pub fn news(&mut self) -> Result<Option<News>, OpenedError> {
        let stamp = self.opened.stamp();
        if stamp.is_none() || (stamp != self.stamp && !self.opened.is_there()) {
            return Err(OpenedError::NoSession);
        }
        let is_due = self.is_live && self.looked.elapsed() >= LOOK_AT_AGENTS;
        if stamp == self.stamp && !is_due {
            return Ok(None);
        }
        (self.stamp, self.looked) = (stamp, Instant::now());
        let seen = Seen::of(&mut self.opened)?;
        self.is_live = is_live(&seen);
        let lines = self.opened.lines()[self.told..].to_vec();
        self.told += lines.len();
        if let Some(following) = &mut self.following {
            following.see(&seen);
        }
        Ok(Some(News { seen, lines }))
    }

    pub fn follow(&mut self, number: DispatchNumber, seen: &Seen) {
        let (attempt, attempts) = (Attempt(0), Attempt(0));
        let mut following = Following { number, attempt, attempts, works: false, reader: None };
        following.see(seen);
        self.following = Some(following);
    }

    pub fn stop_following(&mut self) {
        self.following = None;
    }

    /// What the agent that is followed wrote since the last look, and whether there is more.
    pub fn output(&mut self) -> Option<(DispatchNumber, Vec<String>, bool)> {
        let Self { following, opened, .. } = self;
        let following = following.as_mut()?;
        let mut lines = Vec::new();
        for _ in 0..PIECES_MAX {
            let is_last = following.attempt >= following.attempts;
            let is_over = !is_last || !following.works;
            let news = following.reader.as_mut().map(|reader| reader.news(is_over));
            match news {
                Some(news) if !news.is_empty() => lines.extend(news),
                _ if is_last => return Some((following.number, lines, false)),
                _ => lines.extend(following.next(opened)),
            }
        }
        Some((following.number, lines, true))
    }
}

impl Following {
    fn see(&mut self, seen: &Seen) {
        self.attempts = seen.attempts(self.number);
        let dispatch = seen.dispatch(self.number);
        self.works = dispatch.is_some_and(|one| one.outcome == Outcome::Running);
    }

    /// The output of the next attempt, and a line between it and the one before.
    fn next(&mut self, opened: &Opened) -> Option<String> {
        self.attempt = Attempt(self.attempt.0 + 1);
        self.reader = Some(opened.output(self.number, self.attempt));
        (self.attempt.0 > 1).then(|| format!("── attempt {} ──", self.attempt))
    }
}

fn is_live(seen: &Seen) -> bool {
    let dispatches = &seen.view.work.dispatches;
    seen.view.route.standing == Standing::Working
        || dispatches.iter().any(|one| one.outcome == Outcome::Running)
}
