//! The machine of Tollgate, pure: it decides what happens next and touches nothing.
//!
//! `decide` turns an input into events, `Session::apply` folds events into state, and
//! `Session::outstanding` says what should be running. No clock, file, thread or chance in here.

pub mod action;
pub mod allowance;
pub mod answer;
pub mod brief;
pub mod count;
mod decide;
pub mod decision;
pub mod duration;
pub mod earlier;
pub mod engine;
pub mod event;
mod failure;
pub mod fault;
pub mod feedback;
pub mod finding;
pub mod given;
pub mod id;
pub mod identity;
pub mod import;
pub mod input;
pub mod limits;
pub mod money;
#[cfg(not(feature = "mutants"))]
mod mutant;
#[cfg(feature = "mutants")]
pub mod mutant;
pub mod notice;
pub mod policy;
pub mod proof;
pub mod refusal;
pub mod reply;
pub mod role;
pub mod sanitize;
pub mod session;
pub mod task;
pub mod time;
pub mod view;
pub mod words;
pub mod work;
pub mod worker;
pub use failure::{FailureClass, class_of};
pub use finding::WEAKENED;
