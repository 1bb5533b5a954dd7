//! A journal in memory. Every event is written as JSON and read back, as on a disk.

use crate::violation::Violation;
use tollgate_core::engine;
use tollgate_core::event::Event;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;

#[derive(Debug)]
pub struct Journal {
    records: Vec<(Timestamp, Event)>,
    is_disk: bool,
}

impl Journal {
    /// One that goes through JSON, or one that spares a kind world the time.
    pub fn new(is_disk: bool) -> Self {
        Self { records: Vec::new(), is_disk }
    }

    /// Says what changed on the way through JSON, if anything did.
    pub fn append(&mut self, at: Timestamp, events: &[Event]) -> Result<(), String> {
        if !self.is_disk {
            self.records.extend(events.iter().map(|event| (at, event.clone())));
            return Ok(());
        }
        for event in events {
            let line = serde_json::to_string(event).map_err(|error| error.to_string())?;
            let read: Event = serde_json::from_str(&line)
                .map_err(|error| format!("{line} does not read back: {error}"))?;
            if read != *event {
                return Err(format!("{event:?} reads back as {read:?}"));
            }
            self.records.push((at, read));
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn records(&self) -> &[(Timestamp, Event)] {
        &self.records
    }

    pub fn replay(&self, wanted: impl Fn(&Event) -> bool) -> Result<Session, Violation> {
        let events = self.records.iter().filter(|(_, event)| wanted(event));
        Session::replay(events.map(|(at, event)| (*at, event))).map_err(|unfit| Violation {
            rule: "the_journal_replays",
            detail: format!("record {}: {}", unfit.index + 1, unfit.why),
        })
    }
}

/// The append of one commit. With a planted bug the journal tells something else.
pub struct Append<'a, T> {
    pub journal: &'a mut Journal,
    pub twist: T,
    pub at: Timestamp,
    /// What was written in the end.
    pub written: Vec<Event>,
}

impl<T: FnMut(&mut Timestamp, &mut Vec<Event>)> engine::Journal for Append<'_, T> {
    type Error = String;

    fn append_and_sync(&mut self, at: Timestamp, events: &[Event]) -> Result<(), String> {
        (self.at, self.written) = (at, events.to_vec());
        (self.twist)(&mut self.at, &mut self.written);
        self.journal.append(self.at, &self.written)
    }
}
