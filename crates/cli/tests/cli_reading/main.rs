//! The commands that read, against the real binary: what they print, and that nothing they meet breaks them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod documents;
mod sessions;
mod settings;
mod support;
