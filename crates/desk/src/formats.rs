//! A session in the formats that other programs read: text in, text out, nothing is printed here.

pub mod actions;
mod check_history;
pub mod junit;
pub mod markdown;
pub mod provenance;

pub use check_history::{CheckHistory, CheckStanding, CheckedRun};
