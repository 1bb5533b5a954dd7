//! The loop: keys, signals, what changed, and what is done meanwhile, until the person leaves.

use crate::job::{Job, Worker};
use crate::keys::Keys;
use crate::paint::Paint;
use crate::screen::{Screen, Wish};
use crate::signals::{self, Signals};
use crate::source::Source;
use crate::terminal::{self, Tty};
use crate::{draw, editor, when};
use jiff::tz::TimeZone;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tollgate_core::id::SessionName;
use tollgate_desk::{Desk, Opened, OpenedError, Orders, Repo};

/// How soon a change of a session is seen.
const LOOK: Duration = Duration::from_millis(80);
/// How soon a change of the list is seen.
const LOOK_AT_LIST: Duration = Duration::from_secs(2);
/// Where many sessions make the list slow, it is read at most in so small a share of the time.
const IDLE_SHARE: u32 = 20;
/// What follows an escape so soon belongs to it, also over a slow line.
const SAME_KEY: Duration = Duration::from_millis(50);
/// A session that was just started has its first record after this time.
const BEGINS: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Settings {
    pub desk: Desk,
    pub orders: Orders,
    /// The repository in which it was started.
    pub here: Option<Repo>,
    /// The session to show at once.
    pub session: Option<(Repo, SessionName)>,
    pub has_colours: bool,
    /// The editor of the person over a file, or why there is none.
    pub editor: fn(&Path) -> Result<Command, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The person left.
    Left,
    /// A signal, or the terminal is gone.
    Interrupted,
}

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Session(#[from] OpenedError),
    #[error("the session was removed while it was shown")]
    Removed,
}

/// Shows it until the person leaves. The terminal is as before, whatever happens.
pub fn run(settings: Settings) -> Result<End, WatchError> {
    let source = settings.session.clone().map(|(repo, name)| begin(repo, name)).transpose()?;
    terminal::give_back_before_a_panic_is_told();
    let (wake, woken) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    let signals = Signals::listen(&wake)?;
    let worker = Worker::start(settings.desk.clone(), settings.orders.clone(), wake);
    let paint = Paint { has_colours: settings.has_colours };
    ratatui::crossterm::style::force_color_output(settings.has_colours);
    let screen = Screen::new(paint, TimeZone::system(), when::now(), settings.here.clone());
    let tty = Tty::find()?;
    let mut looping = Loop {
        settings,
        tty,
        screen,
        signals,
        worker,
        woken,
        keys: Keys::default(),
        source: None,
        opening: None,
        next_list: None,
        is_listing: None,
        end: None,
    };
    if let Some((source, news)) = source {
        looping.source = Some(source);
        looping.screen.open(news.seen, news.lines);
        looping.screen.stay_with_it();
    }
    looping.tty.take()?;
    looping.run()
}

fn begin(repo: Repo, name: SessionName) -> Result<(Source, crate::source::News), OpenedError> {
    Source::new(Opened::open(repo, name)?)
}

struct Loop {
    settings: Settings,
    tty: Tty,
    screen: Screen,
    signals: Signals,
    worker: Worker,
    woken: UnixStream,
    keys: Keys,
    source: Option<Source>,
    /// A session that has not begun yet, and how long that may last.
    opening: Option<(String, String, Instant)>,
    /// When the list is read again; at once where this is none.
    next_list: Option<Instant>,
    /// The job that reads the list, and since when.
    is_listing: Option<(u64, Instant)>,
    end: Option<End>,
}

impl Loop {
    fn run(mut self) -> Result<End, WatchError> {
        let mut is_changed = true;
        loop {
            is_changed |= self.look()?;
            if let Some(end) = self.end {
                return Ok(end);
            }
            let now = when::now();
            if now.as_ms() / 1_000 != self.screen.now.as_ms() / 1_000 {
                self.screen.tick(now);
                is_changed = true;
            }
            if is_changed {
                let (tty, screen) = (&mut self.tty, &mut self.screen);
                tty.draw(|frame| draw::screen(screen, frame))?;
            }
            is_changed = self.wait()?;
        }
    }

    /// What changed without a key; true where anything did.
    fn look(&mut self) -> Result<bool, WatchError> {
        let mut is_changed = false;
        while let Some((number, done)) = self.worker.done() {
            if let Some((_, since)) = self.is_listing.take_if(|(of, _)| *of == number) {
                self.next_list =
                    Some(Instant::now() + LOOK_AT_LIST.max(since.elapsed() * IDLE_SHARE));
            }
            let wishes = self.screen.take(number, done);
            self.grant(wishes)?;
            is_changed = true;
        }
        self.open_again()?;
        self.list();
        is_changed |= self.look_at_session()?;
        Ok(is_changed)
    }

    fn look_at_session(&mut self) -> Result<bool, WatchError> {
        let Some(source) = &mut self.source else { return Ok(false) };
        let mut is_changed = false;
        match source.news() {
            Ok(None) => {}
            Ok(Some(news)) => {
                self.screen.see(news.seen, &news.lines);
                is_changed = true;
            }
            Err(error) => {
                self.lose(error)?;
                return Ok(true);
            }
        }
        if let Some((number, lines, _)) = self.source.as_mut().and_then(Source::output)
            && !lines.is_empty()
        {
            self.screen.write(number, &lines);
            is_changed = true;
        }
        Ok(is_changed)
    }

    /// The session is gone, or cannot be read. Who came from the list is back there.
    fn lose(&mut self, error: OpenedError) -> Result<(), WatchError> {
        self.source = None;
        let is_gone = matches!(error, OpenedError::NoSession);
        if self.screen.is_alone() {
            return Err(if is_gone { WatchError::Removed } else { error.into() });
        }
        let why = match is_gone {
            true => WatchError::Removed.to_string(),
            false => error.to_string(),
        };
        self.next_list = None;
        self.screen.lose(&why);
        Ok(())
    }

    /// The list is read again now and then while it is shown.
    fn list(&mut self) {
        let is_due = self.next_list.is_none_or(|at| Instant::now() >= at);
        if self.source.is_none() && self.is_listing.is_none() && is_due {
            let number = self.screen.next_job();
            self.is_listing = Some((number, Instant::now()));
            self.worker.give(number, Job::Rows);
        }
    }

    /// Until something happens or it is time to look; true where a key or a signal changed anything.
    fn wait(&mut self) -> Result<bool, WatchError> {
        let patience = match (self.keys.is_in_doubt(), &self.source) {
            (true, _) => SAME_KEY,
            (false, Some(_)) => LOOK,
            (false, None) if self.opening.is_some() => LOOK,
            (false, None) => Duration::from_millis(500),
        };
        let timeout = Timespec::try_from(patience).expect("it is far less than a year");
        let mut polled =
            [PollFd::new(&self.tty, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let has_keys = !polled[0].revents().is_empty();
        let mut bytes = [0; 64];
        while matches!((&self.woken).read(&mut bytes), Ok(1..)) {}
        // What was typed before the terminal was given back is gone, and a read would wait for more.
        if self.heed()? {
            return Ok(true);
        }
        let keys = match has_keys {
            true => match self.tty.read() {
                Ok(Some(bytes)) => self.keys.take(&bytes),
                // Nobody sees it any more.
                Ok(None) | Err(_) => {
                    self.end = Some(End::Interrupted);
                    Vec::new()
                }
            },
            false => self.keys.settle(),
        };
        let mut is_changed = false;
        for key in keys {
            #[cfg(feature = "test-hooks")]
            assert!(key != crate::keys::Key::Char('☠'), "a test pressed the key that panics");
            let wishes = self.screen.handle(&key);
            self.grant(wishes)?;
            is_changed = true;
        }
        Ok(is_changed)
    }

    fn heed(&mut self) -> Result<bool, WatchError> {
        if self.signals.must_leave() {
            self.end = Some(End::Interrupted);
            return Ok(true);
        }
        let mut is_changed = false;
        if self.signals.must_stop() {
            terminal::give_back();
            signals::stop();
            self.tty.take()?;
            is_changed = true;
        }
        if self.signals.is_back() {
            self.tty.take()?;
            is_changed = true;
        }
        if self.signals.is_resized() {
            self.tty.draw_again()?;
            is_changed = true;
        }
        Ok(is_changed)
    }

    fn grant(&mut self, wishes: Vec<Wish>) -> Result<(), WatchError> {
        for wish in wishes {
            match wish {
                Wish::Quit => self.end = Some(End::Left),
                Wish::Suspend => signals::stop_all_in_front(),
                Wish::DrawAgain => self.tty.draw_again()?,
                Wish::Open { repo, session } => {
                    self.opening = Some((repo, session, Instant::now()));
                    self.open_again()?;
                }
                Wish::Leave => (self.source, self.next_list) = (None, None),
                Wish::Follow(number) => {
                    if let (Some(source), Some(session)) = (&mut self.source, &self.screen.session)
                    {
                        source.follow(number, &session.seen);
                    }
                }
                Wish::StopFollowing => {
                    if let Some(source) = &mut self.source {
                        source.stop_following();
                    }
                }
                Wish::Do(number, job) => self.worker.give(number, job),
                Wish::Edit(text) => {
                    let written =
                        editor::edit(self.settings.editor, &text, &self.signals, &mut self.tty);
                    self.screen.edited(written?);
                }
            }
        }
        Ok(())
    }

    /// One that was just started may not have begun yet.
    fn open_again(&mut self) -> Result<(), WatchError> {
        let Some((repo, session, since)) = &self.opening else { return Ok(()) };
        let opened = self.settings.desk.open(repo, session).and_then(Source::new);
        let begins = since.elapsed() < BEGINS;
        match opened {
            Ok((source, news)) => {
                (self.opening, self.source) = (None, Some(source));
                self.screen.open(news.seen, news.lines);
            }
            Err(OpenedError::NotBegun | OpenedError::NoSession) if begins => {}
            Err(error) => {
                self.opening = None;
                self.screen.notify(error.to_string());
            }
        }
        Ok(())
    }
}
