//! `tollgate actions`: what `tollgate run --action` takes.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use serde::Serialize;
use tollgate_contract::pack;
use tollgate_host::settings;

/// List the actions that can be run
#[derive(Debug, Args)]
pub struct Actions {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    description: String,
    source: String,
}

impl Actions {
    pub fn run(self) -> Result<Exit, Failure> {
        let mut entries = Vec::new();
        for built_in in pack::ACTIONS {
            let action = settings::action(built_in.name)?;
            let source = "built-in".to_owned();
            entries.push(Entry { name: action.name, description: action.description, source });
        }
        if self.json {
            output::json(&entries);
            return Ok(Exit::Ok);
        }
        let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
        for Entry { name, description, source } in &entries {
            output::data(&format!("{name:<width$}  {description} ({source})"));
        }
        Ok(Exit::Ok)
    }
}
