//! Events being decided, each applied as it is added, so that the next decision sees it.

use crate::event::Event;
use crate::notice::NoticeCode;
use crate::session::Session;
use crate::time::Timestamp;

/// Events being decided, each applied as it is added, so that the next decision sees it.
pub(crate) struct Draft<'a> {
    session: &'a mut Session,
    now: Timestamp,
    events: Vec<Event>,
}

impl<'a> Draft<'a> {
    pub fn new(session: &'a mut Session, now: Timestamp) -> Self {
        Self { session, now, events: Vec::new() }
    }

    pub fn emit(&mut self, event: Event) {
        self.session.apply(self.now, &event);
        self.events.push(event);
    }

    pub fn now(&self) -> Timestamp {
        self.now
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn finish(self) -> Vec<Event> {
        self.events
    }

    pub fn notice(&mut self, code: NoticeCode, message: impl Into<String>) {
        self.emit(Event::Noticed { code, message: message.into() });
    }
}

impl std::ops::Deref for Draft<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session
    }
}
