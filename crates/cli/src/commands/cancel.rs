//! `tollgate cancel`: ends a session for good.

use super::answer::{take_or_hand_over, wait_for_the_end};
use super::run::{end_cancelled, tell_unrecorded};
use crate::exit::Exit;
use crate::face::{self, PlainFace};
use crate::failure::Failure;
use crate::{output, place, summary, telemetry, tracking};
use clap::Args;
use tollgate_core::id::SessionName;
use tollgate_core::input::Command;
use tollgate_host::client::Client;
use tollgate_host::serve::ServeEnd;

/// Cancel a session for good; accepted work stays on its branch
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate cancel --reason \"The goal has changed\"\n  tollgate cancel 2026-11-15_add-rate-limiting --reason \"Done by hand\""
)]
pub struct Cancel {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Why you cancel it; asked for in a terminal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

impl Cancel {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let (name, layout) = place.session(&self.session)?;
        let reason = match self.reason {
            Some(reason) => reason,
            None => asked(&name)?.ok_or_else(|| no_reason(&self.session))?,
        };
        let mut client = Client::open(layout)?;
        let command = Command::Cancel { id: face::command_id(), reason };
        if let Some(mut owner) = take_or_hand_over(&client, &name, &command)? {
            let mut face = PlainFace::quiet();
            owner.submit(&mut face, command)??;
            end_cancelled(&owner)?;
            tracking::follow(&mut owner, &mut face)?;
            owner.finish_showing(&mut face, ServeEnd::Blocked)?;
            owner.finish_notifying(&mut face, ServeEnd::Blocked)?;
            telemetry::send(&mut owner, &mut face, ServeEnd::Blocked)?;
            tell_unrecorded(&owner);
        } else {
            wait_for_the_end(&client);
        }
        output::talk(&format!("{name} is cancelled"));
        if let Some(view) = client.view()? {
            summary::undo_offer(&place::here()?, &view);
        }
        Ok(Exit::Ok)
    }
}

/// What the person at the terminal says; none where nobody is there, or says nothing.
fn asked(name: &SessionName) -> Result<Option<String>, Failure> {
    if !output::is_interactive() {
        return Ok(None);
    }
    output::prompt(&format!("Why is {name} cancelled? "));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(|cause| {
        Failure::usage("cli.refused", format!("the reason cannot be read: {cause}"))
    })?;
    Ok(Some(line.trim().to_owned()).filter(|reason| !reason.is_empty()))
}

fn no_reason(session: &str) -> Failure {
    Failure::usage("cli.refused", "a cancel needs a reason")
        .hint(format!("give it with `tollgate cancel {session} --reason \"TEXT\"`"))
}
