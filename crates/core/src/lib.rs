//! The machine of Tollgate, pure: it decides what happens next and touches nothing.
//!
//! `decide` turns an input into events, `Session::apply` folds events into state, and
//! `Session::outstanding` says what should be running. No clock, file, thread or chance in here.

pub mod action;
pub mod allowance;
pub mod answer;
pub mod brief;
mod decide;
pub mod decision;
pub mod engine;
pub mod event;
pub mod id;
pub mod input;
pub mod limits;
pub mod money;
pub mod policy;
pub mod proof;
pub mod refusal;
pub mod reply;
pub mod role;
pub mod session;
pub mod task;
pub mod time;
pub mod view;
pub mod work;
pub use decide::{FailureClass, MANUAL_FIX, WEAKENED, class_of};
