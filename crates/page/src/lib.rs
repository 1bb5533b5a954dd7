//! The page: sessions, gates and changes in a browser, rendered here and served on this machine.
//!
//! It reads through the desk and gives the commands of the command line. Nothing of it decides anything.

mod access;
mod comments;
mod diff;
mod form;
mod headers;
mod html;
mod live;
mod markdown;
mod paint;
mod peer;
mod rendered;
pub mod report;
mod routes;
mod server;
mod sessions;
mod when;

pub use server::{ServeError, Settings, serve};
