//! `tollgate roles`: who works, what each may change, and where that is written.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_contract::{pack, skill};
use tollgate_core::role::Role;
use tollgate_host::settings::roles::{self, ListedRole};

/// List the roles, what each may write, and where its instructions are
///
/// agents/NAME/SKILL.md takes precedence over .claude/agents/NAME.md and .github/agents/NAME.agent.md, and those take
/// precedence over the built-in instructions. Tollgate reads the file each time a role starts.
#[derive(Debug, Args)]
pub struct Roles {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct RoleRow {
    /// What action files call it by.
    name: String,
    /// The canonical role that it plays.
    role: Option<Role>,
    description: String,
    /// Globs of the repository.
    writes: Vec<String>,
    /// Paths below the session folder.
    artefacts: Vec<String>,
    source: String,
    /// Further names that speak with this text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    known_as: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Roles {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Checkout::find()?.layout;
        let listed = roles::list(&layout);
        let named: Vec<String> = listed.iter().map(|listed| listed.name.clone()).collect();
        let entries: Vec<RoleRow> =
            listed.into_iter().map(|listed| entry(listed, &named)).collect();
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

fn entry(listed: ListedRole, named: &[String]) -> RoleRow {
    let ListedRole { name, role, found } = listed;
    let known_as = match role {
        Some(role) if name == skill::folder_of(role) => names_without_text(role, named),
        _ => Vec::new(),
    };
    match found {
        Ok(found) => RoleRow {
            name,
            role,
            description: found.file.description,
            writes: found.file.writes,
            artefacts: found.file.artefacts,
            source: found.source,
            known_as,
            problem: None,
        },
        Err(missing) => RoleRow {
            source: format!("agents/{name}/SKILL.md"),
            name,
            role,
            description: String::new(),
            writes: Vec::new(),
            artefacts: Vec::new(),
            known_as,
            problem: Some(missing.detail),
        },
    }
}

fn names_without_text(role: Role, named: &[String]) -> Vec<&'static str> {
    let of_role = skill::known_names().filter(|(_, known)| *known == role);
    let has_text = |name: &str| {
        pack::find(pack::ROLES, name).is_some() || named.iter().any(|named| named == name)
    };
    of_role.map(|(name, _)| name).filter(|name| !has_text(name)).collect()
}

fn text(entry: &RoleRow) -> String {
    let list = |words: &[String]| match words {
        [] => "nothing".to_owned(),
        words => words.join(", "),
    };
    let role = entry.role.map_or("nobody", Role::as_str);
    if let Some(problem) = &entry.problem {
        return format!("{} ({role}): cannot work: {problem}", entry.name);
    }
    let mut text = format!(
        "{} ({role}): {}\n  changes in the repository: {}\n  writes in the session: {}\n  source: {}",
        entry.name,
        entry.description,
        list(&entry.writes),
        list(&entry.artefacts),
        entry.source
    );
    if !entry.known_as.is_empty() {
        text.push_str(&format!("\n  also known as: {}", entry.known_as.join(", ")));
    }
    text
}
