//! The reader of Tollgate, pure: bytes that people and agents wrote become typed values, or a
//! report they can act on. Every fault is reported, each with a code, a place and help.

pub mod acceptance;
pub mod action;
pub mod agent_input;
pub mod agent_output;
pub mod artefact;
pub mod config;
pub mod coverage;
mod cycle;
pub mod diagnostic;
pub mod document;
pub mod done;
pub mod explain;
pub mod foreign;
mod front_matter;
pub mod gates;

pub mod intent;
mod json_file;
pub mod junit;
pub mod labels;
pub mod lifecycle;
mod markdown;
pub mod nearest;
mod node;
pub mod pack;
pub mod plan;
pub mod prompt;
pub mod reply_form;
mod report_path;
pub mod report_points;
pub mod sarif;
pub mod scaffold;
pub mod schema;
pub mod sections;
mod shape;
pub mod skill;
pub mod status;
pub mod tasks;
#[cfg(test)]
mod testing;
pub mod tracked_item;
pub mod word;
pub mod work_item;
mod xml;
