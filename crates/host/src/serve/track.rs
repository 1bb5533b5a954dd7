//! The tracker follows the session: it is told what to show, and what it could not show is told to people.

use super::{Face, Owner, OwnerMessage, ServeEnd, ServeError};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tollgate_core::event::Event;
use tollgate_core::input::Input;
use tollgate_core::notice::NoticeCode;
use tollgate_tracker::Tracker;
use tollgate_tracker::follow::TrackerFollower;
use tollgate_tracker::session::{Items, concerns};

/// How long the end of a run waits for the tracker.
const PATIENCE: Duration = Duration::from_secs(15);
/// The same when a person wants it to end.
const PATIENCE_INTERRUPTED: Duration = Duration::from_secs(2);
/// How often it is looked whether the tracker is done.
const POLL: Duration = Duration::from_millis(20);

#[derive(Debug, Default)]
pub(super) struct Tracking {
    items: Items,
    follower: Option<TrackerFollower>,
    /// What was told already by this process.
    told: BTreeSet<String>,
    /// What could not be recorded, because the session is over.
    unrecorded: Option<String>,
}

impl Tracking {
    pub fn take<'e>(&mut self, events: impl Iterator<Item = &'e Event>) {
        events.for_each(|event| self.items.take(event));
    }
}

impl Owner {
    /// Shows the session in this tracker from now on.
    pub fn follow_with(&mut self, tracker: Box<dyn Tracker>) {
        let sender = self.sender();
        let failed = move |why| {
            // The loop may be gone already; the end of the run has told it then.
            let _ = sender.send(OwnerMessage::Untracked(why));
        };
        let redactor = self.context.redactor.clone();
        self.tracking.follower = Some(TrackerFollower::start(tracker, redactor, failed));
        self.show();
    }

    /// There is no tracker to follow with, and this is why. The session continues without.
    pub fn cannot_follow(&mut self, face: &mut dyn Face, why: String) -> Result<(), ServeError> {
        match self.untracked(why.clone()) {
            Some(input) => self.handle(face, vec![input]).map(drop),
            None => {
                self.tracking.unrecorded = Some(format!("the tracker is not up to date: {why}"));
                Ok(())
            }
        }
    }

    /// What the tracker does not show of a session that is over, and how to continue.
    pub fn unrecorded(&self) -> Option<&str> {
        self.tracking.unrecorded.as_deref()
    }

    pub(super) fn track(&mut self, events: &[Event]) {
        self.tracking.take(events.iter());
        if events.iter().any(concerns) {
            self.show();
        }
    }

    fn show(&mut self) {
        if let Some(follower) = &self.tracking.follower {
            follower.show(self.tracking.items.wanted(self.engine.session(), &self.layout));
        }
    }

    /// Each failure is told once.
    pub(super) fn untracked(&mut self, why: String) -> Option<Input> {
        let message = format!(
            "the tracker is not up to date: {}; the work continues, and Tollgate tries again with the next change",
            self.context.redactor.redact(&why)
        );
        let is_new = !self.session().is_over() && self.tracking.told.insert(message.clone());
        is_new.then_some(Input::Told { code: NoticeCode::TrackerFailed, message })
    }

    /// Gives the tracker some time to be brought up to date. True when a command of a person came meanwhile.
    pub fn finish_showing(
        &mut self,
        face: &mut dyn Face,
        ending: ServeEnd,
    ) -> Result<bool, ServeError> {
        let is_interrupted = ending == ServeEnd::Interrupted;
        let now = Instant::now();
        let mut give_up = now + if is_interrupted { PATIENCE_INTERRUPTED } else { PATIENCE };
        if self.is_shown()
            && self.tracking.follower.as_ref().is_some_and(|f| !f.left().0.is_empty())
        {
            // What failed before may be better now.
            self.show();
        }
        while !self.is_shown() && Instant::now() < give_up {
            if let Ok(OwnerMessage::Interrupt) = self.receiver.recv_timeout(POLL) {
                give_up = give_up.min(Instant::now() + PATIENCE_INTERRUPTED);
            }
            // Who answers now waits for this process to take it.
            if !is_interrupted && self.take_inbox(face)? {
                return Ok(true);
            }
        }
        self.tell_what_is_left(face)?;
        Ok(false)
    }

    /// Nothing is on its way to the tracker.
    fn is_shown(&self) -> bool {
        self.tracking.follower.as_ref().is_none_or(TrackerFollower::is_idle)
    }

    fn tell_what_is_left(&mut self, face: &mut dyn Face) -> Result<(), ServeError> {
        let Some((left, why)) = self.tracking.follower.as_ref().map(TrackerFollower::left) else {
            return Ok(());
        };
        if left.is_empty() {
            return Ok(());
        }
        let session = &self.session().opening.session;
        let names: Vec<&str> =
            left.iter().map(|key| key.rsplit('/').next().unwrap_or(key)).collect();
        let message = format!(
            "the tracker is missing changes to {}: {}; `tollgate resume {session}` sends them again",
            names.join(", "),
            self.context.redactor.redact(&why.unwrap_or_else(|| "there was no time".to_owned())),
        );
        if self.session().is_over() {
            self.tracking.unrecorded = Some(message);
            return Ok(());
        }
        let input = Input::Told { code: NoticeCode::TrackerFailed, message };
        self.handle(face, vec![input]).map(drop)
    }
}
