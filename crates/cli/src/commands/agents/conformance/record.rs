//! What the journal of a tried session says.

use tollgate_core::event::{Event, RetryWhy};
use tollgate_core::reply::Usage;
use tollgate_core::work::DispatchEnd;
use tollgate_files::layout::SessionLayout;
use tollgate_host::client::Client;

#[derive(Debug)]
pub struct JournalEvents {
    layout: SessionLayout,
    /// None until there is a journal.
    client: Option<Client>,
    events: Vec<Event>,
}

impl JournalEvents {
    /// Of a session that may still run, or not have begun.
    pub fn of(layout: SessionLayout) -> Self {
        Self { layout, client: None, events: Vec::new() }
    }

    /// Reads on where it stopped.
    pub fn look(&mut self) {
        let Self { layout, client, events } = self;
        if client.is_none() {
            *client = Client::open(layout.clone()).ok();
        }
        // What cannot be read ends it; what was read before counts.
        if let Some(client) = client {
            let _ended = client.follow(|told| events.push(told.event.clone()));
        }
    }

    pub fn has_begun(&self) -> bool {
        self.client.is_some()
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
