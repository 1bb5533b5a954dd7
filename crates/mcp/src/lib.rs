//! The MCP server: an agent program of the person starts, follows and plays, and answers no decision.
