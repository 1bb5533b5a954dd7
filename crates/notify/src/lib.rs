//! Tells a person that they are needed, by the means they chose. Nothing here waits longer than its time, and nothing that it
//! starts outlives it.

mod announcement;
mod child;
mod courier;
mod means;

pub use announcement::{Announcement, Kind, Repository, ToAnswer, ToPlay};
pub use courier::{Courier, Report};
pub use means::{Means, Messenger, desktop_program};

use std::time::Duration;

/// So long one delivery may take, with all its retries.
pub const PATIENCE: Duration = Duration::from_secs(10);
