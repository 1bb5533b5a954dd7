//! Processes, their trees and their sandbox, against the kernel.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod process_cgroup;
mod process_devices;
mod process_fencing;
mod process_lost;
mod process_output;
mod process_sandbox;
mod process_support;
mod process_tree;
