//! What acts on the machine, against the machine.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod client;
mod journal_append;
mod journal_formats;
mod journal_inbox;
mod journal_lock;
mod journal_recovery;
mod journal_support;
mod lifecycle_gates;
mod write_lock;
