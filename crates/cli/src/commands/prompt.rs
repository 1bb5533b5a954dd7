//! `tollgate prompt`: what an agent was told.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_core::id::{Attempt, DispatchNumber, SessionName};
use tollgate_core::role::Role;
use tollgate_files::FileError;

/// Far more than any prompt that is sent.
const PROMPT_BYTES_MAX: u64 = 64 << 20;

/// Show what the agent of a dispatch was told
#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
#[command(
    after_help = "Examples:\n  tollgate prompt 3\n  tollgate prompt latest 3 --attempt 1\n  \
tollgate prompt rate-limit 3 | less"
)]
pub struct Prompt {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// The number of the dispatch in `tollgate status`
    pub number: u32,
    /// The attempt; by default the last one
    #[arg(long, value_name = "N")]
    pub attempt: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    schema_version: u32,
    session: &'a SessionName,
    dispatch: DispatchNumber,
    attempt: Attempt,
    role: Role,
    prompt: &'a str,
}

impl Prompt {
    pub fn run(self) -> Result<Exit, Failure> {
        let checkout = place::Checkout::find()?;
        let (_, view) = checkout.begun(&self.session)?;
        let number = DispatchNumber(self.number);
        let dispatch = view.work.dispatches.iter().find(|found| found.number == number);
        let Some(dispatch) = dispatch else {
            let message = format!("{} has no dispatch {number}", view.session);
            return Err(Failure::usage("cli.dispatch", message)
                .hint("`tollgate status` lists the dispatches"));
        };
        let attempt = Attempt(self.attempt.unwrap_or(dispatch.attempts));
        let path = checkout.layout.session(&view.session).attempt(number, attempt).prompt();
        let text = tollgate_files::read_bounded(&path, PROMPT_BYTES_MAX)
            .map_err(|error| unread(&error, number, attempt))?;
        let prompt = String::from_utf8_lossy(&text);
        if self.json {
            output::json(&Told {
                schema_version: 1,
                session: &view.session,
                dispatch: number,
                attempt,
                role: dispatch.role,
                prompt: &prompt,
            });
        } else {
            output::data(&prompt);
        }
        Ok(Exit::Ok)
    }
}

fn unread(error: &FileError, number: DispatchNumber, attempt: Attempt) -> Failure {
    let message = format!("attempt {attempt} of dispatch {number} has no prompt: {error}");
    Failure::usage("cli.dispatch", message)
        .hint("an attempt has a prompt once it is prepared; `tollgate status` counts the attempts")
}
