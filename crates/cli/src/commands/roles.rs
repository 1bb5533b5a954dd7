//! `tollgate roles`: who works, what each may change, and where that is written.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_contract::pack;
use tollgate_contract::skill::RoleFile;
use tollgate_core::role::Role;
use tollgate_host::layout::Layout;
use tollgate_host::settings;

/// List the roles, what each may write, and where it is described
#[derive(Debug, Args)]
pub struct Roles {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    role: Role,
    description: String,
    /// Globs of the repository.
    writes: Vec<String>,
    /// Paths below the session folder.
    artefacts: Vec<String>,
    source: String,
}

impl Roles {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Place::find()?.layout;
        let roles = settings::roles(&layout)?;
        let entries: Vec<Entry> = roles.into_values().map(|file| entry(&layout, file)).collect();
        if self.json {
            output::json(&entries);
            return Ok(Exit::Ok);
        }
        for entry in &entries {
            output::data(&text(entry));
        }
        Ok(Exit::Ok)
    }
}

fn entry(layout: &Layout, file: RoleFile) -> Entry {
    // The pack lists its roles in the order of the canonical ones.
    let place = Role::ALL.iter().zip(pack::ROLES).find(|(role, _)| **role == file.role);
    let own = place
        .map(|(_, built_in)| format!("agents/{}/SKILL.md", built_in.name))
        .filter(|path| layout.repo_root().join(path).exists());
    Entry {
        name: file.name,
        role: file.role,
        description: file.description,
        writes: file.writes,
        artefacts: file.artefacts,
        source: own.unwrap_or_else(|| "built-in".to_owned()),
    }
}

fn text(entry: &Entry) -> String {
    let list = |words: &[String]| match words {
        [] => "nothing".to_owned(),
        words => words.join(", "),
    };
    format!(
        "{} ({}): {}\n  changes in the repository: {}\n  writes in the session: {}\n  source: {}",
        entry.role,
        entry.name,
        entry.description,
        list(&entry.writes),
        list(&entry.artefacts),
        entry.source
    )
}
