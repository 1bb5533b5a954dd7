//! What acts on the machine, against the machine.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod agent_acp;
mod agent_claude;
mod agent_fuzz;
mod agent_gemini;
mod agent_goose;
mod agent_lines;
mod agent_qwen;
mod agent_starts;
mod agent_support;
mod journal_append;
mod journal_inbox;
mod journal_lock;
mod journal_recovery;
mod journal_support;
mod lifecycle_gates;
mod process_cgroup;
mod process_fencing;
mod process_output;
mod process_sandbox;
mod process_support;
mod process_tree;
mod redact_corpus;
mod snapshot_keeping;
mod snapshot_restore;
mod snapshot_support;
mod tracker_conformance;
mod tracker_github;
mod tracker_support;
mod workspace_changes;
mod workspace_content;
mod workspace_hidden;
mod workspace_repository;
mod workspace_safety;
mod workspace_support;
