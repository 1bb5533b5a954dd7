//! Agent programs: their recorded lines, told again to their adapters.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod agent_acp;
mod agent_claude;
mod agent_fuzz;
mod agent_gemini;
mod agent_goose;
mod agent_lines;
mod agent_qwen;
mod agent_recorded;
mod agent_starts;
mod agent_support;
