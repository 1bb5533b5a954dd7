//! Which record opened what: an outcome on disk counts for that record alone.

use super::Record;
use std::collections::BTreeMap;
use tollgate_core::event::Event;
use tollgate_core::session::Wanted;

/// The hashes that what lies beside the journal is bound to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage {
    /// The first record of all.
    first: String,
    /// The record that the present life of the session begins with.
    life: String,
    opened: BTreeMap<Wanted, String>,
}

impl Lineage {
    pub(super) fn of(records: &[Record]) -> Self {
        let mut lineage = Self::default();
        for record in records {
            lineage.take(&record.event, record.seq, &record.hash);
        }
        lineage
    }

    pub(super) fn take(&mut self, event: &Event, seq: u64, hash: &str) {
        match event {
            Event::AttemptStarted { number, attempt, .. } => {
                self.opened.insert(Wanted::Dispatch(*number, *attempt), hash.to_owned());
            }
            Event::ChecksStarted { number, .. } => {
                self.opened.insert(Wanted::Checks(*number), hash.to_owned());
            }
            // What was opened before has been gone past once already; its outcome is of another life.
            Event::OlderJournalAccepted { .. } => {
                self.life = hash.to_owned();
                self.opened.clear();
            }
            _ => {}
        }
        if seq == 1 {
            (self.first, self.life) = (hash.to_owned(), hash.to_owned());
        }
    }

    pub(super) fn first(&self) -> &str {
        &self.first
    }

    /// The first record, or the one by which a person accepted an older journal since.
    pub fn life(&self) -> &str {
        &self.life
    }

    /// Whether anything was opened in this life that can have left something on disk.
    pub fn has_opened(&self) -> bool {
        !self.opened.is_empty()
    }

    /// The record that opened an attempt or a run of checks; the life itself where that was in a former one.
    pub fn opened_by(&self, wanted: Wanted) -> &str {
        self.opened.get(&wanted).unwrap_or(&self.life)
    }
}
