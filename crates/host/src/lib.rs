//! The world of Tollgate: everything that touches a disk, a process or a clock.

pub mod activity;
pub mod client;
pub mod context;
pub mod failure_report;
pub mod fault;
pub mod inbox;
pub mod journal;
pub mod lifecycle;
pub mod lock;
pub mod projection;
pub mod record;
pub mod sandbox;
pub mod serve;
pub mod sessions;
pub mod settings;

// Until every user names the crate that it means.
pub use tollgate_agents as agent;
pub use tollgate_files as files;
pub use tollgate_files::{clock, crash, layout, redact, sanitize, write_lock};
pub use tollgate_git as git;
pub use tollgate_git::{repository, scope_diff, workspace};
pub use tollgate_process as process;
pub use tollgate_snapshot as snapshot;
pub use tollgate_tracker as tracker;
