//! The world of Tollgate: everything that touches a disk, a process or a clock.

pub mod activity;
pub mod client;
pub mod clock;
pub mod context;
pub mod crash;
pub mod failure_report;
pub mod files;
pub mod git;
pub mod inbox;
pub mod journal;
pub mod layout;
pub mod lifecycle;
pub mod lock;
pub mod process;
pub mod projection;
pub mod prompt;
pub mod record;
pub mod redact;
pub mod repository;
pub mod sandbox;
pub mod sanitize;
pub mod serve;
pub mod settings;
pub mod snapshot;
pub mod workspace;
