//! What is on the screen, and what keys do to it. It knows no terminal, no clock and no file: it is told what there is, and says
//! what it wants.

mod asks;
mod sends;

use crate::facts;
use crate::form::Form;
use crate::help::{Help, Topic};
use crate::job::{Done, Job};
use crate::keys::Key;
use crate::list::List;
use crate::paint::{Ink, Paint};
use crate::picker::Picker;
use crate::question::Question;
use crate::reader::Reader;
use crate::seen::Seen;
use crate::session::Session;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use tollgate_core::id::{DecisionId, DispatchNumber};
use tollgate_core::time::Timestamp;
use tollgate_desk::{LogLine, Repo};

const NOTICE_LASTS_MS: u64 = 6_000;

/// What the screen wants of the world.
#[derive(Debug)]
pub enum Wish {
    Quit,
    Suspend,
    DrawAgain,
    Open {
        repo: String,
        session: String,
    },
    /// The session is not looked at any more.
    Leave,
    Follow(DispatchNumber),
    StopFollowing,
    Do(u64, Job),
    /// The person's editor, with these words in it.
    Edit(String),
}

/// A file that a person can open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOf {
    Question(DecisionId, String),
    Session(String),
}

/// What lies over a session or over the list; the last one takes the keys.
#[derive(Debug)]
pub enum Over {
    Reader(Reader),
    /// What a job with this number reads.
    Waits(u64, String),
    Files(Picker<FileOf>),
    Question(Question),
    Form(Box<Form>),
}

#[derive(Debug)]
pub struct Screen {
    pub paint: Paint,
    pub zone: TimeZone,
    pub now: Timestamp,
    pub list: List,
    pub session: Option<Session>,
    pub over: Vec<Over>,
    pub help: Option<Help>,
    /// Something that a person must know, in place of the keys, until the next key.
    pub notice: Option<(Timestamp, String)>,
    /// Words that were written and not sent, by their question and the answer they were for. They are there also when the
    /// question is asked again.
    drafts: BTreeMap<(String, String), String>,
    jobs: u64,
    /// Back from the session leaves the program.
    is_alone: bool,
    /// As it was drawn last.
    pub is_too_small: bool,
}

impl Screen {
    pub fn new(paint: Paint, zone: TimeZone, now: Timestamp, here: Option<Repo>) -> Self {
        Self {
            paint,
            zone,
            now,
            list: List::new(here),
            session: None,
            over: Vec::new(),
            help: None,
            notice: None,
            drafts: BTreeMap::new(),
            jobs: 0,
            is_alone: false,
            is_too_small: false,
        }
    }

    /// A session is shown, and nothing above it.
    pub fn open(&mut self, seen: Seen, lines: Vec<LogLine>) {
        self.over.clear();
        self.session = Some(Session::new(seen, lines));
    }

    /// The session was named on the command line.
    pub fn stay_with_it(&mut self) {
        self.is_alone = true;
    }

    pub fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// The session is not there any more.
    pub fn lose(&mut self, why: &str) {
        (self.session, self.help) = (None, None);
        self.over.clear();
        self.notify(why);
    }

    /// What is new of the session that is shown.
    pub fn see(&mut self, seen: Seen, news: &[LogLine]) {
        let Some(session) = &mut self.session else { return };
        session.lines.extend_from_slice(news);
        session.seen = seen;
        for over in &mut self.over {
            match over {
                Over::Question(question) => question.refresh(&session.seen),
                Over::Reader(reader) if reader.is_log => {
                    news.iter().for_each(|line| facts::log_line(&mut reader.doc, line, &self.zone));
                }
                Over::Reader(Reader { output_of: Some(number), .. }) => {
                    let title = facts::output_title(&session.seen, *number);
                    if let Over::Reader(reader) = over {
                        reader.retitle(title);
                    }
                }
                _ => {}
            }
        }
    }

    /// Lines that an agent wrote.
    pub fn write(&mut self, number: DispatchNumber, lines: &[String]) {
        let mut over = self.over.iter_mut();
        let reader = over.find_map(|one| match one {
            Over::Reader(reader) if reader.output_of == Some(number) => Some(reader),
            _ => None,
        });
        if let Some(reader) = reader {
            for line in lines {
                reader.doc.quote(Ink::Plain, if line.is_empty() { " " } else { line });
            }
        }
    }

    pub fn handle(&mut self, key: &Key) -> Vec<Wish> {
        self.notice = None;
        match key {
            Key::Ctrl('c') => return vec![Wish::Quit],
            Key::Ctrl('z') => return vec![Wish::Suspend],
            Key::Ctrl('l') => return vec![Wish::DrawAgain],
            // Nobody answers what they cannot see.
            _ if self.is_too_small => return Vec::new(),
            _ => {}
        }
        if let Some(help) = &mut self.help {
            if help.handle(key) {
                self.help = None;
            }
            return Vec::new();
        }
        if *key == Key::Char('?') && !self.takes_letters() {
            self.help = Some(Help::of(self.topic()));
            return Vec::new();
        }
        match (self.over.is_empty(), &mut self.session) {
            (false, _) => self.handle_over(key),
            (true, Some(session)) => {
                let asks = session.handle(key);
                asks.map(|asks| self.ask(asks)).unwrap_or_default()
            }
            (true, None) => {
                let picks = self.list.handle(key);
                picks.map(|picks| self.pick(picks)).unwrap_or_default()
            }
        }
    }

    fn takes_letters(&self) -> bool {
        match self.over.last() {
            Some(Over::Form(form)) => form.takes_letters(),
            Some(_) => false,
            None => self.session.is_none() && self.list.takes_letters(),
        }
    }

    fn topic(&self) -> Topic {
        match (self.over.last(), &self.session) {
            (Some(Over::Question(_)), _) => Topic::Question,
            (Some(Over::Form(_)), _) => Topic::Form,
            (Some(_), _) => Topic::Reader,
            (None, Some(_)) => Topic::Session,
            (None, None) => Topic::List,
        }
    }

    pub fn next_job(&mut self) -> u64 {
        self.jobs += 1;
        self.jobs
    }

    fn handle_over(&mut self, key: &Key) -> Vec<Wish> {
        match self.over.last_mut() {
            Some(Over::Reader(reader)) => {
                if !reader.handle(key) {
                    return Vec::new();
                }
                let is_output = reader.output_of.is_some();
                self.over.pop();
                if is_output { vec![Wish::StopFollowing] } else { Vec::new() }
            }
            Some(Over::Waits(..)) => {
                if matches!(key, Key::Esc | Key::Char('q')) {
                    self.over.pop();
                }
                Vec::new()
            }
            Some(Over::Files(picker)) => {
                let picked = picker.handle(key);
                self.picked(picked)
            }
            Some(Over::Question(question)) => {
                let seen = self.session.as_ref().map(|session| &session.seen);
                let asked = seen.and_then(|seen| question.asked(seen));
                let wants = question.handle(key, asked.map_or(0, |asked| asked.options.len()));
                wants.map(|wants| self.want(wants)).unwrap_or_default()
            }
            Some(Over::Form(form)) => {
                let does = form.handle(key);
                does.map(|does| self.act(does)).unwrap_or_default()
            }
            None => Vec::new(),
        }
    }

    /// A job is done.
    pub fn take(&mut self, number: u64, done: Done) -> Vec<Wish> {
        match done {
            Done::Rows(rows) => self.list.take(rows),
            Done::Text(doc) => {
                let waits = self
                    .over
                    .iter_mut()
                    .find(|over| matches!(over, Over::Waits(of, _) if *of == number));
                if let Some(over) = waits
                    && let Over::Waits(_, title) = over
                {
                    *over = Over::Reader(Reader::new(std::mem::take(title), doc));
                }
            }
            Done::Ordered(Err(refused)) | Done::Started(_, Err(refused)) => {
                self.refuse(number, &refused)
            }
            Done::Started(repo, Ok(session)) => {
                self.close_form(number);
                return vec![Wish::Open { repo: repo.id, session: session.to_string() }];
            }
            Done::Ordered(Ok(not_continued)) => self.recorded(number, not_continued.as_ref()),
        }
        Vec::new()
    }

    /// A notice that nobody acted on goes by itself.
    pub fn tick(&mut self, now: Timestamp) {
        self.now = now;
        let is_old = |(since, _): &(Timestamp, String)| now.ms_since(*since) > NOTICE_LASTS_MS;
        if self.notice.as_ref().is_some_and(is_old) {
            self.notice = None;
        }
    }

    pub fn notify(&mut self, words: impl Into<String>) {
        self.notice = Some((self.now, words.into()));
    }
}
