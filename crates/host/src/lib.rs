//! placeholder
pub mod crash;
pub mod process;
pub mod redact;
pub mod sanitize;
