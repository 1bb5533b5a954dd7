//! What the journal of a tried session says.

use std::path::Path;
use tollgate_core::event::{Event, RetryWhy};
use tollgate_core::reply::Usage;
use tollgate_core::work::DispatchEnd;
use tollgate_host::journal;

#[derive(Debug, Default)]
pub struct Record {
    events: Vec<Event>,
}

impl Record {
    /// Of a session that may still run, or not have begun: what there is.
    pub fn read(journal: &Path) -> Self {
        let read = journal::read(journal).ok();
        let events = read.map(|read| read.records.into_iter().map(|record| record.event).collect());
        Self { events: events.unwrap_or_default() }
    }

    pub fn is_parked(&self) -> bool {
        let is_parked =
            |e: &Event| matches!(e, Event::RetryScheduled { why: RetryWhy::Parked, .. });
        self.events.iter().any(is_parked)
    }

    pub fn first_end(&self) -> Option<&DispatchEnd> {
        self.ends().next().map(|(end, _)| end)
    }

    /// How the attempts ended, in order.
    pub fn ends(&self) -> impl Iterator<Item = (&DispatchEnd, &Usage)> {
        self.events.iter().filter_map(|event| match event {
            Event::AttemptEnded { end, usage, .. } => Some((end, usage)),
            _ => None,
        })
    }
}
