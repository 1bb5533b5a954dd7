//! Every reader, against the built-in files and against whatever bytes come.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod builtin_pack;
#[path = "../../judge/tests/test_guard/mutated.rs"]
mod mutated;
mod robust;
mod robust_artefact;
mod robust_reports;
