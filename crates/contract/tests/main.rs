//! Every reader, against the built-in files and against whatever bytes come.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod builtin_pack;
mod robust;
mod robust_artefact;
mod robust_reports;
