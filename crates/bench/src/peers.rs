//! The peers, in a virtual environment of their own with pinned versions.

use super::contender::Contender;
use std::path::Path;
use std::process::Command;
use xtask::{Trouble, cache, run};

const PEERS: [(&str, &str); 2] =
    [("LangGraph, SQLite, sync", "langgraph_peer.py"), ("DBOS, SQLite", "dbos_peer.py")];

/// Made once and kept; made again when the pinned versions change.
pub fn install(root: &Path) -> Result<Vec<Contender>, Trouble> {
    let scripts = root.join("crates/bench/peers");
    let pinned = std::fs::read_to_string(scripts.join("requirements.txt"))?;
    let folder = cache::folder("peers")?;
    let python = folder.join("bin/python");
    let installed = folder.join("installed.txt");
    if std::fs::read_to_string(&installed).ok().as_deref() != Some(&pinned) {
        run::say(&format!("installing the peers into {}", folder.display()));
        run::must(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        run::must(
            Command::new(&python)
                .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
                .arg(scripts.join("requirements.txt")),
        )?;
        std::fs::write(&installed, &pinned)?;
    }
    let command = |script: &str| {
        vec![
            python.to_string_lossy().into_owned(),
            scripts.join(script).to_string_lossy().into_owned(),
        ]
    };
    Ok(PEERS
        .map(|(name, script)| Contender { name: name.to_owned(), command: command(script) })
        .into())
}
