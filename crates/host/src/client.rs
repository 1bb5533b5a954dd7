//! How other processes reach a session: they read its journal, or send a command to its owner.

use crate::inbox::{self, Delivery, InboxError, InboxReply};
use crate::journal::{self, JournalError};
use crate::layout::SessionLayout;
use crate::lock;
use std::time::Duration;
use tollgate_core::input::Command;
use tollgate_core::session::Session;

/// The state of a session as its journal tells it, without taking the lock.
pub fn read_session(layout: &SessionLayout) -> Result<Option<Session>, JournalError> {
    let (path, journal) = (layout.journal(), journal::read(&layout.journal())?);
    if let Some(session) = layout.session() {
        journal::expect_session(&path, &journal.records, &session)?;
    }
    if journal.records.is_empty() {
        return Ok(None);
    }
    journal::replay(&path, &journal.records).map(Some)
}

/// Hands a command to the process that owns the session. None when nobody does: then the
/// caller may take the lock itself.
pub fn hand_over(
    layout: &SessionLayout,
    command: &Command,
    patience: Duration,
) -> Result<Option<InboxReply>, InboxError> {
    if !lock::is_held(layout.folder()) {
        return Ok(None);
    }
    std::fs::create_dir_all(layout.inbox()).map_err(|cause| {
        InboxError::File(crate::files::FileError::Io {
            doing: "make",
            path: layout.inbox(),
            source: cause,
        })
    })?;
    inbox::send(&layout.inbox(), command)?;
    match inbox::wait(&layout.inbox(), command.id(), patience)? {
        Delivery::Replied(reply) => Ok(Some(reply)),
        Delivery::Withdrawn => Ok(None),
        Delivery::Taken => Ok(Some(InboxReply {
            accepted: true,
            message: "handed to the process that runs the session; it has not answered yet"
                .to_owned(),
            hint: None,
        })),
    }
}
