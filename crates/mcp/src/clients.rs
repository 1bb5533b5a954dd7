//! What people write into the settings of their agent program, so that it starts this server.

use serde_json::{Value, json};

/// A program that speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    Claude,
    Codex,
    Copilot,
    VsCode,
    Gemini,
}

/// `wait` takes ten minutes at most.
const TOOL_SECONDS: u32 = 660;

impl ClientKind {
    /// The settings, as they stand in the file. `program` is how the client starts ours.
    pub fn snippet(self, program: &str, args: &[&str]) -> String {
        let servers = |key: &str, server: Value| {
            let text = serde_json::to_string_pretty(&json!({ key: { "tollgate": server } }));
            text.unwrap_or_default()
        };
        match self {
            Self::Claude => {
                servers("mcpServers", json!({"type": "stdio", "command": program, "args": args}))
            }
            Self::Copilot => servers(
                "mcpServers",
                json!({"type": "local", "command": program, "args": args, "tools": ["*"]}),
            ),
            Self::VsCode => {
                servers("servers", json!({"type": "stdio", "command": program, "args": args}))
            }
            Self::Gemini => servers(
                "mcpServers",
                json!({"command": program, "args": args, "timeout": TOOL_SECONDS * 1_000}),
            ),
            Self::Codex => {
                // A JSON string or list of strings is one of TOML, too.
                let (program, args) = (json!(program), json!(args));
                format!(
                    "[mcp_servers.tollgate]\ncommand = {program}\nargs = {args}\ntool_timeout_sec = {TOOL_SECONDS}"
                )
            }
        }
    }

    /// Which file it belongs into.
    pub fn place(self) -> &'static str {
        match self {
            Self::Claude => {
                ".mcp.json in the repository (or: claude mcp add tollgate -- tollgate mcp)"
            }
            Self::Codex => "~/.codex/config.toml (or: codex mcp add tollgate -- tollgate mcp)",
            Self::Copilot => "~/.copilot/mcp-config.json, or .github/mcp.json in the repository",
            Self::VsCode => ".vscode/mcp.json in the repository",
            Self::Gemini => ".gemini/settings.json in the repository, or ~/.gemini/settings.json",
        }
    }
}
