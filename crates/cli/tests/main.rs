//! The program from outside: what people and other programs see of it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "cli_reading/support.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod reading_support;
#[path = "../../tracker/tests/tracker_support/mod.rs"]
mod tracker_support;

mod docs_examples;
mod docs_reference;
mod driven_cli;
mod driven_supervision;
mod findings_cli;
mod kills_agents;
mod kills_journal;
mod kills_points;
mod kills_random;
mod kills_support;
mod labels_cli;
mod lifecycle_cli;
mod scope_cli;
mod snapshot_cli;
mod snapshot_kills;
mod support;
mod tracker_cli;
