//! What every surface shows of sessions, and how it gives commands: the page, the terminal view and the MCP server stand on it.

pub mod chronicle;
pub mod pictures;
