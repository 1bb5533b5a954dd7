//! How surfaces reach a session, whoever owns it: they read it, follow it, or hand a command to its owner.

use crate::activity::manual::{self, Assigned, NotWaiting};
use crate::inbox::{self, Delivery, InboxReply};
use crate::journal::{self, JournalFollower, Record};
use crate::lock;
use crate::record;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tollgate_agents as agent;
use tollgate_core::event::Event;
use tollgate_core::id::{Attempt, DecisionId, DispatchNumber, SessionName};
use tollgate_core::input::Command;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_core::view::{Audit, Auditor, Outcome, Parts, Standing, Summary, View};
use tollgate_files::FileError;
use tollgate_files::layout::SessionLayout;
use tollgate_files::sanitize::terminal_line;
use tollgate_process::{self as process, Attached};

pub use crate::inbox::InboxError;
pub use crate::journal::{JournalError, Prefix, Verified};
pub use crate::lock::LockError;
pub use crate::record::Since;

/// How often is looked whether a process still runs the session.
const POLL: Duration = Duration::from_millis(20);
/// What an agent does is told in so many letters.
const DOING_CHARS_MAX: usize = 160;

/// A session as its journal tells it. It never takes the lock, and reads on where it stopped.
#[derive(Debug)]
pub struct Client {
    layout: SessionLayout,
    journal: JournalFollower,
    /// None until the journal has a first record.
    session: Option<Session>,
}

/// A record of the journal, and the state right after it.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    pub seq: u64,
    pub at: Timestamp,
    pub hash: &'a str,
    pub event: &'a Event,
    pub now: Parts<'a>,
}

impl Client {
    pub fn open(layout: SessionLayout) -> Result<Self, JournalError> {
        let journal = JournalFollower::open(&layout.journal())?;
        Ok(Self { layout, journal, session: None })
    }

    /// Hands on every record that came since the last look, in order.
    pub fn follow(&mut self, mut each: impl FnMut(Told<'_>)) -> Result<(), JournalError> {
        for record in &self.journal.poll()? {
            let Record { seq, at, hash, event, .. } = record;
            let now = Parts::of(self.take(record)?);
            each(Told { seq: *seq, at: *at, hash, event, now });
        }
        Ok(())
    }

    /// All of the session now, with what its agents do; none when it has not begun.
    pub fn view(&mut self) -> Result<Option<View>, JournalError> {
        self.follow(|_| ())?;
        Ok(self.seen())
    }

    /// The same as of the last look.
    pub fn seen(&self) -> Option<View> {
        let mut view = View::of(self.session.as_ref()?);
        view.route.standing = self.with_people(view.route.standing);
        self.look_at_agents(&mut view);
        Some(view)
    }

    /// A session in which only people are at work waits for them.
    fn with_people(&self, standing: Standing) -> Standing {
        match (standing, self.session.as_ref()) {
            (Standing::Working, Some(session)) if manual::waits(session, &self.layout) => {
                Standing::YourTurn
            }
            _ => standing,
        }
    }

    /// The session in one line; none when it has not begun.
    pub fn summary(&mut self) -> Result<Option<Summary>, JournalError> {
        self.follow(|_| ())?;
        let Some(mut summary) = self.session.as_ref().map(Summary::of) else {
            return Ok(None);
        };
        summary.standing = summary.standing.map(|standing| self.with_people(standing));
        Ok(Some(summary))
    }

    /// Who did what; none when it has not begun. To be asked of a client that has read nothing yet.
    pub fn audit(&mut self) -> Result<Option<Audit>, JournalError> {
        let mut auditor = Auditor::default();
        let mut last_hash = String::new();
        self.follow(|told| {
            auditor.take(told.now, told.at, told.event);
            last_hash = told.hash.to_owned();
        })?;
        Ok(self.parts().map(|now| auditor.finish(now, last_hash)))
    }

    /// How much of the journal was read so far: whole commits.
    pub fn read_so_far(&self) -> Prefix {
        self.journal.read_so_far()
    }

    /// How often a question was asked. An answer counts for the question as it is now, and for no later one.
    pub fn round(&mut self, id: &DecisionId) -> Result<u32, JournalError> {
        self.follow(|_| ())?;
        Ok(self.parts().map_or(0, |now| now.round(id)))
    }

    /// The state as of the last look; none when the session has not begun.
    pub fn parts(&self) -> Option<Parts<'_>> {
        self.session.as_ref().map(Parts::of)
    }

    /// What became of a document since the journal recorded it, as of the last look.
    pub fn since_recorded(&self, path: &str) -> Option<Since> {
        record::since(&self.layout, self.session.as_ref()?, path)
    }

    /// Some process runs the session.
    pub fn is_running(&self) -> bool {
        lock::is_held(self.layout.folder())
    }

    /// Whether whoever runs the session lets go of it within this time.
    pub fn wait_until_nobody_runs(&self, patience: Duration) -> bool {
        let give_up = Instant::now() + patience;
        while self.is_running() {
            if Instant::now() >= give_up {
                return false;
            }
            std::thread::sleep(POLL);
        }
        true
    }

    /// What people were asked to play, as of the last look.
    pub fn assigned(&self) -> Vec<Assigned> {
        let session = self.session.as_ref();
        session.map(|session| manual::assigned(session, &self.layout)).unwrap_or_default()
    }

    /// The attempt that a reply of a person would belong to, as of the last look.
    pub fn awaited(&self, number: DispatchNumber) -> Result<Assigned, NotWaiting> {
        let session = self.session.as_ref().ok_or(NotWaiting::Unknown { number })?;
        manual::awaited(session, &self.layout, number)
    }

    /// Hands a command to the process that runs the session. None when there is none: then the caller may take the lock
    /// itself.
    pub fn submit(
        &self,
        command: &Command,
        patience: Duration,
    ) -> Result<Option<InboxReply>, InboxError> {
        // One that is stopped would take nothing; who wants the lock is told so.
        if !self.is_running() || lock::is_stopped(self.layout.folder()) {
            return Ok(None);
        }
        let inbox = self.layout.inbox();
        std::fs::create_dir_all(&inbox).map_err(|cause| {
            InboxError::File(FileError::Io { doing: "make", path: inbox.clone(), source: cause })
        })?;
        inbox::send(&inbox, command)?;
        match inbox::wait(&inbox, command.id(), patience)? {
            Delivery::Replied(reply) => Ok(Some(reply)),
            Delivery::Withdrawn => Ok(None),
            Delivery::Taken => Ok(Some(InboxReply {
                accepted: true,
                message: "sent to the process that runs the session; it has not answered yet"
                    .to_owned(),
                hint: None,
            })),
        }
    }

    /// Checks the whole journal: that its chain of hashes holds, and that nothing of it is missing.
    pub fn verify(
        layout: &SessionLayout,
        session: &SessionName,
        anchors: &[PathBuf],
    ) -> Result<Verified, JournalError> {
        journal::verify_session(&layout.journal(), session, anchors)
    }

    fn take(&mut self, record: &Record) -> Result<&Session, JournalError> {
        let path = || self.layout.journal();
        let damaged =
            |why| JournalError::Damaged { path: path(), line: record.seq, seq: record.seq, why };
        match &mut self.session {
            Some(session) => session.follow(record.at, &record.event).map_err(damaged)?,
            empty => {
                let records = std::slice::from_ref(record);
                if let Some(name) = self.layout.session() {
                    journal::expect_session(&path(), records, &name)?;
                }
                *empty = Some(journal::replay(&path(), records)?);
            }
        }
        Ok(self.session.as_ref().expect("it was there or was just opened"))
    }

    /// Where nobody owns the session, an attempt of the journal may run on under its supervisor, or wait for `resume`.
    fn look_at_agents(&self, view: &mut View) {
        let is_running = self.is_running();
        let at_work =
            view.work.dispatches.iter_mut().filter(|found| found.outcome == Outcome::Running);
        for dispatch in at_work {
            let folder = self.layout.attempt(dispatch.number, Attempt(dispatch.attempts));
            if !is_running {
                dispatch.outcome = match process::attach(folder.folder()) {
                    Ok(Attached::Running(_)) => Outcome::Running,
                    Ok(Attached::Finished(_)) => Outcome::Finished,
                    Ok(Attached::Lost) => Outcome::Interrupted,
                    Ok(Attached::NeverStarted) | Err(_) => Outcome::Waiting,
                };
            }
            if dispatch.outcome == Outcome::Running {
                let mut follower = agent::TranscriptFollower::new(&folder.stdout());
                dispatch.doing = follower.look().map(|doing| terminal_line(doing, DOING_CHARS_MAX));
            }
        }
    }
}
