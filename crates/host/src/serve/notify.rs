//! A person who is needed is told so by the means they chose: once for each question, and never so that the session waits.

use super::{Face, Owner, ServeEnd, ServeError};
use crate::context::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tollgate_contract::config::NotifyTable;
use tollgate_core::event::Event;
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::input::Input;
use tollgate_core::notice::NoticeCode;
use tollgate_files as files;
use tollgate_notify::{Announcement, Courier, Kind, Means, Messenger, Repository, ToPlay};
use tollgate_notify::{PATIENCE, desktop_program};

/// The end of a run waits for what is on its way a little longer than a delivery may take.
const PATIENCE_AT_END: Duration = Duration::from_secs(PATIENCE.as_secs() + 1);
/// The same when a person wants it to end.
const PATIENCE_INTERRUPTED: Duration = Duration::from_secs(2);
/// What was told to stop is gone within this time.
const PATIENCE_STOPPED: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(20);
/// A page of text; a longer file is none of ours.
const CACHE_BYTES_MAX: u64 = 1 << 20;

/// What the terminal that runs the session does to call the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    pub rings: bool,
    /// Shown by the terminal as a notification.
    pub shows: Option<String>,
}

/// What was told, in a file beside the journal. Whatever is not in it is told again.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    /// The life of the session that it is about.
    life: String,
    told: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Notifying {
    settings: NotifyTable,
    courier: Courier,
    /// The records that asked what waits, by their number.
    asked: BTreeMap<DecisionId, u64>,
    started: BTreeMap<DispatchNumber, u64>,
    blocked: u64,
    last: u64,
    /// None before it was read.
    known: Option<Known>,
    /// What is on its way, by the number of the announcement.
    on_its_way: BTreeMap<usize, BTreeSet<String>>,
    /// Means whose failure was told.
    failed: BTreeSet<&'static str>,
    /// What could not be recorded, because the session is over.
    unrecorded: Vec<String>,
}

/// Something to tell: why, which facts, and the record that brought the last of them.
struct News {
    kind: Kind,
    keys: BTreeSet<String>,
    seq: u64,
    roles: Vec<ToPlay>,
}

impl Notifying {
    pub fn of(context: &Context) -> Self {
        let root = context.repository.root().to_owned();
        Self {
            settings: context.config.notify.clone(),
            courier: Courier::new(Messenger { root, lookup: context.lookup }),
            asked: BTreeMap::new(),
            started: BTreeMap::new(),
            blocked: 0,
            last: 0,
            known: None,
            on_its_way: BTreeMap::new(),
            failed: BTreeSet::new(),
            unrecorded: Vec::new(),
        }
    }

    /// Events of one commit, of which the last is the record of this number.
    pub fn take(&mut self, last: u64, events: &[Event]) {
        let first = (last + 1).saturating_sub(events.len() as u64);
        (first..).zip(events).for_each(|(seq, event)| self.take_one(seq, event));
    }

    pub fn take_one(&mut self, seq: u64, event: &Event) {
        match event {
            Event::DecisionAsked { decision } => {
                self.asked.insert(decision.decision_id.clone(), seq);
            }
            Event::AttemptStarted { number, .. } => {
                self.started.insert(*number, seq);
            }
            Event::Blocked { .. } => self.blocked = seq,
            Event::SessionClosed => self.last = seq,
            _ => {}
        }
    }

    fn is_set(&self) -> bool {
        let NotifyTable { on, bell, desktop, command, webhook, .. } = &self.settings;
        !on.is_empty() && (*bell || *desktop || !command.is_empty() || webhook.is_some())
    }
}

impl Owner {
    /// Tells the person of whatever needs them and was not told yet, and what became of what was told.
    pub(super) fn notify(&mut self, face: &mut dyn Face) -> Result<(), ServeError> {
        if !self.notifying.is_set() {
            return Ok(());
        }
        if let Some(news) = self.news() {
            self.tell(face, news);
        }
        self.take_reports(face)
    }

    /// Gives what is on its way some time to arrive. True when a command of a person came meanwhile.
    pub fn finish_notifying(
        &mut self,
        face: &mut dyn Face,
        ending: ServeEnd,
    ) -> Result<bool, ServeError> {
        let is_interrupted = ending == ServeEnd::Interrupted;
        if !is_interrupted {
            self.notify(face)?;
        }
        let patience = if is_interrupted { PATIENCE_INTERRUPTED } else { PATIENCE_AT_END };
        let mut give_up = Instant::now() + patience;
        while !self.notifying.courier.is_idle() && Instant::now() < give_up {
            if let Ok(super::OwnerMessage::Interrupt) = self.receiver.recv_timeout(POLL) {
                give_up = give_up.min(Instant::now() + PATIENCE_INTERRUPTED);
            }
            self.take_reports(face)?;
            // Who answers now waits for this process to take it.
            if !is_interrupted && self.take_inbox(face)? {
                return Ok(true);
            }
        }
        self.notifying.courier.stop();
        let give_up = Instant::now() + PATIENCE_STOPPED;
        while !self.notifying.courier.is_idle() && Instant::now() < give_up {
            sleep(POLL);
            self.take_reports(face)?;
        }
        Ok(false)
    }

    /// What a person is needed for now and was not told of.
    fn news(&mut self) -> Option<News> {
        let mut found = self.needs()?;
        found.keys.retain(|key| !self.is_known(key));
        (!found.keys.is_empty()).then_some(found)
    }

    fn needs(&self) -> Option<News> {
        let (on, seen) = (&self.notifying.settings.on, &self.notifying);
        let session = self.session();
        let news = |kind, keys, seq| News { kind, keys, seq, roles: Vec::new() };
        if session.is_over() {
            let cancelled = session.is_cancelled();
            let kind = if cancelled { Kind::Cancelled } else { Kind::Done };
            let seq = if cancelled { seen.blocked } else { seen.last };
            let keys = BTreeSet::from([kind.as_str().to_owned()]);
            return kind.is_on(on).then(|| news(kind, keys, seq));
        }
        let waiting = session.pending_decisions().map(|decision| {
            let id = &decision.decision_id;
            let seq = seen.asked.get(id).copied().unwrap_or_default();
            (format!("{id} {}", session.round(id)), seq)
        });
        let mut all: Vec<(String, u64)> = waiting.collect();
        let roles = self.roles_to_play(&mut all);
        if session.standing.blocker.is_some() && Kind::Blocked.is_on(on) {
            all.push((format!("blocked {}", seen.blocked), seen.blocked));
            let seq = all.iter().map(|(_, seq)| *seq).max().unwrap_or_default();
            let keys = all.into_iter().map(|(key, _)| key).collect();
            return Some(News { roles, ..news(Kind::Blocked, keys, seq) });
        }
        let seq = all.iter().map(|(_, seq)| *seq).max()?;
        let keys = all.into_iter().map(|(key, _)| key).collect();
        Kind::Waiting.is_on(on).then(|| News { roles, ..news(Kind::Waiting, keys, seq) })
    }

    /// Roles for which nothing but a person is waited.
    fn roles_to_play(&self, all: &mut Vec<(String, u64)>) -> Vec<ToPlay> {
        if !self.running.values().any(|switch| switch.awaits_person()) {
            return Vec::new();
        }
        let session = &self.session().opening.session;
        let mut roles = Vec::new();
        for assigned in self.assigned().into_iter().filter(|one| !one.is_submitted) {
            let (number, attempt) = (assigned.number, assigned.attempt);
            let seq = self.notifying.started.get(&number).copied().unwrap_or_default();
            all.push((format!("role {number} {attempt}"), seq));
            let title = self.parts().dispatch(number).map(|found| found.title);
            roles.push(ToPlay {
                dispatch: number.0,
                title: title.unwrap_or_default(),
                command: format!("tollgate submit {session} {number} REPLY.json --resume"),
            });
        }
        roles
    }

    fn is_known(&mut self, key: &str) -> bool {
        let path = self.layout.notified();
        let life = self.journal.lineage().life();
        let known = self.notifying.known.get_or_insert_with(|| read(&path, life));
        known.told.contains(key)
            || self.notifying.on_its_way.values().any(|keys| keys.contains(key))
    }

    fn tell(&mut self, face: &mut dyn Face, news: News) {
        let News { kind, keys, seq, roles } = news;
        let life: String = self.journal.lineage().life().chars().take(8).collect();
        let id = format!("{}-{seq}-{life}", self.session().opening.session);
        let view = self.parts().view();
        let repository = Repository::at(self.root());
        let redactor = &self.context.redactor;
        let told = Announcement::of(&view, kind, id, repository, roles, redactor);
        let settings = &self.notifying.settings;
        // The person sits at this terminal: it calls them, and nothing covers what they look at.
        let is_here = face.is_interactive();
        let by_terminal = is_here || desktop_program(self.context.lookup).is_err();
        let shows =
            (settings.desktop && by_terminal).then(|| format!("{}: {}", told.title, told.message));
        let alert = Alert { rings: settings.bell, shows };
        let mut means = Means::all(settings);
        means.retain(|means| *means != Means::Desktop || !by_terminal);
        if alert.rings || alert.shows.is_some() {
            face.alert(&alert);
        }
        if means.is_empty() {
            self.note_told(keys);
            return;
        }
        let number = self.notifying.courier.send(told, means);
        self.notifying.on_its_way.insert(number, keys);
    }

    /// What one of the means took is told for good; what none took is told again by the next resume.
    fn take_reports(&mut self, face: &mut dyn Face) -> Result<(), ServeError> {
        for report in self.notifying.courier.reports() {
            match report.came_of_it {
                Ok(_) => {
                    let keys = self.notifying.on_its_way.get(&report.number).cloned();
                    self.note_told(keys.unwrap_or_default());
                }
                Err(why) => self.untold(face, report.means.name(), &why)?,
            }
        }
        Ok(())
    }

    /// After it was told: who is killed in between tells it once more.
    fn note_told(&mut self, keys: BTreeSet<String>) {
        let Some(known) = &mut self.notifying.known else { return };
        let before = known.told.len();
        known.told.extend(keys);
        if known.told.len() > before
            && let Ok(bytes) = serde_json::to_vec(known)
        {
            // A cache: what cannot be written is told again.
            let _ = files::write_cache(&self.layout.notified(), &bytes);
        }
    }

    /// Each means fails once; what it fails at later is no news.
    fn untold(
        &mut self,
        face: &mut dyn Face,
        means: &'static str,
        why: &str,
    ) -> Result<(), ServeError> {
        if !self.notifying.failed.insert(means) {
            return Ok(());
        }
        let why = self.context.redactor.redact(why);
        let message = format!(
            "you could not be told by {means} of [notify]: {why}; the work continues, and `tollgate notify --test` tries it again"
        );
        self.told_or_unrecorded(face, NoticeCode::NotifyFailed, message)
    }

    /// Something failed that the session does not need.
    pub fn told_or_unrecorded(
        &mut self,
        face: &mut dyn Face,
        code: NoticeCode,
        message: String,
    ) -> Result<(), ServeError> {
        if self.session().is_over() {
            self.notifying.unrecorded.push(message);
            return Ok(());
        }
        self.handle(face, vec![Input::Told { code, message }]).map(drop)
    }

    /// Failures that the session, which is over, takes no notice of.
    pub fn untold_at_end(&self) -> &[String] {
        &self.notifying.unrecorded
    }
}

/// What was told of this life of the session.
fn read(path: &std::path::Path, life: &str) -> Known {
    let bytes = files::read_bounded(path, CACHE_BYTES_MAX).ok();
    let known: Option<Known> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let of_now = known.filter(|known| known.life == life);
    of_now.unwrap_or_else(|| Known { life: life.to_owned(), told: BTreeSet::new() })
}
