//! `tollgate sessions`: every session of the repository, or of this machine, the newest first.

mod table;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use tollgate_core::view::Summary;
use tollgate_files::layout::{Layout, state_home};
use tollgate_host::sessions::{self, Listed, Measure, Trouble};

/// List the sessions of this repository, newest first
///
/// NOW says who must act: `running` and `stopped` are up to Tollgate, `your turn` is up to you. DISK is what the session and its
/// workspaces hold; `tollgate gc` and `tollgate rm` free it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate sessions\n  tollgate sessions --all\n  tollgate sessions --json"
)]
pub struct Sessions {
    /// List the sessions of every repository used on this machine
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints of a session.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    repository: Option<&'a Path>,
    #[serde(flatten)]
    summary: &'a Summary,
    running: bool,
    disk_bytes: u64,
}

impl Sessions {
    pub fn run(self) -> Result<Exit, Failure> {
        let state = state_home(|name| std::env::var_os(name)).ok();
        if self.all {
            return self.of_machine(state.as_deref());
        }
        let layout = place::Checkout::find()?.layout;
        tell_foreign(&sessions::foreign(&layout)?);
        let listed = sessions::summaries(&layout, state.as_deref(), Measure::DiskUse)?;
        tell_trouble(&listed);
        if self.json {
            output::json(&listed.iter().map(|one| entry(None, one)).collect::<Vec<_>>());
        } else if listed.is_empty() {
            output::talk("there are no sessions here yet; start one with `tollgate run \"GOAL\"`");
        } else {
            output::data(&table::of(&listed));
        }
        Ok(Exit::Ok)
    }

    fn of_machine(self, state: Option<&Path>) -> Result<Exit, Failure> {
        let roots = state.map(sessions::repositories).unwrap_or_default();
        let mut all: Vec<(PathBuf, Vec<Listed>)> = Vec::new();
        for root in roots {
            // One repository that cannot be read hides no other.
            match sessions::summaries(&Layout::new(&root), state, Measure::DiskUse) {
                Ok(listed) => {
                    tell_trouble(&listed);
                    all.push((root, listed));
                }
                Err(error) => {
                    let text = format!("{}: {error}", root.display());
                    output::marked(output::WARN, "warning:", &text);
                }
            }
        }
        if self.json {
            let entries = all.iter().flat_map(|(root, listed)| {
                listed.iter().map(move |one| entry(Some(root.as_path()), one))
            });
            output::json(&entries.collect::<Vec<_>>());
            return Ok(Exit::Ok);
        }
        if all.is_empty() {
            output::talk("no repository on this machine has sessions yet");
        }
        for (root, listed) in &all {
            output::data(&format!("{}\n{}\n", root.display(), table::of(listed)));
        }
        Ok(Exit::Ok)
    }
}

fn entry<'a>(repository: Option<&'a Path>, listed: &'a Listed) -> Entry<'a> {
    let Listed { summary, is_running, disk_bytes, .. } = listed;
    Entry { repository, summary, running: *is_running, disk_bytes: *disk_bytes }
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
fn tell_trouble(listed: &[Listed]) {
    for one in listed {
        let name = &one.summary.session;
        let text = match &one.trouble {
            None => continue,
            Some(Trouble::NotBegun) => format!("{name} has not started"),
            Some(Trouble::Unreadable(why)) => format!("{name}: {why}"),
        };
        output::marked(output::WARN, "warning:", &text);
    }
}
