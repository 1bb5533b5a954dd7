//! What the host does for the core: run a dispatch, run checks. Each ends in one input.

pub mod adapter;
pub mod attempt;
mod authored;
pub mod checks;
pub mod classify;
pub mod clean;
pub mod collect;
pub(crate) mod criteria;
mod documents;
pub(crate) mod driven;
mod earlier;
pub mod failed;
mod guard;
pub(crate) mod left_logins;
pub mod manual;
mod measure;
pub mod merge;
pub mod order;
pub mod outputs;
pub mod plan;
mod prepare;
mod release;
pub mod session_files;
mod syntax;

pub use crate::commands::ActivityError;
pub use crate::stop::StopSwitch;
