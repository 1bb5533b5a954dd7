//! The page, the terminal view, the MCP server, notifications and the formats that other programs read, each seen in the
//! real program; the names begin with the requirement.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../support/mod.rs"]
mod support;

mod export;
mod formats;
mod formats_docs;
mod formats_github;
mod list;
mod mcp;
mod notify;
mod page_agent;
mod page_entry;
mod page_finding;
mod page_hostile;
mod page_kept;
mod page_load;
mod page_looks;
mod page_session;
mod report;
mod showcase;
mod telemetry;
mod watch_exits;
mod watch_session;
