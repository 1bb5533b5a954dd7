//! placeholder

pub mod git;
pub mod repository;
pub mod workspace;
