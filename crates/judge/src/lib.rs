//! The judge of a change, pure: which changed files are in scope, which do not parse any more, and what the change does
//! to the tests and to what runs them.

pub mod globs;
mod quote;
pub mod scope;
pub mod syntax;
pub mod test_guard;

pub use quote::quote;
