//! The MCP server: an agent program of the person starts, follows and plays, and answers no decision.

mod arguments;
mod clients;
mod deeds;
mod fit;
mod refused;
mod room;
mod server;
mod stdio;
mod tools;

pub use clients::{ClientKind, Start};
pub use server::serve;

use std::path::PathBuf;

/// Tells an agent how to work with the tools, and what it leaves to the person.
pub const SKILL: &str = include_str!("../packs/SKILL.md");

/// The same in short, for clients that show their model no skill. Some of them cut it at 2,000 characters.
const INSTRUCTIONS: &str = include_str!("../packs/INSTRUCTIONS.md");

/// What the server works on, and with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The repository where it was started.
    pub here: Option<PathBuf>,
    /// Where the other repositories are noted; without it the client sees only this one.
    pub state: Option<PathBuf>,
    /// Our own program, to which commands are given.
    pub program: PathBuf,
    pub version: &'static str,
    /// The page behind a code, or who asked for it is told what is near.
    pub explain: fn(&str) -> Result<String, String>,
    /// Tells what no result can tell, for whoever reads the log of the client.
    pub talk: fn(&str),
}
