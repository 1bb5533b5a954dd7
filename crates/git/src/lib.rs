//! The git program, the repository of the person, the workspaces of a session and what a change touches.

mod batch;
mod inside;
mod program;
pub mod repository;
pub mod scope_diff;
pub mod workspace;

pub use program::*;
