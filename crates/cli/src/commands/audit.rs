//! `tollgate audit`: from the journal alone, who did what, what was read and written, and who decided.

mod text;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::place::{Checkout, not_begun};
use clap::Args;
use serde::Serialize;
use tollgate_core::id::SessionName;
use tollgate_files::layout::SessionLayout;
use tollgate_host::client::{Client, JournalError, Verified};

/// Show the record of a session: roles, artefacts, decisions, commands and commits
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate audit\n  tollgate audit --verify\n  tollgate audit --json | jq .decisions"
)]
pub struct Audit {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Only check the journal: its chain of hashes is intact and no record is missing
    #[arg(long)]
    pub verify: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Audit {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = Checkout::find()?;
        let (name, layout) = place.session(&self.session)?;
        if self.verify {
            return self.verify(&place, &name, &layout);
        }
        let audit = Client::open(layout).and_then(|mut client| client.audit());
        let audit = audit.map_err(Failure::reading)?.ok_or_else(|| not_begun(&name))?;
        if self.json {
            output::json(&audit);
        } else {
            let lines: Vec<String> = text::text(&audit).lines().map(str::to_owned).collect();
            output::data_rows(lines);
        }
        Ok(Exit::Ok)
    }

    fn verify(
        &self,
        place: &Checkout,
        name: &SessionName,
        layout: &SessionLayout,
    ) -> Result<Exit, Failure> {
        let anchors = place.journal_anchors(name);
        let verified = Client::verify(layout, name, &anchors);
        if self.json {
            output::json(&Chain::of(name, &verified));
        }
        let found = verified.map_err(Failure::reading)?;
        if !self.json {
            let torn = match found.torn_bytes {
                0 => String::new(),
                bytes => format!(
                    "\nafter it there is an unfinished record of {}; a resume sets it aside",
                    tollgate_core::count::counted(bytes, "byte")
                ),
            };
            output::data(&format!(
                "{name}: the chain is intact, {}, last hash {}{torn}",
                tollgate_core::count::counted(found.records, "record"),
                found.last_hash
            ));
        }
        Ok(Exit::Ok)
    }
}

#[derive(Serialize)]
struct Chain<'a> {
    ok: bool,
    session: &'a SessionName,
    records: Option<u64>,
    last_hash: Option<&'a str>,
    torn_bytes: Option<u64>,
    error: Option<String>,
}

impl<'a> Chain<'a> {
    fn of(session: &'a SessionName, verified: &'a Result<Verified, JournalError>) -> Self {
        let found = verified.as_ref().ok();
        Self {
            ok: found.is_some(),
            session,
            records: found.map(|found| found.records),
            last_hash: found.map(|found| found.last_hash.as_str()),
            torn_bytes: found.map(|found| found.torn_bytes),
            error: verified.as_ref().err().map(ToString::to_string),
        }
    }
}
