//! The world of Tollgate: everything that touches a disk, a process or a clock.

pub mod activity;
pub mod client;
mod commands;
pub mod context;
pub mod failure_report;
pub mod fault;
pub mod given;
pub mod import;
pub mod inbox;
pub mod journal;
pub mod kept;
pub mod landing;
pub mod lifecycle;
pub mod lock;
pub mod projection;
pub mod record;
pub mod removal;
pub mod sandbox;
pub mod serve;
pub mod sessions;
pub mod settings;
mod stop;
mod subject;
