//! `tollgate cancel`: ends a session for good.

use super::answer::{hand_over, wait_for_the_end};
use super::run::{end_cancelled, tell_unrecorded};
use crate::exit::Exit;
use crate::face::{self, PlainFace};
use crate::failure::Failure;
use crate::{output, place, summary, tracking};
use clap::Args;
use tollgate_core::input::Command;
use tollgate_host::client::Client;
use tollgate_host::serve::{First, Owner, ServeEnd};

/// Cancel a session for good; accepted work stays on its branch
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tollgate cancel --reason \"The goal has changed\"\n  tollgate cancel 2026-11-15_add-rate-limiting --reason \"Done by hand\""
)]
pub struct Cancel {
    /// A name, a unique part of one, a number of `tollgate sessions`, or `latest`
    #[arg(default_value = "latest")]
    pub session: String,
    /// Why you cancel it
    #[arg(long, value_name = "TEXT", required = true)]
    pub reason: String,
}

impl Cancel {
    pub fn run(self) -> Result<Exit, Failure> {
        let place = place::Checkout::find()?;
        let (name, layout) = place.session(&self.session)?;
        let mut client = Client::open(layout)?;
        let command = Command::Cancel { id: face::command_id(), reason: self.reason };
        if hand_over(&client, &command)? {
            wait_for_the_end(&client);
        } else {
            let context = place::context()?;
            let mut face = PlainFace::quiet();
            let (mut owner, _) = Owner::resume(context, &name, &mut face, First::Answer)?;
            owner.submit(&mut face, command)??;
            end_cancelled(&owner)?;
            tracking::follow(&mut owner, &mut face)?;
            owner.finish_showing(&mut face, ServeEnd::Blocked)?;
            tell_unrecorded(&owner);
        }
        output::talk(&format!("{name} is cancelled"));
        if let Some(view) = client.view()? {
            summary::undo_offer(&place::here()?, &view);
        }
        Ok(Exit::Ok)
    }
}
