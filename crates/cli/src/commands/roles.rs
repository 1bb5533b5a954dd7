//! `tollgate roles`: who works, what each may change, and where that is written.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_contract::diagnostic::Diagnostic;
use tollgate_contract::nearest::nearest;
use tollgate_contract::{pack, skill};
use tollgate_core::role::Role;
use tollgate_host::settings::roles::{self, ListedRole, UnusedPage};

/// List the roles, what each may write, and where its instructions are
///
/// agents/NAME/SKILL.md takes precedence over agents/NAME.md, .claude/agents/NAME.md and .github/agents/NAME.agent.md, in
/// that order, and those take precedence over the built-in instructions. A number before the name and "agent" behind it
/// are ignored. Tollgate reads the file each time a role starts.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate roles\n  tollgate roles Reviewer\n  tollgate roles --json"
)]
pub struct Roles {
    /// Show this role with its instructions: a canonical role, or the name of a text
    pub name: Option<String>,
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
    /// What of the file is ignored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Diagnostic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// Why nobody speaks with this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    unused: Option<String>,
    /// What its agent is told; only where one role is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Roles {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Checkout::find()?.layout;
        let listed = roles::list(&layout);
        if let Some(name) = &self.name {
            return show(listed, name, self.json);
        }
        let unused = roles::unused(&layout, &listed);
        let named: Vec<String> = listed.iter().map(|listed| listed.name.clone()).collect();
        let used = listed.into_iter().map(|listed| entry(listed, &named));
        let entries: Vec<RoleRow> = used.chain(unused.into_iter().map(unused_row)).collect();
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

/// One role with all that it is told.
fn show(listed: Vec<ListedRole>, name: &str, json: bool) -> Result<Exit, Failure> {
    let named: Vec<String> = listed.iter().map(|listed| listed.name.clone()).collect();
    let found = named_so(listed, name, "tollgate roles")?;
    let told = found.found.as_ref().map(|found| found.file.body.trim().to_owned()).ok();
    let entry = RoleRow { text: told, ..entry(found, &named) };
    if json {
        output::json(&entry);
    } else {
        let told = entry.text.as_deref().map(|told| format!("\n{told}")).unwrap_or_default();
        output::data(&format!("{}\n{told}", text(&entry)));
    }
    Ok(Exit::Ok)
}

/// The role that a person means: a canonical one, or the name of a text. The command is what they typed before it.
pub(super) fn named_so(
    listed: Vec<ListedRole>,
    name: &str,
    command: &str,
) -> Result<ListedRole, Failure> {
    let named: Vec<String> = listed.iter().map(|listed| listed.name.clone()).collect();
    let wanted = Role::parse(name).map_or(name, |role| skill::folder_of(role));
    let found = listed.into_iter().find(|listed| listed.name == wanted);
    found.ok_or_else(|| {
        let failure = Failure::usage("cli.role", format!("there is no role {name:?}"))
            .hint("`tollgate roles` lists them");
        let roles = Role::dispatched().map(|role| role.to_string());
        let known: Vec<String> = roles.chain(named).collect();
        match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => failure.hint(format!("did you mean `{command} {near}`?")),
            None => failure,
        }
    })
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
            notices: found.notices,
            problem: None,
            unused: None,
            text: None,
        },
        Err(missing) => RoleRow {
            source: format!("agents/{name}/SKILL.md"),
            name,
            role,
            description: String::new(),
            writes: Vec::new(),
            artefacts: Vec::new(),
            known_as,
            notices: Vec::new(),
            problem: Some(missing.detail),
            unused: None,
            text: None,
        },
    }
}

fn unused_row(page: UnusedPage) -> RoleRow {
    RoleRow {
        role: skill::role_known_as(&page.name),
        name: page.name,
        description: String::new(),
        writes: Vec::new(),
        artefacts: Vec::new(),
        source: page.path,
        known_as: Vec::new(),
        notices: Vec::new(),
        problem: None,
        unused: Some(page.reason),
        text: None,
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
    if let Some(reason) = &entry.unused {
        return format!("{} is not used: {reason}", entry.source);
    }
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
    for notice in &entry.notices {
        text.push_str(&format!("\n  notice: {}: {}", notice.place(), notice.message));
    }
    if !entry.known_as.is_empty() {
        text.push_str(&format!("\n  also known as: {}", entry.known_as.join(", ")));
    }
    text
}
