//! Repositories and workspaces, against the git program.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod workspace_changes;
mod workspace_content;
mod workspace_hidden;
mod workspace_repository;
mod workspace_safety;
mod workspace_support;
