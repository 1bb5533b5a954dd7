//! One verb, one file.

pub mod actions;
pub mod agents;
pub mod answer;
pub mod audit;
pub mod cancel;
pub mod check;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod explain;
pub mod findings;
pub mod gates;
pub mod init;
pub mod labels;
pub mod log;
pub mod man;
pub mod resume;
pub mod roles;
pub mod run;
pub mod scaffold;
pub mod schema;
pub mod scope;
pub mod sessions;
pub mod snapshot;
pub mod status;
pub mod submit;
