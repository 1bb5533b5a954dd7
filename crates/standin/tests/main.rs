//! The stand-in as an agent program meets it: on the wire, over turns, and when it fails.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod faults;
mod support;
#[path = "support/agent.rs"]
mod talking;
mod turns;
mod wire;
