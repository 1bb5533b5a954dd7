//! The real agent programs at pinned versions, played by a scripted model: whole sessions, and everything that goes wrong.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod again;
mod conformance;
mod faults;
mod isolation;
mod mcp;
mod sessions;
#[path = "../support/mod.rs"]
mod support;
mod world;
