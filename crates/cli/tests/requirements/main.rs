//! What people can rely on, each seen in the real program; the names begin with the requirement.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../support/mod.rs"]
mod support;

mod actions;
mod artefacts;
mod asking;
mod bad_input;
mod cancelling;
mod checks_unproven;
mod clauses;
mod clock;
mod copies;
mod criteria;
mod decisions;
mod dispatches;
mod done;
mod earlier;
mod evidence;
mod evidence_commands;
mod failures;
mod fresh;
mod given;
mod identity;
mod instructions;
mod integrating;
mod lanes;
mod lean_full;
mod limits;
mod looks;
mod manual;
mod nine;
mod older_journals;
mod parallel;
mod persistence;
mod processes;
mod promises;
mod prose_actions;
mod recommended;
mod recovery;
mod replies;
mod reports;
mod role_files;
mod route;
mod sandbox;
mod scope;
mod severity;
mod sizes;
mod syntax;
mod terminal;
mod tolerant;
mod unaccepted_rules;
mod weakened;
mod work_item_rules;
mod work_items;
mod workflow;
