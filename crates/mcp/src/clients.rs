//! What people write into the settings of their agent program, so that it starts this server.

use serde_json::{Value, json};
use std::collections::BTreeMap;

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

/// How a client starts the server.
#[derive(Debug, Clone)]
pub struct Start {
    pub program: String,
    pub args: Vec<String>,
    /// Many clients hand on hardly any variable; these must be the same as in the person's terminal.
    pub env: BTreeMap<String, String>,
}

impl ClientKind {
    /// The settings, as they stand in the file.
    pub fn snippet(self, start: &Start) -> String {
        let Start { program, args, env } = start;
        let (key, more) = match self {
            Self::Claude => ("mcpServers", json!({"type": "stdio"})),
            Self::Copilot => ("mcpServers", json!({"type": "local", "tools": ["*"]})),
            Self::VsCode => ("servers", json!({"type": "stdio"})),
            Self::Gemini => ("mcpServers", json!({"timeout": TOOL_SECONDS * 1_000})),
            Self::Codex => return codex(start),
        };
        let mut server = json!({"command": program, "args": args});
        if !env.is_empty() {
            server["env"] = json!(env);
        }
        if let (Some(server), Value::Object(more)) = (server.as_object_mut(), more) {
            server.extend(more);
        }
        serde_json::to_string_pretty(&json!({ key: { "tollgate": server } })).unwrap_or_default()
    }

    /// The words of a command of the client's own that does the same, where it has one.
    pub fn command(self, start: &Start) -> Option<Vec<String>> {
        let env = start
            .env
            .iter()
            .flat_map(|(name, value)| ["--env".to_owned(), format!("{name}={value}")]);
        let words: (&[&str], &[&str]) = match self {
            // Claude Code takes every word behind `--env` for a variable, up to the next option.
            Self::Claude => (&["claude", "mcp", "add"], &["--transport", "stdio", "tollgate"]),
            Self::Codex => (&["codex", "mcp", "add"], &["tollgate"]),
            Self::Copilot | Self::VsCode | Self::Gemini => return None,
        };
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let (before, after) = (own(words.0), own(words.1));
        let end = std::iter::once("--".to_owned());
        Some(before.into_iter().chain(env).chain(after).chain(end).chain(start.command()).collect())
    }

    /// Which file it belongs into.
    pub fn place(self) -> &'static str {
        match self {
            Self::Claude => ".mcp.json in the repository",
            Self::Codex => "~/.codex/config.toml",
            Self::Copilot => "~/.copilot/mcp-config.json, or .github/mcp.json in the repository",
            Self::VsCode => ".vscode/mcp.json in the repository",
            Self::Gemini => ".gemini/settings.json in the repository, or ~/.gemini/settings.json",
        }
    }
}

impl Start {
    fn command(&self) -> impl Iterator<Item = String> {
        std::iter::once(self.program.clone()).chain(self.args.iter().cloned())
    }
}

/// A text or a list of texts in JSON is one in TOML, too.
fn codex(start: &Start) -> String {
    let Start { program, args, env } = start;
    let mut lines = vec![
        "[mcp_servers.tollgate]".to_owned(),
        format!("command = {}", json!(program)),
        format!("args = {}", json!(args)),
        format!("tool_timeout_sec = {TOOL_SECONDS}"),
    ];
    if !env.is_empty() {
        let pairs: Vec<String> =
            env.iter().map(|(name, value)| format!("{name} = {}", json!(value))).collect();
        lines.push(format!("env = {{ {} }}", pairs.join(", ")));
    }
    lines.join("\n")
}
