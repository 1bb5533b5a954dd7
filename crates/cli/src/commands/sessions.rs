//! `tollgate sessions`: every session of the repository, the newest first.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use tollgate_core::id::SessionName;
use tollgate_core::view::Summary;
use tollgate_files::layout::Layout;
use tollgate_host::client::Client;
use tollgate_host::sessions;

/// List the sessions of this repository, newest first
#[derive(Debug, Args)]
pub struct Sessions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A session of the list, and whether its journal could be read.
struct Entry {
    summary: Summary,
    is_damaged: bool,
}

impl Sessions {
    pub fn run(self) -> Result<Exit, Failure> {
        let layout = place::Checkout::find()?.layout;
        let names = sessions::list(&layout)?;
        tell_foreign(&sessions::foreign(&layout)?);
        let entries: Vec<Entry> = names.into_iter().map(|name| entry(&layout, name)).collect();
        if self.json {
            output::json(&entries.iter().map(|entry| &entry.summary).collect::<Vec<_>>());
            return Ok(Exit::Ok);
        }
        if entries.is_empty() {
            output::talk("there are no sessions here yet; start one with `tollgate run \"GOAL\"`");
            return Ok(Exit::Ok);
        }
        output::data(&table(&entries));
        Ok(Exit::Ok)
    }
}

/// Folders of another orchestrator are no sessions yet: one line for all of them.
fn tell_foreign(names: &[String]) {
    const SHOWN: usize = 3;
    let path = |name: &String| format!("{}/{name}", Layout::SESSIONS);
    let text = match names {
        [] => return,
        [one] => format!("{} is", path(one)),
        many => {
            let shown: Vec<String> = many.iter().rev().take(SHOWN).map(path).collect();
            let more = many.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more} are", shown.join(", "))
        }
    };
    let text = format!(
        "{text} of another orchestrator, not of Tollgate; `tollgate import PATH` takes one over"
    );
    output::marked(output::NOTE, "note:", &text);
}

/// A session that cannot be read is told of and listed; it never hides the others.
fn entry(layout: &Layout, name: SessionName) -> Entry {
    let read = Client::open(layout.session(&name)).and_then(|mut client| client.summary());
    let is_damaged = read.is_err();
    let trouble = match read {
        Ok(Some(summary)) => return Entry { summary, is_damaged },
        Ok(None) => format!("{name} has not started"),
        Err(error) => format!("{name}: {error}"),
    };
    output::marked(output::WARN, "warning:", &trouble);
    Entry { summary: Summary::unknown(name), is_damaged }
}

fn table(entries: &[Entry]) -> String {
    let widest =
        entries.iter().map(|entry| entry.summary.session.as_str().len()).max().unwrap_or(0);
    let width = widest.max("SESSION".len());
    let mut lines = vec![format!(
        "{:<width$}  {:<10}  {:<16}  {:<24}  WAITING",
        "SESSION", "ACTION", "STATE", "UPDATED"
    )];
    for Entry { summary, is_damaged } in entries {
        let state = match (summary.state, is_damaged) {
            (Some(state), _) => state.as_str(),
            (None, true) => "unreadable",
            (None, false) => "not begun",
        };
        let updated = summary.updated_at.map_or("-".to_owned(), |at| at.to_string());
        lines.push(format!(
            "{:<width$}  {:<10}  {state:<16}  {updated:<24}  {}",
            summary.session.as_str(),
            summary.action.as_deref().unwrap_or("-"),
            summary.waiting
        ));
    }
    lines.join("\n")
}
