//! Secrets taken out of what is kept, against a corpus.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod redact_corpus;
