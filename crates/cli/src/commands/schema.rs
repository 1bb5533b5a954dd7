//! `tollgate schema`: JSON Schemas of what agents and people write.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use tollgate_contract::nearest::nearest;
use tollgate_contract::schema;

/// Print the JSON Schema of a document, or list all names
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tollgate schema\n  tollgate schema agent-output")]
pub struct Schema {
    /// A kind of document, such as `agent-output` or `tasks`
    pub name: Option<String>,
    /// Print the list of names as JSON; a schema is always JSON
    #[arg(long)]
    pub json: bool,
}

impl Schema {
    pub fn run(self) -> Result<Exit, Failure> {
        let names: Vec<&str> = schema::names().collect();
        let Some(name) = self.name else {
            if self.json {
                output::json(&names);
            } else {
                output::data(&names.join("\n"));
            }
            return Ok(Exit::Ok);
        };
        let Some(found) = schema::schema(&name) else {
            let failure = Failure::usage("cli.schema", format!("there is no schema {name:?}"));
            return Err(match nearest(&name, names.iter().copied()) {
                Some(near) => failure.hint(format!("did you mean `tollgate schema {near}`?")),
                None => failure.hint(format!("known: {}", names.join(", "))),
            });
        };
        output::json(&found);
        Ok(Exit::Ok)
    }
}
