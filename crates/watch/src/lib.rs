//! The terminal view: the sessions of all repositories, and one of them with its tasks, agents, activity and questions.
//!
//! `screen` is what is shown and what keys do to it; it touches nothing. `run` is the loop around it, `terminal` what it
//! takes and gives back.

mod agents;
mod doc;
mod draw;
mod editor;
mod facts;
mod form;
mod frame;
mod head;
mod help;
mod job;
mod keys;
mod list;
mod paint;
mod picker;
mod question;
mod reader;
mod run;
mod screen;
mod seen;
mod session;
mod signals;
mod source;
mod terminal;
#[cfg(test)]
mod tests;
mod text;
mod typing;
mod when;

pub use run::{End, Settings, WatchError, run};
