//! Whole sessions told to the engine, a line for each thing that happens.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod full;
mod gates;
mod import;
mod integrating;
mod kept;
mod lanes;
mod limits;
mod looks;
mod mutants;
mod recommended;
mod reports;
mod routes;
mod scopes;
mod story;
mod trouble;
mod unproven;
mod weighing;
mod work;
