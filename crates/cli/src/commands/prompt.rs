//! `tollgate prompt`: what an agent was told, and how much that is.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{output, place};
use clap::Args;
use serde::Serialize;
use tollgate_contract::prompt::{Part, parts};
use tollgate_contract::reply_form::Way;
use tollgate_core::id::{Attempt, DispatchNumber, SessionName};
use tollgate_core::role::Role;
use tollgate_files::FileError;
use tollgate_host::activity::adapter;
use tollgate_host::activity::order;
use tollgate_host::settings::roles;

/// Far more than any prompt that is sent.
const PROMPT_BYTES_MAX: u64 = 64 << 20;

/// Show what the agent of a dispatch was told, or what every agent of a role is told
///
/// --sizes shows how much text each part has. Tokens are counted by four bytes, which is near what models count.
#[derive(Debug, Args)]
#[command(
    override_usage = "tollgate prompt [OPTIONS] [SESSION] NUMBER\n       tollgate prompt [OPTIONS] --role ROLE",
    after_help = "Examples:\n  tollgate prompt 3\n  tollgate prompt latest 3 --attempt 1\n  \
tollgate prompt rate-limit 3 | less\n  tollgate prompt 3 --sizes\n  tollgate prompt --role Reviewer"
)]
pub struct Prompt {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`; by default the latest one
    #[arg(conflicts_with = "role", required_unless_present = "role")]
    pub session: Option<String>,
    /// The number of the dispatch in `tollgate status`
    pub number: Option<u32>,
    /// Show what every dispatch of this role is told: a canonical role, or the name of a text
    #[arg(long)]
    pub role: Option<String>,
    /// The attempt; by default the last one
    #[arg(long, value_name = "N", conflicts_with = "role")]
    pub attempt: Option<u32>,
    /// Show how large its parts are, in place of the text
    #[arg(long)]
    pub sizes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    schema_version: u32,
    /// What is of a dispatch is null where a role was asked for.
    session: Option<SessionName>,
    dispatch: Option<DispatchNumber>,
    attempt: Option<Attempt>,
    role: Role,
    parts: Vec<Part>,
    prompt: &'a str,
}

/// Which dispatch it was; none for what a role is told.
type Of = (SessionName, DispatchNumber, Attempt);

impl Prompt {
    pub fn run(self) -> Result<Exit, Failure> {
        let (of, role, prompt) = match &self.role {
            Some(name) => of_role(name)?,
            None => self.of_dispatch()?,
        };
        let parts = parts(&prompt);
        if self.json {
            let (session, dispatch, attempt) = match of {
                Some((session, dispatch, attempt)) => {
                    (Some(session), Some(dispatch), Some(attempt))
                }
                None => (None, None, None),
            };
            let prompt = prompt.as_str();
            let schema_version = 1;
            output::json(&Told { schema_version, session, dispatch, attempt, role, parts, prompt });
        } else if self.sizes {
            output::data(&sizes(&parts));
        } else {
            output::data(&prompt);
        }
        Ok(Exit::Ok)
    }

    fn of_dispatch(&self) -> Result<(Option<Of>, Role, String), Failure> {
        let given = self.session.as_deref().unwrap_or_default();
        // One word alone is the number.
        let (session, number) = match self.number {
            Some(number) => (given, number),
            None => ("latest", given.parse().map_err(|_| no_number(given))?),
        };
        let checkout = place::Checkout::find()?;
        let (_, view) = checkout.begun(session)?;
        let number = DispatchNumber(number);
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
        let prompt = String::from_utf8_lossy(&text).into_owned();
        Ok((Some((view.session, number, attempt)), dispatch.role, prompt))
    }
}

fn of_role(name: &str) -> Result<(Option<Of>, Role, String), Failure> {
    let context = place::context()?;
    let listed =
        super::roles::named_so(roles::list(&context.layout), name, "tollgate prompt --role")?;
    let found = listed.found.map_err(|missing| {
        Failure::usage("cli.role", missing.to_string()).hint("`tollgate roles` lists the roles")
    })?;
    let role = found.file.role;
    let player = adapter::player(&context, role, None);
    let way = player.map_or(Way::LastMessage, |player| player.replies_by());
    Ok((None, role, order::prompt_of_role(&found.file, way)))
}

fn sizes(parts: &[Part]) -> String {
    let row = |tokens: usize, bytes: usize, title: &str| {
        let tokens = format!("~{tokens}");
        format!("{tokens:>8} tokens {bytes:>9} bytes  {title}")
    };
    let sum = |of: fn(&Part) -> usize| parts.iter().map(of).sum::<usize>();
    let mut rows: Vec<String> =
        parts.iter().map(|part| row(part.tokens, part.bytes, &part.title)).collect();
    rows.push(row(sum(|part| part.tokens), sum(|part| part.bytes), "in all"));
    rows.join("\n")
}

fn no_number(given: &str) -> Failure {
    let message = format!("{given:?} is no number of a dispatch");
    Failure::usage("cli.dispatch", message)
        .hint("`tollgate prompt SESSION NUMBER`; `tollgate status SESSION` lists the dispatches")
}

fn unread(error: &FileError, number: DispatchNumber, attempt: Attempt) -> Failure {
    let message = format!("attempt {attempt} of dispatch {number} has no prompt: {error}");
    Failure::usage("cli.dispatch", message)
        .hint("an attempt has a prompt once it is prepared; `tollgate status` counts the attempts")
}
