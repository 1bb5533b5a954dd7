//! Snapshots and their restore, against real folders.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod snapshot_keeping;
mod snapshot_restore;
mod snapshot_support;
