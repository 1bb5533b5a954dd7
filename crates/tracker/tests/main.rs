//! Trackers, against local files and a stand-in for GitHub.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod tracker_conformance;
mod tracker_github;
mod tracker_support;
