//! The machine of Tollgate, pure: it decides what happens next and touches nothing.
//!
//! `decide` turns an input into events, `Session::apply` folds events into state, and
//! `Session::outstanding` says what should be running. No clock, file, thread or chance in here.

pub mod action;
pub mod decision;
pub mod event;
pub mod id;
pub mod input;
pub mod limits;
pub mod policy;
pub mod reply;
pub mod role;
pub mod task;
pub mod time;
pub mod work;
