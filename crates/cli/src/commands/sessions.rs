//! `tollgate sessions`: every session of the repository, the newest first.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_core::id::SessionName;
use tollgate_core::role::State;
use tollgate_core::session::Session;
use tollgate_core::time::Timestamp;
use tollgate_host::client;
use tollgate_host::layout::Layout;

/// List the sessions of this repository, the newest first
#[derive(Debug, Args)]
pub struct Sessions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct Entry {
    session: SessionName,
    /// Null, like the rest, where the journal does not tell.
    action: Option<String>,
    state: Option<State>,
    updated_at: Option<Timestamp>,
    /// How many questions are open.
    waiting: usize,
    #[serde(skip)]
    is_damaged: bool,
}

impl Sessions {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Place::find()?.layout;
        let names = layout.sessions()?;
        let entries: Vec<Entry> = names.into_iter().map(|name| entry(&layout, name)).collect();
        if self.json {
            output::json(&entries);
            return Ok(Exit::Ok);
        }
        if entries.is_empty() {
            output::talk("there is no session here yet; start one with `tollgate run \"GOAL\"`");
            return Ok(Exit::Ok);
        }
        output::data(&table(&entries));
        Ok(Exit::Ok)
    }
}

/// A session that cannot be read is told of and listed; it never hides the others.
fn entry(layout: &Layout, name: SessionName) -> Entry {
    let (session, is_damaged) = match client::read_session(&layout.session(&name)) {
        Ok(Some(session)) => (Some(session), false),
        Ok(None) => {
            output::marked(output::WARN, "warning:", &format!("{name} has not begun"));
            (None, false)
        }
        Err(error) => {
            output::marked(output::WARN, "warning:", &format!("{name}: {error}"));
            (None, true)
        }
    };
    Entry {
        action: session.as_ref().map(|session| session.opening.action.name.clone()),
        state: session.as_ref().map(Session::state),
        updated_at: session.as_ref().map(|session| session.updated_at),
        waiting: session.as_ref().map_or(0, |session| session.pending_decisions().count()),
        session: name,
        is_damaged,
    }
}

fn table(entries: &[Entry]) -> String {
    let widest = entries.iter().map(|entry| entry.session.as_str().len()).max().unwrap_or(0);
    let width = widest.max("SESSION".len());
    let mut lines = vec![format!(
        "{:<width$}  {:<10}  {:<16}  {:<24}  WAITING",
        "SESSION", "ACTION", "STATE", "UPDATED"
    )];
    for entry in entries {
        let state = match (entry.state, entry.is_damaged) {
            (Some(state), _) => state.as_str(),
            (None, true) => "unreadable",
            (None, false) => "not begun",
        };
        let updated = entry.updated_at.map_or("-".to_owned(), |at| at.to_string());
        lines.push(format!(
            "{:<width$}  {:<10}  {state:<16}  {updated:<24}  {}",
            entry.session.as_str(),
            entry.action.as_deref().unwrap_or("-"),
            entry.waiting
        ));
    }
    lines.join("\n")
}
